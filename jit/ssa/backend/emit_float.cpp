// f32 and f64: arithmetic, comparisons, conversions. Like a slot, the register of an f32 has zeros in bits 32 to 63:
// results are stored whole, and the interpreter's slots hold an f32 in their low four bytes and zeros above.
#include <bit>
#include <cmath>

#include "jit/ssa/backend/emitter.hpp"

namespace cairn::jit::ssa {
namespace {

namespace Inst = x86::Inst;
constexpr int kDown = 9, kUp = 10, kToZero = 11;  // roundsd: that direction, no inexact exception

std::uint64_t bits_of(double value, bool wide) {
  return wide ? std::bit_cast<std::uint64_t>(value) : std::bit_cast<std::uint32_t>(static_cast<float>(value));
}

}  // namespace

void Emitter::floating(const Instruction& i) {
  const bool wide = i.kind == Kind::F64;
  const bool avx = target_.cpu.avx;
  const Vec to = out_vec();
  const std::uint32_t bytes = wide ? 8 : 4;
  if (leaves_upper_half(i, target_.cpu)) a_.xorps(to, to);
  const auto round = [&](int mode) {
    if (avx) {
      wide ? a_.vroundsd(to, vec(0), vec(0), mode) : a_.vroundss(to, vec(0), vec(0), mode);
    } else {
      wide ? a_.roundsd(to, vec(0), mode) : a_.roundss(to, vec(0), mode);
    }
  };
  switch (i.op) {
    case Opcode::Neg:
    case Opcode::Abs: {
      const bool flips = i.op == Opcode::Neg;
      const std::uint64_t mask =
          wide ? (flips ? std::uint64_t{1} << 63 : ~(std::uint64_t{1} << 63)) : (flips ? 0x80000000U : 0x7fffffffU);
      const x86::Mem at = x86::xmmword_ptr(constant(mask, mask));
      if (avx) {
        flips ? a_.vxorps(to, to, at) : a_.vandps(to, to, at);
      } else {
        flips ? a_.xorps(to, at) : a_.andps(to, at);
      }
      return;
    }
    case Opcode::Sqrt:
      if (avx) {
        wide ? a_.vsqrtsd(to, vec(0), vec(0)) : a_.vsqrtss(to, vec(0), vec(0));
      } else {
        wide ? a_.sqrtsd(to, vec(0)) : a_.sqrtss(to, vec(0));
      }
      return;
    case Opcode::Floor:
      return round(kDown);
    case Opcode::Ceil:
      return round(kUp);
    case Opcode::Trunc:
      return round(kToZero);
    case Opcode::Fma:
      wide ? a_.vfmadd213sd(to, vec(1), vec(2)) : a_.vfmadd213ss(to, vec(1), vec(2));
      return;
    case Opcode::Fms:
      wide ? a_.vfmsub213sd(to, vec(1), vec(2)) : a_.vfmsub213ss(to, vec(1), vec(2));
      return;
    case Opcode::Fnma:
      wide ? a_.vfnmadd213sd(to, vec(1), vec(2)) : a_.vfnmadd213ss(to, vec(1), vec(2));
      return;
    default:
      break;
  }
  const std::uint32_t which = i.op == Opcode::Add ? 0 : i.op == Opcode::Sub ? 1 : i.op == Opcode::Mul ? 2 : 3;
  if (avx) {
    static constexpr asmjit::InstId kIds[2][4] = {{Inst::kIdVaddss, Inst::kIdVsubss, Inst::kIdVmulss, Inst::kIdVdivss},
                                                  {Inst::kIdVaddsd, Inst::kIdVsubsd, Inst::kIdVmulsd, Inst::kIdVdivsd}};
    a_.emit(kIds[wide ? 1 : 0][which], to, vec(0), operand(1, bytes));
  } else {
    static constexpr asmjit::InstId kIds[2][4] = {{Inst::kIdAddss, Inst::kIdSubss, Inst::kIdMulss, Inst::kIdDivss},
                                                  {Inst::kIdAddsd, Inst::kIdSubsd, Inst::kIdMulsd, Inst::kIdDivsd}};
    a_.emit(kIds[wide ? 1 : 0][which], to, vec(1));
  }
}

/// left < other is other > left: false where one is a NaN, since that sets the carry.
void Emitter::order_floats(Kind kind, Relation relation) {
  const bool wide = kind == Kind::F64;
  const bool swaps = relation == Relation::Lt || relation == Relation::Le || relation == Relation::NotLt ||
                     relation == Relation::NotLe;
  const Vec first = swaps ? vec(1) : vec(0);
  const Vec second = swaps ? vec(0) : vec(1);
  wide ? a_.ucomisd(first, second) : a_.ucomiss(first, second);
}

void Emitter::compare_floats(Kind kind, Relation relation) {
  order_floats(kind, relation);
  const Gp to = out();
  switch (relation) {
    case Relation::Eq:
      a_.setnp(temp(0).r8());
      a_.sete(to.r8());
      a_.and_(to.r8(), temp(0).r8());
      break;
    case Relation::Ne:
      a_.setp(temp(0).r8());
      a_.setne(to.r8());
      a_.or_(to.r8(), temp(0).r8());
      break;
    case Relation::Lt:
    case Relation::Gt:
      a_.seta(to.r8());
      break;
    case Relation::Le:
    case Relation::Ge:
      a_.setae(to.r8());
      break;
    case Relation::NotLt:
      a_.setbe(to.r8());
      break;
    case Relation::NotLe:
      a_.setb(to.r8());
      break;
  }
  a_.movzx(to.r32(), to.r8());
}

/// To `yes` where the relation holds, else to `no`, or on when that stands next.
void Emitter::jump_floats(Kind kind, Relation relation, Label yes, Label no, bool falls_to_no) {
  order_floats(kind, relation);
  const auto rest = [&] {
    if (!falls_to_no) a_.jmp(no);
  };
  switch (relation) {
    case Relation::Eq: {
      if (falls_to_no) {
        const Label unequal = a_.newLabel();
        a_.jp(unequal);
        a_.je(yes);
        a_.bind(unequal);
      } else {
        a_.jp(no);
        a_.jne(no);
        a_.jmp(yes);
      }
      return;
    }
    case Relation::Ne:
      a_.jp(yes);
      a_.jne(yes);
      return rest();
    case Relation::Lt:
    case Relation::Gt:
      a_.ja(yes);
      return rest();
    case Relation::Le:
    case Relation::Ge:
      a_.jae(yes);
      return rest();
    case Relation::NotLt:
      a_.jbe(yes);
      return rest();
    case Relation::NotLe:
      a_.jb(yes);
      return rest();
  }
}

void Emitter::bits(const Instruction& i) {
  const Location from = where(0);
  const bool wide = size_of(i.kind) == 8;
  if (is_float(i.kind)) {
    const Vec to = out_vec();
    if (from.in_register() && !is_vector(from.reg)) {
      const Gp reg = x86::gpq(from.reg);
      wide ? a_.movq(to, reg) : a_.movd(to, reg.r32());
    } else {
      wide ? a_.movq(to, memory(from, 8)) : a_.movd(to, memory(from, 4));
    }
    return;
  }
  const Gp to = out();
  if (from.in_register()) {
    const Vec reg = x86::xmm(from.reg - kFirstVector);
    wide ? a_.movq(to, reg) : a_.movd(to.r32(), reg);
  } else {
    a_.emit(Inst::kIdMov, wide ? to : to.r32(), operand(0, wide ? 8 : 4));
  }
}

void Emitter::convert_float(const Instruction& i) {
  if (is_float(i.kind) && is_float(i.source)) {
    const Vec to = out_vec();
    const bool avx = target_.cpu.avx;
    if (i.kind == i.source) return (void)(avx ? a_.vmovaps(to, vec(0)) : a_.movaps(to, vec(0)));
    if (i.kind == Kind::F64) return (void)(avx ? a_.vcvtss2sd(to, vec(0), vec(0)) : a_.cvtss2sd(to, vec(0)));
    avx ? a_.vxorps(to, to, to) : a_.xorps(to, to);
    avx ? a_.vcvtsd2ss(to, to, vec(0)) : a_.cvtsd2ss(to, vec(0));
  } else if (is_float(i.kind)) {
    float_from_integer(i);
  } else {
    integer_from_float(i);
  }
}

void Emitter::float_from_integer(const Instruction& i) {
  const bool wide = i.kind == Kind::F64;
  const bool avx = target_.cpu.avx;
  const Vec to = out_vec();
  const Gp from = whole(0);
  avx ? a_.vxorps(to, to, to) : a_.xorps(to, to);
  const auto convert_signed = [&](Gp source) {
    if (avx) {
      wide ? a_.vcvtsi2sd(to, to, source) : a_.vcvtsi2ss(to, to, source);
    } else {
      wide ? a_.cvtsi2sd(to, source) : a_.cvtsi2ss(to, source);
    }
  };
  if (i.source != Kind::U64) return convert_signed(from);
  if (target_.cpu.avx512) return (void)(wide ? a_.vcvtusi2sd(to, to, from) : a_.vcvtusi2ss(to, to, from));
  // From 2^63 on: half of it, its last bit kept for the rounding, then doubled.
  const Label large = a_.newLabel();
  const Label done = a_.newLabel();
  a_.test(from, from);
  a_.js(large);
  convert_signed(from);
  a_.jmp(done);
  a_.bind(large);
  a_.mov(temp(0), from);
  a_.mov(temp(1).r32(), from.r32());
  a_.shr(temp(0), 1);
  a_.and_(temp(1).r32(), 1);
  a_.or_(temp(0), temp(1));
  convert_signed(temp(0));
  if (avx) {
    wide ? a_.vaddsd(to, to, to) : a_.vaddss(to, to, to);
  } else {
    wide ? a_.addsd(to, to) : a_.addss(to, to);
  }
  a_.bind(done);
}

/// Truncates, and holds the truncated value to the range: its bounds are exact in both formats.
void Emitter::integer_from_float(const Instruction& i) {
  const bool wide = i.source == Kind::F64;
  const Vec from = vec(0);
  const Vec whole_value = temp_vec(0);
  const std::uint32_t width = size_of(i.kind) * 8;
  const double past = std::ldexp(1.0, static_cast<int>(is_signed(i.kind) ? width - 1 : width));
  const auto with = [&](double number) {
    x86::Mem at = x86::ptr(constant(bits_of(number, wide), 0));
    at.setSize(wide ? 8 : 4);
    return at;
  };
  const auto compare = [&](double number) {
    wide ? a_.ucomisd(whole_value, with(number)) : a_.ucomiss(whole_value, with(number));
  };
  if (target_.cpu.avx) {
    wide ? a_.vroundsd(whole_value, from, from, kToZero) : a_.vroundss(whole_value, from, from, kToZero);
  } else {
    wide ? a_.roundsd(whole_value, from, kToZero) : a_.roundss(whole_value, from, kToZero);
  }
  if (i.mode == Mode::Checked) {
    compare(past);
    const Label exit = trap(TrapKind::Conversion);
    a_.jp(exit);
    a_.jae(exit);
    compare(is_signed(i.kind) ? -past : 0.0);
    a_.jb(exit);
  }
  const Gp to = out();
  const auto truncate = [&](Gp into) { wide ? a_.cvttsd2si(into, whole_value) : a_.cvttss2si(into, whole_value); };
  if (i.kind != Kind::U64) return truncate(to);
  const Label large = a_.newLabel();
  const Label done = a_.newLabel();
  compare(0x1p63);
  a_.jae(large);
  truncate(to);
  a_.jmp(done);
  a_.bind(large);
  if (target_.cpu.avx) {
    wide ? a_.vsubsd(whole_value, whole_value, with(0x1p63)) : a_.vsubss(whole_value, whole_value, with(0x1p63));
  } else {
    wide ? a_.subsd(whole_value, with(0x1p63)) : a_.subss(whole_value, with(0x1p63));
  }
  truncate(to);
  a_.btc(to, 63);
  a_.bind(done);
}

}  // namespace cairn::jit::ssa
