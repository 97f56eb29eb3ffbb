// A kernel's integers: scalars for what a group shares, vectors of eight words for the rest.
#include <bit>

#include "jit/phases/kernel_code.hpp"

namespace cairn::jit::phases {
namespace {

bool fits_immediate(std::uint64_t number) { return number <= 0x7fffffff; }
bool is_power_of_two(std::uint64_t number) { return number != 0 && (number & (number - 1)) == 0; }
std::uint32_t log2_of(std::uint64_t number) { return static_cast<std::uint32_t>(std::countr_zero(number)); }

}  // namespace

void Emitter::integer(const Instruction& each) {
  const Class kind = value(each.def).kind;
  if (kind == Class::Varying) return varying_integer(each);
  const bool aligned_division =
      (each.shape->verb == Verb::Div || each.shape->verb == Verb::Rem) && value(each.use[1]).kind == Class::Linear;
  if (kind == Class::Linear && !aligned_division) return linear_integer(each);
  uniform_integer(each);
}

/// Leaves when the eighth thread's value passes the greatest: then one of the eight does.
void Emitter::check_top(const Gp& start, std::uint64_t stride, std::uint64_t most) {
  const Gp top = fresh_gp();
  cc_.lea(top, x86::ptr(start, static_cast<std::int32_t>(stride * (kLanes - 1))));
  if (most == ~std::uint64_t{0}) {
    cc_.cmp(top, start);
    cc_.jb(leave());
  } else {
    const Gp limit = fresh_gp();
    cc_.mov(limit, most);
    cc_.cmp(top, limit);
    cc_.ja(leave());
  }
}

void Emitter::linear_integer(const Instruction& each) {
  const Verb verb = each.shape->verb;
  const Value& l = value(each.use[1]);
  const std::uint64_t most = greatest(each.shape->type);
  const bool l_linear = l.kind == Class::Linear;
  const Gp made = fresh_gp();
  const std::uint64_t l_high = l.high, r_high = right_high(each);
  std::uint64_t number = 0, exact = 0;
  const bool constant = right_constant(each, number);
  bool needs = true;
  if (verb == Verb::Add) {
    needs = __builtin_add_overflow(l_high, r_high, &exact) || exact > most;
    cc_.mov(made, gp(each.use[1]));
    if (constant && fits_immediate(number)) {
      cc_.add(made, number);
    } else {
      cc_.add(made, right_gp(each));
    }
    if (needs) cc_.jc(leave());
    if (needs) check_top(made, value(each.def).number, most);
  } else if (verb == Verb::Sub) {
    cc_.mov(made, gp(each.use[1]));
    cc_.sub(made, right_gp(each));
    if (l.low < r_high) cc_.jc(leave());
  } else if (verb == Verb::Mul) {
    needs = __builtin_mul_overflow(l_high, r_high, &exact) || exact > most;
    const std::uint64_t by = l_linear ? number : l.number;
    const Gp of = l_linear ? gp(each.use[1]) : right_gp(each);
    if (needs) {
      // The start is checked as the others are: it is the least.
      const Gp top = fresh_gp(), limit = fresh_gp();
      const std::uint64_t stride = l_linear ? l.number : value(each.use[2]).number;
      cc_.lea(top, x86::ptr(of, static_cast<std::int32_t>(stride * (kLanes - 1))));
      cc_.mov(limit, most / by);
      cc_.cmp(top, limit);
      cc_.ja(leave());
    }
    if (is_power_of_two(by)) {
      cc_.mov(made, of);
      cc_.shl(made, log2_of(by));
    } else {
      cc_.imul(made, of, by);
    }
  } else {
    return refuse();
  }
  define(each.def, made);
}

/// Leaves when a checked result does not fit its type; the flags are those of the 64-bit operation.
void Emitter::check_uniform(const Instruction& each, const Gp& result) {
  const Kind kind = each.shape->type;
  const Gp narrow = fresh_gp();
  switch (kind) {
    case Kind::U64:
      cc_.jc(leave());
      return;
    case Kind::I64:
      cc_.jo(leave());
      return;
    case Kind::I32:
      cc_.movsxd(narrow, result.r32());
      break;
    case Kind::I16:
      cc_.movsx(narrow, result.r16());
      break;
    case Kind::I8:
      cc_.movsx(narrow, result.r8());
      break;
    default:
      cc_.mov(narrow, greatest(kind));
      cc_.cmp(result, narrow);
      cc_.ja(leave());
      return;
  }
  cc_.cmp(narrow, result);
  cc_.jne(leave());
}

void Emitter::uniform_integer(const Instruction& each) {
  const Shape& shape = *each.shape;
  const Kind kind = shape.type;
  const Value& l = value(each.use[1]);
  const bool is_unsigned = !is_signed(kind);
  std::uint64_t number = 0, exact = 0;
  const bool constant = right_constant(each, number);
  const std::uint64_t l_high = l.high, r_high = right_high(each), most = greatest(kind);
  const Gp made = fresh_gp();
  const auto with_right = [&](auto with_number, auto with_register) {
    if (constant && fits_immediate(number)) {
      with_number(static_cast<std::int32_t>(number));
    } else {
      with_register(right_gp(each));
    }
  };
  switch (shape.verb) {
    case Verb::Add:
    case Verb::AddWrap: {
      cc_.mov(made, gp(each.use[1]));
      with_right([&](std::int32_t n) { cc_.add(made, n); }, [&](const Gp& r) { cc_.add(made, r); });
      const bool safe = is_unsigned && !__builtin_add_overflow(l_high, r_high, &exact) && exact <= most;
      if (shape.verb == Verb::Add && !safe) check_uniform(each, made);
      break;
    }
    case Verb::Sub:
    case Verb::SubWrap: {
      cc_.mov(made, gp(each.use[1]));
      with_right([&](std::int32_t n) { cc_.sub(made, n); }, [&](const Gp& r) { cc_.sub(made, r); });
      const bool safe = is_unsigned && l.low >= r_high;
      if (shape.verb == Verb::Sub && !safe) check_uniform(each, made);
      break;
    }
    case Verb::Mul:
    case Verb::MulWrap: {
      const bool safe = is_unsigned && !__builtin_mul_overflow(l_high, r_high, &exact) && exact <= most;
      if (shape.verb == Verb::Mul && !safe && kind == Kind::U64) {
        const Gp high = fresh_gp(), by = right_gp(each);
        cc_.mov(made, gp(each.use[1]));
        cc_.mul(high, made, by);
        cc_.jo(leave());
        break;
      }
      if (constant && is_power_of_two(number) && safe) {
        cc_.mov(made, gp(each.use[1]));
        cc_.shl(made, log2_of(number));
        break;
      }
      cc_.mov(made, gp(each.use[1]));
      cc_.imul(made, right_gp(each));
      if (shape.verb == Verb::Mul && !safe) check_uniform(each, made);
      break;
    }
    case Verb::Div:
    case Verb::Rem:
      if (constant && is_unsigned && is_power_of_two(number)) {
        cc_.mov(made, gp(each.use[1]));
        if (shape.verb == Verb::Div) {
          cc_.shr(made, log2_of(number));
        } else if (fits_immediate(number - 1)) {
          cc_.and_(made, number - 1);
        } else {
          const Gp mask = fresh_gp();
          cc_.mov(mask, number - 1);
          cc_.and_(made, mask);
        }
        break;
      }
      return uniform_division(each, gp(each.use[1]));
    case Verb::ShlWrap:
    case Verb::Shr:
      return shift(each);
    case Verb::And:
      cc_.mov(made, gp(each.use[1]));
      with_right([&](std::int32_t n) { cc_.and_(made, n); }, [&](const Gp& r) { cc_.and_(made, r); });
      break;
    case Verb::Or:
      cc_.mov(made, gp(each.use[1]));
      with_right([&](std::int32_t n) { cc_.or_(made, n); }, [&](const Gp& r) { cc_.or_(made, r); });
      break;
    case Verb::Xor:
      cc_.mov(made, gp(each.use[1]));
      with_right([&](std::int32_t n) { cc_.xor_(made, n); }, [&](const Gp& r) { cc_.xor_(made, r); });
      break;
    case Verb::Min:
    case Verb::Max: {
      const Gp right = right_gp(each);
      cc_.mov(made, gp(each.use[1]));
      cc_.cmp(right, made);
      const bool low = shape.verb == Verb::Min;
      if (is_unsigned) {
        low ? cc_.cmovb(made, right) : cc_.cmova(made, right);
      } else {
        low ? cc_.cmovl(made, right) : cc_.cmovg(made, right);
      }
      break;
    }
    case Verb::Neg:
      cc_.mov(made, gp(each.use[1]));
      cc_.neg(made);
      check_uniform(each, made);
      break;
    case Verb::Abs: {
      const Gp other = fresh_gp();
      cc_.mov(made, gp(each.use[1]));
      cc_.mov(other, made);
      cc_.neg(other);
      if (kind == Kind::I64) cc_.jo(leave());
      cc_.test(made, made);
      cc_.cmovs(made, other);
      if (kind != Kind::I64) check_uniform(each, made);
      break;
    }
    default:
      return refuse();
  }
  if (shape.verb == Verb::AddWrap || shape.verb == Verb::SubWrap || shape.verb == Verb::MulWrap) {
    if (kind == Kind::U32) cc_.mov(made.r32(), made.r32());
    if (kind == Kind::U16) cc_.movzx(made.r32(), made.r16());
    if (kind == Kind::U8) cc_.movzx(made.r32(), made.r8());
  }
  define(each.def, made);
}

/// Leaves for a divisor of 0, and of -1 where there are signs: what may trap.
void Emitter::uniform_division(const Instruction& each, const Gp& l) {
  const bool is_unsigned = !is_signed(each.shape->type);
  const Gp by = right_gp(each), high = fresh_gp(), low = fresh_gp();
  std::uint64_t number = 0;
  const bool constant = right_constant(each, number);
  if (!constant || number == 0) {
    cc_.test(by, by);
    cc_.jz(leave());
  }
  cc_.mov(low, l);
  if (is_unsigned) {
    cc_.xor_(high.r32(), high.r32());
    cc_.div(high, low, by);
  } else {
    cc_.cmp(by, -1);
    cc_.je(leave());
    cc_.cqo(high, low);
    cc_.idiv(high, low, by);
  }
  define(each.def, each.shape->verb == Verb::Div ? low : high);
}

void Emitter::shift(const Instruction& each) {
  const Shape& shape = *each.shape;
  const Kind kind = shape.type;
  const std::uint32_t width = 8 * size_of(kind);
  std::uint64_t number = 0;
  const bool constant = right_constant(each, number);
  const bool is_right = shape.verb == Verb::Shr;
  if (constant && number >= width) {
    cc_.jmp(leave());
    if (!value(each.def).in_vector()) define(each.def, fresh_gp());
    return;
  }
  if (!value(each.def).in_vector()) {
    const Gp made = fresh_gp();
    cc_.mov(made, gp(each.use[1]));
    if (constant) {
      is_right ? cc_.shr(made, number) : cc_.shl(made, number);
    } else {
      const Gp by = fresh_gp();
      cc_.mov(by, right_gp(each));
      cc_.cmp(by, width);
      cc_.jae(leave());
      is_right ? cc_.shr(made, by.r8()) : cc_.shl(made, by.r8());
    }
    if (!is_right && kind == Kind::U32) cc_.mov(made.r32(), made.r32());
    if (!is_right && kind == Kind::U16) cc_.movzx(made.r32(), made.r16());
    if (!is_right && kind == Kind::U8) cc_.movzx(made.r32(), made.r8());
    return define(each.def, made);
  }
  const Vec by = right_vec(each), made = cc_.newZmm();
  if (!constant) {
    const K bad = cc_.newKw();
    masked().vpcmpuq(bad, by, constants(width, 0), 5);
    leave_if_any(bad);
  }
  is_right ? cc_.vpsrlvq(made, vec(each.use[1]), by) : cc_.vpsllvq(made, vec(each.use[1]), by);
  if (!is_right && kind != Kind::U64) cc_.vpandq(made, made, constants(greatest(kind), 0));
  define(each.def, made);
}

void Emitter::varying_integer(const Instruction& each) {
  const Shape& shape = *each.shape;
  const Kind kind = shape.type;
  const bool is_unsigned = !is_signed(kind);
  const std::uint64_t most = greatest(kind);
  switch (shape.verb) {
    case Verb::Div:
    case Verb::Rem:
      return varying_division(each);
    case Verb::Shr:
    case Verb::ShlWrap:
      return shift(each);
    default:
      break;
  }
  const bool unary = shape.verb == Verb::Neg || shape.verb == Verb::Abs;
  const Vec l = vec(each.use[1]), r = unary ? l : right_vec(each), made = cc_.newZmm();
  std::uint64_t exact = 0;
  const std::uint64_t l_high = value(each.use[1]).high, r_high = right_high(each);
  const K bad = cc_.newKw();
  switch (shape.verb) {
    case Verb::Add:
    case Verb::AddWrap: {
      cc_.vpaddq(made, l, r);
      if (shape.verb == Verb::AddWrap) break;
      if (is_unsigned && !__builtin_add_overflow(l_high, r_high, &exact) && exact <= most) break;
      if (size_of(kind) < 8) {
        leave_unless_fits(made, kind);
      } else if (is_unsigned) {
        masked().vpcmpuq(bad, made, l, 1);
        leave_if_any(bad);
      } else {
        const Vec x = cc_.newZmm(), y = cc_.newZmm();
        cc_.vpxorq(x, made, l);
        cc_.vpxorq(y, made, r);
        cc_.vpandq(x, x, y);
        masked().vpcmpq(bad, x, constants(0, 0), 1);
        leave_if_any(bad);
      }
      break;
    }
    case Verb::Sub:
    case Verb::SubWrap: {
      cc_.vpsubq(made, l, r);
      if (shape.verb == Verb::SubWrap) break;
      if (is_unsigned && value(each.use[1]).low >= r_high) break;
      if (is_unsigned) {
        masked().vpcmpuq(bad, l, r, 1);
        leave_if_any(bad);
      } else if (size_of(kind) < 8) {
        leave_unless_fits(made, kind);
      } else {
        const Vec x = cc_.newZmm(), y = cc_.newZmm();
        cc_.vpxorq(x, l, r);
        cc_.vpxorq(y, made, l);
        cc_.vpandq(x, x, y);
        masked().vpcmpq(bad, x, constants(0, 0), 1);
        leave_if_any(bad);
      }
      break;
    }
    case Verb::Mul: {
      if (is_unsigned && l_high <= 0xffffffff && r_high <= 0xffffffff) {
        cc_.vpmuludq(made, l, r);
        if (!__builtin_mul_overflow(l_high, r_high, &exact) && exact <= most) break;
        if (size_of(kind) < 8) leave_unless_fits(made, kind);
        break;
      }
      if (size_of(kind) < 8) {
        cc_.vpmullq(made, l, r);
        leave_unless_fits(made, kind);
        break;
      }
      if (!is_unsigned) {
        leave_unless_half(l);
        leave_unless_half(r);
        cc_.vpmuldq(made, l, r);
        break;
      }
      // Products of halves are exact; with more than that the threads go on one by one.
      const Vec either = cc_.newZmm();
      cc_.vporq(either, l, r);
      masked().vpcmpuq(bad, either, constants(0xffffffff, 0), 6);
      leave_if_any(bad);
      cc_.vpmuludq(made, l, r);
      break;
    }
    case Verb::MulWrap:
      cc_.vpmullq(made, l, r);
      break;
    case Verb::Neg:
    case Verb::Abs:
      // The minimum of the type has no counterpart.
      masked().vpcmpq(bad, l, constants(~std::uint64_t{0} << (8 * size_of(kind) - 1), 0), 0);
      leave_if_any(bad);
      if (shape.verb == Verb::Abs) {
        cc_.vpabsq(made, l);
      } else {
        cc_.vpxorq(made, made, made);
        cc_.vpsubq(made, made, l);
      }
      break;
    case Verb::And:
      cc_.vpandq(made, l, r);
      break;
    case Verb::Or:
      cc_.vporq(made, l, r);
      break;
    case Verb::Xor:
      cc_.vpxorq(made, l, r);
      break;
    case Verb::Min:
      is_unsigned ? cc_.vpminuq(made, l, r) : cc_.vpminsq(made, l, r);
      break;
    case Verb::Max:
      is_unsigned ? cc_.vpmaxuq(made, l, r) : cc_.vpmaxsq(made, l, r);
      break;
    default:
      return refuse();
  }
  const bool wraps = shape.verb == Verb::AddWrap || shape.verb == Verb::SubWrap || shape.verb == Verb::MulWrap;
  if (wraps && kind != Kind::U64) cc_.vpandq(made, made, constants(most, 0));
  define(each.def, made);
}

/// Leaves when a signed word has more than 32 bits: then the threads go on one by one.
void Emitter::leave_unless_half(const Vec& words) {
  const Vec moved = cc_.newZmm();
  const K bad = cc_.newKw();
  cc_.vpaddq(moved, words, constants(std::uint64_t{1} << 31, 0));
  masked().vpcmpuq(bad, moved, constants(0xffffffff, 0), 6);
  leave_if_any(bad);
}

/// By a power of two; else of operands of 32 bits, whose quotient in f64 never rounds up to the next integer: that is
/// at least 1 / divisor away, and the rounding error is below 2^-21 / divisor.
void Emitter::varying_division(const Instruction& each) {
  const bool is_unsigned = !is_signed(each.shape->type);
  const bool divides = each.shape->verb == Verb::Div;
  std::uint64_t number = 0;
  const bool constant = right_constant(each, number);
  const Vec made = cc_.newZmm();
  if (is_unsigned && constant && is_power_of_two(number)) {
    divides ? cc_.vpsrlq(made, vec(each.use[1]), log2_of(number))
            : cc_.vpandq(made, vec(each.use[1]), constants(number - 1, 0));
    return define(each.def, made);
  }
  const Vec l = vec(each.use[1]), r = right_vec(each);
  const K bad = cc_.newKw();
  if (constant ? number == 0 : right_low(each) == 0) {
    masked().vptestnmq(bad, r, r);
    leave_if_any(bad);
  }
  if (!is_unsigned && (!constant || number == ~std::uint64_t{0})) {
    masked().vpcmpq(bad, r, constants(~std::uint64_t{0}, 0), 0);
    leave_if_any(bad);
  }
  if (!is_unsigned) {
    if (size_of(each.shape->type) == 8) {
      leave_unless_half(l);
      leave_unless_half(r);
    }
  } else if (value(each.use[1]).high > 0xffffffff || right_high(each) > 0xffffffff) {
    const Vec either = cc_.newZmm();
    cc_.vporq(either, l, r);
    masked().vpcmpuq(bad, either, constants(0xffffffff, 0), 6);
    leave_if_any(bad);
  }
  const Vec x = cc_.newZmm(), y = cc_.newZmm(), quotient = cc_.newZmm();
  if (is_unsigned) {
    cc_.vcvtuqq2pd(x, l);
    cc_.vcvtuqq2pd(y, r);
    cc_.vdivpd(x, x, y);
    cc_.vcvttpd2uqq(quotient, x);
  } else {
    cc_.vcvtqq2pd(x, l);
    cc_.vcvtqq2pd(y, r);
    cc_.vdivpd(x, x, y);
    cc_.vcvttpd2qq(quotient, x);
  }
  if (divides) return define(each.def, quotient);
  is_unsigned ? cc_.vpmuludq(made, quotient, r) : cc_.vpmuldq(made, quotient, r);
  cc_.vpsubq(made, l, made);
  define(each.def, made);
}

}  // namespace cairn::jit::phases
