// Moves, constants, loads and stores, references and views.
#include <bit>

#include "jit/baseline/compiler.hpp"

namespace cairn::jit {

void BaselineCompiler::moves() {
  switch (bytecode::op_of(pc_[0])) {
    case Op::Move: {
      if (cache_.in_vector_register(b())) {
        const Xmm from = cache_.in_f64(b());
        const Xmm to = cache_.out_vector_for(a());
        a_.movaps(to, from);
        return cache_.commit(a(), to);
      }
      const Gp from = cache_.in(b());
      const Gp to = cache_.out_for(a());
      a_.mov(to, from);
      return cache_.commit(a(), to);
    }
    case Op::MovePair: {
      const Gp first = cache_.in(b());
      const Gp second = cache_.in(b() + 1);
      const Gp to = cache_.out();
      const Gp to_second = cache_.out();
      a_.mov(to, first);
      a_.mov(to_second, second);
      cache_.commit(a(), to);
      return cache_.commit(a() + 1, to_second);
    }
    case Op::Const: {
      const Gp to = cache_.out_for(a());
      pc_[1] == 0 ? a_.xor_(to.r32(), to.r32()) : a_.mov(to, pc_[1]);
      return cache_.commit(a(), to);
    }
    case Op::ZeroPair:
      for (const std::uint32_t slot : {a(), a() + 1}) {
        const Gp zero = cache_.out_for(slot);
        a_.xor_(zero.r32(), zero.r32());
        cache_.commit(slot, zero);
      }
      return;
    case Op::Text: {
      const std::string& text = module_.texts[n()];
      const Gp to = cache_.out();
      load_address(to, text.data());
      cache_.commit(a(), to);
      const Gp length = cache_.out();
      a_.mov(length, text.size());
      return cache_.commit(a() + 1, length);
    }
    case Op::FunctionOf: {
      const Gp to = cache_.out();
      a_.mov(to, std::uint64_t{n()} + 1);
      return cache_.commit(a(), to);
    }
    default: {  // select
      const Gp flag = cache_.in(b());
      const Gp yes = cache_.in(c());
      const Gp no = cache_.in(d());
      const Gp to = cache_.out_over(a(), c(), d());
      a_.test(flag, flag);
      a_.mov(to, yes);
      a_.cmovz(to, no);
      return cache_.commit(a(), to);
    }
  }
}

void BaselineCompiler::load(const Shape& shape, std::uint32_t slot, const x86::Mem& from) {
  x86::Mem at = from;
  at.setSize(size_of(shape.type));
  if (is_float(shape.type)) {
    const Xmm to = cache_.out_vector_for(slot);
    shape.type == Kind::F64 ? a_.movsd(to, at) : a_.movss(to, at);
    return cache_.commit(slot, to);
  }
  if (shape.type == Kind::Pair) {
    at.setSize(8);
    const Gp first = cache_.out();
    const Gp second = cache_.out();
    a_.mov(first, at);
    at.addOffset(8);
    a_.mov(second, at);
    cache_.commit(slot, first);
    return cache_.commit(slot + 1, second);
  }
  const Gp to = cache_.out_for(slot);
  switch (shape.type) {
    case Kind::Bool:
    case Kind::U8:
    case Kind::U16:
      a_.movzx(to.r32(), at);
      break;
    case Kind::U32:
      a_.mov(to.r32(), at);
      break;
    case Kind::I8:
    case Kind::I16:
      a_.movsx(to, at);
      break;
    case Kind::I32:
      a_.movsxd(to, at);
      break;
    default:
      a_.mov(to, at);
      break;
  }
  cache_.commit(slot, to);
}

void BaselineCompiler::store(const Shape& shape, std::uint32_t slot, const x86::Mem& to) {
  x86::Mem at = to;
  at.setSize(size_of(shape.type));
  if (is_float(shape.type) && cache_.in_vector_register(slot)) {
    const Xmm value = in_float(slot, shape.type == Kind::F64);
    shape.type == Kind::F64 ? a_.movsd(at, value) : a_.movss(at, value);
    return;
  }
  if (shape.type == Kind::Pair) {
    at.setSize(8);
    const Gp first = cache_.in(slot);
    const Gp second = cache_.in(slot + 1);
    a_.mov(at, first);
    at.addOffset(8);
    a_.mov(at, second);
    return;
  }
  const Gp value = cache_.in(slot);
  switch (size_of(shape.type)) {
    case 1:
      a_.mov(at, value.r8());
      break;
    case 2:
      a_.mov(at, value.r16());
      break;
    case 4:
      a_.mov(at, value.r32());
      break;
    default:
      a_.mov(at, value);
      break;
  }
}

void BaselineCompiler::cell(const Shape& shape) {
  // Elements of 16 bytes are addressed by twice the index.
  const auto element = [&](std::uint32_t view, std::uint32_t index) {
    const Gp at = cache_.in(index);
    if (!is_decided()) {
      const Gp length = cache_.in(view + 1);
      a_.cmp(at, length);
      a_.jae(trap(TrapKind::Bounds));
    }
    const Gp pointer = cache_.in(view);
    if (shape.type == Kind::Pair) {
      a_.lea(x86::rax, x86::ptr(at, at));
      return x86::ptr(pointer, x86::rax, 3);
    }
    return x86::ptr(pointer, at, static_cast<std::uint32_t>(std::countr_zero(size_of(shape.type))));
  };
  const auto frame_cell = [&]() -> x86::Mem {
    if (n() < (1U << 31) - 16) return x86::ptr(kMemory, static_cast<std::int32_t>(n()));
    a_.mov(x86::eax, n());
    return x86::ptr(kMemory, x86::rax);
  };
  switch (shape.verb) {
    case Verb::Load:
      return load(shape, a(), x86::ptr(cache_.in(b()), static_cast<std::int32_t>(c())));
    case Verb::Store:
      return store(shape, b(), x86::ptr(cache_.in(a()), static_cast<std::int32_t>(c())));
    case Verb::FrameLoad:
      return load(shape, a(), frame_cell());
    case Verb::FrameStore:
      return store(shape, a(), frame_cell());
    case Verb::LoadAt:
      return load(shape, a(), element(b(), c()));
    default:
      return store(shape, c(), element(a(), b()));
  }
}

/// index * stride in rax.
x86::Gp BaselineCompiler::scaled(std::uint32_t index, std::uint64_t stride) {
  const Gp at = cache_.in(index);
  if (stride != 0 && (stride & (stride - 1)) == 0) {
    a_.mov(x86::rax, at);
    if (stride != 1) a_.shl(x86::rax, static_cast<std::uint32_t>(std::countr_zero(stride)));
  } else if (stride <= INT32_MAX) {
    a_.imul(x86::rax, at, static_cast<std::int64_t>(stride));
  } else {
    a_.mov(x86::rax, stride);
    a_.imul(x86::rax, at);
  }
  return x86::rax;
}

void BaselineCompiler::references() {
  const Op op = bytecode::op_of(pc_[0]);
  const auto pair = [&](Gp first, auto second) {
    cache_.commit(a(), first);
    const Gp length = cache_.out();
    a_.mov(length, second);
    cache_.commit(a() + 1, length);
  };
  const auto frame_address = [&] {
    const Gp to = cache_.out();
    if (n() < (1U << 31)) {
      a_.lea(to, x86::ptr(kMemory, static_cast<std::int32_t>(n())));
    } else {
      a_.mov(to.r32(), n());
      a_.add(to, kMemory);
    }
    return to;
  };
  const auto copied = [&](std::uint32_t slot) {
    const Gp from = cache_.in(slot);
    const Gp to = cache_.out();
    a_.mov(to, from);
    return to;
  };
  const auto guard_index = [&](std::uint32_t index, std::uint32_t view) {
    if (is_decided()) return;
    a_.cmp(cache_.in(index), cache_.in(view + 1));
    a_.jae(trap(TrapKind::Bounds));
  };
  switch (op) {
    case Op::FrameRef:
      return cache_.commit(a(), frame_address());
    case Op::FrameView:
      return pair(frame_address(), std::uint64_t{m()});
    case Op::RefOffset: {
      const Gp to = copied(b());
      if (m() <= INT32_MAX) {
        if (m() != 0) a_.add(to, m());
      } else {
        a_.mov(x86::eax, m());
        a_.add(to, x86::rax);
      }
      return cache_.commit(a(), to);
    }
    case Op::RefAt: {
      guard_index(c(), b());
      const Gp offset = scaled(c(), m());
      const Gp to = copied(b());
      a_.add(to, offset);
      return cache_.commit(a(), to);
    }
    case Op::ViewArray:
      return pair(copied(b()), std::uint64_t{m()});
    case Op::ViewOne:
      return pair(copied(b()), std::uint64_t{1});
    case Op::Part:
    case Op::PartExact: {
      const Gp lo = cache_.in(c());
      const Gp hi = cache_.in(d());
      const Gp length = cache_.in(b() + 1);
      a_.cmp(lo, hi);
      a_.ja(trap(TrapKind::Bounds));
      a_.cmp(hi, length);
      a_.ja(trap(TrapKind::Bounds));
      a_.mov(x86::rdx, hi);
      a_.sub(x86::rdx, lo);
      if (op == Op::PartExact) {
        a_.cmp(x86::rdx, cache_.in(e()));
        a_.jne(trap(TrapKind::Bounds));
      }
      const Gp offset = scaled(c(), m());
      const Gp to = copied(b());
      a_.add(to, offset);
      return pair(to, x86::rdx);
    }
    case Op::GuardIndex:
      return guard_index(b(), a());
    case Op::GuardEqual:
      a_.cmp(cache_.in(a()), cache_.in(b()));
      a_.jne(trap(TrapKind::Bounds));
      return;
    case Op::GuardLayout: {
      const Gp coordinate = cache_.in(a());
      a_.mov(x86::rcx, pc_[1]);
      a_.cmp(coordinate, x86::rcx);
      a_.jae(trap(TrapKind::Layout));
      return;
    }
    case Op::DynLend:
      return pair(copied(b()), std::uint64_t{m()});
    default: {  // dyn.of
      const Gp object = cache_.in(b());
      const Gp table = cache_.in(b() + 1);
      a_.test(object, object);
      a_.jz(trap(TrapKind::Callable));
      a_.mov(x86::rdx, table);
      return pair(copied(b()), x86::rdx);
    }
  }
}

/// copy, zero and frame.zero of a few bytes; false when there are more.
bool BaselineCompiler::bytes() {
  constexpr std::uint32_t kInline = 64;
  const Op op = bytecode::op_of(pc_[0]);
  const std::uint32_t count = m();
  if (op == Op::FrameZero) {
    if (count > kInline || n() >= (1U << 31) - 256) return false;
    zero_frame(n(), count);
    return true;
  }
  if (count > kInline) return false;
  const Gp to = cache_.in(a());
  if (op == Op::Zero) {
    if (count >= 16) a_.xorps(x86::xmm0, x86::xmm0);
    std::uint32_t done = 0;
    const auto at = [&] { return static_cast<std::int32_t>(done); };
    for (; count - done >= 16; done += 16) a_.movups(x86::xmmword_ptr(to, at()), x86::xmm0);
    for (; count - done >= 8; done += 8) a_.mov(x86::qword_ptr(to, at()), 0);
    for (; count - done >= 4; done += 4) a_.mov(x86::dword_ptr(to, at()), 0);
    for (; count - done >= 1; done += 1) a_.mov(x86::byte_ptr(to, at()), 0);
    return true;
  }
  // The places may overlap: everything is read before anything is written, so only what registers hold is copied here.
  if (count % 8 != 0 || count > 32) return false;
  const Gp from = cache_.in(b());
  const Xmm parts[2] = {x86::xmm0, x86::xmm1};
  std::uint32_t done = 0;
  std::uint32_t k = 0;
  for (; count - done >= 16; done += 16) a_.movups(parts[k++], x86::xmmword_ptr(from, static_cast<std::int32_t>(done)));
  if (count - done == 8) a_.mov(x86::rax, x86::qword_ptr(from, static_cast<std::int32_t>(done)));
  done = 0;
  k = 0;
  for (; count - done >= 16; done += 16) a_.movups(x86::xmmword_ptr(to, static_cast<std::int32_t>(done)), parts[k++]);
  if (count - done == 8) a_.mov(x86::qword_ptr(to, static_cast<std::int32_t>(done)), x86::rax);
  return true;
}

}  // namespace cairn::jit
