// Walking unchecked expressions without recursion: chains of left operands may be of any length.
#pragma once

#include <algorithm>
#include <vector>

#include "frontend/syntax/ast.hpp"

namespace cairn {

/// The expressions an expression is directly made of, in text order. The bodies of closures and spawned regions are
/// not entered.
inline void append_operands(const syntax::Expr& expression, std::vector<const syntax::Expr*>& out) {
  using namespace syntax;
  const auto one = [&](const Expr* operand) {
    if (operand != nullptr) out.push_back(operand);
  };
  const auto all = [&](List<const Expr* const> operands) {
    for (const Expr* operand : operands) one(operand);
  };
  switch (expression.kind) {
    case ExprKind::Integer:
    case ExprKind::Float:
    case ExprKind::String:
    case ExprKind::Bool:
    case ExprKind::Name:
    case ExprKind::Closure:
      return;
    case ExprKind::Unary:
      return one(expression.as<UnaryExpr>().operand);
    case ExprKind::Try:
      return one(expression.as<TryExpr>().operand);
    case ExprKind::Spawn:
      one(expression.as<SpawnExpr>().operand);
      return one(expression.as<SpawnExpr>().extent);
    case ExprKind::Binary:
      one(expression.as<BinaryExpr>().left);
      return one(expression.as<BinaryExpr>().right);
    case ExprKind::Call:
      one(expression.as<CallExpr>().callee);
      return all(expression.as<CallExpr>().arguments);
    case ExprKind::Bracket:
      one(expression.as<BracketExpr>().base);
      return all(expression.as<BracketExpr>().arguments);
    case ExprKind::Part:
      one(expression.as<PartExpr>().base);
      one(expression.as<PartExpr>().lo);
      return one(expression.as<PartExpr>().hi);
    case ExprKind::Member:
      return one(expression.as<MemberExpr>().base);
    case ExprKind::Each:
      return all(expression.as<EachExpr>().values);
    case ExprKind::Fold:
      return one(expression.as<FoldExpr>().each);
  }
}

/// Visits an expression and what it is made of, each before its operands and those in text order; `visit(expression)`
/// says whether its operands are visited too.
template <class Visit>
void for_each_expression(const syntax::Expr& root, Visit&& visit) {
  std::vector<const syntax::Expr*> pending{&root};
  while (!pending.empty()) {
    const syntax::Expr* expression = pending.back();
    pending.pop_back();
    if (!visit(*expression)) continue;
    const auto first = static_cast<std::ptrdiff_t>(pending.size());
    append_operands(*expression, pending);
    std::reverse(pending.begin() + first, pending.end());
  }
}

}  // namespace cairn
