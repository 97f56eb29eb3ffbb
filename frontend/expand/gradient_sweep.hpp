// The contributions of an expression to the adjoints of what it reads (numerics, 8.6 and 8.7), as statements.
//
// An expression is swept with its adjoint, a tree that is used up. What is swept has been held to the differentiable
// forms before (gradient_forms.hpp), so nothing is refused here but a temporary whose name is taken.
#pragma once

#include <string_view>
#include <unordered_set>
#include <vector>

#include "frontend/expand/gradient_facts.hpp"
#include "frontend/expand/tree_maker.hpp"

namespace cairn {

/// Which contributions a sweep makes. A region's are split in two: those to its lanes' own elements, and those to
/// scalars from outside of it (8.8). Adjoints of the region's own locals are part of both.
enum class SweepPass : std::uint8_t { All, Elements, Scalars };

class GradientSweep {
 public:
  GradientSweep(GradientFacts& facts, TreeMaker& maker, const std::unordered_set<Name>& taken)
      : facts_(facts), maker_(maker), taken_(taken) {}

  /// Adds the contributions of `expression`, whose adjoint is `adjoint`, to `out`.
  void flow(const syntax::Expr& expression, const syntax::Expr* adjoint, std::vector<const syntax::Stmt*>& out);

  /// The name of a variable's adjoint.
  [[nodiscard]] Name adjoint_of(Name variable) const;
  /// `f32` or `f64` as a written type; a literal's is f64.
  const syntax::TypeExpr* type_of(ValueKind kind);

  void set_pass(SweepPass pass) { pass_ = pass; }
  /// The locals whose adjoints belong to the loop or region being swept.
  std::unordered_set<Name> inner;
  /// Something was added to what outlives the loop or region being swept.
  bool added = false;

 private:
  using Statements = std::vector<const syntax::Stmt*>;

  void leaf(const syntax::Expr& expression, const syntax::Expr* adjoint, Statements& out);
  void call(const syntax::CallExpr& call, const syntax::Expr* adjoint, Statements& out);
  void magnitude(const syntax::CallExpr& call, const syntax::Expr* adjoint, Statements& out);
  void gradient_call(const syntax::CallExpr& call, const GradientCallee& callee, const syntax::Expr* adjoint,
                     Statements& out);
  const syntax::Expr* adjoint_part(const syntax::Expr& view);
  const syntax::Expr* gradient_name(const syntax::CallExpr& call, const syntax::Decl& callee);

  /// Whether the pass makes any contribution of this expression.
  [[nodiscard]] bool reaches(const syntax::Expr& expression);
  void add(const syntax::Expr* place, const syntax::Expr* place_again, const syntax::Expr* adjoint, Statements& out);
  Name fresh(std::string_view prefix);
  Name bind(const syntax::Expr& expression, const syntax::TypeExpr* type, Statements& out);
  /// An operand that a contribution repeats: bound first when it calls something.
  class Operand;

  GradientFacts& facts_;
  TreeMaker& maker_;
  const std::unordered_set<Name>& taken_;
  SweepPass pass_ = SweepPass::All;
  int temporaries_ = 0;
};

}  // namespace cairn
