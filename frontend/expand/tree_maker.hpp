// Makes syntax nodes that all stand at one place, and copies written trees to it: what generated code without a text of
// its own is made of. Every node is counted against the limit on expansions (abstractions, 10.2).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/expand/rewriter.hpp"
#include "frontend/support/names.hpp"

namespace cairn {

class TreeMaker final : private TreeRewriter {
 public:
  TreeMaker(Arena& arena, NameTable& names, Position position, Span span);

  // Copies of written trees. Null in, null out.
  const syntax::Expr* copy(const syntax::Expr* original) { return expression(original); }
  const syntax::TypeExpr* copy(const syntax::TypeExpr* original) { return type(original); }
  const syntax::Stmt* copy(const syntax::Stmt& original) { return copied(original); }

  Name intern(std::string_view text) { return names_.intern(text); }
  [[nodiscard]] syntax::Identifier identifier(Name name) const { return {name, position_}; }

  // Expressions.
  const syntax::Expr* name(Name name);
  const syntax::Expr* natural(std::uint64_t value);
  /// A float literal as it is written.
  const syntax::Expr* decimal(std::string_view digits);
  const syntax::Expr* negative(const syntax::Expr* operand);
  const syntax::Expr* binary(syntax::BinaryOp op, const syntax::Expr* left, const syntax::Expr* right);
  const syntax::Expr* call(const syntax::Expr* callee, const std::vector<const syntax::Expr*>& arguments);
  const syntax::Expr* call(std::string_view callee, const syntax::Expr* argument);
  const syntax::Expr* element(Name view, const syntax::Expr* index);
  const syntax::Expr* part(const syntax::Expr* base, const syntax::Expr* lo, const syntax::Expr* hi);
  /// `a.b.c`.
  const syntax::Expr* dotted(const std::vector<Name>& path);

  // Types.
  const syntax::TypeExpr* type_named(std::string_view name);
  /// A borrow of `inner`; as a view where `view` is one, with its extent and placement.
  const syntax::TypeExpr* borrow(syntax::BorrowMode mode, const syntax::TypeExpr& inner, const syntax::TypeExpr* view);

  // Statements.
  const syntax::Stmt* let(Name name, const syntax::TypeExpr* type, const syntax::Expr* value, bool is_mutable = false);
  const syntax::Stmt* assign(const syntax::Expr* place, const syntax::Expr* value);
  const syntax::Stmt* expression_statement(const syntax::Expr* value);
  const syntax::Stmt* branch(const syntax::Expr* condition, const std::vector<const syntax::Stmt*>& then,
                             const std::vector<const syntax::Stmt*>& otherwise);
  const syntax::Stmt* if_statement(const syntax::Expr* condition, const syntax::Block* then,
                                   const syntax::Block* otherwise);
  const syntax::Stmt* loop(Name binder, const syntax::Expr* lo, const syntax::Expr* hi,
                           const std::vector<const syntax::Stmt*>& body);
  const syntax::Stmt* region(Name binder, const syntax::Expr* extent, const std::vector<const syntax::Stmt*>& body);
  const syntax::Stmt* give_back(const syntax::Expr* value);
  const syntax::Block* block(const std::vector<const syntax::Stmt*>& statements);

 private:
  void visit(Position position) override;
  syntax::Identifier name(const syntax::Identifier& original) override { return identifier(original.name); }
  template <class T>
  T* node();

  NameTable& names_;
  Position position_;
  Span span_;
  std::size_t nodes_ = 0;
};

}  // namespace cairn
