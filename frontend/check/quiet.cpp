#include "frontend/check/quiet.hpp"

#include <algorithm>

#include "frontend/check/cannot_fail.hpp"
#include "frontend/check/rows.hpp"
#include "frontend/check/tree_walk.hpp"

namespace cairn {

using checked::Builtin;
using checked::ExprKind;
using checked::Label;
using checked::StmtKind;

namespace {

constexpr checked::LabelSet kQuietLabels = checked::labels(Label::LocalRead, Label::LocalWrite, Label::StackStorage,
                                                           Label::ZeroInit, Label::Trap, Label::FfiPrecondition);

}  // namespace

bool QuietBodies::is_quiet_lane(const checked::Function& lane, const checked::Expr& extent, Facts& facts) {
  if (lane.body == nullptr) return false;
  const std::size_t mark = facts.mark();
  facts.binds(*lane.parameters.front(), nullptr, &extent);
  const bool quiet = block(*lane.body, facts);
  facts.drop(mark);
  return quiet;
}

bool QuietBodies::block(const checked::Block& body, Facts& facts) {
  const std::size_t mark = facts.mark();
  const bool quiet =
      std::ranges::all_of(body.statements, [&](const checked::Stmt* each) { return statement(*each, facts); });
  facts.drop(mark);
  return quiet;
}

bool QuietBodies::statement(const checked::Stmt& statement, Facts& facts) {
  switch (statement.kind) {
    case StmtKind::Let: {
      const auto& let = statement.as<checked::LetStmt>();
      if (!let.local->type->is_copy() || !expression(let.value, facts)) return false;
      facts.equals(*let.local, let.value);
      return true;
    }
    case StmtKind::Assign: {
      const auto& assign = statement.as<checked::AssignStmt>();
      return assign.place->type->is_copy() && expression(assign.value, facts) && expression(assign.place, facts);
    }
    case StmtKind::Compound: {
      const auto& compound = statement.as<checked::CompoundStmt>();
      checked::LoadExpr read;
      read.kind = ExprKind::Load;
      read.type = compound.place->type;
      read.place = compound.place;
      checked::BinaryExpr implied;
      implied.kind = ExprKind::Binary;
      implied.type = compound.place->type;
      implied.op = compound.op;
      implied.left = &read;
      implied.right = compound.value;
      return expression(&implied, facts);
    }
    case StmtKind::If:
      return branches(statement.as<checked::IfStmt>(), facts);
    case StmtKind::For: {
      const auto& loop = statement.as<checked::ForStmt>();
      if ((loop.lo != nullptr && !expression(loop.lo, facts)) || !expression(loop.hi, facts)) return false;
      const std::size_t mark = facts.mark();
      facts.binds(*loop.binder, loop.lo, loop.hi);
      const bool quiet = block(*loop.body, facts);
      facts.drop(mark);
      return quiet;
    }
    case StmtKind::Block:
      return block(*statement.as<checked::BlockStmt>().body, facts);
    case StmtKind::Expression: {
      Node value = statement.as<checked::ExpressionStmt>().value;
      return value->kind == ExprKind::Call && expression(value, facts);
    }
    case StmtKind::Return: {
      Node value = statement.as<checked::ReturnStmt>().value;
      return value == nullptr || expression(value, facts);
    }
    default:
      return false;
  }
}

bool QuietBodies::branches(const checked::IfStmt& statement, Facts& facts) {
  if (!expression(statement.condition, facts)) return false;
  const std::size_t mark = facts.mark();
  facts.holds(statement.condition, true);
  if (!block(*statement.then, facts)) return false;
  facts.drop(mark);
  if (statement.otherwise != nullptr) {
    facts.holds(statement.condition, false);
    if (!block(*statement.otherwise, facts)) return false;
    facts.drop(mark);
  }
  const bool then_leaves = statement.then->leaves;
  const bool otherwise_leaves = statement.otherwise != nullptr && statement.otherwise->leaves;
  if (then_leaves != otherwise_leaves) facts.holds(statement.condition, otherwise_leaves);
  return true;
}

bool QuietBodies::expression(Node root, Facts& facts) {
  switch (root->kind) {
    case ExprKind::Integer:
    case ExprKind::Float:
    case ExprKind::Bool:
    case ExprKind::Local:
    case ExprKind::Zero:
      return true;
    case ExprKind::Field:
    case ExprKind::ViewOf:
    case ExprKind::Length:
    case ExprKind::Lend:
    case ExprKind::Record:
    case ExprKind::Variant:
      break;
    case ExprKind::Load:
      if (root->as<checked::LoadExpr>().moves) return false;
      break;
    case ExprKind::Element: {
      const auto& element = root->as<checked::ElementExpr>();
      if (!facts.below_length(element.index, element.base)) return false;
      break;
    }
    case ExprKind::Unary:
      if (root->as<checked::UnaryExpr>().op == checked::UnaryOp::Negate && !root->type->is_float()) return false;
      break;
    case ExprKind::Binary:
      return arithmetic(root->as<checked::BinaryExpr>(), facts);
    case ExprKind::Logical: {
      const auto& logical = root->as<checked::LogicalExpr>();
      if (!expression(logical.left, facts)) return false;
      const std::size_t mark = facts.mark();
      facts.holds(logical.left, logical.is_and);
      const bool quiet = expression(logical.right, facts);
      facts.drop(mark);
      return quiet;
    }
    case ExprKind::Convert:
      if (!conversion_cannot_fail(root->as<checked::ConvertExpr>())) return false;
      break;
    case ExprKind::Builtin:
      if (!builtin(root->as<checked::BuiltinExpr>())) return false;
      break;
    case ExprKind::Call:
      if (!call(root->as<checked::CallExpr>())) return false;
      break;
    default:
      return false;
  }
  bool quiet = true;
  checked::for_each_operand(*root, [&](const checked::Expr& operand) { quiet = quiet && expression(&operand, facts); });
  return quiet;
}

/// Float arithmetic, comparisons and bits never trap; integer arithmetic where the facts bound it.
bool QuietBodies::arithmetic(const checked::BinaryExpr& operation, Facts& facts) {
  if (!expression(operation.left, facts) || !expression(operation.right, facts)) return false;
  return arithmetic_cannot_fail(operation.op, *operation.left, *operation.right, facts);
}

bool QuietBodies::builtin(const checked::BuiltinExpr& call) {
  switch (call.builtin) {
    case Builtin::AddWrap:
    case Builtin::SubWrap:
    case Builtin::MulWrap:
    case Builtin::Min:
    case Builtin::Max:
    case Builtin::Sqrt:
    case Builtin::Floor:
    case Builtin::Ceil:
    case Builtin::Trunc:
    case Builtin::ToBits:
      return true;
    case Builtin::Abs:
      return call.type->is_float();
    case Builtin::ShlWrap:
    case Builtin::Shr:
      return shift_cannot_fail(call);
    default:
      return false;
  }
}

bool QuietBodies::call(const checked::CallExpr& call) {
  const checked::Function& callee = *call.callee;
  if (callee.kind == checked::FunctionKind::Extern || callee.row == nullptr) return false;
  if ((callee.row->fixed & ~kQuietLabels) != 0 || !callee.row->others.empty()) return false;
  for (const checked::Local* parameter : callee.parameters) {
    const bool is_borrow = parameter->type->is(TypeKind::Borrow) || parameter->type->is(TypeKind::View);
    if (!is_borrow && !parameter->type->is_scalar()) return false;
  }
  return !callee.row->has(Label::Trap) || body_of(callee);
}

bool QuietBodies::body_of(const checked::Function& callee) {
  const auto [known, is_new] = functions_.try_emplace(&callee, false);
  if (!is_new) return known->second;
  if (callee.body == nullptr) return false;
  Facts facts;
  const bool quiet = block(*callee.body, facts);
  functions_[&callee] = quiet;
  return quiet;
}

}  // namespace cairn
