// What `cairn expand` prints (abstractions, 10.6): per module, in order of the first generated name, all generated
// records, then functions and impls in the order they were generated.
#include <algorithm>
#include <string>
#include <unordered_set>
#include <vector>

#include "frontend/check/declarations.hpp"
#include "frontend/expand/bound_names.hpp"
#include "frontend/expand/expand.hpp"
#include "frontend/expand/program_names.hpp"
#include "frontend/expand/rewriter.hpp"
#include "frontend/expand/spelling.hpp"
#include "frontend/syntax/printer.hpp"

namespace cairn {

using namespace syntax;

namespace {

/// A family's copy as the function it stands for: its number written where the template names its parameter, and, in
/// another module than the template's, the template's names spelled in full.
class CopyText final : public TreeRewriter {
 public:
  CopyText(Arena& arena, NameTable& names, const Declarations& table, const FunctionDecl& copy)
      : TreeRewriter(arena), spelling_(arena, names, table), copy_(copy) {
    parameter_ = copy.copy_of->signature.generics[0].name.name;
    if (copy.module == copy.copy_of->module) return;
    Arena scratch;
    BoundNames binders(scratch);
    binders.function(*copy.copy_of);
    bound_ = std::move(binders.bound);
    is_moved_ = true;
  }

  const FunctionDecl* written() {
    auto* made = copy_of(*function(copy_));
    made->copy_of = nullptr;
    return made;
  }

 private:
  const Expr* name_expression(const NameExpr& original, std::span<const MemberExpr* const> members,
                              std::size_t& consumed) override {
    consumed = 0;
    if (original.name == parameter_) return spelling_.natural(copy_.copy_value, original.position, original.span);
    if (!is_moved_ || bound_.contains(original.name)) return copy_of(original);
    std::vector<Identifier> path{{original.name, original.position}};
    for (const MemberExpr* each : members) path.push_back(each->member);
    std::size_t replaced = 0;
    const std::vector<Identifier> full = spelling_.full(path, copy_.copy_of->module, replaced);
    if (replaced == 0) return copy_of(original);
    consumed = replaced - 1;
    return spelling_.as_expression(std::span(full).first(full.size() - (path.size() - replaced)), original.position,
                                   original.span);
  }

  Path path(const Path& original) override {
    const bool is_own = !is_moved_ || bound_.contains(original.segments.front().name);
    return is_own ? original : spelling_.full(original, copy_.copy_of->module);
  }

  const TypeExpr* named_type(const TypeExpr& original) override {
    if (original.kind == syntax::TypeKind::Named && !original.path.dotted() && original.path.last() == parameter_) {
      TypeExpr literal = original;
      literal.kind = syntax::TypeKind::Natural;
      literal.path = {};
      literal.natural = spelling_.natural(copy_.copy_value, original.position);
      return TreeRewriter::named_type(literal);
    }
    if (original.has_extent && original.extent_is_name && original.extent_name.name == parameter_) {
      TypeExpr literal = original;
      literal.extent_is_name = false;
      literal.natural = spelling_.natural(copy_.copy_value, original.position);
      return TreeRewriter::named_type(literal);
    }
    return TreeRewriter::named_type(original);
  }

  Spelling spelling_;
  const FunctionDecl& copy_;
  Name parameter_;
  bool is_moved_ = false;
  std::unordered_set<Name> bound_;
};

struct ModuleText {
  Name module;
  std::vector<const Decl*> records;
  std::vector<const Decl*> rest;
};

bool is_generated(const Decl& declaration, const NameTable& names) {
  const std::string_view module = names.text(declaration.module);
  if (module == "std" || module.starts_with("std.")) return false;
  const bool is_copy = declaration.kind == DeclKind::Function && declaration.as<FunctionDecl>().copy_of != nullptr;
  return is_copy || !declaration.derived.empty();
}

/// Whether two impls print as one block.
bool is_same_block(const ImplDecl& a, const ImplDecl& b, const NameTable& names) {
  return a.module == b.module && print(a.trait, names) == print(b.trait, names) &&
         print(*a.type, names) == print(*b.type, names);
}

}  // namespace

std::string expansion_text(Compilation& compilation) {
  NameTable& names = compilation.names;
  Declarations table(names);
  for (const Decl* declaration : compilation.tree.declarations) enter_name(table, names, *declaration);
  std::vector<ModuleText> modules;
  for (const Decl* declaration : compilation.tree.declarations) {
    if (!is_generated(*declaration, names)) continue;
    auto found = std::ranges::find(modules, declaration->module, &ModuleText::module);
    if (found == modules.end()) {
      modules.push_back({declaration->module, {}, {}});
      found = modules.end() - 1;
    }
    (declaration->kind == DeclKind::Record ? found->records : found->rest).push_back(declaration);
  }
  std::string text;
  const auto item = [&](const std::string& printed) {
    if (!text.empty()) text += "\n";
    text += printed + "\n";
  };
  for (const ModuleText& module : modules) {
    if (module.module) item("module " + std::string(names.text(module.module)) + ";");
    for (const Decl* record : module.records) item(print(*record, names));
    for (std::size_t k = 0; k < module.rest.size(); ++k) {
      const Decl& declaration = *module.rest[k];
      if (declaration.kind == DeclKind::Impl) {
        const auto& impl = declaration.as<ImplDecl>();
        std::vector<const FunctionDecl*> members(impl.members.begin(), impl.members.end());
        while (k + 1 < module.rest.size() && module.rest[k + 1]->kind == DeclKind::Impl &&
               is_same_block(impl, module.rest[k + 1]->as<ImplDecl>(), names)) {
          const auto& next = module.rest[++k]->as<ImplDecl>();
          members.insert(members.end(), next.members.begin(), next.members.end());
        }
        item(print_impl(impl, members, names));
        continue;
      }
      const bool is_copy = declaration.kind == DeclKind::Function && declaration.as<FunctionDecl>().copy_of != nullptr;
      const Decl* written =
          is_copy ? CopyText(compilation.arena, names, table, declaration.as<FunctionDecl>()).written() : &declaration;
      item(print(*written, names));
    }
  }
  return text;
}

}  // namespace cairn
