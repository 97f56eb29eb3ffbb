#include "frontend/check/cannot_fail.hpp"

#include <limits>

namespace cairn {

using checked::BinaryOp;
using checked::Expr;
using checked::ExprKind;

namespace {

std::uint64_t largest_of(const Type* type) {
  const unsigned bits = bit_width(type->kind) - (type->is_signed() ? 1U : 0U);
  return bits == 64 ? std::numeric_limits<std::uint64_t>::max() : (std::uint64_t{1} << bits) - 1;
}

bool is_literal_other_than_zero(const Expr& value) {
  return value.kind == ExprKind::Integer && value.as<checked::IntegerExpr>().bits != 0;
}

}  // namespace

bool arithmetic_cannot_fail(BinaryOp op, const Expr& left, const Expr& right, Facts& facts) {
  const Type* type = left.type;
  if (!type->is_integer()) return true;
  const bool is_usize = type->is(TypeKind::Usize);
  switch (op) {
    case BinaryOp::Add:
      return is_usize && facts.sum_fits(&left, &right);
    case BinaryOp::Subtract:
      return is_usize && facts.difference_fits(&left, &right);
    case BinaryOp::Multiply: {
      if (!type->is_unsigned()) return false;
      const std::uint64_t most = Facts::largest_value(&right);
      return most == 0 || Facts::largest_value(&left) <= largest_of(type) / most;
    }
    case BinaryOp::Divide:
    case BinaryOp::Remainder:
      return type->is_unsigned() && is_literal_other_than_zero(right);
    default:
      return true;
  }
}

bool shift_cannot_fail(const checked::BuiltinExpr& shift) {
  return Facts::largest_value(shift.arguments[1]) < bit_width(shift.type->kind);
}

bool conversion_cannot_fail(const checked::ConvertExpr& conversion) {
  const Type* from = conversion.operand->type;
  const Type* to = conversion.type;
  if (to->is(TypeKind::F8E4M3)) return false;
  if (!to->is_integer()) return true;
  if (!from->is_integer()) return from->is(TypeKind::Bool);
  if (from->is_unsigned()) return Facts::largest_value(conversion.operand) <= largest_of(to);
  return to->is_signed() && bit_width(to->kind) >= bit_width(from->kind);
}

}  // namespace cairn
