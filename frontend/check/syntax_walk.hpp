// Walking syntax before it is typed: the operands of an expression and the parts of a statement, in the order of their
// text. For what must be known of a region before its body is judged.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "frontend/syntax/ast.hpp"

namespace cairn::syntax {

/// The name a place begins with: of `a[i].b` it is `a`; no name for a temporary.
[[nodiscard]] inline Name root_of(const Expr& place) {
  const Expr* at = &place;
  while (true) {
    switch (at->kind) {
      case ExprKind::Name:
        return at->as<NameExpr>().name;
      case ExprKind::Bracket:
        at = at->as<BracketExpr>().base;
        break;
      case ExprKind::Part:
        at = at->as<PartExpr>().base;
        break;
      case ExprKind::Member:
        at = at->as<MemberExpr>().base;
        break;
      default:
        return {};
    }
  }
}

/// Calls `visit(const Expr&)` for every operand and `block(const Block&)` for the body of a closure.
template <class Visit, class InBlock>
void for_each_operand(const Expr& expression, Visit&& visit, InBlock&& block) {
  const auto one = [&](const Expr* operand) {
    if (operand != nullptr) visit(*operand);
  };
  const auto all = [&](List<const Expr* const> operands) {
    for (const Expr* operand : operands) one(operand);
  };
  switch (expression.kind) {
    case ExprKind::Unary:
      return one(expression.as<UnaryExpr>().operand);
    case ExprKind::Try:
      return one(expression.as<TryExpr>().operand);
    case ExprKind::Spawn:
      one(expression.as<SpawnExpr>().operand);
      one(expression.as<SpawnExpr>().extent);
      if (expression.as<SpawnExpr>().body != nullptr) block(*expression.as<SpawnExpr>().body);
      return;
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
    case ExprKind::Closure:
      return block(*expression.as<ClosureExpr>().body);
    default:
      return;  // literals and names; recipes are expanded before bodies are judged
  }
}

/// Visits an expression and what it is made of, each before its operands and those in text order, without recursion:
/// chains of left operands may be of any length. `visit(expression)` says whether its operands are visited too. Bodies
/// of closures are not entered.
template <class Visit>
void for_each_expression(const Expr& root, Visit&& visit) {
  std::vector<const Expr*> pending{&root};
  while (!pending.empty()) {
    const Expr* expression = pending.back();
    pending.pop_back();
    if (!visit(*expression)) continue;
    const auto first = static_cast<std::ptrdiff_t>(pending.size());
    for_each_operand(*expression, [&](const Expr& operand) { pending.push_back(&operand); }, [](const Block&) {});
    std::reverse(pending.begin() + first, pending.end());
  }
}

/// Calls `value(const Expr&)` for the expressions of one statement and `block(const Block&)` for its nested blocks.
template <class Value, class InBlock>
void for_each_part(const Stmt& statement, Value&& value, InBlock&& block) {
  const auto one = [&](const Expr* expression) {
    if (expression != nullptr) value(*expression);
  };
  const auto all = [&](List<const Expr* const> expressions) {
    for (const Expr* expression : expressions) one(expression);
  };
  const auto in = [&](const Block* nested) {
    if (nested != nullptr) block(*nested);
  };
  switch (statement.kind) {
    case StmtKind::Let:
      one(statement.as<LetStmt>().value);
      if (const Stmt* contracted = statement.as<LetStmt>().contracted) for_each_part(*contracted, value, block);
      return;
    case StmtKind::Unpack:
      return one(statement.as<UnpackStmt>().value);
    case StmtKind::Assign:
      one(statement.as<AssignStmt>().place);
      return one(statement.as<AssignStmt>().value);
    case StmtKind::Compound:
      one(statement.as<CompoundStmt>().place);
      return one(statement.as<CompoundStmt>().value);
    case StmtKind::If:
      one(statement.as<IfStmt>().condition);
      in(statement.as<IfStmt>().then);
      return in(statement.as<IfStmt>().otherwise);
    case StmtKind::While:
      one(statement.as<WhileStmt>().condition);
      return in(statement.as<WhileStmt>().body);
    case StmtKind::ForRange:
      one(statement.as<ForRangeStmt>().lo);
      one(statement.as<ForRangeStmt>().hi);
      return in(statement.as<ForRangeStmt>().body);
    case StmtKind::ForEach:
      one(statement.as<ForEachStmt>().subject);
      return in(statement.as<ForEachStmt>().body);
    case StmtKind::Match:
      one(statement.as<MatchStmt>().subject);
      for (const MatchArm& arm : statement.as<MatchStmt>().arms) in(arm.body);
      return;
    case StmtKind::Return:
      return one(statement.as<ReturnStmt>().value);
    case StmtKind::Defer:
      return for_each_part(*statement.as<DeferStmt>().deferred, value, block);
    case StmtKind::Unsafe:
      return in(statement.as<UnsafeStmt>().body);
    case StmtKind::Block:
      return in(statement.as<BlockStmt>().body);
    case StmtKind::Storage:
      return one(statement.as<StorageStmt>().capacity);
    case StmtKind::Parallel:
      one(statement.as<ParallelStmt>().extent);
      return in(statement.as<ParallelStmt>().body);
    case StmtKind::Compact:
      one(statement.as<CompactStmt>().extent);
      one(statement.as<CompactStmt>().condition);
      return one(statement.as<CompactStmt>().yield);
    case StmtKind::Reduce:
      one(statement.as<ReduceStmt>().target_index);
      one(statement.as<ReduceStmt>().extent);
      return one(statement.as<ReduceStmt>().yield);
    case StmtKind::Scan:
      one(statement.as<ScanStmt>().extent);
      return one(statement.as<ScanStmt>().yield);
    case StmtKind::Into:
      return one(statement.as<IntoStmt>().spawn);
    case StmtKind::Expression:
      return one(statement.as<ExpressionStmt>().value);
    case StmtKind::Blocks: {
      const auto& region = statement.as<BlocksStmt>();
      all(region.block_extents);
      all(region.thread_extents);
      in(region.body);
      all(region.then_extents);
      return in(region.then_body);
    }
    case StmtKind::Shared:
      return one(statement.as<SharedStmt>().extent);
    case StmtKind::Pipeline:
      one(statement.as<PipelineStmt>().extent);
      return one(statement.as<PipelineStmt>().depth);
    case StmtKind::Asm:
      for (const AsmOperand& operand : statement.as<AsmStmt>().operands) one(operand.value);
      return;
    case StmtKind::Break:
    case StmtKind::Continue:
    case StmtKind::Barrier:
    case StmtKind::Each:
    case StmtKind::Require:
      return;
  }
}

}  // namespace cairn::syntax
