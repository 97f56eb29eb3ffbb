// Arithmetic, bits, comparisons as values, conversions and the builtins that compute. A literal on the right becomes
// the operation's immediate.
#include <bit>

#include "vm/lower/function_lowering.hpp"

namespace cairn::lower {

using bytecode::kNone;
using bytecode::RegisterKind;
using checked::BinaryExpr;
using checked::Builtin;
using checked::ExprKind;
using syntax::BinaryOp;
using syntax::UnaryOp;

namespace {

/// The constants a function keeps in registers for its loops are bounded; beyond that a loop makes its own.
constexpr std::size_t kMaxPooledConstants = 48;

constexpr Op next(Op op, unsigned rows) { return static_cast<Op>(static_cast<unsigned>(op) + rows); }

bool commutes(BinaryOp op) {
  switch (op) {
    case BinaryOp::Add:
    case BinaryOp::Multiply:
    case BinaryOp::And:
    case BinaryOp::Or:
    case BinaryOp::Xor:
    case BinaryOp::Equal:
    case BinaryOp::NotEqual:
      return true;
    default:
      return false;
  }
}

Op checked_row(BinaryOp op, RegisterKind kind) {
  switch (op) {
    case BinaryOp::Add:
      return checked_operation(Op::AddU8, kind);
    case BinaryOp::Subtract:
      return checked_operation(Op::SubU8, kind);
    case BinaryOp::Multiply:
      return checked_operation(Op::MulU8, kind);
    case BinaryOp::Divide:
      return checked_operation(Op::DivU8, kind);
    default:
      return checked_operation(Op::RemU8, kind);
  }
}

Op float_row(BinaryOp op, RegisterKind kind) {
  switch (op) {
    case BinaryOp::Add:
      return float_operation(Op::AddF32, kind);
    case BinaryOp::Subtract:
      return float_operation(Op::SubF32, kind);
    case BinaryOp::Multiply:
      return float_operation(Op::MulF32, kind);
    case BinaryOp::Divide:
      return float_operation(Op::DivF32, kind);
    case BinaryOp::Equal:
      return float_operation(Op::EqF32, kind);
    case BinaryOp::NotEqual:
      return float_operation(Op::NeF32, kind);
    case BinaryOp::Less:
    case BinaryOp::Greater:
      return float_operation(Op::LtF32, kind);
    default:
      return float_operation(Op::LeF32, kind);
  }
}

std::uint64_t all_ones(unsigned bits) { return bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1; }

}  // namespace

std::optional<std::uint64_t> FunctionLowering::literal_bits(const Expr& e) const {
  switch (e.kind) {
    case ExprKind::Integer:
      return e.as<checked::IntegerExpr>().bits;
    case ExprKind::Bool:
      return e.as<checked::BoolExpr>().value ? 1U : 0U;
    case ExprKind::Float: {
      const double number = e.as<checked::FloatExpr>().value;
      if (e.type->is(TypeKind::F32)) return std::bit_cast<std::uint32_t>(static_cast<float>(number));
      return std::bit_cast<std::uint64_t>(number);
    }
    case ExprKind::Length: {
      const Expr& of = *e.as<checked::LengthExpr>().of;
      if (of.type->is(TypeKind::Array) && of.is_place()) return of.type->count;
      return {};
    }
    case ExprKind::Load: {
      const Expr& place = *e.as<checked::LoadExpr>().place;
      if (place.kind != ExprKind::Local) return {};
      const auto known = constants_.find(place.as<checked::LocalExpr>().local);
      return known == constants_.end() ? std::nullopt : std::optional(known->second);
    }
    default:
      return {};
  }
}

/// A number in a register: for a loop, one the function makes once at its entry.
Register FunctionLowering::literal(const Expr& e, Register into) {
  return constant_of(*e.type, *literal_bits(e), e.position, into);
}

Register FunctionLowering::constant_of(const Type& type, std::uint64_t bits, Position position, Register into) {
  if (!into && !loops_.empty()) {
    const auto key = std::pair(form(type).kind, bits);
    if (const auto known = pool_.find(key); known != pool_.end()) return known->second;
    if (pool_.size() < kMaxPooledConstants) {
      const Register pooled = f_.add_register(form(type));
      f_.constant_at_entry(pooled, bits);
      pool_.emplace(key, pooled);
      return pooled;
    }
  }
  const Register to = target(into, type);
  at(position);
  constant(to, bits);
  return to;
}

Register FunctionLowering::unary(const checked::UnaryExpr& e, Register into) {
  const Register to = target(into, *e.type);
  const Mark mark = this->mark();
  const Register operand = value(*e.operand);
  release(mark);
  const RegisterKind kind = form(*e.type).kind;
  switch (e.op) {
    case UnaryOp::Not:
      emit(e.position, Op::Not, to, operand);
      break;
    case UnaryOp::Complement:
      emit(e.position, Op::XorImm, to, operand, all_ones(width_of(kind)));
      break;
    case UnaryOp::Negate:
      emit(e.position, is_floating(kind) ? float_operation(Op::NegF32, kind) : signed_operation(Op::NegI8, kind), to,
           operand);
      break;
  }
  return to;
}

/// A chain of operators may be of any length, so its left spine is walked, not recursed into.
Register FunctionLowering::binary(const BinaryExpr& e, Register into) {
  std::vector<const BinaryExpr*> spine{&e};
  while (spine.back()->left->kind == ExprKind::Binary) spine.push_back(&spine.back()->left->as<BinaryExpr>());
  Register accumulator;
  const Type* accumulated = nullptr;
  while (!spine.empty()) {
    const BinaryExpr& step = *spine.back();
    spine.pop_back();
    const bool is_last = spine.empty();
    const bool reuse = !is_last && accumulated == step.type;
    const Register to = is_last ? target(into, *step.type) : reuse ? accumulator : temporary(*step.type);
    binary_step(step, accumulator, to);
    accumulator = to;
    accumulated = step.type;
  }
  return accumulator;
}

/// One operator; `left` holds the left operand when it was computed before.
void FunctionLowering::binary_step(const BinaryExpr& e, Register left, Register to) {
  const Mark mark = this->mark();
  const Expr* right = e.right;
  if (!left) {
    if (literal_bits(*e.left) && commutes(e.op) && !literal_bits(*e.right)) {
      left = value(*e.right);
      right = e.left;
    } else {
      left = value(*e.left);
    }
  }
  const Type& type = *e.left->type;
  if (e.op >= BinaryOp::Equal && e.op <= BinaryOp::GreaterEqual) {
    comparison(e.op, type, to, left, *right, e.position, mark);
  } else {
    arithmetic(e.op, type, to, left, *right, e.position, mark, module_.discharged().contains(e));
  }
}

void FunctionLowering::arithmetic(BinaryOp op, const Type& type, Register to, Register left, const Expr& right,
                                  Position position, const Mark& mark, bool proved) {
  const RegisterKind kind = form(type).kind;
  if (is_floating(kind)) {
    const Register operand = value(right);
    release(mark);
    return emit(position, float_row(op, kind), to, left, operand);
  }
  const bool bits = op == BinaryOp::And || op == BinaryOp::Or || op == BinaryOp::Xor;
  const Op row = op == BinaryOp::And   ? Op::And
                 : op == BinaryOp::Or  ? Op::Or
                 : op == BinaryOp::Xor ? Op::Xor
                                       : checked_row(op, kind);
  if (const auto literal = literal_bits(right)) {
    release(mark);
    return emit_guarded(proved, position, next(row, bits ? 3 : 5), to, left, *literal);
  }
  const Register operand = value(right);
  release(mark);
  emit_guarded(proved, position, row, to, left, operand);
}
static_assert(next(Op::AddU8, 5) == Op::AddU8Imm && next(Op::RemI64, 5) == Op::RemI64Imm);
static_assert(next(Op::And, 3) == Op::AndImm && next(Op::Xor, 3) == Op::XorImm);

void FunctionLowering::comparison(BinaryOp op, const Type& type, Register to, Register left, const Expr& right,
                                  Position position, const Mark& mark) {
  const RegisterKind kind = form(type).kind;
  const bool is_sint = is_signed(kind);
  const auto literal = literal_bits(right);
  if (literal && !is_floating(kind)) {
    release(mark);
    Op row = Op::EqImm;
    switch (op) {
      case BinaryOp::Equal:
        row = Op::EqImm;
        break;
      case BinaryOp::NotEqual:
        row = Op::NeImm;
        break;
      case BinaryOp::Less:
        row = is_sint ? Op::LtSImm : Op::LtUImm;
        break;
      case BinaryOp::LessEqual:
        row = is_sint ? Op::LeSImm : Op::LeUImm;
        break;
      case BinaryOp::Greater:
        row = is_sint ? Op::GtSImm : Op::GtUImm;
        break;
      default:
        row = is_sint ? Op::GeSImm : Op::GeUImm;
        break;
    }
    return emit(position, row, to, left, *literal);
  }
  Register a = left;
  Register b = value(right);
  release(mark);
  if (op == BinaryOp::Greater || op == BinaryOp::GreaterEqual) std::swap(a, b);
  if (is_floating(kind)) return emit(position, float_row(op, kind), to, a, b);
  Op row = Op::Eq;
  switch (op) {
    case BinaryOp::Equal:
      row = Op::Eq;
      break;
    case BinaryOp::NotEqual:
      row = Op::Ne;
      break;
    case BinaryOp::Less:
    case BinaryOp::Greater:
      row = is_sint ? Op::LtS : Op::LtU;
      break;
    default:
      row = is_sint ? Op::LeS : Op::LeU;
      break;
  }
  emit(position, row, to, a, b);
}

Register FunctionLowering::convert(const checked::ConvertExpr& e, Register into) {
  const Type& from = *e.operand->type;
  const Type& to = *e.type;
  if (from.kind == to.kind) return value(*e.operand, into);
  if (form(from) == form(to) && !from.is_storage_float() && !to.is_storage_float()) return value(*e.operand, into);
  const Register result = target(into, to);
  const Mark mark = this->mark();
  const Register operand = value(*e.operand);
  release(mark);
  emit_guarded(module_.discharged().contains(e), e.position, conversion_row(from, to), result, operand);
  return result;
}

Op FunctionLowering::conversion_row(const Type& from, const Type& to) {
  const RegisterKind source = form(from).kind;
  const RegisterKind result = form(to).kind;
  if (to.is_storage_float()) {
    const auto group = 4 * (static_cast<unsigned>(to.kind) - static_cast<unsigned>(TypeKind::F16));
    return next(source == RegisterKind::F64 ? Op::F16FromF64 : Op::F16FromF32, group);
  }
  if (from.is_storage_float()) {
    const auto group = 4 * (static_cast<unsigned>(from.kind) - static_cast<unsigned>(TypeKind::F16));
    return next(result == RegisterKind::F64 ? Op::F64FromF16 : Op::F32FromF16, group);
  }
  if (is_integer(result)) {
    const Op first = is_unsigned(source)           ? Op::U8FromU
                     : is_signed(source)           ? Op::U8FromS
                     : source == RegisterKind::F32 ? Op::U8FromF32
                                                   : Op::U8FromF64;
    return conversion(first, result);
  }
  if (result == RegisterKind::F32) {
    return is_unsigned(source) ? Op::F32FromU : is_signed(source) ? Op::F32FromS : Op::F32FromF64;
  }
  return is_unsigned(source) ? Op::F64FromU : is_signed(source) ? Op::F64FromS : Op::F64FromF32;
}
static_assert(next(Op::F16FromF32, 12) == Op::F8E5M2FromF32 && next(Op::F64FromF16, 8) == Op::F64FromF8E4M3);

Register FunctionLowering::builtin(const checked::BuiltinExpr& e, Register into) {
  if (e.builtin == Builtin::Quantize || e.builtin == Builtin::QuantizeStochastic) return quantize(e, into);
  const Register to = target(into, *e.type);
  const Mark mark = this->mark();
  const Expr* second = e.arguments.size() > 1 ? e.arguments[1] : nullptr;
  const bool swapped = second != nullptr && literal_bits(*e.arguments[0]) && !literal_bits(*second) &&
                       (e.builtin == Builtin::AddWrap || e.builtin == Builtin::MulWrap);
  const Register a = value(swapped ? *second : *e.arguments[0]);
  if (swapped) second = e.arguments[0];
  const RegisterKind kind = form(*e.type).kind;
  const bool proved = module_.discharged().contains(e);
  const auto with_second = [&](Op row, bool has_immediate) {
    if (const auto literal = literal_bits(*second); literal && has_immediate) {
      release(mark);
      return emit_guarded(proved, e.position, next(row, 5), to, a, *literal);
    }
    const Register b = value(*second);
    release(mark);
    emit_guarded(proved, e.position, row, to, a, b);
  };
  const auto alone = [&](Op row) {
    release(mark);
    emit(e.position, row, to, a);
  };
  const auto pattern = [&] {
    release(mark);
    at(e.position);
    move(to, a, Shape::One);
  };
  switch (e.builtin) {
    case Builtin::AddWrap:
      with_second(wrapping_operation(Op::AddWrapU8, kind), true);
      break;
    case Builtin::SubWrap:
      with_second(wrapping_operation(Op::SubWrapU8, kind), true);
      break;
    case Builtin::MulWrap:
      with_second(wrapping_operation(Op::MulWrapU8, kind), true);
      break;
    case Builtin::ShlWrap:
      with_second(wrapping_operation(Op::ShlWrapU8, kind), true);
      break;
    case Builtin::Shr:
      with_second(wrapping_operation(Op::ShrU8, kind), true);
      break;
    case Builtin::Min:
      with_second(is_signed(kind) ? Op::MinS : Op::MinU, false);
      break;
    case Builtin::Max:
      with_second(is_signed(kind) ? Op::MaxS : Op::MaxU, false);
      break;
    case Builtin::Abs:
      alone(is_floating(kind) ? float_operation(Op::AbsF32, kind) : signed_operation(Op::AbsI8, kind));
      break;
    case Builtin::Sqrt:
      alone(float_operation(Op::SqrtF32, kind));
      break;
    case Builtin::Floor:
      alone(float_operation(Op::FloorF32, kind));
      break;
    case Builtin::Ceil:
      alone(float_operation(Op::CeilF32, kind));
      break;
    case Builtin::Trunc:
      alone(float_operation(Op::TruncF32, kind));
      break;
    case Builtin::ToBits:
      if (e.arguments[0]->type->is_storage_float()) {
        pattern();
      } else {
        alone(e.arguments[0]->type->is(TypeKind::F32) ? Op::BitsF32 : Op::BitsF64);
      }
      break;
    case Builtin::FromBits:
      if (e.type->is_storage_float()) {
        pattern();
      } else {
        alone(e.type->is(TypeKind::F32) ? Op::FromBitsF32 : Op::FromBitsF64);
      }
      break;
    case Builtin::Quantize:
    case Builtin::QuantizeStochastic:
      break;
  }
  return to;
}
static_assert(next(Op::AddWrapU8, 5) == Op::AddWrapU8Imm && next(Op::ShrU64, 5) == Op::ShrU64Imm);

Register FunctionLowering::quantize(const checked::BuiltinExpr& e, Register into) {
  unsigned group = 0;
  switch (e.type->kind) {
    case TypeKind::F16:
      group = 0;
      break;
    case TypeKind::BF16:
      group = 1;
      break;
    case TypeKind::F8E4M3:
      group = 2;
      break;
    case TypeKind::F8E5M2:
      group = 3;
      break;
    case TypeKind::I8:
      group = 4;
      break;
    case TypeKind::U8:
      group = 5;
      break;
    case TypeKind::I16:
      group = 6;
      break;
    default:
      group = 7;
      break;
  }
  const Register to = target(into, *e.type);
  const Mark mark = this->mark();
  const Register x = value(*e.arguments[0]);
  const Register scale = value(*e.arguments[1]);
  if (e.builtin == Builtin::Quantize) {
    release(mark);
    emit(e.position, next(Op::QuantizeF16, 2 * group), to, x, scale);
    return to;
  }
  const Register noise = value(*e.arguments[2]);
  release(mark);
  emit(e.position, next(Op::QuantizeStochasticF16, 2 * group), to, x, scale, noise);
  return to;
}
static_assert(next(Op::QuantizeF16, 14) == Op::QuantizeU16);

}  // namespace cairn::lower
