// The expression forms a derived gradient may meet (numerics, 8.5 to 8.8). Each rule refuses in the differentiated
// function's own text.
#pragma once

#include "frontend/expand/gradient_facts.hpp"

namespace cairn {

class GradientForms {
 public:
  explicit GradientForms(GradientFacts& facts) : facts_(facts) {}

  /// Of any expression of the statement at `statement`: it can be printed, and reads neither an output nor a sum whose
  /// loop is not behind.
  void hold_readable(const syntax::Expr& expression, Position statement) const;
  /// Of an active expression: a derivative can flow through it. `in_lane`: it stands in a parallel region.
  void hold_differentiable(const syntax::Expr& expression, bool in_lane);
  /// Of an expression in a region whose lanes are `lane`: active views are read at `[lane]` alone.
  void hold_own_elements(const syntax::Expr& expression, Name lane) const;

 private:
  void hold_leaf(const syntax::Expr& expression, bool in_lane);
  void hold_call(const syntax::CallExpr& call, bool in_lane);
  void hold_gradient_call(const syntax::CallExpr& call, const GradientCallee& callee, bool in_lane);
  void hold_read(Name name, Position statement) const;
  void hold_element(const syntax::Expr& base, Position statement) const;
  [[nodiscard]] bool is_active_view(const syntax::Expr& expression) const;

  GradientFacts& facts_;
};

}  // namespace cairn
