// Constants are folded before anything runs (syntax and values, 1.8): integers exactly and without bound, floats as the
// machine computes them, and only the result is judged against the declared type.
#include <cmath>
#include <string>
#include <variant>
#include <vector>

#include "frontend/check/big_integer.hpp"
#include "frontend/check/checker.hpp"
#include "frontend/check/keys.hpp"
#include "frontend/check/layouts.hpp"
#include "frontend/check/number_text.hpp"
#include "frontend/check/syntax_paths.hpp"

namespace cairn {

namespace {

using syntax::BinaryOp;
using Value = std::variant<BigInteger, double, bool>;

/// The nearest float or double, ties to even, of an exact integer.
double nearest(const BigInteger& value, bool single) {
  const std::size_t size = mpz_sizeinbase(value.get(), 2);
  const std::size_t kept = single ? 24 : 53;
  if (size <= kept) return mpz_get_d(value.get());
  // Keep one bit below the last place and one sticky bit: then one hardware rounding is right.
  const std::size_t dropped = size - kept - 2;
  mpz_t head;
  mpz_init(head);
  mpz_abs(head, value.get());
  const bool exact = mpz_divisible_2exp_p(head, dropped) != 0;
  mpz_tdiv_q_2exp(head, head, dropped);
  std::uint64_t bits = 0;
  mpz_export(&bits, nullptr, 1, sizeof bits, 0, 0, head);
  mpz_clear(head);
  if (!exact) bits |= 1;
  // bits has kept + 2 <= 55 bits: for a float the conversion through double is exact.
  const double rounded = single ? static_cast<double>(static_cast<float>(static_cast<double>(bits)))
                                : static_cast<double>(static_cast<std::int64_t>(bits));
  const double scaled = std::ldexp(rounded, static_cast<int>(std::min<std::size_t>(dropped, 4096)));
  const double result = single ? static_cast<double>(static_cast<float>(scaled)) : scaled;
  return value.sign() < 0 ? -result : result;
}

bool fits(const BigInteger& value, const Type* type) {
  return type->is_signed() ? value.fits_signed(bit_width(type->kind)) : value.fits_unsigned(bit_width(type->kind));
}

}  // namespace

/// Folds one constant's expression. `single` tells whether floats are f32 at this point of it; `floating` whether
/// number literals are floats there.
class Checker::Folder {
 public:
  Folder(Checker& checker, const Scope& scope) : checker_(checker), scope_(scope) {}

  struct Mode {
    bool floating = false;
    bool single = false;
  };

  Value fold(const syntax::Expr& expression, Mode mode) {
    checker_.visit(expression.position);
    switch (expression.kind) {
      case syntax::ExprKind::Integer:
        return integer(expression.as<syntax::IntegerExpr>(), mode);
      case syntax::ExprKind::Float:
        return floating(expression.as<syntax::FloatExpr>(), mode);
      case syntax::ExprKind::Bool:
        return expression.as<syntax::BoolExpr>().value;
      case syntax::ExprKind::Name:
      case syntax::ExprKind::Member:
        return named(expression);
      case syntax::ExprKind::Unary:
        return unary(expression.as<syntax::UnaryExpr>(), mode);
      case syntax::ExprKind::Binary:
        return chain(expression, mode);
      case syntax::ExprKind::Call:
        return call(expression.as<syntax::CallExpr>(), mode);
      default:
        break;
    }
    not_constant(expression);
  }

 private:
  [[noreturn]] void not_constant(const syntax::Expr& expression) {
    refuse(Code::Const, expression.position,
           "A constant is made of literals, constants, operators, conversions and a layout's counts.");
  }

  Value integer(const syntax::IntegerExpr& literal, Mode mode) {
    BigInteger value(literal.value.value);
    if (!literal.value.fits) {
      const std::string digits(literal.value.digits);
      const bool hexadecimal = digits.size() > 2 && (digits[1] == 'x' || digits[1] == 'X');
      value = BigInteger::parse(hexadecimal ? digits.c_str() + 2 : digits.c_str(), hexadecimal ? 16 : 10);
    }
    if (!mode.floating) return value;
    if (value.compare(BigInteger(kLargestFloatInteger)) > 0)
      refuse(Code::LiteralRange, literal.position, "As a float an integer literal is at most 2^53.");
    return nearest(value, mode.single);
  }

