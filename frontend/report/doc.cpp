#include "frontend/report/doc.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "frontend/check/rows.hpp"
#include "frontend/check/tree_walk.hpp"
#include "frontend/report/cooperative_report.hpp"
#include "frontend/report/receipt.hpp"
#include "frontend/syntax/comments.hpp"
#include "frontend/syntax/printer.hpp"

namespace cairn {

namespace {

using namespace syntax;

class Doc {
 public:
  Doc(const Compilation& compilation, const DocOptions& options)
      : compilation_(compilation), names_(compilation.names), options_(options) {
    for (const auto& function : compilation.program.functions) {
      if (function->declaration != nullptr && function->parent == nullptr)
        by_declaration_.emplace(function->declaration, function.get());
    }
    std::size_t own = 0;
    for (std::size_t k = 0; k < compilation.sources.size(); ++k)
      own += compilation.sources.file(static_cast<std::uint32_t>(k)).library ? 0 : 1;
    names_files_ = own > 1;
  }

  std::vector<ModulePage> pages() {
    struct Entry {
      const ModuleDecl* header = nullptr;
      std::vector<const Decl*> declarations;
    };
    std::map<std::string_view, Entry> modules;
    for (const Decl* declaration : compilation_.tree.declarations) {
      if (!is_wanted(*declaration)) continue;
      Entry& entry = modules[names_.text(declaration->module)];
      if (declaration->kind == DeclKind::Module) {
        if (entry.header == nullptr) entry.header = &declaration->as<ModuleDecl>();
      } else if (is_shown(*declaration)) {
        entry.declarations.push_back(declaration);
      }
    }
    std::vector<ModulePage> pages;
    for (const auto& [module, entry] : modules) {
      ModulePage page{std::string(module), {}};
      page.markdown = "# " + (module.empty() ? std::string("root module") : std::string(module)) + "\n";
      if (entry.header != nullptr) {
        std::string text;
        for (const std::string_view line : comment_above(compilation_.sources, entry.header->position)) {
          text += std::string(line) + "\n";
        }
        if (!text.empty()) page.markdown += "\n" + text;
      }
      for (const Decl* declaration : entry.declarations) page.markdown += "\n" + block(*declaration);
      pages.push_back(std::move(page));
    }
    return pages;
  }

 private:
  bool is_wanted(const Decl& declaration) const {
    const std::string_view module = names_.text(declaration.module);
    if (!options_.modules.empty()) return std::ranges::find(options_.modules, module) != options_.modules.end();
    const bool is_library = module == "std" || module.starts_with("std.");
    if (options_.library != is_library) return false;
    const SourceFile* file = compilation_.sources.file_at(declaration.position);
    return is_library || file == nullptr || file->own;
  }

  bool is_shown(const Decl& declaration) const {
    if (!is_exported(declaration)) return false;
    switch (declaration.kind) {
      case DeclKind::Record:
      case DeclKind::Sum:
      case DeclKind::Trait:
      case DeclKind::Const:
      case DeclKind::Recipe:
      case DeclKind::Layout:
      case DeclKind::Extern:
      case DeclKind::Function:
        return true;
      default:
        return false;
    }
  }

  /// One declaration: its comment, then its signature, in a fenced block.
  std::string block(const Decl& declaration) const {
    std::string text = "```cairn\n";
    if (declaration.derived.empty()) {
      std::string prefix = "// ";
      if (names_files_ && declaration.kind == DeclKind::Function) {
        if (const SourceFile* file = compilation_.sources.file_at(declaration.position))
          prefix += "source: " + file->path + " ";
      }
      const auto comment = comment_above(compilation_.sources, declaration.position);
      if (comment.empty() && prefix != "// ") text += prefix.substr(0, prefix.size() - 1) + "\n";
      for (const std::string_view line : comment) {
        text += prefix + std::string(line) + "\n";
        prefix = "// ";
      }
    } else {
      text += "// " + std::string(declaration.derived) + "\n";
    }
    return text + signature(declaration) + "\n```\n";
  }

  std::string signature(const Decl& declaration) const {
    switch (declaration.kind) {
      case DeclKind::Function: {
        const auto& function = declaration.as<FunctionDecl>();
        return print_head(function, names_) + "  // effects: " + effects(function);
      }
      case DeclKind::Extern:
        return print(declaration, names_) + "  // effects: " + row_of(declaration);
      case DeclKind::Recipe:
        return recipe(declaration.as<RecipeDecl>());
      default:
        return print(declaration, names_);
    }
  }

  /// A recipe's head; its body is a template.
  std::string recipe(const RecipeDecl& declaration) const {
    std::string text = declaration.is_public ? "pub recipe " : "recipe ";
    text += names_.text(declaration.name.name);
    for (std::size_t k = 0; k < declaration.parameters.size(); ++k) {
      text += (k == 0 ? "[" : ", ") + std::string(names_.text(declaration.parameters[k].name.name)) +
              (declaration.parameters[k].is_function ? ":fn" : ":nat");
    }
    if (!declaration.parameters.empty()) text += "]";
    if (declaration.has_target) text += " for " + std::string(names_.text(declaration.target.name));
    return text;
  }

  std::string row_of(const Decl& declaration) const {
    const auto found = by_declaration_.find(&declaration);
    if (found == by_declaration_.end() || found->second->row == nullptr) return "none";
    std::string text;
    for (const std::string& label : checked::texts(*found->second->row, *found->second, names_)) {
      text += (text.empty() ? "" : ", ") + label;
    }
    return text.empty() ? "none" : text;
  }

  std::string effects(const FunctionDecl& function) const {
    if (!function.signature.generics.empty()) return "checked per instance";
    return row_of(function) + shared_memory(function);
  }

  /// What a block of each of its cooperative regions shares.
  std::string shared_memory(const FunctionDecl& function) const {
    const auto found = by_declaration_.find(&function);
    if (found == by_declaration_.end() || found->second->body == nullptr) return "";
    std::string text;
    checked::for_each_statement(*found->second->body, [&](const checked::Stmt& statement) {
      if (statement.kind != checked::StmtKind::Cooperative) return;
      text += "; " + std::to_string(shared_bytes(statement.as<checked::CooperativeStmt>())) + " shared bytes a block";
    });
    return text;
  }

  const Compilation& compilation_;
  const NameTable& names_;
  const DocOptions& options_;
  std::unordered_map<const Decl*, const checked::Function*> by_declaration_;
  bool names_files_ = false;
};

}  // namespace

std::vector<ModulePage> doc_pages(const Compilation& compilation, const DocOptions& options) {
  return Doc(compilation, options).pages();
}

}  // namespace cairn
