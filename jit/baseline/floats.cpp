// f32 and f64 arithmetic, comparisons, and conversions. An f32's register has zeros above its low four bytes.
#include <bit>
#include <cmath>

#include "jit/baseline/compiler.hpp"

namespace cairn::jit {
namespace {

constexpr int kDown = 9, kUp = 10, kToZero = 11;  // roundsd: that direction, no inexact exception

}  // namespace

void BaselineCompiler::float_constant(Xmm to, double value, bool wide) {
  if (wide) {
    a_.mov(x86::rax, std::bit_cast<std::uint64_t>(value));
    a_.movq(to, x86::rax);
  } else {
    a_.mov(x86::eax, std::bit_cast<std::uint32_t>(static_cast<float>(value)));
    a_.movd(to, x86::eax);
  }
}

void BaselineCompiler::floating(const Shape& shape) {
  const bool wide = shape.type == Kind::F64;
  const Xmm left = in_float(b(), wide);
  const auto unary = [&](auto emit) {
    const Xmm to = a() == b() ? cache_.out_vector() : cache_.out_vector_for(a());
    a_.xorps(to, to);
    emit(to);
    cache_.commit(a(), to);
  };
  const auto round = [&](int mode) {
    unary([&](Xmm to) { wide ? a_.roundsd(to, left, mode) : a_.roundss(to, left, mode); });
  };
  switch (shape.verb) {
    case Verb::Neg:
    case Verb::Abs: {
      const bool flips = shape.verb == Verb::Neg;
      const Xmm mask = x86::xmm0;
      if (wide) {
        a_.pcmpeqd(mask, mask);
        flips ? a_.psllq(mask, 63) : a_.psrlq(mask, 1);
      } else {
        a_.mov(x86::eax, flips ? 0x80000000U : 0x7fffffffU);
        a_.movd(mask, x86::eax);
      }
      const Xmm to = cache_.out_vector_for(a());
      a_.movaps(to, left);
      flips ? a_.xorps(to, mask) : a_.andps(to, mask);
      return cache_.commit(a(), to);
    }
    case Verb::Sqrt:
      return unary([&](Xmm to) { wide ? a_.sqrtsd(to, left) : a_.sqrtss(to, left); });
    case Verb::Floor:
      return round(kDown);
    case Verb::Ceil:
      return round(kUp);
    case Verb::Trunc:
      return round(kToZero);
    case Verb::Fma: {
      const Xmm factor = in_float(c(), wide);
      const Xmm term = in_float(d(), wide);
      const Xmm to = a() == d() ? cache_.out_vector() : cache_.out_vector_over(a(), b(), c());
      a_.movaps(to, left);
      wide ? a_.vfmadd213sd(to, factor, term) : a_.vfmadd213ss(to, factor, term);
      return cache_.commit(a(), to);
    }
    default:
      break;
  }
  const Xmm other = in_float(c(), wide);
  const Xmm to = cache_.out_vector_over(a(), b(), c());
  if (to.id() != left.id()) a_.movaps(to, left);
  switch (shape.verb) {
    case Verb::Add:
      wide ? a_.addsd(to, other) : a_.addss(to, other);
      break;
    case Verb::Sub:
      wide ? a_.subsd(to, other) : a_.subss(to, other);
      break;
    case Verb::Mul:
      wide ? a_.mulsd(to, other) : a_.mulss(to, other);
      break;
    default:
      wide ? a_.divsd(to, other) : a_.divss(to, other);
      break;
  }
  cache_.commit(a(), to);
}

void BaselineCompiler::compare_floats(const Shape& shape) {
  const bool wide = shape.type == Kind::F64;
  const Xmm left = in_float(b(), wide);
  const Xmm other = in_float(c(), wide);
  const bool equality = shape.relation == Relation::Eq || shape.relation == Relation::Ne;
  // left < other is other > left: false where one is a NaN, since that sets the carry.
  const Xmm first = equality ? left : other;
  const Xmm second = equality ? other : left;
  wide ? a_.ucomisd(first, second) : a_.ucomiss(first, second);
  const Gp to = cache_.out_for(a());
  switch (shape.relation) {
    case Relation::Eq:
      a_.setnp(x86::al);
      a_.sete(x86::cl);
      a_.and_(x86::al, x86::cl);
      break;
    case Relation::Ne:
      a_.setp(x86::al);
      a_.setne(x86::cl);
      a_.or_(x86::al, x86::cl);
      break;
    case Relation::Lt:
      a_.seta(x86::al);
      break;
    default:
      a_.setae(x86::al);
      break;
  }
  a_.movzx(to.r32(), x86::al);
  cache_.commit(a(), to);
}

/// bits and from_bits.
void BaselineCompiler::reinterpret() {
  const bool narrow = bytecode::op_of(pc_[0]) == Op::BitsF32 || bytecode::op_of(pc_[0]) == Op::FromBitsF32;
  const Gp from = cache_.in(b());
  const Gp to = cache_.out_for(a());
  narrow ? a_.mov(to.r32(), from.r32()) : a_.mov(to, from);
  cache_.commit(a(), to);
}

bool BaselineCompiler::convert(const Shape& shape) {
  if (is_float(shape.type) && is_float(shape.source)) {
    const bool to_wide = shape.type == Kind::F64;
    const Xmm from = in_float(b(), !to_wide);
    const Xmm to = a() == b() ? cache_.out_vector() : cache_.out_vector_for(a());
    a_.xorps(to, to);
    to_wide ? a_.cvtss2sd(to, from) : a_.cvtsd2ss(to, from);
    cache_.commit(a(), to);
  } else if (is_float(shape.type)) {
    float_from_integer(shape);
  } else if (is_float(shape.source)) {
    if (!has_sse41_) return false;
    integer_from_float(shape);
  } else {
    const Gp from = cache_.in(b());
    const std::uint32_t size = size_of(shape.type);
    const Gp to = a() == b() ? cache_.out() : cache_.out_for(a());
    if (size == 8) {
      // From the other signedness: the sign bit says whether it fits.
      if (is_signed(shape.type) != is_signed(shape.source)) {
        a_.test(from, from);
        a_.js(trap(TrapKind::Conversion));
      }
      a_.mov(to, from);
    } else {
      if (is_signed(shape.type)) {
        if (size == 4) a_.movsxd(to, from.r32());
        if (size == 2) a_.movsx(to, from.r16());
        if (size == 1) a_.movsx(to, from.r8());
      } else {
        if (size == 4) a_.mov(to.r32(), from.r32());
        if (size == 2) a_.movzx(to.r32(), from.r16());
        if (size == 1) a_.movzx(to.r32(), from.r8());
      }
      a_.cmp(to, from);
      a_.jne(trap(TrapKind::Conversion));
      // An unsigned source above the signed maximum would read as negative: equal only where both are.
      if (is_signed(shape.type) && !is_signed(shape.source)) {
        a_.test(from, from);
        a_.js(trap(TrapKind::Conversion));
      }
    }
    cache_.commit(a(), to);
  }
  return true;
}

void BaselineCompiler::float_from_integer(const Shape& shape) {
  const bool wide = shape.type == Kind::F64;
  const Gp from = cache_.in(b());
  const Xmm to = cache_.out_vector_for(a());
  a_.xorps(to, to);
  const auto convert_signed = [&](Gp source) { wide ? a_.cvtsi2sd(to, source) : a_.cvtsi2ss(to, source); };
  if (is_signed(shape.source)) {
    convert_signed(from);
    return cache_.commit(a(), to);
  }
  // From 2^63 on: half of it, its last bit kept for the rounding, then doubled.
  const Label large = a_.newLabel();
  const Label done = a_.newLabel();
  a_.test(from, from);
  a_.js(large);
  convert_signed(from);
  a_.jmp(done);
  a_.bind(large);
  a_.mov(x86::rax, from);
  a_.mov(x86::ecx, from.r32());
  a_.shr(x86::rax, 1);
  a_.and_(x86::ecx, 1);
  a_.or_(x86::rax, x86::rcx);
  convert_signed(x86::rax);
  wide ? a_.addsd(to, to) : a_.addss(to, to);
  a_.bind(done);
  cache_.commit(a(), to);
}

/// Truncates, and holds the truncated value to the range: its bounds are exact in both formats.
void BaselineCompiler::integer_from_float(const Shape& shape) {
  const bool wide = shape.source == Kind::F64;
  const Xmm from = in_float(b(), wide);
  const std::uint32_t width = size_of(shape.type) * 8;
  const double past = std::ldexp(1.0, static_cast<int>(is_signed(shape.type) ? width - 1 : width));
  const auto compare = [&](Xmm left, Xmm other) { wide ? a_.ucomisd(left, other) : a_.ucomiss(left, other); };
  const Xmm whole = x86::xmm0;
  wide ? a_.roundsd(whole, from, kToZero) : a_.roundss(whole, from, kToZero);
  float_constant(x86::xmm1, past, wide);
  compare(x86::xmm1, whole);
  a_.jbe(trap(TrapKind::Conversion));  // past <= whole, or a NaN
  float_constant(x86::xmm1, is_signed(shape.type) ? -past : 0.0, wide);
  compare(whole, x86::xmm1);
  a_.jb(trap(TrapKind::Conversion));
  const Gp to = cache_.out_for(a());
  const auto truncate = [&](Gp into) { wide ? a_.cvttsd2si(into, whole) : a_.cvttss2si(into, whole); };
  if (shape.type != Kind::U64) {
    truncate(to);
    return cache_.commit(a(), to);
  }
  const Label large = a_.newLabel();
  const Label done = a_.newLabel();
  float_constant(x86::xmm1, 0x1p63, wide);
  compare(whole, x86::xmm1);
  a_.jae(large);
  truncate(to);
  a_.jmp(done);
  a_.bind(large);
  wide ? a_.subsd(whole, x86::xmm1) : a_.subss(whole, x86::xmm1);
  truncate(to);
  a_.btc(to, 63);
  a_.bind(done);
  cache_.commit(a(), to);
}

}  // namespace cairn::jit
