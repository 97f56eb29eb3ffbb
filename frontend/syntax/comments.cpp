#include "frontend/syntax/comments.hpp"

#include <algorithm>

namespace cairn::syntax {

std::vector<std::string_view> comment_above(const SourceMap& sources, Position declaration) {
  std::vector<std::string_view> lines;
  const SourceFile* file = sources.file_at(declaration);
  if (file == nullptr) return lines;
  const std::string_view text = file->text;
  const auto line_start = [&text](std::size_t at) {
    const std::size_t newline = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
    return newline == std::string_view::npos ? std::size_t{0} : newline + 1;
  };
  std::size_t start = line_start(std::min<std::size_t>(declaration.offset - file->begin, text.size()));
  while (start > 0) {
    const std::size_t above = line_start(start - 1);
    std::string_view line = text.substr(above, start - 1 - above);
    line.remove_prefix(std::min(line.find_first_not_of(" \t\r\f\v"), line.size()));
    if (!line.starts_with("//")) break;
    line.remove_prefix(line.starts_with("// ") ? 3 : 2);
    const std::size_t last = line.find_last_not_of(" \t\r\f\v");
    lines.push_back(line.substr(0, last == std::string_view::npos ? 0 : last + 1));
    start = above;
  }
  std::ranges::reverse(lines);
  return lines;
}

}  // namespace cairn::syntax
