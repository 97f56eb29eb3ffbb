#include "vm/vendored_cuda.hpp"

#include <algorithm>
#include <expected>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "cuda/compiler.hpp"
#include "frontend/project/files.hpp"
#include "vm/bytecode/vendored_source.hpp"

namespace cairn {

namespace fs = std::filesystem;

namespace {

/// A file of the project that a compiler of C++ gets; else why there is none, as the end of a sentence that begins with
/// its path.
std::expected<std::string, std::string> source_text(const fs::path& root, const std::string& path) {
  if (std::string why = not_inside(root, path, false); !why.empty()) return std::unexpected(std::move(why));
  auto text = read_file(root / path, kMostSourceBytes);
  if (!text) return std::unexpected("cannot be read: " + text.error());
  // The compiler takes a text up to its first NUL, and would not say what it left out.
  if (const std::size_t at = text->find('\0'); at != std::string::npos) {
    return std::unexpected("holds a NUL, at byte " + std::to_string(at) + ", and is no text");
  }
  return text;
}

/// Collects what a source includes of the project's folder. NVRTC knows a header by the name it is included by, so one
/// name is one file.
class Headers {
 public:
  Headers(const fs::path& root, bytecode::VendoredSource& source, std::map<std::string, std::string>& outside)
      : root_(root), source_(source), outside_(outside) {}

  std::optional<std::string> add(std::string_view text, const fs::path& folder) {
    for (const cuda::Include& include : cuda::includes_of(text)) {
      if (!include.quoted) continue;
      const fs::path path = (folder / include.name).lexically_normal();
      if (path.is_absolute() || path.empty()) continue;
      if (*path.begin() == "..") {  // it may be the toolkit's, or in a part that is not compiled
        outside_.emplace(include.name, path.generic_string() + " lies outside the project");
        continue;
      }
      const auto [known, is_new] = paths_.try_emplace(include.name, path);
      if (!is_new && known->second == path) continue;
      std::error_code error;
      const bool is_there = fs::symlink_status(root_ / path, error).type() != fs::file_type::not_found && !error;
      if (!is_there) {  // the toolkit's
        if (is_new) paths_.erase(known);
        continue;
      }
      if (!is_new) {
        return source_.path + " includes \"" + include.name + "\" of two folders, " + known->second.string() + " and " +
               path.string() + "; give one of them another name";
      }
      auto inner = source_text(root_, path.generic_string());
      if (!inner) return path.generic_string() + ", which " + source_.path + " includes, " + inner.error();
      bytes_ += inner->size();
      if (bytes_ > kMostSourceBytes) return source_.path + " includes more than a program's sources may have";
      source_.headers.push_back({include.name, *inner});
      if (auto why = add(*inner, path.parent_path())) return why;
    }
    return std::nullopt;
  }

 private:
  const fs::path& root_;
  bytecode::VendoredSource& source_;
  std::map<std::string, std::string>& outside_;
  std::map<std::string, fs::path> paths_;
  std::size_t bytes_ = 0;
};

struct Read {
  bytecode::VendoredSource source;
  std::map<std::string, std::string> outside;  // of names that are included and are no files of the project: why
};

std::expected<Read, std::string> read_source(const Project& project, const ForeignSource& listed) {
  auto text = source_text(project.root, listed.path);
  if (!text) return std::unexpected(listed.path + " " + text.error());
  Read read;
  read.source = {listed.path, std::move(*text), listed.symbols, {}};
  const fs::path folder = fs::path(listed.path).parent_path();
  if (auto why = Headers(project.root, read.source, read.outside).add(read.source.text, folder)) {
    return std::unexpected(std::move(*why));
  }
  return read;
}

std::optional<Diagnostic> refusal_of(const Read& read, cuda::Compiler& compiler, const bytecode::Module& module) {
  auto code = compiler.compile_vendored(module, read.source);
  if (code) return std::nullopt;
  Diagnostic refusal;
  refusal.code = Code::Foreign;
  refusal.message = std::move(code.error());
  while (refusal.message.ends_with('\n')) refusal.message.pop_back();
  for (const auto& [name, why] : read.outside) {
    if (refusal.message.contains(name)) refusal.message += "\n" + why + ", and nothing of it is compiled";
  }
  return refusal;
}

}  // namespace

std::optional<Diagnostic> add_vendored_cuda(const Project& project, bytecode::Module& module) {
  std::set<std::string, std::less<>> launched;
  for (const bytecode::Foreign& each : module.foreigns) {
    if (each.launched) launched.insert(each.symbol);
  }
  std::vector<Read> added;
  for (const ForeignSource& listed : project.manifest.foreign) {
    const bool is_launched =
        std::ranges::any_of(listed.symbols, [&](const auto& symbol) { return launched.contains(symbol); });
    if (!listed.path.ends_with(".cu") || !is_launched) continue;
    auto read = read_source(project, listed);
    if (!read) return no_verdict(read.error() + ".");
    added.push_back(std::move(*read));
  }
  if (added.empty()) return std::nullopt;
  const auto plain = std::ranges::find(module.signatures, bytecode::Signature{});
  const auto signature = static_cast<std::uint32_t>(plain - module.signatures.begin());
  if (plain == module.signatures.end()) module.signatures.emplace_back();
  for (const Read& read : added) module.foreigns.push_back(bytecode::foreign_of(read.source, signature));
  const auto compiler = cuda::Compiler::open(module.built_for);
  if (!compiler) return std::nullopt;
  for (const Read& read : added) {
    if (auto refusal = refusal_of(read, **compiler, module)) return refusal;
  }
  return std::nullopt;
}

}  // namespace cairn
