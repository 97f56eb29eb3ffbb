#include "jit/ssa/fold.hpp"

#include <bit>
#include <cmath>

namespace cairn::jit::ssa {
namespace {

double f64_of(std::uint64_t bits) { return std::bit_cast<double>(bits); }
float f32_of(std::uint64_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits)); }
std::uint64_t slot_of(double value) { return std::bit_cast<std::uint64_t>(value); }
std::uint64_t slot_of(float value) { return std::bit_cast<std::uint32_t>(value); }

template <class T>
bool relates(Relation relation, T a, T b) {
  switch (relation) {
    case Relation::Eq:
      return a == b;
    case Relation::Ne:
      return a != b;
    case Relation::Lt:
      return a < b;
    case Relation::Le:
      return a <= b;
    case Relation::Gt:
      return a > b;
    case Relation::Ge:
      return a >= b;
    case Relation::NotLt:
      return !(a < b);
    case Relation::NotLe:
      return !(a <= b);
  }
  return false;
}

template <class F>
std::optional<std::uint64_t> fold_float(Opcode op, F a, F b, F c) {
  F value = 0;
  switch (op) {
    case Opcode::Add:
      value = a + b;
      break;
    case Opcode::Sub:
      value = a - b;
      break;
    case Opcode::Mul:
      value = a * b;
      break;
    case Opcode::Div:
      value = a / b;
      break;
    case Opcode::Neg:
      value = -a;
      break;
    case Opcode::Abs:
      value = std::fabs(a);
      break;
    case Opcode::Fma:
      value = std::fma(a, b, c);
      break;
    case Opcode::Fms:
      value = std::fma(a, b, -c);
      break;
    case Opcode::Fnma:
      value = std::fma(-a, b, c);
      break;
    case Opcode::Sqrt:
      value = std::sqrt(a);
      break;
    case Opcode::Floor:
      value = std::floor(a);
      break;
    case Opcode::Ceil:
      value = std::ceil(a);
      break;
    case Opcode::Trunc:
      value = std::trunc(a);
      break;
    default:
      return std::nullopt;
  }
  if (std::isnan(value)) return std::nullopt;
  return slot_of(value);
}

std::optional<std::uint64_t> fold_convert(const Instruction& i, std::uint64_t a) {
  if (is_float(i.source)) {
    const double from = i.source == Kind::F32 ? static_cast<double>(f32_of(a)) : f64_of(a);
    if (std::isnan(from)) return std::nullopt;
    if (i.kind == Kind::F64) return slot_of(from);
    if (i.kind == Kind::F32) return slot_of(static_cast<float>(from));
    const double whole = std::trunc(from);
    if (!(whole > -0x1p65 && whole < 0x1p65) || !fits(static_cast<Number>(whole), i.kind)) return std::nullopt;
    return bits_of(static_cast<Number>(whole), i.kind);
  }
  const Number from = number_of(a, i.source);
  if (is_float(i.kind)) {
    const bool negative = is_signed(i.source);
    if (i.kind == Kind::F64) {
      return slot_of(negative ? static_cast<double>(static_cast<std::int64_t>(a)) : static_cast<double>(a));
    }
    return slot_of(negative ? static_cast<float>(static_cast<std::int64_t>(a)) : static_cast<float>(a));
  }
  if (i.mode != Mode::Wrap && !fits(from, i.kind)) return std::nullopt;
  return bits_of(from, i.kind);
}

}  // namespace

std::uint64_t bits_of(Number value, Kind kind) {
  auto low = static_cast<std::uint64_t>(value);
  const std::uint32_t width = width_of(kind);
  if (width == 64) return low;
  low &= (std::uint64_t{1} << width) - 1;
  if (is_signed(kind) && (low >> (width - 1)) != 0) low |= ~std::uint64_t{0} << width;
  return low;
}

