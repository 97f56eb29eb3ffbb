#include "cuda/nvrtc/includes.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

namespace cairn::cuda {

namespace fs = std::filesystem;

std::vector<Include> includes_of(std::string_view text) {
  std::vector<Include> all;
  const auto skip_blanks = [](std::string_view& line) {
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  };
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    skip_blanks(line);
    if (!line.starts_with('#')) continue;
    line.remove_prefix(1);
    skip_blanks(line);
    constexpr std::string_view kWord = "include";
    if (!line.starts_with(kWord)) continue;
    line.remove_prefix(kWord.size());
    skip_blanks(line);
    if (line.empty() || (line.front() != '"' && line.front() != '<')) continue;
    const bool quoted = line.front() == '"';
    line.remove_prefix(1);
    const std::size_t close = line.find(quoted ? '"' : '>');
    if (close != std::string_view::npos && close != 0) all.push_back({std::string(line.substr(0, close)), quoted});
  }
  return all;
}

std::string included_texts(std::string_view text, const std::vector<std::string>& folders) {
  std::string all;
  std::set<fs::path> seen;
  const auto visit = [&](const auto& self, std::string_view from, const fs::path& beside) -> void {
    for (const Include& include : includes_of(from)) {
      std::vector<fs::path> candidates;
      if (include.quoted && !beside.empty()) candidates.push_back(beside / include.name);
      for (const std::string& folder : folders) candidates.push_back(fs::path(folder) / include.name);
      for (const fs::path& candidate : candidates) {
        std::error_code error;
        if (!fs::is_regular_file(candidate, error)) continue;
        const fs::path path = candidate.lexically_normal();
        if (!seen.insert(path).second) break;
        std::ifstream file(path, std::ios::binary);
        const std::string contents{std::istreambuf_iterator<char>(file), {}};
        all += path.string() + "\n" + contents;
        self(self, contents, path.parent_path());
        break;
      }
    }
  };
  visit(visit, text, {});
  return all;
}

}  // namespace cairn::cuda
