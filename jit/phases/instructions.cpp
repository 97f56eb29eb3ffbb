// A kernel's instructions, each handed to the code of its kind; the operands they share.
#include "jit/phases/kernel_code.hpp"

namespace cairn::jit::phases {

bool Emitter::right_constant(const Instruction& each, std::uint64_t& number) const {
  if (each.shape->immediate) {
    number = each.code[1];
    return true;
  }
  const Value& v = value(each.use[2]);
  number = v.number;
  return v.kind == Class::Constant;
}
Emitter::Gp Emitter::right_gp(const Instruction& each) {
  if (!each.shape->immediate) return gp(each.use[2]);
  const Gp made = fresh_gp();
  cc_.mov(made, each.code[1]);
  return made;
}
Emitter::Vec Emitter::right_vec(const Instruction& each) {
  return each.shape->immediate ? constant_vec(each.code[1], Type::Bits) : vec(each.use[2]);
}
std::uint64_t Emitter::right_high(const Instruction& each) const {
  return each.shape->immediate ? each.code[1] : value(each.use[2]).high;
}
std::uint64_t Emitter::right_low(const Instruction& each) const {
  return each.shape->immediate ? each.code[1] : value(each.use[2]).low;
}

// -------------------------------------------------------------------------------------------- dispatch

/// The result is what an equal instruction of the node made.
bool Emitter::reuse(const Instruction& each) {
  const bool pure = each.shape->verb >= Verb::Add && each.shape->verb <= Verb::Convert &&
                    each.shape->verb != Verb::JumpOn && each.def != kNone && each.def2 == kNone;
  if (!pure) return false;
  const std::uint64_t immediate = each.shape->immediate ? each.code[1] : 0;
  // Operands whose bits are known count as what they are, wherever they were made.
  const auto [known, is_new] = made_.try_emplace({each.op, each.use[1], each.use[2], each.use[3], immediate}, each.def);
  if (is_new) return false;
  const Home& home = homes_[known->second];
  if (home.gp.isValid()) define(each.def, home.gp);
  if (home.vec.isValid()) define(each.def, home.vec);
  return true;
}

void Emitter::instruction(const Instruction& each) {
  if (each.op == Op::Move || each.op == Op::MovePair || each.element != kNone) return;
  const bool makes_word = each.def != kNone && value(each.def).kind == Class::Constant;
  if (makes_word && each.def2 == kNone) return;
  switch (each.op) {
    case Op::Const:
    case Op::FrameView:
      return;
    case Op::SharedView: {
      const Gp made = fresh_gp();
      cc_.mov(made, x86::qword_ptr(block_, static_cast<std::int32_t>(offsetof(KernelBlock, shared))));
      if (const std::uint32_t at = bytecode::n_of(each.code[0]); at != 0) cc_.add(made, at);
      return define(each.def, made);
    }
    case Op::LoopNext: {
      const Class kind = value(each.def).kind;
      if (kind == Class::Varying) {
        const Vec made = cc_.newZmm();
        cc_.vpaddq(made, vec(each.use[0]), constants(1, 0));
        return define(each.def, made);
      }
      const Gp made = fresh_gp();
      cc_.lea(made, x86::ptr(gp(each.use[0]), 1));
      if (kind == Class::Linear) check_top(made, value(each.def).number, ~std::uint64_t{0});
      return define(each.def, made);
    }
    case Op::Select:
      return select(each);
    case Op::Not: {
      if (value(each.def).in_vector()) {
        const Vec made = cc_.newZmm();
        cc_.vpxorq(made, vec(each.use[1]), constants(1, 0));
        return define(each.def, made);
      }
      const Gp made = fresh_gp();
      cc_.mov(made, gp(each.use[1]));
      cc_.xor_(made, 1);
      return define(each.def, made);
    }
    case Op::BitsF32:
    case Op::BitsF64:
    case Op::FromBitsF32:
    case Op::FromBitsF64:
      return bits(each);
    case Op::FrameZero:
      return frame_zero(each);
    case Op::LoadPair:
      return load(each);
    case Op::Part:
      return part(each);
    default:
      break;
  }
  if (reuse(each)) return;
  switch (each.shape->verb) {
    case Verb::Load:
      return load(each);
    case Verb::LoadAt:
      return load_at(each);
    case Verb::StoreAt:
      return store_at(each);
    case Verb::FrameLoad:
      return load_from(each, own_memory(bytecode::n_of(each.code[0])), kNone, true);
    case Verb::FrameStore:
      return store_to(each, own_memory(bytecode::n_of(each.code[0])), kNone, each.use[0], true);
    case Verb::Compare:
      return compare(each);
    case Verb::Convert:
      return convert(each);
    case Verb::Other:
    case Verb::JumpOn:
    case Verb::Store:
      return refuse();
    default:
      return is_float(each.shape->type) ? floating(each) : integer(each);
  }
}

}  // namespace cairn::jit::phases
