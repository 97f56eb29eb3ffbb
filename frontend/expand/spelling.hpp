// Spelling names so that they mean in one module what they meant in another (abstractions, 10.3, hygiene): a path that
// denotes a declaration from where it was written becomes that declaration's full name.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "frontend/check/declarations.hpp"
#include "frontend/expand/statics.hpp"
#include "frontend/support/arena.hpp"
#include "frontend/support/names.hpp"
#include "frontend/syntax/ast.hpp"

namespace cairn {

class Spelling {
 public:
  Spelling(Arena& arena, NameTable& names, const Declarations& table) : arena_(arena), names_(names), table_(table) {}

  /// A written path spelled in full: the longest beginning of it that denotes a declaration from `module` is replaced
  /// by that declaration's full name. `replaced` is how many segments that was; 0 leaves the path as it is.
  std::vector<syntax::Identifier> full(std::span<const syntax::Identifier> path, Name module, std::size_t& replaced);
  syntax::Path full(const syntax::Path& path, Name module);
  /// A written type, its names spelled in full.
  const syntax::TypeExpr* full(const TypeReference& reference);

  /// `a.b.c` as an expression; every node stands at `position`.
  const syntax::Expr* as_expression(std::span<const syntax::Identifier> path, Position position, Span span);
  /// A written type as it stands in a bracket or before a parenthesis; null for one that cannot (fn, borrows).
  const syntax::Expr* as_expression(const syntax::TypeExpr& type, Position position, Span span);
  const syntax::IntegerExpr* natural(std::uint64_t value, Position position, Span span);
  [[nodiscard]] syntax::Natural natural(std::uint64_t value, Position position);

 private:
  Arena& arena_;
  NameTable& names_;
  const Declarations& table_;
};

}  // namespace cairn
