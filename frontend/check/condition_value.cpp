#include "frontend/check/condition_value.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace cairn::checked {

namespace {

struct Value {
  std::uint64_t bits = 0;  // integers, sign-extended; bool
  double real = 0;         // floats; an f32 is exact in it
};

/// Cuts a 64-bit result to a type's width.
std::uint64_t cut(std::uint64_t bits, const Type* type) {
  const unsigned width = bit_width(type->kind);
  if (width == 64) return bits;
  const std::uint64_t low = bits & ((std::uint64_t{1} << width) - 1);
  const bool is_negative = type->is_signed() && (low >> (width - 1) & 1) != 0;
  return is_negative ? low | ~((std::uint64_t{1} << width) - 1) : low;
}

template <class T>
bool compare(BinaryOp op, T a, T b) {
  switch (op) {
    case BinaryOp::Equal:
      return a == b;
    case BinaryOp::NotEqual:
      return a != b;
    case BinaryOp::Less:
      return a < b;
    case BinaryOp::LessEqual:
      return a <= b;
    case BinaryOp::Greater:
      return a > b;
    default:
      return a >= b;
  }
}

class Evaluator {
 public:
  std::optional<Value> value(const Expr& root) {
    switch (root.kind) {
      case ExprKind::Integer:
        return Value{root.as<IntegerExpr>().bits, 0};
      case ExprKind::Float:
        return Value{0, root.as<FloatExpr>().value};
      case ExprKind::Bool:
        return Value{root.as<BoolExpr>().value ? 1U : 0U, 0};
      case ExprKind::Unary:
        return unary(root.as<UnaryExpr>());
      case ExprKind::Binary:
        return chain(root);
      case ExprKind::Logical: {
        const auto& logical = root.as<LogicalExpr>();
        const auto left = value(*logical.left);
        if (!left || (left->bits != 0) != logical.is_and) return left;
        return value(*logical.right);
      }
      case ExprKind::Builtin:
        return builtin(root.as<BuiltinExpr>());
      default:
        return std::nullopt;
    }
  }

 private:
  std::optional<Value> unary(const UnaryExpr& root) {
    const auto operand = value(*root.operand);
    if (!operand) return operand;
    if (root.op == UnaryOp::Not) return Value{operand->bits ^ 1U, 0};
    if (root.op == UnaryOp::Complement) return Value{cut(~operand->bits, root.type), 0};
    return Value{cut(0 - operand->bits, root.type->is_integer() ? root.type : root.operand->type), -operand->real};
  }

  std::optional<Value> chain(const Expr& root) {
    std::vector<const BinaryExpr*> all;
    const Expr* first = &root;
    while (first->kind == ExprKind::Binary) {
      all.push_back(&first->as<BinaryExpr>());
      first = all.back()->left;
    }
    auto left = value(*first);
    for (std::size_t k = all.size(); k-- > 0 && left;) {
      const auto right = value(*all[k]->right);
      left = right ? binary(*all[k], *left, *right) : std::nullopt;
    }
    return left;
  }

  static std::optional<Value> binary(const BinaryExpr& root, const Value& a, const Value& b) {
    const Type* type = root.left->type;
    if (root.op >= BinaryOp::Equal && root.op <= BinaryOp::GreaterEqual) {
      if (type->is_float()) return Value{compare(root.op, a.real, b.real) ? 1U : 0U, 0};
      if (type->is_signed()) {
        return Value{compare(root.op, static_cast<std::int64_t>(a.bits), static_cast<std::int64_t>(b.bits)) ? 1U : 0U,
                     0};
      }
      return Value{compare(root.op, a.bits, b.bits) ? 1U : 0U, 0};
    }
    if (type->is_float()) return real(root.op, type, a.real, b.real);
    switch (root.op) {
      case BinaryOp::And:
        return Value{a.bits & b.bits, 0};
      case BinaryOp::Or:
        return Value{a.bits | b.bits, 0};
      case BinaryOp::Xor:
        return Value{a.bits ^ b.bits, 0};
      case BinaryOp::Divide:
      case BinaryOp::Remainder: {
        if (b.bits == 0) return std::nullopt;
        const bool is_quotient = root.op == BinaryOp::Divide;
        if (!type->is_signed()) return Value{is_quotient ? a.bits / b.bits : a.bits % b.bits, 0};
        const auto left = static_cast<std::int64_t>(a.bits);
        const auto right = static_cast<std::int64_t>(b.bits);
        if (right == -1) return std::nullopt;
        return Value{static_cast<std::uint64_t>(is_quotient ? left / right : left % right), 0};
      }
      default:
        return std::nullopt;
    }
  }

  /// An f32 operation is that of doubles rounded once more, which is exact for + - * / (Figueroa, 1995).
  static std::optional<Value> real(BinaryOp op, const Type* type, double a, double b) {
    double result = 0;
    switch (op) {
      case BinaryOp::Add:
        result = a + b;
        break;
      case BinaryOp::Subtract:
        result = a - b;
        break;
      case BinaryOp::Multiply:
        result = a * b;
        break;
      case BinaryOp::Divide:
        result = a / b;
        break;
      case BinaryOp::Remainder:
        result = std::fmod(a, b);
        break;
      default:
        return std::nullopt;
    }
    if (type->is(TypeKind::F32)) result = static_cast<double>(static_cast<float>(result));
    return Value{0, result};
  }

  std::optional<Value> builtin(const BuiltinExpr& root) {
    if (root.arguments.size() != 2) return std::nullopt;
    const auto a = value(*root.arguments[0]);
    const auto b = value(*root.arguments[1]);
    if (!a || !b) return std::nullopt;
    const bool is_less = root.type->is_signed()
                             ? static_cast<std::int64_t>(a->bits) < static_cast<std::int64_t>(b->bits)
                             : a->bits < b->bits;
    switch (root.builtin) {
      case Builtin::Min:
        return is_less ? a : b;
      case Builtin::Max:
        return is_less ? b : a;
      case Builtin::AddWrap:
        return Value{cut(a->bits + b->bits, root.type), 0};
      case Builtin::SubWrap:
        return Value{cut(a->bits - b->bits, root.type), 0};
      case Builtin::MulWrap:
        return Value{cut(a->bits * b->bits, root.type), 0};
      case Builtin::ShlWrap:
        return b->bits < 64 ? std::optional(Value{cut(a->bits << b->bits, root.type), 0}) : std::nullopt;
      case Builtin::Shr:
        return b->bits < 64 ? std::optional(Value{a->bits >> b->bits, 0}) : std::nullopt;
      default:
        return std::nullopt;
    }
  }
};

}  // namespace

std::optional<bool> condition_value(const Expr& condition) {
  const auto value = Evaluator().value(condition);
  if (!value) return std::nullopt;
  return value->bits != 0;
}

}  // namespace cairn::checked