bool holds(Relation relation, Kind kind, std::uint64_t a, std::uint64_t b) {
  if (kind == Kind::F64) return relates(relation, f64_of(a), f64_of(b));
  if (kind == Kind::F32) return relates(relation, f32_of(a), f32_of(b));
  return relates(relation, number_of(a, kind), number_of(b, kind));
}

std::optional<std::uint64_t> fold(const Instruction& i, std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  if (i.lanes != 1) return std::nullopt;
  switch (i.op) {
    case Opcode::Compare:
      return holds(i.relation, i.source, a, b) ? 1 : 0;
    case Opcode::Select:
      return a != 0 ? b : c;
    case Opcode::Convert:
      return fold_convert(i, a);
    case Opcode::Bits:
      return i.kind == Kind::F32 || i.source == Kind::F32 ? a & 0xffffffff : a;
    case Opcode::Address:
      return std::nullopt;
    default:
      break;
  }
  if (i.op < Opcode::Add || i.op > Opcode::Trunc) return std::nullopt;
  if (i.kind == Kind::F64) return fold_float(i.op, f64_of(a), f64_of(b), f64_of(c));
  if (i.kind == Kind::F32) return fold_float(i.op, f32_of(a), f32_of(b), f32_of(c));
  const Number x = number_of(a, i.kind);
  const Number y = number_of(b, i.kind);
  Number value = 0;
  switch (i.op) {
    case Opcode::Add:
      value = x + y;
      break;
    case Opcode::Sub:
      value = x - y;
      break;
    case Opcode::Mul:
      if (i.mode == Mode::Wrap) return bits_of(a * b, i.kind);
      if (i.kind == Kind::U64) {
        std::uint64_t product = 0;
        if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
        return product;
      }
      value = x * y;
      break;
    case Opcode::Div:
    case Opcode::Rem:
      if (y == 0 || !fits(x / y, i.kind)) return std::nullopt;
      return bits_of(i.op == Opcode::Div ? x / y : x % y, i.kind);
    case Opcode::Neg:
      value = -x;
      break;
    case Opcode::Abs:
      value = x < 0 ? -x : x;
      break;
    case Opcode::Shl:
      if (b >= width_of(i.kind)) return std::nullopt;
      return bits_of(a << b, i.kind);
    case Opcode::Shr:
      if (b >= width_of(i.kind)) return std::nullopt;
      return bits_of(x >> static_cast<int>(b), i.kind);
    case Opcode::And:
      return a & b;
    case Opcode::Or:
      return a | b;
    case Opcode::Xor:
      return a ^ b;
    case Opcode::Min:
      return x < y ? a : b;
    case Opcode::Max:
      return x > y ? a : b;
    default:
      return std::nullopt;
  }
  if (i.mode != Mode::Wrap && !fits(value, i.kind)) return std::nullopt;
  return bits_of(value, i.kind);
}

std::optional<Relation> negated(Relation relation, Kind kind) {
  const bool floats = is_float(kind);
  switch (relation) {
    case Relation::Eq:
      return Relation::Ne;
    case Relation::Ne:
      return Relation::Eq;
    case Relation::Lt:
      return floats ? Relation::NotLt : Relation::Ge;
    case Relation::Le:
      return floats ? Relation::NotLe : Relation::Gt;
    case Relation::Gt:
      if (floats) return std::nullopt;
      return Relation::Le;
    case Relation::Ge:
      if (floats) return std::nullopt;
      return Relation::Lt;
    case Relation::NotLt:
      return Relation::Lt;
    case Relation::NotLe:
      return Relation::Le;
  }
  return std::nullopt;
}

std::optional<Relation> exchanged(Relation relation) {
  switch (relation) {
    case Relation::Eq:
    case Relation::Ne:
      return relation;
    case Relation::Lt:
      return Relation::Gt;
    case Relation::Le:
      return Relation::Ge;
    case Relation::Gt:
      return Relation::Lt;
    case Relation::Ge:
      return Relation::Le;
    default:
      return std::nullopt;
  }
}

}  // namespace cairn::jit::ssa