  Value floating(const syntax::FloatExpr& literal, Mode mode) {
    const auto value = mode.single ? float32_of(literal.digits) : float64_of(literal.digits);
    if (!value) {
      refuse(Code::LiteralRange, literal.position,
             std::string(literal.digits) + " does not fit " + (mode.single ? "f32." : "f64."));
    }
    return *value;
  }

  Value named(const syntax::Expr& expression) {
    const WrittenPath written = written_path(expression);
    if (written.empty()) not_constant(expression);
    const std::span<const Name> path = written.names();
    if (path.size() == 1) {
      if (const StaticArgument* bound = scope_.find(path.front()); bound != nullptr && bound->type == nullptr)
        return BigInteger(bound->natural);
    }
    const Symbol symbol = checker_.resolve(path, scope_.module, kWantConst, expression.position);
    if (!symbol) not_constant(expression);
    const ConstantValue value = checker_.constant(symbol.declaration->as<syntax::ConstDecl>());
    if (value.type->is_float()) return value.real;
    if (value.type->is(TypeKind::Bool)) return value.bits != 0;
    if (value.type->is_signed()) return BigInteger(static_cast<std::int64_t>(value.bits));
    return BigInteger(value.bits);
  }

  Value unary(const syntax::UnaryExpr& expression, Mode mode) {
    const Value operand = fold(*expression.operand, mode);
    if (expression.op == syntax::UnaryOp::Not) {
      if (const bool* value = std::get_if<bool>(&operand)) return !*value;
    } else if (expression.op == syntax::UnaryOp::Negate) {
      if (const auto* value = std::get_if<BigInteger>(&operand)) return -*value;
      if (const double* value = std::get_if<double>(&operand)) return -*value;
    }
    not_constant(expression);
  }

  /// A chain of left operands may be of any length, so it is walked, not recursed into.
  Value chain(const syntax::Expr& expression, Mode mode) {
    std::vector<const syntax::BinaryExpr*> spine;
    const syntax::Expr* first = &expression;
    for (; first->kind == syntax::ExprKind::Binary; first = first->as<syntax::BinaryExpr>().left)
      spine.push_back(&first->as<syntax::BinaryExpr>());
    Value value = fold(*first, operand_mode(*spine.back(), mode));
    for (std::size_t i = spine.size(); i-- > 0;) {
      const syntax::BinaryExpr& binary = *spine[i];
      if (binary.op == BinaryOp::LogicalAnd || binary.op == BinaryOp::LogicalOr) {
        const bool* left = std::get_if<bool>(&value);
        if (left == nullptr) not_constant(binary);
        if (*left == (binary.op == BinaryOp::LogicalOr)) continue;
        value = fold(*binary.right, mode);
        if (!std::holds_alternative<bool>(value)) not_constant(*binary.right);
        continue;
      }
      const Value right = fold(*binary.right, operand_mode(binary, mode));
      value = apply(binary, std::move(value), right, mode);
    }
    return value;
  }

  /// A comparison expects nothing of its operands: literals there are integers unless written as floats.
  static Mode operand_mode(const syntax::BinaryExpr& binary, Mode mode) {
    return binary.op >= BinaryOp::Equal ? Mode{} : mode;
  }

  Value apply(const syntax::BinaryExpr& binary, Value left, const Value& right, Mode mode) {
    if (const bool* a = std::get_if<bool>(&left)) {
      const bool* b = std::get_if<bool>(&right);
      if (b == nullptr || binary.op < BinaryOp::Equal) not_constant(binary);
      return compare(binary, static_cast<int>(*a) - static_cast<int>(*b));
    }
    if (std::holds_alternative<bool>(right)) not_constant(binary);
    if (std::holds_alternative<BigInteger>(left) && std::holds_alternative<BigInteger>(right))
      return integers(binary, std::get<BigInteger>(left), std::get<BigInteger>(right));
    return floats(binary, as_float(left, mode), as_float(right, mode), mode);
  }

