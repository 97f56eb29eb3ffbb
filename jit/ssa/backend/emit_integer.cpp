// Integers: checked and wrapping arithmetic, shifts, comparisons, conversions. Values are normalized, but for the bits
// above an i32 (Nodes::is_dirty).
#include "jit/ssa/backend/emitter.hpp"

namespace cairn::jit::ssa {
namespace {

namespace Inst = x86::Inst;

x86::Gp low_part(const x86::Gp& reg, Kind kind) {
  if (size_of(kind) == 1) return reg.r8();
  return reg.r16();
}
std::uint32_t bits_of(Kind kind) { return size_of(kind) * 8; }

}  // namespace

bool Emitter::integer(const Instruction& i) {
  switch (i.op) {
    case Opcode::Add:
    case Opcode::Sub:
    case Opcode::And:
    case Opcode::Or:
    case Opcode::Xor:
      add_or_sub(i);
      return true;
    case Opcode::Mul:
      multiply(i);
      return true;
    case Opcode::Div:
    case Opcode::Rem:
      divide(i);
      return true;
    case Opcode::Neg:
    case Opcode::Abs:
      negate(i);
      return true;
    case Opcode::Shl:
    case Opcode::Shr:
      shift(i);
      return true;
    case Opcode::Min:
    case Opcode::Max:
      pick(i);
      return true;
    default:
      return false;
  }
}

void Emitter::add_or_sub(const Instruction& i) {
  const asmjit::InstId id = i.op == Opcode::Add   ? Inst::kIdAdd
                            : i.op == Opcode::Sub ? Inst::kIdSub
                            : i.op == Opcode::And ? Inst::kIdAnd
                            : i.op == Opcode::Or  ? Inst::kIdOr
                                                  : Inst::kIdXor;
  const bool arithmetic = i.op == Opcode::Add || i.op == Opcode::Sub;
  const Gp to = out();
  if (input(0).needs == Input::Needs::Register) {  // an addition that may be a lea
    const bool narrow = is_narrow(i.kind);
    const Gp sized = narrow ? to.r32() : to;
    const Gp a = gp(0);
    if (is_number(1)) {
      if (a.id() == to.id()) return (void)a_.add(sized, number(1));
      return (void)a_.lea(sized, x86::ptr(a, static_cast<std::int32_t>(number(1))));
    }
    const Gp b = gp(1);
    if (a.id() == to.id()) return (void)a_.add(sized, narrow ? b.r32() : b);
    if (b.id() == to.id()) return (void)a_.add(sized, narrow ? a.r32() : a);
    return (void)a_.lea(sized, x86::ptr(a, b));
  }
  // Tiny signed sums are exact in 64 bits; the others are done in the width of the type, or in 32 bits.
  const bool narrow = arithmetic ? is_narrow(i.kind) && !(is_tiny(i.kind) && is_signed(i.kind))
                                 : is_narrow(i.kind) && !is_signed(i.kind);
  if (!narrow) {
    clean(0);
    if (!is_number(1)) clean(1);
  }
  const Gp sized = narrow ? to.r32() : to;
  if (is_number(1)) {
    a_.emit(id, sized, asmjit::Imm(narrow ? static_cast<std::int32_t>(number(1)) : number(1)));
  } else {
    a_.emit(id, sized, operand(1, narrow ? 4 : 8));
  }
  if (!arithmetic || i.mode == Mode::Exact) return;
  if (i.mode == Mode::Wrap) {
    if (is_tiny(i.kind)) {
      is_signed(i.kind) ? a_.movsx(to, low_part(to, i.kind)) : a_.movzx(to.r32(), low_part(to, i.kind));
    }
    return;
  }
  const asmjit::InstId undo = i.op == Opcode::Add ? Inst::kIdSub : Inst::kIdAdd;
  if (!is_tiny(i.kind)) {
    const Label exit = trap(TrapKind::Overflow, undo, narrow);
    is_signed(i.kind) ? a_.jo(exit) : a_.jb(exit);
  } else if (is_signed(i.kind)) {
    a_.movsx(temp(0), low_part(to, i.kind));
    a_.cmp(temp(0), to);
    a_.jne(trap(TrapKind::Overflow, undo, narrow));
  } else if (i.op == Opcode::Sub) {
    a_.jb(trap(TrapKind::Overflow, undo, narrow));
  } else {
    a_.cmp(to.r32(), (1U << bits_of(i.kind)) - 1);
    a_.ja(trap(TrapKind::Overflow, undo, narrow));
  }
}

void Emitter::multiply(const Instruction& i) {
  const bool checked = i.mode == Mode::Checked;
  if (input(0).needs == Input::Needs::Fixed) {  // u64
    clean(0);
    if (is_dirty(1)) clean(1);
    a_.emit(Inst::kIdMul, operand(1, 8));
    a_.jo(trap(TrapKind::Overflow));
    return;
  }
  const Gp to = out();
  // An i32's product in 32 bits; those of the narrower and of u32 are exact in 64 bits.
  const bool narrow = i.kind == Kind::I32 || (is_narrow(i.kind) && !checked);
  const Gp sized = narrow ? to.r32() : to;
  if (!narrow) {
    if (input(0).needs == Input::Needs::Tied || where(0).in_register()) clean(0);
    if (!is_number(1)) clean(1);
  }
  if (is_number(1)) {
    a_.emit(Inst::kIdImul, sized, operand(0, narrow ? 4 : 8), asmjit::Imm(number(1)));
  } else {
    a_.emit(Inst::kIdImul, sized, operand(1, narrow ? 4 : 8));
  }
  if (!checked) {
    if (i.mode == Mode::Wrap && is_tiny(i.kind)) {
      is_signed(i.kind) ? a_.movsx(to, low_part(to, i.kind)) : a_.movzx(to.r32(), low_part(to, i.kind));
    }
    return;
  }
  switch (i.kind) {
    case Kind::U8:
    case Kind::U16:
      a_.cmp(to.r32(), (1U << bits_of(i.kind)) - 1);
      a_.ja(trap(TrapKind::Overflow));
      break;
    case Kind::U32:
      a_.mov(temp(0), to);
      a_.shr(temp(0), 32);
      a_.jnz(trap(TrapKind::Overflow));
      break;
    case Kind::I8:
    case Kind::I16:
      a_.movsx(temp(0), low_part(to, i.kind));
      a_.cmp(temp(0), to);
      a_.jne(trap(TrapKind::Overflow));
      break;
    default:
      a_.jo(trap(TrapKind::Overflow));
      break;
  }
}

void Emitter::divide(const Instruction& i) {
  if (input(0).needs == Input::Needs::Tied) {  // by a power of two
    const auto divisor = static_cast<std::uint64_t>(f_.at(i.b).immediate);
    clean(0);
    if (i.op == Opcode::Div) {
      if (divisor != 1) a_.shr(out(), static_cast<std::uint32_t>(std::countr_zero(divisor)));
    } else {
      a_.and_(out().r32(), static_cast<std::int64_t>(divisor - 1));
    }
    return;
  }
  const Instruction& by = f_.at(i.b);
  const bool is_constant = by.op == Opcode::Const;
  const bool narrow = is_narrow(i.kind);
  const Gp divisor = gp(1);
  if (!narrow) {
    clean(0);
    clean(1);
  }
  if (i.mode == Mode::Checked) {
    if (is_constant && by.immediate == 0) return (void)a_.jmp(trap(TrapKind::Division));
    const Gp sized = narrow ? divisor.r32() : divisor;
    if (!is_constant) {
      a_.test(sized, sized);
      a_.jz(trap(TrapKind::Division));
    }
    if (is_signed(i.kind) && (!is_constant || by.immediate == -1)) {
      const Label fine = a_.newLabel();
      if (!is_constant) {
        a_.cmp(sized, -1);
        a_.jne(fine);
      }
      if (i.kind == Kind::I64) {
        a_.mov(x86::rdx, INT64_MIN);
        a_.cmp(x86::rax, x86::rdx);
      } else {
        a_.cmp(x86::eax, static_cast<std::int32_t>(-(std::int64_t{1} << (bits_of(i.kind) - 1))));
      }
      a_.je(trap(TrapKind::Division));
      a_.bind(fine);
    }
  }
  const Gp sized = narrow ? divisor.r32() : divisor;
  if (is_signed(i.kind)) {
    narrow ? a_.cdq() : a_.cqo();
    a_.idiv(sized);
  } else {
    a_.xor_(x86::edx, x86::edx);
    a_.div(sized);
  }
  // The narrow ones' results have zeros above 32 bits, where their signs belong.
  if (is_tiny(i.kind) && is_signed(i.kind)) a_.movsxd(out(), out().r32());
}

void Emitter::negate(const Instruction& i) {
  const Gp to = out();
  const bool narrow = i.kind == Kind::I32;
  const Gp sized = narrow ? to.r32() : to;
  if (!narrow) clean(0);
  if (i.op == Opcode::Abs && !narrow) clean(1);
  if (i.mode == Mode::Checked) {
    if (i.kind == Kind::I64) {
      a_.mov(temp(0), INT64_MIN);
      a_.cmp(to, temp(0));
    } else {
      a_.cmp(sized, static_cast<std::int32_t>(-(std::int64_t{1} << (bits_of(i.kind) - 1))));
    }
    a_.je(trap(i.op == Opcode::Neg ? TrapKind::Overflow : TrapKind::Abs));
  }
  a_.neg(sized);
  if (i.op == Opcode::Abs) {
    a_.cmovs(sized, narrow ? gp(1).r32() : gp(1));
    return;
  }
  if (i.mode == Mode::Wrap && is_tiny(i.kind)) {
    is_signed(i.kind) ? a_.movsx(to, low_part(to, i.kind)) : a_.movzx(to.r32(), low_part(to, i.kind));
  }
}

void Emitter::shift(const Instruction& i) {
  const bool left = i.op == Opcode::Shl;
  const bool narrow = is_narrow(i.kind);
  const Gp to = out();
  const Gp sized = narrow ? to.r32() : to;
  if (input(0).needs == Input::Needs::Tied) {
    if (!narrow) clean(0);
    if (is_number(1)) {
      const auto count = static_cast<std::uint32_t>(number(1));
      if (count != 0) left ? a_.shl(sized, count) : is_signed(i.kind) ? a_.sar(sized, count) : a_.shr(sized, count);
    } else {
      left ? a_.shl(sized, x86::cl) : is_signed(i.kind) ? a_.sar(sized, x86::cl) : a_.shr(sized, x86::cl);
    }
  } else {
    if (!narrow && where(0).in_register()) clean(0);
    const auto id = left ? Inst::kIdShlx : is_signed(i.kind) ? Inst::kIdSarx : Inst::kIdShrx;
    a_.emit(id, sized, operand(0, narrow ? 4 : 8), narrow ? gp(1).r32() : gp(1));
  }
  if (left && is_tiny(i.kind)) {
    is_signed(i.kind) ? a_.movsx(to, low_part(to, i.kind)) : a_.movzx(to.r32(), low_part(to, i.kind));
  }
}

void Emitter::pick(const Instruction& i) {
  const bool narrow = is_dirty(0) || is_dirty(1);
  const Gp to = narrow ? out().r32() : out();
  const Gp other = narrow ? gp(1).r32() : gp(1);
  a_.cmp(other, to);
  const bool smaller = i.op == Opcode::Min;
  if (is_signed(i.kind)) {
    smaller ? a_.cmovl(to, other) : a_.cmovg(to, other);
  } else {
    smaller ? a_.cmovb(to, other) : a_.cmova(to, other);
  }
}

x86::CondCode Emitter::compare(const Instruction& i) {
  const Kind kind = i.op == Opcode::Compare ? i.source : i.kind;
  Relation relation = i.relation;
  const bool narrow = is_dirty(0) || is_dirty(1);
  const std::uint32_t bytes = narrow ? 4 : 8;
  if (node_->bits != Bits::None) {
    a_.emit(Inst::kIdTest, operand(0, bytes), asmjit::Imm(number(1)));
    return (relation == Relation::Eq) == (node_->bits == Bits::WithZero) ? Code::kE : Code::kNE;
  }
  if (input(0).value != i.a) {  // swapped: a number stood on the left
    switch (relation) {
      case Relation::Lt:
        relation = Relation::Gt;
        break;
      case Relation::Le:
        relation = Relation::Ge;
        break;
      case Relation::Gt:
        relation = Relation::Lt;
        break;
      case Relation::Ge:
        relation = Relation::Le;
        break;
      default:
        break;
    }
  }
  if (is_number(1)) {
    const bool with_zero = number(1) == 0 && where(0).in_register();
    if (with_zero) {
      const Gp reg = narrow ? gp(0).r32() : gp(0);
      a_.test(reg, reg);
    } else {
      a_.emit(Inst::kIdCmp, operand(0, bytes), asmjit::Imm(number(1)));
    }
  } else {
    a_.emit(Inst::kIdCmp, operand(0, bytes), operand(1, bytes));
  }
  switch (relation) {
    case Relation::Eq:
      return Code::kE;
    case Relation::Ne:
      return Code::kNE;
    case Relation::Lt:
      return is_signed(kind) ? Code::kL : Code::kB;
    case Relation::Le:
      return is_signed(kind) ? Code::kLE : Code::kBE;
    case Relation::Gt:
      return is_signed(kind) ? Code::kG : Code::kA;
    case Relation::Ge:
    case Relation::NotLt:
      return is_signed(kind) ? Code::kGE : Code::kAE;
    default:
      return is_signed(kind) ? Code::kG : Code::kA;
  }
}

void Emitter::compare_to_bool(const Instruction& i) {
  if (is_float(i.source)) return compare_floats(i.source, i.relation);
  const Code code = compare(i);
  a_.set(code, out().r8());
  a_.movzx(out().r32(), out().r8());
}

/// c is in the result already: b replaces it where a holds.
void Emitter::select(const Instruction& i) {
  if (node_->fused != kNoValue) {
    const Code code = compare(f_.at(node_->fused));
    return (void)a_.emit(Inst::cmovccFromCond(code), out(), operand(3, 8));
  }
  const Location flag = where(2);
  if (flag.in_register()) {
    const Gp reg = x86::gpd(flag.reg);
    a_.test(reg, reg);
  } else {
    a_.cmp(memory(flag, 4), 0);
  }
  if (!is_float(i.kind)) return (void)a_.emit(Inst::kIdCmovnz, out(), operand(1, 8));
  const Label stays = a_.newLabel();
  a_.jz(stays);
  move({where(1), in(out_reg()), input(1).value});
  a_.bind(stays);
}

void Emitter::convert_integer(const Instruction& i) {
  const Gp from = gp(0);
  const Gp to = out();
  const std::uint32_t size = i.kind == Kind::Bool ? 1 : size_of(i.kind);
  const bool checked = i.mode == Mode::Checked;
  if (is_dirty(0) && !(size == 4 && !checked)) clean(0);
  if (size == 8) {
    if (checked && is_signed(i.kind) != is_signed(i.source)) {
      a_.test(from, from);
      a_.js(trap(TrapKind::Conversion));
    }
    if (to.id() != from.id()) a_.mov(to, from);
    return;
  }
  if (is_signed(i.kind)) {
    if (size == 4) a_.movsxd(to, from.r32());
    if (size == 2) a_.movsx(to, from.r16());
    if (size == 1) a_.movsx(to, from.r8());
  } else {
    if (size == 4) a_.mov(to.r32(), from.r32());
    if (size == 2) a_.movzx(to.r32(), from.r16());
    if (size == 1) a_.movzx(to.r32(), from.r8());
  }
  if (!checked) return;
  a_.cmp(to, from);
  a_.jne(trap(TrapKind::Conversion));
  // An unsigned source above the signed maximum would read as negative: equal only where both are.
  if (is_signed(i.kind) && !is_signed(i.source)) {
    a_.test(from, from);
    a_.js(trap(TrapKind::Conversion));
  }
}

}  // namespace cairn::jit::ssa
