// Walking the checked tree: the operands of an expression in evaluation order, and the expressions and blocks of a
// statement. Whatever reads whole bodies (rows, operand order, implementations, reports) visits nodes through these, so
// that a new node has one place to be added.
//
// Closures and lane bodies are functions of their own: they are handed to `inner`, not entered.
#pragma once

#include <algorithm>
#include <vector>

#include "frontend/check/assembly.hpp"
#include "frontend/check/cooperative.hpp"
#include "frontend/check/program.hpp"

namespace cairn::checked {

/// Calls `visit(const Expr&)` for every operand, in evaluation order.
template <class Visit>
void for_each_operand(const Expr& expression, Visit&& visit) {
  const auto one = [&](const Expr* operand) {
    if (operand != nullptr) visit(*operand);
  };
  const auto all = [&](List<const Expr* const> operands) {
    for (const Expr* operand : operands) one(operand);
  };
  switch (expression.kind) {
    case ExprKind::Integer:
    case ExprKind::Float:
    case ExprKind::Bool:
    case ExprKind::Text:
    case ExprKind::Zero:
    case ExprKind::FunctionValue:
    case ExprKind::Local:
    case ExprKind::Closure:
      return;
    case ExprKind::Field:
      return one(expression.as<FieldExpr>().base);
    case ExprKind::Element:
      one(expression.as<ElementExpr>().base);
      return one(expression.as<ElementExpr>().index);
    case ExprKind::Load:
      return one(expression.as<LoadExpr>().place);
    case ExprKind::Take:
      return one(expression.as<TakeExpr>().place);
    case ExprKind::Swap:
      one(expression.as<SwapExpr>().left);
      return one(expression.as<SwapExpr>().right);
    case ExprKind::Unary:
      return one(expression.as<UnaryExpr>().operand);
    case ExprKind::Binary:
      one(expression.as<BinaryExpr>().left);
      return one(expression.as<BinaryExpr>().right);
    case ExprKind::Logical:
      one(expression.as<LogicalExpr>().left);
      return one(expression.as<LogicalExpr>().right);
    case ExprKind::Convert:
      return one(expression.as<ConvertExpr>().operand);
    case ExprKind::Builtin:
      return all(expression.as<BuiltinExpr>().arguments);
    case ExprKind::Length:
      return one(expression.as<LengthExpr>().of);
    case ExprKind::ViewOf:
      return one(expression.as<ViewOfExpr>().place);
    case ExprKind::Part:
      one(expression.as<PartExpr>().base);
      one(expression.as<PartExpr>().lo);
      return one(expression.as<PartExpr>().hi);
    case ExprKind::PartExtent:
      return;  // its part is an argument of the same call
    case ExprKind::Lend:
      return one(expression.as<LendExpr>().place);
    case ExprKind::LendTemporary:
      return one(expression.as<LendTemporaryExpr>().value);
    case ExprKind::LendDyn:
      return one(expression.as<LendDynExpr>().place);
    case ExprKind::Call:
      return all(expression.as<CallExpr>().arguments);
    case ExprKind::CallValue:
      one(expression.as<CallValueExpr>().callee);
      return all(expression.as<CallValueExpr>().arguments);
    case ExprKind::CallDyn: {
      const auto& call = expression.as<CallDynExpr>();
      for (std::size_t k = 0; k < call.arguments.size(); ++k)
        one(k == call.receiver_index ? call.receiver : call.arguments[k]);
      return;
    }
    case ExprKind::Record:
      return all(expression.as<RecordExpr>().fields);
    case ExprKind::Variant:
      return one(expression.as<VariantExpr>().payload);
    case ExprKind::BufNew:
      return one(expression.as<BufNewExpr>().count);
    case ExprKind::DynNew:
      return one(expression.as<DynNewExpr>().value);
    case ExprKind::Try:
      return one(expression.as<TryExpr>().operand);
    case ExprKind::Print:
      for (const PrintArgument& argument : expression.as<PrintExpr>().arguments) one(argument.value);
      return;
    case ExprKind::Format:
      one(expression.as<FormatExpr>().target);
      for (const PrintArgument& argument : expression.as<FormatExpr>().arguments) one(argument.value);
      return;
    case ExprKind::Assert:
      return one(expression.as<AssertExpr>().condition);
    case ExprKind::AssertEqual:
      one(expression.as<AssertEqualExpr>().left);
      return one(expression.as<AssertEqualExpr>().right);
    case ExprKind::Transfer:
      one(expression.as<TransferExpr>().destination);
      return one(expression.as<TransferExpr>().source);
    case ExprKind::Machine:
      return all(expression.as<MachineExpr>().arguments);
    case ExprKind::LayoutQuery:
      return all(expression.as<LayoutQueryExpr>().arguments);
    case ExprKind::Spawn:
      return one(expression.as<SpawnExpr>().call);
    case ExprKind::Concurrent:
      one(expression.as<ConcurrentExpr>().receiver);
      return all(expression.as<ConcurrentExpr>().arguments);
  }
}

/// The parts of one statement, in evaluation order: `value` for its expressions, `block` for its nested blocks, `inner`
/// for its lane bodies. A spawned region's extent and lane are those of its statement's expression
/// (`SpawnExpr::region`).
template <class Value, class InBlock, class Inner>
void for_each_part(const Stmt& statement, Value&& value, InBlock&& block, Inner&& inner) {
  const auto one = [&](const Expr* expression) {
    if (expression != nullptr) value(*expression);
  };
  const auto in = [&](const Block* nested) {
    if (nested != nullptr) block(*nested);
  };
  const auto lane = [&](const Function* body) {
    if (body != nullptr) inner(*body);
  };
  switch (statement.kind) {
    case StmtKind::Let:
      return one(statement.as<LetStmt>().value);
    case StmtKind::Unpack:
      return one(statement.as<UnpackStmt>().value);
    case StmtKind::Assign:
      one(statement.as<AssignStmt>().value);
      return one(statement.as<AssignStmt>().place);
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
    case StmtKind::For:
      one(statement.as<ForStmt>().lo);
      one(statement.as<ForStmt>().hi);
      return in(statement.as<ForStmt>().body);
    case StmtKind::Match:
      one(statement.as<MatchStmt>().subject);
      for (const MatchArm& arm : statement.as<MatchStmt>().arms) in(arm.body);
      return;
    case StmtKind::Return:
      return one(statement.as<ReturnStmt>().value);
    case StmtKind::Break:
    case StmtKind::Continue:
      return;
    case StmtKind::Defer:
      return one(statement.as<DeferStmt>().call);
    case StmtKind::Block:
      return in(statement.as<BlockStmt>().body);
    case StmtKind::Expression:
      return one(statement.as<ExpressionStmt>().value);
    case StmtKind::Storage:
      return one(statement.as<StorageStmt>().count);
    case StmtKind::Parallel:
      one(statement.as<ParallelStmt>().extent);
      return lane(statement.as<ParallelStmt>().lane);
    case StmtKind::Reduce: {
      const auto& reduce = statement.as<ReduceStmt>();
      one(reduce.extent);
      one(reduce.target);
      one(reduce.warp_value);
      return lane(reduce.lane);
    }
    case StmtKind::Scan:
      one(statement.as<ScanStmt>().output);
      one(statement.as<ScanStmt>().extent);
      return lane(statement.as<ScanStmt>().lane);
    case StmtKind::Compact:
      one(statement.as<CompactStmt>().output);
      one(statement.as<CompactStmt>().extent);
      one(statement.as<CompactStmt>().predicate);
      one(statement.as<CompactStmt>().projected);
      lane(statement.as<CompactStmt>().condition);
      return lane(statement.as<CompactStmt>().yield);
    case StmtKind::Into:
      return one(statement.as<IntoStmt>().spawn);
    case StmtKind::Cooperative: {
      const auto& region = statement.as<CooperativeStmt>();
      for (const LetStmt* extent : region.grid) one(extent->value);
      lane(region.blocks.body);
      return lane(region.finish.body);
    }
    case StmtKind::Shared:
    case StmtKind::Pipeline:
    case StmtKind::Barrier:
      return;
    case StmtKind::Asm:
      for (const AsmOperand& operand : statement.as<AsmStmt>().operands) {
        if (operand.value != nullptr) one(operand.value);
      }
      return;
  }
}

/// Left operand and right operand of a Binary or Logical expression.
[[nodiscard]] inline const Expr& left_of(const Expr& operation) {
  return operation.kind == ExprKind::Binary ? *operation.as<BinaryExpr>().left : *operation.as<LogicalExpr>().left;
}
[[nodiscard]] inline const Expr& right_of(const Expr& operation) {
  return operation.kind == ExprKind::Binary ? *operation.as<BinaryExpr>().right : *operation.as<LogicalExpr>().right;
}

/// `a + b + c ..` and `a && b && c ..` may be of any length, while all else nests within the parser's limit. The
/// operations of such a chain, the innermost first and `root` last: a walk that takes the left operand of the first and
/// then each right operand meets everything in evaluation order and needs no recursion along the chain.
[[nodiscard]] inline std::vector<const Expr*> left_chain(const Expr& root) {
  std::vector<const Expr*> chain{&root};
  while (left_of(*chain.back()).kind == root.kind) chain.push_back(&left_of(*chain.back()));
  std::ranges::reverse(chain);
  return chain;
}

/// Whether `holds` for an expression or some operand under it, in no order; closure and lane bodies are not entered.
template <class Holds>
[[nodiscard]] bool any_expression(const Expr& root, Holds&& holds) {
  std::vector<const Expr*> pending{&root};
  while (!pending.empty()) {
    const Expr& each = *pending.back();
    pending.pop_back();
    if (holds(each)) return true;
    for_each_operand(each, [&](const Expr& operand) { pending.push_back(&operand); });
  }
  return false;
}

/// Whether a region or collector runs on the device.
[[nodiscard]] inline bool is_device_region(const Stmt& statement) {
  switch (statement.kind) {
    case StmtKind::Parallel:
      return statement.as<ParallelStmt>().device;
    case StmtKind::Reduce:
      return statement.as<ReduceStmt>().device;
    case StmtKind::Scan:
      return statement.as<ScanStmt>().device;
    case StmtKind::Compact:
      return statement.as<CompactStmt>().device;
    case StmtKind::Cooperative:
      return statement.as<CooperativeStmt>().device;
    default:
      return false;
  }
}

/// Calls `visit(const Stmt&)` for every statement of a block and of the blocks nested in it, in text order.
template <class Visit>
void for_each_statement(const Block& block, Visit&& visit) {
  for (const Stmt* statement : block.statements) {
    visit(*statement);
    for_each_part(
        *statement, [](const Expr&) {}, [&](const Block& nested) { for_each_statement(nested, visit); },
        [](const Function&) {});
  }
}

}  // namespace cairn::checked
