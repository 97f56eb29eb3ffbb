// From the project's text to one linked tree: parsing, the entry, and the packaged modules a program imports or derives
// with (abstractions, 1, phases 2 and 3, and 13.5).
#include <string>

#include "frontend/check/checker.hpp"
#include "frontend/expand/expand.hpp"
#include "frontend/syntax/parser.hpp"

namespace cairn {

namespace {

std::string path_text(const syntax::Path& path, const NameTable& names) {
  std::string text;
  for (const auto& segment : path.segments) text.append(text.empty() ? "" : ".").append(names.text(segment.name));
  return text;
}

bool returns_i32(const syntax::Signature& signature, const NameTable& names) {
  const syntax::TypeExpr* result = signature.result;
  return result != nullptr && result->kind == syntax::TypeKind::Named && result->arguments.empty() &&
         !result->path.dotted() && names.text(result->path.last()) == "i32";
}

}  // namespace

void Checker::parse_program() {
  const auto files = static_cast<std::uint32_t>(compilation_.sources.size());
  compilation_.tree = syntax::parse(compilation_.sources, 0, files, names(), arena());
}

/// The one entry of an executable: the root's main, else the only main of the project's own modules (13.5).
void Checker::judge_entry() {
  const auto is_main = [&](const syntax::Decl* declaration) {
    return declaration->kind == syntax::DeclKind::Function && text(declaration->name.name) == "main";
  };
  const syntax::Decl* entry = nullptr;
  bool several = false;
  for (const syntax::Decl* declaration : compilation_.tree.declarations) {
    if (!is_main(declaration)) continue;
    const SourceFile* file = compilation_.sources.file_at(declaration->position);
    if (file == nullptr || !file->own) continue;
    if (!declaration->module) {
      entry = declaration;
      several = false;
      break;
    }
    several = entry != nullptr;
    entry = declaration;
  }
  const bool fits = entry != nullptr && !several && [&] {
    const auto& function = entry->as<syntax::FunctionDecl>();
    return !function.kernel && function.signature.parameters.empty() && function.signature.generics.empty() &&
           returns_i32(function.signature, names());
  }();
  if (!fits) {
    refuse(Code::ProjectOrEnvironment, {},
           "An executable needs exactly one fn main() -> i32 with no arguments" +
               std::string(several ? ", and several modules declare a main." : "."));
  }
  entry_ = entry;
}

/// Adds every imported packaged module, transitively, and those that bare derivations need. E-IMPORT.
void Checker::link() {
  std::vector<const syntax::Decl*> all(compilation_.tree.declarations.begin(), compilation_.tree.declarations.end());
  FlatMap<bool> known;
  for (const syntax::Decl* declaration : all) {
    if (declaration->module) known.insert(declaration->module.id);
    if (declaration->kind == syntax::DeclKind::Module)
      known.insert(names().intern(path_text(declaration->as<syntax::ModuleDecl>().path, names())).id);
  }
  const auto add = [&](Name module, Position import) {
    if (!known.insert(module.id).second) return;
    const std::string* source = options_.packaged != nullptr ? options_.packaged(text(module)) : nullptr;
    if (source == nullptr) {
      refuse(Code::Import, import,
             "There is no module " + std::string(text(module)) +
                 "; only modules of the project and std.* can be imported.");
    }
    const std::uint32_t file = compilation_.sources.add(std::string(text(module)), *source, true, false);
    const syntax::Program parsed =
        syntax::parse(compilation_.sources, file, 1, names(), arena(), syntax::ParseOptions{true});
    all.insert(all.end(), parsed.declarations.begin(), parsed.declarations.end());
    library_modules_.push_back(module);
  };
  std::size_t linked = 0;
  for (bool more = true; more;) {
    for (; linked < all.size(); ++linked) {
      if (all[linked]->kind != syntax::DeclKind::Import) continue;
      const auto& import = all[linked]->as<syntax::ImportDecl>();
      add(names().intern(path_text(import.path, names())), import.position);
    }
    if (all.size() != compilation_.tree.declarations.size())
      compilation_.tree.declarations = arena().copy(std::span<const syntax::Decl* const>(all));
    for (const std::string& module : recipe_modules(compilation_, options_.packaged)) add(names().intern(module), {});
    more = linked < all.size();
  }
}

}  // namespace cairn
