// Integers: checked and wrapping arithmetic, shifts, bits, comparisons. Slots are normalized: a narrow integer is zero-
// or sign-extended to 64 bits, before and after.
#include "jit/baseline/compiler.hpp"

namespace cairn::jit {

namespace Inst = x86::Inst;

namespace {

std::uint32_t width_of(Kind kind) { return size_of(kind) * 8; }
bool is_narrow(Kind kind) { return size_of(kind) <= 4; }
bool is_tiny(Kind kind) { return size_of(kind) <= 2; }

/// 8- or 16-bit view of a register.
x86::Gp low_part(const x86::Gp& reg, Kind kind) {
  if (size_of(kind) == 1) return reg.r8();
  return reg.r16();
}

}  // namespace

void BaselineCompiler::integer(const Shape& shape) {
  switch (shape.verb) {
    case Verb::Add:
    case Verb::Sub:
      return add_or_sub(shape);
    case Verb::Mul:
      return multiply(shape);
    case Verb::Div:
    case Verb::Rem:
      return divide(shape);
    case Verb::Neg:
    case Verb::Abs:
      return negate(shape);
    case Verb::AddWrap:
    case Verb::SubWrap:
    case Verb::MulWrap:
      return wrap(shape);
    case Verb::ShlWrap:
    case Verb::Shr:
      return shift(shape);
    case Verb::And:
    case Verb::Or:
    case Verb::Xor:
      return bitwise(shape);
    default:
      return pick(shape);
  }
}

void BaselineCompiler::add_or_sub(const Shape& shape) {
  const Gp left = cache_.in(b());
  const Right other = right(shape);
  const Gp to = cache_.out_over(a(), b(), right_slot(shape));
  const bool adds = shape.verb == Verb::Add;
  // Tiny signed sums are exact in 64 bits; the others are done in the width of the type, or in 32 bits.
  const bool narrow = is_narrow(shape.type) && !(is_tiny(shape.type) && is_signed(shape.type));
  if (to.id() != left.id()) a_.mov(to, left);
  apply(adds ? Inst::kIdAdd : Inst::kIdSub, to, other, narrow);
  if (is_decided()) return cache_.commit(a(), to);
  BaselineStorage::Undo undo;
  if (plan_ != nullptr && to.id() == left.id()) {
    undo = {adds ? Inst::kIdSub : Inst::kIdAdd,
            narrow ? to.r32() : to,
            narrow ? other.reg.r32() : other.reg,
            other.is_number,
            other.number,
            shape.type == Kind::I32};
  }
  if (is_tiny(shape.type)) {
    if (is_signed(shape.type)) {
      a_.movsx(x86::rax, low_part(to, shape.type));
      a_.cmp(x86::rax, to);
      a_.jne(trap(TrapKind::Overflow, undo));
    } else if (adds) {
      a_.cmp(to.r32(), (1U << width_of(shape.type)) - 1);
      a_.ja(trap(TrapKind::Overflow, undo));
    } else {
      a_.jb(trap(TrapKind::Overflow, undo));
    }
  } else {
    is_signed(shape.type) ? a_.jo(trap(TrapKind::Overflow, undo)) : a_.jb(trap(TrapKind::Overflow, undo));
    if (shape.type == Kind::I32) a_.movsxd(to, to.r32());
  }
  cache_.commit(a(), to);
}

void BaselineCompiler::multiply(const Shape& shape) {
  const Gp left = cache_.in(b());
  const Right other = right(shape);
  if (shape.type == Kind::U64) {
    const Gp factor = in_register(other);
    a_.mov(x86::rax, left);
    a_.mul(factor);
    a_.jo(trap(TrapKind::Overflow));
    const Gp to = cache_.out_for(a());
    a_.mov(to, x86::rax);
    return cache_.commit(a(), to);
  }
  const Gp to = cache_.out_over(a(), b(), right_slot(shape), true);
  const bool narrow = shape.type == Kind::I32;  // the others' products are exact in 64 bits, or 64 bits is their width
  if (other.is_number) {
    narrow ? a_.imul(to.r32(), left.r32(), other.number) : a_.imul(to, left, other.number);
  } else {
    if (to.id() != left.id()) a_.mov(to, left);
    narrow ? a_.imul(to.r32(), other.reg.r32()) : a_.imul(to, other.reg);
  }
  switch (shape.type) {
    case Kind::U8:
    case Kind::U16:
      a_.cmp(to.r32(), (1U << width_of(shape.type)) - 1);
      a_.ja(trap(TrapKind::Overflow));
      break;
    case Kind::U32:
      a_.mov(x86::rax, to);
      a_.shr(x86::rax, 32);
      a_.jnz(trap(TrapKind::Overflow));
      break;
    case Kind::I8:
    case Kind::I16:
      a_.movsx(x86::rax, low_part(to, shape.type));
      a_.cmp(x86::rax, to);
      a_.jne(trap(TrapKind::Overflow));
      break;
    case Kind::I32:
      a_.jo(trap(TrapKind::Overflow));
      a_.movsxd(to, to.r32());
      break;
    default:
      a_.jo(trap(TrapKind::Overflow));
      break;
  }
  cache_.commit(a(), to);
}

void BaselineCompiler::divide(const Shape& shape) {
  const bool wants_quotient = shape.verb == Verb::Div;
  const auto number = static_cast<std::int64_t>(shape.immediate ? pc_[1] : 1);
  if (number == 0) return trap_always(TrapKind::Division);
  const Gp left = cache_.in(b());
  const std::uint64_t magnitude = static_cast<std::uint64_t>(number);
  if (shape.immediate && !is_signed(shape.type) && (magnitude & (magnitude - 1)) == 0 && magnitude < (1U << 31)) {
    const Gp to = cache_.out_over(a(), b(), a() + 1);
    if (to.id() != left.id()) a_.mov(to, left);
    if (wants_quotient) {
      a_.shr(to, static_cast<std::uint32_t>(__builtin_ctzll(magnitude)));
    } else {
      a_.and_(to.r32(), static_cast<std::int64_t>(magnitude - 1));
    }
    return cache_.commit(a(), to);
  }
  const Gp divisor = shape.immediate ? Gp(x86::rcx) : cache_.in(c());
  if (shape.immediate) {
    a_.mov(x86::rcx, number);
  } else {
    a_.test(divisor, divisor);
    a_.jz(trap(TrapKind::Division));
  }
  if (is_signed(shape.type) && (!shape.immediate || number == -1)) {
    const Label fine = a_.newLabel();
    if (!shape.immediate) {
      a_.cmp(divisor, -1);
      a_.jne(fine);
    }
    if (shape.type == Kind::I64) {
      a_.mov(x86::rax, INT64_MIN);
      a_.cmp(left, x86::rax);
    } else {
      a_.cmp(left, -(std::int64_t{1} << (width_of(shape.type) - 1)));
    }
    a_.je(trap(TrapKind::Division));
    a_.bind(fine);
  }
  const bool narrow = is_narrow(shape.type);
  a_.mov(x86::rax, left);
  if (is_signed(shape.type)) {
    narrow ? a_.cdq() : a_.cqo();
    a_.idiv(narrow ? divisor.r32() : divisor);
  } else {
    a_.xor_(x86::edx, x86::edx);
    a_.div(narrow ? divisor.r32() : divisor);
  }
  const Gp result = wants_quotient ? x86::rax : x86::rdx;
  const Gp to = cache_.out_for(a());
  if (narrow && is_signed(shape.type)) {
    a_.movsxd(to, result.r32());
  } else {
    narrow ? a_.mov(to.r32(), result.r32()) : a_.mov(to, result);
  }
  cache_.commit(a(), to);
}

void BaselineCompiler::negate(const Shape& shape) {
  const TrapKind kind = shape.verb == Verb::Neg ? TrapKind::Overflow : TrapKind::Abs;
  const Gp value = cache_.in(b());
  if (shape.type == Kind::I64) {
    a_.mov(x86::rax, INT64_MIN);
    a_.cmp(value, x86::rax);
  } else {
    a_.cmp(value, -(std::int64_t{1} << (width_of(shape.type) - 1)));
  }
  a_.je(trap(kind));
  const Gp to = cache_.out();
  a_.mov(to, value);
  a_.neg(to);
  if (shape.verb == Verb::Abs) a_.cmovs(to, value);  // the negation is negative: the value is not
  cache_.commit(a(), to);
}

void BaselineCompiler::wrap(const Shape& shape) {
  const Gp left = cache_.in(b());
  const Right other = right(shape);
  const Gp to = cache_.out_over(a(), b(), right_slot(shape));
  const bool narrow = is_narrow(shape.type);
  if (shape.verb == Verb::MulWrap && other.is_number) {
    narrow ? a_.imul(to.r32(), left.r32(), other.number) : a_.imul(to, left, other.number);
  } else {
    if (to.id() != left.id()) a_.mov(to, left);
    const auto id = shape.verb == Verb::AddWrap   ? Inst::kIdAdd
                    : shape.verb == Verb::SubWrap ? Inst::kIdSub
                                                  : Inst::kIdImul;
    apply(id, to, other, narrow);
  }
  if (is_tiny(shape.type)) a_.movzx(to.r32(), low_part(to, shape.type));
  cache_.commit(a(), to);
}

void BaselineCompiler::shift(const Shape& shape) {
  const bool left_shift = shape.verb == Verb::ShlWrap;
  const bool narrow = is_narrow(shape.type);
  const Gp value = cache_.in(b());
  if (shape.immediate) {
    if (pc_[1] >= width_of(shape.type)) return trap_always(TrapKind::Shift);
    const auto count = static_cast<std::uint32_t>(pc_[1]);
    const Gp to = cache_.out_over(a(), b(), a() + 1);
    if (to.id() != value.id()) a_.mov(to, value);
    const Gp sized = narrow ? to.r32() : to;
    left_shift ? a_.shl(sized, count) : a_.shr(sized, count);
    if (left_shift && is_tiny(shape.type)) a_.movzx(to.r32(), low_part(to, shape.type));
    return cache_.commit(a(), to);
  }
  const Gp count = cache_.in(c());
  a_.cmp(count, width_of(shape.type));
  a_.jae(trap(TrapKind::Shift));
  const Gp to = cache_.out_for(a());
  const Gp sized = narrow ? to.r32() : to;
  if (has_bmi2_) {
    const Gp from = narrow ? value.r32() : value;
    const Gp by = narrow ? count.r32() : count;
    left_shift ? a_.shlx(sized, from, by) : a_.shrx(sized, from, by);
  } else {
    a_.mov(x86::rcx, count);
    a_.mov(to, value);
    left_shift ? a_.shl(sized, x86::cl) : a_.shr(sized, x86::cl);
  }
  if (left_shift && is_tiny(shape.type)) a_.movzx(to.r32(), low_part(to, shape.type));
  cache_.commit(a(), to);
}

void BaselineCompiler::bitwise(const Shape& shape) {
  const Gp left = cache_.in(b());
  const Right other = right(shape);
  const Gp to = cache_.out_over(a(), b(), right_slot(shape));
  if (to.id() != left.id()) a_.mov(to, left);
  const auto id = shape.verb == Verb::And ? Inst::kIdAnd : shape.verb == Verb::Or ? Inst::kIdOr : Inst::kIdXor;
  apply(id, to, other, false);
  cache_.commit(a(), to);
}

/// min and max.
void BaselineCompiler::pick(const Shape& shape) {
  const Gp left = cache_.in(b());
  const Gp other = cache_.in(c());
  const Gp to = a() == b() ? cache_.out() : cache_.out_over(a(), b(), c());
  a_.mov(to, left);
  a_.cmp(other, left);
  const bool smaller = shape.verb == Verb::Min;
  if (is_signed(shape.type)) {
    smaller ? a_.cmovl(to, other) : a_.cmovg(to, other);
  } else {
    smaller ? a_.cmovb(to, other) : a_.cmova(to, other);
  }
  cache_.commit(a(), to);
}

/// Compares slot `left`; the condition under which the relation holds.
x86::CondCode BaselineCompiler::integer_comparison(const Shape& shape, std::uint32_t left, const Right& other) {
  const Gp value = cache_.in(left);
  const bool with_zero = other.is_number && other.number == 0;
  const bool equality = shape.relation == Relation::Eq || shape.relation == Relation::Ne;
  if (with_zero && equality) {
    a_.test(value, value);
  } else {
    apply(Inst::kIdCmp, value, other, false);
  }
  using Code = x86::CondCode;
  switch (shape.relation) {
    case Relation::Eq:
      return Code::kE;
    case Relation::Ne:
      return Code::kNE;
    case Relation::Lt:
      return is_signed(shape.type) ? Code::kL : Code::kB;
    case Relation::Le:
      return is_signed(shape.type) ? Code::kLE : Code::kBE;
    case Relation::Gt:
      return is_signed(shape.type) ? Code::kG : Code::kA;
    default:
      return is_signed(shape.type) ? Code::kGE : Code::kAE;
  }
}

void BaselineCompiler::compare(const Shape& shape) {
  const Right other = right(shape);
  const x86::CondCode condition = integer_comparison(shape, b(), other);
  const Gp to = cache_.out_for(a());
  a_.set(condition, x86::al);
  a_.movzx(to.r32(), x86::al);
  cache_.commit(a(), to);
}

}  // namespace cairn::jit
