#include "vm/vendored_cuda.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "cuda/compiler.hpp"
#include "vm/bytecode/vendored_source.hpp"

namespace cairn {

namespace fs = std::filesystem;

namespace {

std::string contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Collects what a source includes of the project's folder. NVRTC knows a header by the name it is included by, so one
/// name is one file.
class Headers {
 public:
  Headers(const fs::path& root, bytecode::VendoredSource& source) : root_(root), source_(source) {}

  std::optional<std::string> add(std::string_view text, const fs::path& folder) {
    for (const cuda::Include& include : cuda::includes_of(text)) {
      if (!include.quoted) continue;
      const fs::path path = (folder / include.name).lexically_normal();
      std::error_code error;
      const bool is_inside = path.is_relative() && *path.begin() != "..";
      if (!is_inside || !fs::is_regular_file(root_ / path, error)) continue;  // the toolkit's
      const auto [known, is_new] = paths_.try_emplace(include.name, path);
      if (!is_new && known->second == path) continue;
      if (!is_new) {
        return source_.path + " includes \"" + include.name + "\" of two folders, " + known->second.string() + " and " +
               path.string() + "; give one of them another name";
      }
      std::string inner = contents(root_ / path);
      bytes_ += inner.size();
      if (bytes_ > kMostSourceBytes) return source_.path + " includes more than a program's sources may have";
      source_.headers.push_back({include.name, inner});
      if (auto why = add(inner, path.parent_path())) return why;
    }
    return std::nullopt;
  }

 private:
  const fs::path& root_;
  bytecode::VendoredSource& source_;
  std::map<std::string, fs::path> paths_;
  std::size_t bytes_ = 0;
};

}  // namespace

std::optional<std::string> add_vendored_cuda(const Project& project, bytecode::Module& module) {
  for (const ForeignSource& listed : project.manifest.foreign) {
    const bool is_launched =
        listed.path.ends_with(".cu") && std::ranges::any_of(module.foreigns, [&](const auto& each) {
          return each.launched && std::ranges::find(listed.symbols, each.symbol) != listed.symbols.end();
        });
    if (!is_launched) continue;
    bytecode::VendoredSource source;
    source.path = listed.path;
    source.symbols = listed.symbols;
    std::error_code error;
    if (fs::file_size(project.root / listed.path, error) > kMostSourceBytes || error) {
      return listed.path + " cannot be read, or is longer than a program's sources may be";
    }
    source.text = contents(project.root / listed.path);
    if (auto why = Headers(project.root, source).add(source.text, fs::path(listed.path).parent_path())) return why;
    const auto plain = std::ranges::find(module.signatures, bytecode::Signature{});
    const auto signature = static_cast<std::uint32_t>(plain - module.signatures.begin());
    if (plain == module.signatures.end()) module.signatures.emplace_back();
    module.foreigns.push_back(bytecode::foreign_of(source, signature));
  }
  return std::nullopt;
}

std::optional<Diagnostic> judge_vendored_cuda(const bytecode::Module& module) {
  const std::vector<bytecode::VendoredSource> sources = bytecode::vendored_sources(module);
  if (sources.empty()) return std::nullopt;
  const auto compiler = cuda::Compiler::open(module.built_for);
  if (!compiler) return std::nullopt;
  for (const bytecode::VendoredSource& source : sources) {
    const auto code = (*compiler)->compile_vendored(module, source);
    if (code) continue;
    Diagnostic refusal;
    refusal.code = Code::Foreign;
    refusal.message = code.error();
    while (refusal.message.ends_with('\n')) refusal.message.pop_back();
    return refusal;
  }
  return std::nullopt;
}

}  // namespace cairn
