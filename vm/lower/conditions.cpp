// Conditions: a comparison is one compare-and-branch, `&&` and `||` are jumps.
#include "frontend/syntax/comparisons.hpp"
#include "vm/lower/function_lowering.hpp"

namespace cairn::lower {

using bytecode::RegisterKind;
using checked::BinaryExpr;
using checked::ExprKind;
using checked::LogicalExpr;
using syntax::BinaryOp;
using syntax::negated;

namespace {

bool is_comparison(BinaryOp op) { return op >= BinaryOp::Equal && op <= BinaryOp::GreaterEqual; }

/// The comparison of exchanged operands.
BinaryOp mirrored(BinaryOp op) {
  switch (op) {
    case BinaryOp::Less:
      return BinaryOp::Greater;
    case BinaryOp::LessEqual:
      return BinaryOp::GreaterEqual;
    case BinaryOp::Greater:
      return BinaryOp::Less;
    case BinaryOp::GreaterEqual:
      return BinaryOp::LessEqual;
    default:
      return op;
  }
}

}  // namespace

void FunctionLowering::branch(const Expr& condition, bool when, Label target) {
  if (const auto known = literal_bits(condition)) {
    if ((*known != 0) == when) emit(condition.position, Op::Jump, target);
    return;
  }
  if (condition.kind == ExprKind::Unary) return branch(*condition.as<checked::UnaryExpr>().operand, !when, target);
  if (condition.kind == ExprKind::Logical) return branch_chain(condition.as<LogicalExpr>(), when, target);
  if (condition.kind == ExprKind::Binary && is_comparison(condition.as<BinaryExpr>().op)) {
    return branch_comparison(condition.as<BinaryExpr>(), when, target);
  }
  const Mark mark = this->mark();
  const Register truth = value(condition);
  release(mark);
  emit(condition.position, when ? Op::JumpIf : Op::JumpIfNot, truth, target);
}

/// A chain of one operator, of any length. What its later operands move may not have been moved afterwards.
void FunctionLowering::branch_chain(const LogicalExpr& e, bool when, Label target) {
  std::vector<const Expr*> operands{e.right};
  const Expr* first = e.left;
  while (first->kind == ExprKind::Logical && first->as<LogicalExpr>().is_and == e.is_and) {
    operands.push_back(first->as<LogicalExpr>().right);
    first = first->as<LogicalExpr>().left;
  }
  // `a && b` is decided as soon as an operand is false, `a || b` as soon as one is true.
  const bool deciding = !e.is_and;
  const bool jumps_when_decided = when == deciding;
  const Label decided = jumps_when_decided ? target : f_.label();
  branch(*first, deciding, decided);
  std::optional<Lives> after = lives();
  ++depth_;
  while (operands.size() > 1) {
    branch(*operands.back(), deciding, decided);
    merge(after, lives());
    operands.pop_back();
  }
  branch(*operands.back(), when, target);
  merge(after, lives());
  --depth_;
  restore(*after);
  if (!jumps_when_decided) f_.bind(decided);
}

void FunctionLowering::branch_comparison(const BinaryExpr& e, bool when, Label target) {
  const Type& type = *e.left->type;
  const RegisterKind kind = form(type).kind;
  BinaryOp op = e.op;
  const Expr* left = e.left;
  const Expr* right = e.right;
  if (literal_bits(*left) && !literal_bits(*right)) {
    std::swap(left, right);
    op = mirrored(op);
  }
  const Mark mark = this->mark();
  const Register first = value(*left);
  if (!is_floating(kind)) {
    if (!when) op = negated(op);
    if (const auto literal = literal_bits(*right)) {
      if (const Op row = jump_on_literal(op, kind, *literal); row != Op::Count) {
        release(mark);
        return emit(e.position, row, first, static_cast<std::int64_t>(*literal), target);
      }
    }
  }
  Register a = first;
  Register b = value(*right);
  release(mark);
  if (op == BinaryOp::Greater || op == BinaryOp::GreaterEqual) std::swap(a, b);
  if (is_floating(kind)) {
    Op row = Op::JumpEqF32;
    switch (op) {
      case BinaryOp::Equal:
        row = when ? Op::JumpEqF32 : Op::JumpNeF32;
        break;
      case BinaryOp::NotEqual:
        row = when ? Op::JumpNeF32 : Op::JumpEqF32;
        break;
      case BinaryOp::Less:
      case BinaryOp::Greater:
        row = when ? Op::JumpLtF32 : Op::JumpNotLtF32;
        break;
      default:
        row = when ? Op::JumpLeF32 : Op::JumpNotLeF32;
        break;
    }
    return emit(e.position, float_jump(row, kind), a, b, target);
  }
  Op row = Op::JumpEq;
  switch (op) {
    case BinaryOp::Equal:
      row = Op::JumpEq;
      break;
    case BinaryOp::NotEqual:
      row = Op::JumpNe;
      break;
    case BinaryOp::Less:
    case BinaryOp::Greater:
      row = is_signed(kind) ? Op::JumpLtS : Op::JumpLtU;
      break;
    default:
      row = is_signed(kind) ? Op::JumpLeS : Op::JumpLeU;
      break;
  }
  emit(e.position, row, a, b, target);
}

/// The jump whose 32-bit immediate holds the literal, or Op::Count. Equality sign-extends it, unsigned order
/// zero-extends.
Op FunctionLowering::jump_on_literal(BinaryOp op, RegisterKind kind, std::uint64_t literal) {
  const auto number = static_cast<std::int64_t>(literal);
  const bool fits_signed = number >= INT32_MIN && number <= INT32_MAX;
  const bool fits_unsigned = literal <= UINT32_MAX;
  const bool is_sint = is_signed(kind);
  if (op == BinaryOp::Equal) return fits_signed ? Op::JumpEqImm : Op::Count;
  if (op == BinaryOp::NotEqual) return fits_signed ? Op::JumpNeImm : Op::Count;
  if (is_sint ? !fits_signed : !fits_unsigned) return Op::Count;
  switch (op) {
    case BinaryOp::Less:
      return is_sint ? Op::JumpLtSImm : Op::JumpLtUImm;
    case BinaryOp::LessEqual:
      return is_sint ? Op::JumpLeSImm : Op::JumpLeUImm;
    case BinaryOp::Greater:
      return is_sint ? Op::JumpGtSImm : Op::JumpGtUImm;
    default:
      return is_sint ? Op::JumpGeSImm : Op::JumpGeUImm;
  }
}

/// A condition as a bool in a register that the condition itself does not read.
Register FunctionLowering::truth_value(const Expr& e, Register into) {
  const Register to = target(into, *e.type);
  const Mark mark = this->mark();
  const Label no = f_.label();
  const Label done = f_.label();
  branch(e, false, no);
  at(e.position);
  constant(to, 1);
  f_.emit(Op::Jump, done);
  f_.bind(no);
  constant(to, 0);
  f_.bind(done);
  release(mark);
  return to;
}

}  // namespace cairn::lower