  static double as_float(const Value& value, Mode mode) {
    if (const auto* integer = std::get_if<BigInteger>(&value)) return nearest(*integer, mode.single);
    return std::get<double>(value);
  }

  Value compare(const syntax::BinaryExpr& binary, int order) {
    switch (binary.op) {
      case BinaryOp::Equal:
        return order == 0;
      case BinaryOp::NotEqual:
        return order != 0;
      case BinaryOp::Less:
        return order < 0;
      case BinaryOp::LessEqual:
        return order <= 0;
      case BinaryOp::Greater:
        return order > 0;
      case BinaryOp::GreaterEqual:
        return order >= 0;
      default:
        not_constant(binary);
    }
  }

  Value integers(const syntax::BinaryExpr& binary, const BigInteger& left, const BigInteger& right) {
    switch (binary.op) {
      case BinaryOp::Add:
        return left + right;
      case BinaryOp::Subtract:
        return left - right;
      case BinaryOp::Multiply:
        hold_size(binary, left, right);
        return left * right;
      case BinaryOp::Divide:
      case BinaryOp::Remainder:
        if (right.sign() == 0) refuse(Code::Const, binary.position, "A constant divides by zero.");
        return binary.op == BinaryOp::Divide ? left / right : left % right;
      case BinaryOp::And:
        return left & right;
      case BinaryOp::Or:
        return left | right;
      case BinaryOp::Xor:
        return left ^ right;
      default:
        return compare(binary, left.compare(right));
    }
  }

  /// Intermediates have no bound the language states, but memory has one.
  static void hold_size(const syntax::BinaryExpr& binary, const BigInteger& left, const BigInteger& right) {
    constexpr std::size_t kMostBits = std::size_t{1} << 24;
    if (mpz_sizeinbase(left.get(), 2) + mpz_sizeinbase(right.get(), 2) > kMostBits)
      refuse(Code::Const, binary.position, "A constant's intermediate value exceeds 2^16777216.");
  }

  Value floats(const syntax::BinaryExpr& binary, double left, double right, Mode mode) {
    double result = 0;
    switch (binary.op) {
      case BinaryOp::Add:
        result = left + right;
        break;
      case BinaryOp::Subtract:
        result = left - right;
        break;
      case BinaryOp::Multiply:
        result = left * right;
        break;
      case BinaryOp::Divide:
        if (right == 0) refuse(Code::Const, binary.position, "A constant divides by zero.");
        result = left / right;
        break;
      case BinaryOp::And:
      case BinaryOp::Or:
      case BinaryOp::Xor:
      case BinaryOp::Remainder:
        not_constant(binary);
      default:
        return compare(binary, left < right ? -1 : left > right ? 1 : 0);
    }
    // A double holds the exact result of a float operation closely enough that rounding twice is rounding once.
    if (mode.single) result = static_cast<double>(static_cast<float>(result));
    if (!std::isfinite(result)) refuse(Code::Const, binary.position, "A constant is not finite.");
    return result;
  }

  Value call(const syntax::CallExpr& expression, Mode mode) {
    const WrittenPath written = written_path(*expression.callee);
    if (written.empty()) not_constant(expression);
    const std::span<const Name> path = written.names();
    if (path.size() > 1) return layout_query(expression, path);
    const Type* target = checker_.types().scalar_named(path.front());
    if (target == nullptr || !target->is_numeric() || expression.arguments.size() != 1) not_constant(expression);
    const Value operand = fold(*expression.arguments.front(), Mode{false, false});
    if (std::holds_alternative<bool>(operand)) not_constant(expression);
    return convert(expression, operand, target, mode);
  }

  Value convert(const syntax::CallExpr& expression, const Value& operand, const Type* target, Mode mode) {
    const auto refuse_conversion = [&] {
      refuse(Code::Const, expression.position,
             "The value a constant converts does not fit " + std::string(target->name) + ".");
    };
    if (target->is_float()) {
      const bool single = target->is(TypeKind::F32);
      double value = 0;
      if (const auto* exact = std::get_if<BigInteger>(&operand)) {
        value = nearest(*exact, single);
      } else {
        value = std::get<double>(operand);
        if (single) value = static_cast<double>(static_cast<float>(value));
      }
      if (mode.single) value = static_cast<double>(static_cast<float>(value));
      if (!std::isfinite(value)) refuse(Code::Const, expression.position, "A constant is not finite.");
      return value;
    }
    const double* real = std::get_if<double>(&operand);
    BigInteger value = real != nullptr ? BigInteger(std::trunc(*real)) : std::get<BigInteger>(operand);
    if (!fits(value, target)) refuse_conversion();
    return value;
  }

