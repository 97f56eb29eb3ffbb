// A kernel's loads and stores: one for the group, a run of elements, or a gather.
#include "jit/phases/kernel_code.hpp"

namespace cairn::jit::phases {
namespace {

std::uint32_t shift_of(std::uint32_t size) { return size == 8 ? 3 : size == 4 ? 2 : size == 2 ? 1 : 0; }

}  // namespace

/// The group's copy of its threads' memory at a byte of it.
Emitter::Gp Emitter::own_memory(std::uint64_t offset) {
  const Gp made = fresh_gp();
  cc_.lea(made, x86::ptr(frame_, static_cast<std::int32_t>(layout.memory_at + kLanes * offset)));
  return made;
}

/// Values behind a reference that all threads have: their environment.
void Emitter::load(const Instruction& each) {
  if (value(each.use[1]).kind != Class::Uniform) return refuse();
  const Gp base = gp(each.use[1]);
  const auto at = static_cast<std::int32_t>(bytecode::c_of(each.code[0]));
  if (each.op == Op::LoadPair) {
    const Gp first = fresh_gp(), second = fresh_gp();
    cc_.mov(first, x86::qword_ptr(base, at));
    cc_.mov(second, x86::qword_ptr(base, at + 8));
    define(each.def, first);
    if (each.def2 != kNone) define(each.def2, second);
    return;
  }
  const Gp place = fresh_gp();
  cc_.lea(place, x86::ptr(base, at));
  load_from(each, place, kNone, false);
}

void Emitter::part(const Instruction& each) {
  for (const std::size_t place : {std::size_t{1}, std::size_t{2}, std::size_t{3}}) {
    if (!value(each.use[place]).is_uniform() || value(each.use[place]).in_vector()) return refuse();
  }
  const Gp low = gp(each.use[2]), high = gp(each.use[3]);
  cc_.cmp(low, high);
  cc_.ja(leave());
  cc_.cmp(high, gp(each.use2[1]));
  cc_.ja(leave());
  const Gp first = fresh_gp(), length = fresh_gp();
  cc_.imul(first, low, static_cast<std::int32_t>(bytecode::m_of(each.code[1])));
  cc_.add(first, gp(each.use[1]));
  cc_.mov(length, high);
  cc_.sub(length, low);
  define(each.def, first);
  define(each.def2, length);
}

/// Leaves when the index of a thread that is here is not below the length.
void Emitter::guard_bounds(const Instruction&, ValueId length, ValueId index) {
  const Value& i = value(index);
  if (!guarded_.insert({length, index}).second) return;
  if (i.high < value(length).low) return;
  if (i.is_uniform()) {
    cc_.cmp(gp(index), gp(length));
    cc_.jae(leave());
    return;
  }
  if (i.kind == Class::Linear) {
    const Gp top = fresh_gp();
    cc_.lea(top, x86::ptr(gp(index), static_cast<std::int32_t>(i.number * (kLanes - 1))));
    cc_.cmp(top, gp(length));
    if (!has_mask_) {
      cc_.jae(leave());
      return;
    }
    // Only some threads are here: those at the end may be others.
    const Label fine = cc_.newLabel();
    cc_.jb(fine);
    const K bad = cc_.newKw();
    const Vec all = broadcast(gp(index)), most = broadcast(gp(length));
    cc_.vpaddq(all, all, constants(0, i.number));
    masked().vpcmpuq(bad, all, most, 5);
    leave_if_any(bad);
    cc_.bind(fine);
    return;
  }
  const K bad = cc_.newKw();
  const Vec indices = vec(index), lengths = vec(length);  // before the mask is said: they may be made here
  masked().vpcmpuq(bad, indices, lengths, 5);
  leave_if_any(bad);
}

void Emitter::load_at(const Instruction& each) {
  const ValueId view = each.use[1], index = each.use[2];
  const Class kind = value(view).kind;
  if (kind != Class::Uniform && kind != Class::Frame) return refuse();
  guard_bounds(each, each.use2[1], index);
  const bool own = kind == Class::Frame;
  load_from(each, own ? own_memory(value(view).number) : gp(view), index, own);
}

void Emitter::store_at(const Instruction& each) {
  const ValueId view = each.use[0], index = each.use[1];
  const Class kind = value(view).kind;
  if (kind != Class::Uniform && kind != Class::Frame) return refuse();
  guard_bounds(each, each.use2[0], index);
  const bool own = kind == Class::Frame;
  store_to(each, own ? own_memory(value(view).number) : gp(view), index, each.use[2], own);
}

/// Element `index` of what starts at `base`, 1 << scale bytes each; the first when it is none.
x86::Mem Emitter::element(const Gp& base, ValueId index, std::uint32_t scale) {
  if (index == kNone) return x86::ptr(base);
  const Value& i = value(index);
  if (i.kind == Class::Constant && i.number < (1U << 20))
    return x86::ptr(base, static_cast<std::int32_t>(i.number << scale));
  if (scale <= 3) return x86::ptr(base, gp(index), scale);
  const Gp scaled = fresh_gp();
  cc_.mov(scaled, gp(index));
  cc_.shl(scaled, scale);
  return x86::ptr(base, scaled);
}

/// Each thread's element of `size` bytes, for a gather or scatter.
x86::Mem Emitter::spread(const Gp& base, ValueId index, std::uint32_t size, bool own) {
  const std::uint32_t shift = shift_of(size);
  if (own) {
    const Vec offsets = cc_.newZmm();
    cc_.vpsllq(offsets, vec(index), shift + 3);
    cc_.vpaddq(offsets, offsets, constants(0, size));
    return x86::ptr(base, offsets, 0);
  }
  if (value(index).kind != Class::Linear) return x86::ptr(base, vec(index), shift);
  const Gp first = fresh_gp();
  cc_.lea(first, x86::ptr(base, gp(index), shift));
  const Vec offsets = cc_.newZmm();
  cc_.vmovdqu64(offsets, constants(0, value(index).number));
  return x86::ptr(first, offsets, shift);
}

/// Loads element `index` (0 when it is none) of what starts at `base`. `own`: of each thread's own memory, where the
/// eight elements of one index lie side by side.
void Emitter::load_from(const Instruction& each, const Gp& base, ValueId index, bool own) {
  const Kind kind = each.shape->type;
  const std::uint32_t size = size_of(kind);
  if (kind == Kind::Pair || kind == Kind::None) return refuse();
  const Type type = value(each.def).type;
  const Class how = index == kNone ? Class::Constant : value(index).kind;
  const bool uniform_index = how == Class::Constant || how == Class::Uniform;
  const std::uint32_t shift = shift_of(size);
  if (uniform_index && !own) {
    if (type != Type::Bits) {
      const Vec made = fresh_vec(type);
      type == Type::F32 ? cc_.vbroadcastss(made, element(base, index, shift))
                        : cc_.vbroadcastsd(made, element(base, index, shift));
      return define(each.def, made);
    }
    const Gp made = fresh_gp();
    x86::Mem from = element(base, index, shift);
    from.setSize(size);
    if (size == 8) {
      cc_.mov(made, from);
    } else if (is_signed(kind)) {
      size == 4 ? cc_.movsxd(made, from) : cc_.movsx(made, from);
    } else {
      size == 4 ? cc_.mov(made.r32(), from) : cc_.movzx(made.r32(), from);
    }
    return define(each.def, made);
  }
  const bool run = (own && uniform_index) || (!own && how == Class::Linear && value(index).number == 1);
  const Vec made = fresh_vec(type);
  if (run) {
    const x86::Mem from = element(base, index, own ? shift + 3 : shift);
    if (type == Type::F32) {
      zeroed().vmovups(made, from);
    } else if (type == Type::F64) {
      zeroed().vmovupd(made, from);
    } else if (size == 8) {
      zeroed().vmovdqu64(made, from);
    } else if (is_signed(kind)) {
      size == 4   ? zeroed().vpmovsxdq(made, from)
      : size == 2 ? zeroed().vpmovsxwq(made, from)
                  : zeroed().vpmovsxbq(made, from);
    } else {
      size == 4   ? zeroed().vpmovzxdq(made, from)
      : size == 2 ? zeroed().vpmovzxwq(made, from)
                  : zeroed().vpmovzxbq(made, from);
    }
    return define(each.def, made);
  }
  if (size < 4) return refuse();
  // A gather: its mask is used up.
  const K which = cc_.newKw();
  cc_.kmovw(which, active());
  const x86::Mem elements = spread(base, index, size, own);
  if (type == Type::F32) {
    cc_.vxorps(made, made, made);
    cc_.k(which).vgatherqps(made, elements);
  } else if (type == Type::F64) {
    cc_.vpxorq(made, made, made);
    cc_.k(which).vgatherqpd(made, elements);
  } else if (size == 8) {
    cc_.vpxorq(made, made, made);
    cc_.k(which).vpgatherqq(made, elements);
  } else {
    const Vec narrow = cc_.newYmm();
    cc_.vxorps(narrow, narrow, narrow);
    cc_.k(which).vpgatherqd(narrow, elements);
    is_signed(kind) ? cc_.vpmovsxdq(made, narrow) : cc_.vpmovzxdq(made, narrow);
  }
  define(each.def, made);
}

void Emitter::store_to(const Instruction& each, const Gp& base, ValueId index, ValueId stored, bool own) {
  const Kind kind = each.shape->type;
  const std::uint32_t size = size_of(kind);
  if (kind == Kind::Pair || kind == Kind::None) return refuse();
  const Value& v = value(stored);
  const Class how = index == kNone ? Class::Constant : value(index).kind;
  const bool uniform_index = how == Class::Constant || how == Class::Uniform;
  const std::uint32_t shift = shift_of(size);
  if (uniform_index && !own && !has_mask_ && v.type == Type::Bits && v.is_uniform()) {
    x86::Mem to = element(base, index, shift);
    to.setSize(size);
    const Gp from = gp(stored);
    size == 8   ? cc_.mov(to, from)
    : size == 4 ? cc_.mov(to, from.r32())
    : size == 2 ? cc_.mov(to, from.r16())
                : cc_.mov(to, from.r8());
    return;
  }
  const bool run = (own && uniform_index) || (!own && how == Class::Linear && value(index).number == 1);
  const Vec from = vec(stored);
  if (run) {
    const x86::Mem to = element(base, index, own ? shift + 3 : shift);
    if (v.type == Type::F32) {
      masked().vmovups(to, from);
    } else if (v.type == Type::F64) {
      masked().vmovupd(to, from);
    } else if (size == 8) {
      masked().vmovdqu64(to, from);
    } else {
      size == 4 ? masked().vpmovqd(to, from) : size == 2 ? masked().vpmovqw(to, from) : masked().vpmovqb(to, from);
    }
    return;
  }
  if (size < 4 || index == kNone) return refuse();
  // A scatter, which stores in the threads' order: its mask is used up.
  const K which = cc_.newKw();
  cc_.kmovw(which, active());
  const x86::Mem elements = spread(base, index, size, own);
  if (v.type == Type::F32) {
    cc_.k(which).vscatterqps(elements, from);
  } else if (v.type == Type::F64) {
    cc_.k(which).vscatterqpd(elements, from);
  } else if (size == 8) {
    cc_.k(which).vpscatterqq(elements, from);
  } else {
    const Vec narrow = cc_.newYmm();
    cc_.vpmovqd(narrow, from);
    cc_.k(which).vpscatterqd(elements, narrow);
  }
}

void Emitter::frame_zero(const Instruction& each) {
  const std::uint32_t first = bytecode::n_of(each.code[0]), bytes = bytecode::m_of(each.code[1]);
  const Object* const object = graph_.object_at(first);
  if (object == nullptr || first != object->offset || bytes != object->bytes) return refuse();
  if (object->is_slots) return;
  if (has_mask_ || bytes > 512) return refuse();
  const Gp base = own_memory(first);
  const Vec zero = cc_.newZmm();
  cc_.vpxorq(zero, zero, zero);
  for (std::uint32_t at = 0; at < kLanes * bytes; at += 64) {
    const auto here = static_cast<std::int32_t>(at);
    const std::uint32_t left = kLanes * bytes - at;
    left >= 64 ? cc_.vmovdqu64(x86::ptr(base, here), zero) : cc_.vmovdqu64(x86::ptr(base, here), x86::Ymm(zero.ymm()));
  }
}

}  // namespace cairn::jit::phases
