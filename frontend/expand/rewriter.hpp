// Copies syntax trees while changing them: the base of everything that makes trees from trees (recipes, the printed
// copies of families, gradients). Trees never change in place, so every node on the way is copied into the arena; what
// a subclass overrides decides what the copy says. Positions and spans stay those of the original, unless every copy is
// to stand at one place (`stand_at`).
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "frontend/support/arena.hpp"
#include "frontend/syntax/ast.hpp"

namespace cairn {

class TreeRewriter {
 public:
  explicit TreeRewriter(Arena& arena) : arena_(arena) {}
  TreeRewriter(const TreeRewriter&) = delete;
  TreeRewriter& operator=(const TreeRewriter&) = delete;
  virtual ~TreeRewriter() = default;

  // Null in, null out.
  const syntax::Expr* expression(const syntax::Expr* original);
  const syntax::TypeExpr* type(const syntax::TypeExpr* original);
  const syntax::Block* block(const syntax::Block* original);
  syntax::Signature signature(const syntax::Signature& original);
  const syntax::FunctionDecl* function(const syntax::FunctionDecl& original);

 protected:
  [[nodiscard]] Arena& arena() { return arena_; }

  /// Called once for every node copied; a subclass may count or stop.
  virtual void visit(Position position) { (void)position; }
  /// A name that is bound, declared or referred to as a local here.
  virtual syntax::Identifier name(const syntax::Identifier& original) { return original; }
  /// A name after a dot.
  virtual syntax::Identifier member(const syntax::Identifier& original) { return name(original); }
  /// A name that is used as a value, callee or place. `members` are the selections written right after it (`a.b.c`),
  /// nearest first; `consumed` of them may be made part of the result.
  virtual const syntax::Expr* name_expression(const syntax::NameExpr& original,
                                              std::span<const syntax::MemberExpr* const> members,
                                              std::size_t& consumed);
  /// A binary expression whose operands are copied already.
  virtual const syntax::Expr* combined(const syntax::BinaryExpr& copy) { return &copy; }
  virtual const syntax::Expr* fold_expression(const syntax::FoldExpr& original);
  virtual const syntax::Expr* each_expression(const syntax::EachExpr& original);
  /// One written argument: none, one or several.
  virtual void argument(const syntax::Expr& original, std::vector<const syntax::Expr*>& out);
  /// A dotted name outside expressions: traits, variants, records, functions.
  virtual syntax::Path path(const syntax::Path& original);
  virtual const syntax::TypeExpr* named_type(const syntax::TypeExpr& original);
  virtual const syntax::Block* named_block(const syntax::Block& original);
  /// One written statement: none, one or several.
  virtual void statement(const syntax::Stmt& original, std::vector<const syntax::Stmt*>& out);
  virtual std::string_view label(std::string_view original) { return original; }

  const syntax::Stmt* copied(const syntax::Stmt& original);
  syntax::List<const syntax::Identifier> names(syntax::List<const syntax::Identifier> originals);
  syntax::List<const syntax::Expr* const> expressions(syntax::List<const syntax::Expr* const> originals);
  syntax::List<const syntax::EffectLabel> labels(syntax::List<const syntax::EffectLabel> originals);

  template <class T>
  T* copy_of(const T& original) {
    T* copy = arena_.make<T>(original);
    if (place_.position) stand(*copy);
    return copy;
  }

  /// From here on every copied node stands at this place.
  void stand_at(Position position, Span span) { place_ = {position, span}; }

 private:
  const syntax::Expr* leaf(const syntax::Expr& original);
  const syntax::Expr* above(const syntax::Expr& original, const syntax::Expr* left);
  const syntax::Expr* closure(const syntax::ClosureExpr& original);
  syntax::List<const syntax::Parameter> parameters(syntax::List<const syntax::Parameter> originals);
  syntax::List<const syntax::GenericParameter> generics(syntax::List<const syntax::GenericParameter> originals);
  syntax::Implements implements(const syntax::Implements& original);
  const syntax::Stmt* contracted(const syntax::Stmt& original);
  const syntax::Stmt* cooperative(const syntax::Stmt& original);
  const syntax::Stmt* assembly(const syntax::AsmStmt& original);

  struct Place {
    Position position;
    Span span;
  };
  template <class T>
  void stand(T& node) const {
    if constexpr (requires { node.position; }) node.position = place_.position;
    if constexpr (requires { node.op_position; }) node.op_position = place_.position;
    if constexpr (requires { node.reducer_position; }) node.reducer_position = place_.position;
    node.span = place_.span;
  }

  Arena& arena_;
  Place place_;
};

}  // namespace cairn
