// What a kernel compares: for a jump, as a bool, and the choice between two values.
#include "jit/phases/kernel_code.hpp"

namespace cairn::jit::phases {
namespace {

using x86::CondCode;

// Predicates of vcmpps: false with a NaN but for the negated ones, and no signal.
std::uint32_t float_predicate(Relation relation) {
  switch (relation) {
    case Relation::Eq:
      return 0x00;
    case Relation::Ne:
      return 0x04;
    case Relation::Lt:
      return 0x11;
    case Relation::Le:
      return 0x12;
    case Relation::NotLt:
      return 0x15;
    case Relation::NotLe:
      return 0x16;
    case Relation::Gt:
      return 0x1e;
    default:
      return 0x1d;
  }
}
// Of vpcmpq.
std::uint32_t word_predicate(Relation relation) {
  switch (relation) {
    case Relation::Eq:
      return 0;
    case Relation::Lt:
      return 1;
    case Relation::Le:
      return 2;
    case Relation::Ne:
      return 4;
    case Relation::Ge:
    case Relation::NotLt:
      return 5;
    default:
      return 6;
  }
}

}  // namespace

bool Emitter::is_float_relation(const Instruction& each) const {
  return (each.shape->verb == Verb::JumpOn || each.shape->verb == Verb::Compare) && is_float(each.shape->type);
}

/// The threads for which it holds, of those that are here.
Emitter::K Emitter::relation(const Instruction& each, bool jump) {
  const K holds = cc_.newKw();
  if (each.op == Op::JumpIf || each.op == Op::JumpIfNot) {
    const Vec condition = vec(each.use[0]);
    each.op == Op::JumpIf ? masked().vptestmq(holds, condition, condition)
                          : masked().vptestnmq(holds, condition, condition);
    return holds;
  }
  if (each.op == Op::LoopNext) {
    const Vec counter = vec(each.def), bound = vec(each.use[1]);
    masked().vpcmpuq(holds, counter, bound, 1);
    return holds;
  }
  const Shape& shape = *each.shape;
  const Vec l = vec(each.use[jump ? 0 : 1]);
  if (is_float(shape.type)) {
    const Vec r = vec(each.use[jump ? 1 : 2]);
    const std::uint32_t predicate = float_predicate(shape.relation);
    if (shape.type == Kind::F64) {
      masked().vcmppd(holds, l, r, predicate);
    } else {
      masked().vcmpps(holds, l, r, predicate);
    }
    return holds;
  }
  Vec r;
  if (!shape.immediate) {
    r = vec(each.use[jump ? 1 : 2]);
  } else if (jump) {
    const std::uint32_t m = bytecode::m_of(each.code[1]);
    const bool extends = is_signed(shape.type) || shape.relation == Relation::Eq || shape.relation == Relation::Ne;
    r = constant_vec(extends ? static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(m))) : m,
                     Type::Bits);
  } else {
    r = constant_vec(each.code[1], Type::Bits);
  }
  if (is_signed(shape.type)) {
    masked().vpcmpq(holds, l, r, word_predicate(shape.relation));
  } else {
    masked().vpcmpuq(holds, l, r, word_predicate(shape.relation));
  }
  return holds;
}

x86::CondCode Emitter::uniform_relation(const Instruction& each, bool jump) {
  if (each.op == Op::JumpIf || each.op == Op::JumpIfNot) {
    const Gp condition = gp(each.use[0]);
    cc_.test(condition, condition);
    return each.op == Op::JumpIf ? CondCode::kNZ : CondCode::kZ;
  }
  if (each.op == Op::LoopNext) {
    const Gp counter = gp(each.def), bound = gp(each.use[1]);
    cc_.cmp(counter, bound);
    return CondCode::kB;
  }
  const Shape& shape = *each.shape;
  const bool compares_signed = is_signed(shape.type);
  const Gp l = gp(each.use[jump ? 0 : 1]);
  if (!shape.immediate) {
    cc_.cmp(l, gp(each.use[jump ? 1 : 2]));
  } else {
    const Gp r = fresh_gp();
    if (jump) {
      const std::uint32_t m = bytecode::m_of(each.code[1]);
      const bool extends = compares_signed || shape.relation == Relation::Eq || shape.relation == Relation::Ne;
      cc_.mov(r, extends ? static_cast<std::int64_t>(static_cast<std::int32_t>(m)) : static_cast<std::int64_t>(m));
    } else {
      cc_.mov(r, each.code[1]);
    }
    cc_.cmp(l, r);
  }
  switch (shape.relation) {
    case Relation::Eq:
      return CondCode::kE;
    case Relation::Ne:
      return CondCode::kNE;
    case Relation::Lt:
      return compares_signed ? CondCode::kL : CondCode::kB;
    case Relation::Le:
      return compares_signed ? CondCode::kLE : CondCode::kBE;
    case Relation::Gt:
      return compares_signed ? CondCode::kG : CondCode::kA;
    default:
      return compares_signed ? CondCode::kGE : CondCode::kAE;
  }
}

void Emitter::compare(const Instruction& each) {
  if (value(each.def).in_vector()) {
    const K holds = relation(each, false);
    const Vec made = cc_.newZmm();
    cc_.k(holds).z().vmovdqu64(made, constants(1, 0));
    return define(each.def, made);
  }
  const CondCode condition = uniform_relation(each, false);
  const Gp made = fresh_gp();
  cc_.set(condition, made.r8());
  cc_.movzx(made.r32(), made.r8());
  define(each.def, made);
}

void Emitter::select(const Instruction& each) {
  const Type type = value(each.def).type;
  if (!value(each.def).in_vector()) {
    const Gp made = fresh_gp(), condition = gp(each.use[1]);
    cc_.mov(made, gp(each.use[3]));
    const Gp other = gp(each.use[2]);
    cc_.test(condition, condition);
    cc_.cmovnz(made, other);
    return define(each.def, made);
  }
  const K chosen = cc_.newKw();
  const Vec condition = vec(each.use[1]);
  cc_.vptestmq(chosen, condition, condition);
  const Vec made = fresh_vec(type);
  cc_.vmovaps(made, vec(each.use[3]));
  move_masked(chosen, made, vec(each.use[2]), type);
  define(each.def, made);
}

}  // namespace cairn::jit::phases
