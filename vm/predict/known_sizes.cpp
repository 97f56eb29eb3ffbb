#include "vm/predict/known_sizes.hpp"

#include <cmath>

#include "frontend/check/tree_walk.hpp"

namespace cairn::predict {

using namespace checked;
using checked::Function;

namespace {

std::optional<Polynomial> combined(BinaryOp op, const Polynomial& left, const Polynomial& right) {
  if (op == BinaryOp::Add) return left + right;
  if (op == BinaryOp::Subtract) return left - right;
  if (op == BinaryOp::Multiply) return left * right;
  if (op != BinaryOp::Divide || !right.is_constant() || right.constant() == 0) return std::nullopt;
  return left * Polynomial(1 / right.constant());
}

}  // namespace

std::optional<Polynomial> KnownSizes::value(const Expr& of) {
  switch (of.kind) {
    case ExprKind::Integer:
      return Polynomial(static_cast<double>(of.as<IntegerExpr>().bits));
    case ExprKind::Load:
      return value(*of.as<LoadExpr>().place);
    case ExprKind::Local: {
      const auto known = values_.find(of.as<LocalExpr>().local);
      if (known == values_.end()) return std::nullopt;
      return known->second;
    }
    case ExprKind::Convert:
      return of.type->is_integer() ? value(*of.as<ConvertExpr>().operand) : std::nullopt;
    case ExprKind::Length:
      return length(*of.as<LengthExpr>().of);
    case ExprKind::Binary: {
      const std::vector<const Expr*> operations = checked::left_chain(of);
      std::optional<Polynomial> total = value(checked::left_of(*operations.front()));
      for (std::size_t k = 0; total && k < operations.size(); ++k) {
        const auto& operation = operations[k]->as<BinaryExpr>();
        const auto right = value(*operation.right);
        total = right ? combined(operation.op, *total, *right) : std::nullopt;
      }
      return total;
    }
    case ExprKind::Builtin: {
      const auto& builtin = of.as<BuiltinExpr>();
      if (builtin.builtin == Builtin::Shr) {
        const auto left = value(*builtin.arguments[0]);
        const auto right = value(*builtin.arguments[1]);
        if (!left || !right || !right->is_constant() || right->constant() < 0 || right->constant() > 63) {
          return std::nullopt;
        }
        return *left * Polynomial(std::ldexp(1.0, -static_cast<int>(right->constant())));
      }
      if (builtin.builtin == Builtin::AddWrap || builtin.builtin == Builtin::SubWrap) {
        approximate_.insert("a size is taken not to wrap");
        const auto left = value(*builtin.arguments[0]);
        const auto right = value(*builtin.arguments[1]);
        if (!left || !right) return std::nullopt;
        return combined(builtin.builtin == Builtin::AddWrap ? BinaryOp::Add : BinaryOp::Subtract, *left, *right);
      }
      if (builtin.builtin != Builtin::Min) return std::nullopt;
      approximate_.insert("a bound is the smaller of two");
      const auto left = value(*builtin.arguments[0]);
      const auto right = value(*builtin.arguments[1]);
      if (left && right) return left->is_constant() ? left : right->is_constant() ? right : left;
      return left ? left : right;
    }
    default:
      return std::nullopt;
  }
}

std::optional<Polynomial> KnownSizes::length(const Expr& of) {
  if (of.kind == ExprKind::Load) return length(*of.as<LoadExpr>().place);
  if (of.kind == ExprKind::Part) {
    const auto lo = value(*of.as<PartExpr>().lo);
    const auto hi = value(*of.as<PartExpr>().hi);
    if (lo && hi) return *hi - *lo;
    return std::nullopt;
  }
  if (of.kind == ExprKind::ViewOf) return length(*of.as<ViewOfExpr>().place);
  if (of.kind == ExprKind::Text) return Polynomial(static_cast<double>(of.as<TextExpr>().bytes.size()));
  if (of.kind != ExprKind::Local) {
    if (of.type->is(TypeKind::Array)) return Polynomial(static_cast<double>(of.type->count));
    return std::nullopt;
  }
  return length(*of.as<LocalExpr>().local);
}

std::optional<Polynomial> KnownSizes::length(const Local& local) {
  const Type& type = *value_type(local.type);
  if (type.is(TypeKind::Array)) return Polynomial(static_cast<double>(type.count));
  if (const auto known = lengths_.find(&local); known != lengths_.end()) return known->second;
  if (!type.is(TypeKind::View)) return std::nullopt;
  if (type.extent.kind == Extent::Kind::Literal) return Polynomial(static_cast<double>(type.extent.literal));
  if (type.extent.kind == Extent::Kind::Symbol && local.extent != nullptr) {
    if (const auto known = values_.find(local.extent); known != values_.end()) return known->second;
  }
  for (const Local* parameter : function_.parameters) {
    if (type.extent.kind == Extent::Kind::Symbol && parameter->name == type.extent.symbol) {
      if (const auto known = values_.find(parameter); known != values_.end()) return known->second;
    }
  }
  return std::nullopt;
}

}  // namespace cairn::predict
