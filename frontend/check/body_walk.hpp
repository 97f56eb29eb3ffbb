// Every expression and statement of a whole body, closures and lane bodies included, in evaluation order: for what
// reads bodies and changes nothing (numerics, receipts, explanations).
#pragma once

#include <vector>

#include "frontend/check/tree_walk.hpp"

namespace cairn::checked {

template <class OnExpression, class OnStatement>
class BodyWalk {
 public:
  BodyWalk(OnExpression on_expression, OnStatement on_statement)
      : on_expression_(on_expression), on_statement_(on_statement) {}

  void function(const Function& function) {
    if (function.body != nullptr) block(*function.body);
  }

 private:
  void block(const Block& body) {
    for (const Stmt* each : body.statements) statement(*each);
  }
  void statement(const Stmt& root) {
    on_statement_(root);
    for_each_part(
        root, [&](const Expr& value) { expression(value); }, [&](const Block& nested) { block(nested); },
        [&](const Function& lane) { function(lane); });
  }
  void expression(const Expr& root) {
    if (root.kind == ExprKind::Binary || root.kind == ExprKind::Logical) {
      const std::vector<const Expr*> chain = left_chain(root);
      expression(left_of(*chain.front()));
      for (const Expr* operation : chain) {
        on_expression_(*operation);
        expression(right_of(*operation));
      }
      return;
    }
    on_expression_(root);
    if (root.kind == ExprKind::Closure) function(*root.as<ClosureExpr>().body);
    if (root.kind == ExprKind::Spawn && root.as<SpawnExpr>().region != nullptr) statement(*root.as<SpawnExpr>().region);
    for_each_operand(root, [&](const Expr& operand) { expression(operand); });
  }

  OnExpression on_expression_;
  OnStatement on_statement_;
};

/// Calls `on_expression(const Expr&)` and `on_statement(const Stmt&)` for everything in the body.
template <class OnExpression, class OnStatement>
void walk_body(const Function& function, OnExpression on_expression, OnStatement on_statement) {
  BodyWalk<OnExpression, OnStatement>(on_expression, on_statement).function(function);
}

}  // namespace cairn::checked