  Value layout_query(const syntax::CallExpr& expression, std::span<const Name> path) {
    const Symbol symbol =
        checker_.resolve(path.first(path.size() - 1), scope_.module, kWantLayout, expression.position);
    if (!symbol) not_constant(expression);
    const checked::LayoutValue& layout = checker_.layout(symbol.declaration->as<syntax::LayoutDecl>());
    const LayoutQuestion question =
        layout_question(layout, checker_.text(path.back()), expression.arguments.size(), expression.position);
    if (!is_count(question)) not_constant(expression);
    std::uint64_t dimension = 0;
    if (!expression.arguments.empty()) dimension = checker_.constant_natural(*expression.arguments.front(), scope_);
    return BigInteger(layout_count(layout, question, dimension, expression.position));
  }

  Checker& checker_;
  const Scope& scope_;
};

ConstantValue Checker::constant(const syntax::ConstDecl& declaration) {
  const std::uint64_t key = pointer_key(&declaration);
  const Position at = declaration.value->position;
  if (const ConstantValue* known = constants_.find(key)) {
    if (known->type == nullptr)
      refuse(Code::Const, at, "The constant " + full_name(declaration) + " is defined through itself.");
    return *known;
  }
  Scope scope;
  scope.module = declaration.module;
  const Type* type = resolve_type(*declaration.type, scope, declaration.position);
  if (!type->is_scalar())
    refuse(Code::Const, at, "A constant is a scalar, and " + std::string(type->name) + " is none.");
  constants_.insert(key);  // being folded: no type yet
  const Folder::Mode mode{type->is_float(), type->is(TypeKind::F32)};
  const Value folded = Folder(*this, scope).fold(*declaration.value, mode);

  ConstantValue value;
  value.type = type;
  const auto refuse_kind = [&](std::string_view got) {
    refuse(Code::TypeMismatch, at,
           "The constant " + full_name(declaration) + " is " + std::string(type->name) + ", and its value is " +
               std::string(got) + ".");
  };
  if (const bool* boolean = std::get_if<bool>(&folded)) {
    if (!type->is(TypeKind::Bool)) refuse_kind("a bool");
    value.bits = *boolean ? 1 : 0;
  } else if (type->is(TypeKind::Bool)) {
    refuse_kind("a number");
  } else if (type->is_float()) {
    const auto* exact = std::get_if<BigInteger>(&folded);
    value.real = exact != nullptr ? nearest(*exact, mode.single) : std::get<double>(folded);
    if (mode.single) value.real = static_cast<double>(static_cast<float>(value.real));
    if (!std::isfinite(value.real))
      refuse(Code::Const, at, "The constant " + full_name(declaration) + " is not finite.");
  } else {
    const auto* exact = std::get_if<BigInteger>(&folded);
    if (exact == nullptr) {
      refuse_kind("a float");
    } else if (exact->sign() < 0 && type->is_unsigned()) {
      refuse(Code::Operator, at,
             "The constant " + full_name(declaration) + " is " + std::string(type->name) + ", which has no negatives.");
    } else if (!fits(*exact, type)) {
      refuse(Code::LiteralRange, at,
             "The value of " + full_name(declaration) + " does not fit " + std::string(type->name) + ".");
    } else {
      value.bits = exact->bits();
    }
  }
  *constants_.find(key) = value;
  return value;
}

std::uint64_t Checker::constant_natural(const syntax::Expr& expression, const Scope& scope) {
  const Value folded = Folder(*this, scope).fold(expression, {});
  const auto* value = std::get_if<BigInteger>(&folded);
  if (value == nullptr || !value->fits_unsigned(64))
    refuse(Code::Const, expression.position, "A constant of type usize is needed here.");
  return value->bits();
}

}  // namespace cairn
