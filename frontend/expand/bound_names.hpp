// The names a function binds: parameters, locals, generic parameters. Hygiene never rewrites those.
#pragma once

#include <unordered_set>
#include <vector>

#include "frontend/expand/rewriter.hpp"

namespace cairn {

class BoundNames final : public TreeRewriter {
 public:
  /// The copies made on the way go into `scratch`.
  explicit BoundNames(Arena& scratch) : TreeRewriter(scratch) {}
  std::unordered_set<Name> bound;

 protected:
  syntax::Identifier name(const syntax::Identifier& original) override {
    bound.insert(original.name);
    return original;
  }
  syntax::Identifier member(const syntax::Identifier& original) override { return original; }
  syntax::Path path(const syntax::Path& original) override { return original; }
  void statement(const syntax::Stmt& original, std::vector<const syntax::Stmt*>& out) override {
    if (original.kind != syntax::StmtKind::Each) return TreeRewriter::statement(original, out);
    for (const syntax::Stmt* inner : original.as<syntax::EachStmt>().body->statements) statement(*inner, out);
  }
};

}  // namespace cairn
