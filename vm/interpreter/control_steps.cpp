// What steps do out of line.
#include "vm/interpreter/control_steps.hpp"

#include "vm/interpreter/kernels.hpp"
#include "vm/profile/sampler.hpp"
#include "vm/tiers/tiers.hpp"

namespace cairn::interpreter {

void failure(Machine m, const Word* pc) {
  m.thread->record_trap(static_cast<TrapKind>(a_of(pc[0])), m.thread->failed, m.base);
}

const Word* refuel(const Word* next, const Word* pc, Machine m) {
  if (m.thread->samples != nullptr) profile::Sampler::tell(*m.thread->samples, pc, m.base, false);
  if (m.thread->block != nullptr) return suspend(m, next);
  const bool seen_before = m.thread->fuel_given;
  const TrapKind kind = m.thread->poll();
  if (kind != TrapKind::None) return fail(kind, pc, m);
  Tiers* const tiers = m.thread->instance().tiers();
  return tiers != nullptr && seen_before ? tiers->hot_loop(next, *m.thread) : next;
}

const Word* refuel_at_call(const Word* next, const Word* pc, Machine m) {
  if (m.thread->samples != nullptr) profile::Sampler::tell(*m.thread->samples, pc, m.base, false);
  // A kernel's thread gives up its turn at back edges alone: here its frame does not stand yet.
  if (m.thread->block != nullptr) return next;
  // Only back edges lead to better code: a loop whose calls and back edges divided the steps would never be seen at
  // one.
  const TrapKind kind = m.thread->poll(Thread::kFewSteps + m.thread->refuelled_calls++ * 5U % 64U);
  return kind == TrapKind::None ? next : fail(kind, pc, m);
}

const Word* enter_tier(const Word* pc, Machine& m) { return m.thread->instance().tiers()->enter(m, pc); }
const Word* resume_tier(const Word* pc, Machine& m) { return m.thread->instance().tiers()->resume(m, pc); }

const Word* prologue(Machine& m, const Word* pc) {
  const CodeEntry& entry = m.thread->functions[n_of(pc[0])];
  // The frame of slots was found to fit below m.memory.
  const auto free = static_cast<std::uint64_t>(m.memory - reinterpret_cast<std::uint8_t*>(m.base)) - entry.frame_bytes;
  if (free < std::uint64_t{entry.memory_bytes} + entry.memory_align) [[unlikely]] {
    // At the call: the callee has not begun.
    const Word* call = return_address(m.base[-1]) - 1;
    const bool from_host = m.base[-2] == 0;
    if (!from_host) m.base = caller_frame(m.base);
    return fail(TrapKind::Stack, from_host ? entry.body : call, m);
  }
  const auto lowered = reinterpret_cast<std::uintptr_t>(m.memory) - entry.memory_bytes;
  m.memory = reinterpret_cast<std::uint8_t*>(lowered & ~std::uintptr_t{entry.memory_align - 1});
  for (std::uint32_t i = 0; i < entry.zero_count; ++i) {
    std::memset(m.memory + entry.zeros[i].offset, 0, entry.zeros[i].bytes);
  }
  return entry.body;
}

namespace {

const Word* missing_native(const Word* pc, const Machine& m) {
  const bytecode::Native& native = m.thread->image().module().natives[n_of(pc[0])];
  m.thread->pending = {TrapKind::Foreign, "the host has no " + native.name + " of that signature"};
  return fail(TrapKind::Foreign, pc, m);
}

}  // namespace

const Word* call_native(const Word* pc, Machine m) {
  Thread& thread = *m.thread;
  const Image::NativeSite& native = thread.image().native(n_of(pc[0]));
  if (native.function == nullptr) [[unlikely]]
    return missing_native(pc, m);
  std::uint64_t* window = m.base + a_of(pc[0]);
  const auto outer = thread.native_frame;
  thread.native_frame = {window + native.window_slots, m.memory, pc, m.base, &outer};
  NativeCall call(thread, window);
  thread.give_back_steps();
  thread.in_native = true;
  native.function(call);
  thread.in_native = false;
  thread.native_frame = outer;
  if (thread.trapped) [[unlikely]]
    return kExit;  // a call it made
  if (thread.pending.kind != TrapKind::None) [[unlikely]]
    return fail(thread.pending.kind, pc, m);
  return pc + 1;
}

const Word* call_foreign(const Word* pc, Machine m) {
  Thread& thread = *m.thread;
  ForeignCaller* caller = thread.instance().foreign_caller();
  const std::uint32_t index = n_of(pc[0]);
  if (caller == nullptr) {
    thread.pending = {TrapKind::Foreign, "no foreign function " + thread.image().module().foreigns[index].name};
  } else {
    // A function of an embedding host may call back: above this window.
    const bytecode::Module& module = thread.image().module();
    const bytecode::Signature& signature = module.signatures[module.foreigns[index].signature];
    std::uint64_t* window = m.base + a_of(pc[0]);
    const auto outer = thread.native_frame;
    thread.native_frame = {window + std::max(signature.parameter_slots(), 2U), m.memory, pc, m.base, &outer};
    thread.give_back_steps();
    thread.in_native = true;
    caller->call(thread, index, window);
    thread.in_native = false;
    thread.native_frame = outer;
    if (thread.trapped) [[unlikely]]
      return kExit;  // a call it made
  }
  if (thread.pending.kind != TrapKind::None) [[unlikely]]
    return fail(thread.pending.kind, pc, m);
  return pc + 1;
}

}  // namespace cairn::interpreter
