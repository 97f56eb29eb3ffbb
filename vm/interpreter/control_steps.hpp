// Steps of jumps, calls, returns, failures and output. `watched` steps poll the host's wishes at back edges and calls.
#pragma once

#include "vm/interpreter/machine.hpp"
#include "vm/interpreter/output.hpp"

namespace cairn::interpreter {

using bytecode::a_of;
using bytecode::b_of;
using bytecode::c_of;
using bytecode::d_of;
using bytecode::kLinkSlots;
using bytecode::m_of;
using bytecode::n_of;
using bytecode::t_of;

/// Out of fuel: `next`, or the failure word of a trap at `pc`.
[[gnu::cold, gnu::noinline]] const Word* refuel(const Word* next, const Word* pc, Machine machine);
/// The same at a call of the function at `next`.
[[gnu::cold, gnu::noinline]] const Word* refuel_at_call(const Word* next, const Word* pc, Machine machine);
/// Enter and Resume: what the instance's tiers make of them.
[[gnu::noinline]] const Word* enter_tier(const Word* pc, Machine& machine);
[[gnu::noinline]] const Word* resume_tier(const Word* pc, Machine& machine);

template <bool watched>
[[gnu::always_inline]] inline const Word* jump_to(Machine& m, const Word* pc, std::int32_t offset) {
  const Word* next = pc + offset;
  if constexpr (watched) {
    if (offset <= 0 && --m.thread->fuel < 0) [[unlikely]]
      return refuel(next, pc, m);
  }
  return next;
}

/// verb.condition of two registers, or of one and the 32 bits of m.
template <Op op>
[[gnu::always_inline]] inline bool condition(const Machine& m, const Word* pc) {
  constexpr OpName name = name_of(op);
  constexpr std::string_view test = name.verb.substr(5);  // after "jump."
  const Word w = pc[0];
  if constexpr (name.type == "f32" || name.type == "f64") {
    using F = TypeOf<op>;
    const F x = read<F>(m.base, a_of(w));
    const F y = read<F>(m.base, b_of(w));
    if constexpr (test == "eq")
      return x == y;
    else if constexpr (test == "ne")
      return x != y;
    else if constexpr (test == "lt")
      return x < y;
    else if constexpr (test == "le")
      return x <= y;
    else if constexpr (test == "not.lt")
      return !(x < y);
    else {
      static_assert(test == "not.le");
      return !(x <= y);
    }
  } else {
    constexpr bool kSigned = !test.ends_with(".u");
    using T = std::conditional_t<kSigned, std::int64_t, std::uint64_t>;
    using Imm = std::conditional_t<kSigned, std::int32_t, std::uint32_t>;
    const T x = read<T>(m.base, a_of(w));
    const T y = name.immediate ? static_cast<T>(static_cast<Imm>(m_of(pc[1]))) : read<T>(m.base, b_of(w));
    if constexpr (test == "eq")
      return x == y;
    else if constexpr (test == "ne")
      return x != y;
    else if constexpr (test.starts_with("lt"))
      return x < y;
    else if constexpr (test.starts_with("le"))
      return x <= y;
    else if constexpr (test.starts_with("gt"))
      return x > y;
    else {
      static_assert(test.starts_with("ge"));
      return x >= y;
    }
  }
}

template <Op op, bool watched>
[[gnu::always_inline]] inline const Word* jump_step(Machine& m, const Word* pc) {
  const Word w = pc[0];
  const auto near = [&] { return jump_to<watched>(m, pc, static_cast<std::int32_t>(n_of(w))); };
  if constexpr (op == Op::Jump) {
    return near();
  } else if constexpr (op == Op::JumpIf) {
    return m.base[a_of(w)] != 0 ? near() : pc + 1;
  } else if constexpr (op == Op::JumpIfNot) {
    return m.base[a_of(w)] == 0 ? near() : pc + 1;
  } else if constexpr (op == Op::LoopNext) {
    const std::uint64_t next = m.base[a_of(w)] + 1;
    m.base[a_of(w)] = next;
    return next < m.base[b_of(w)] ? jump_to<watched>(m, pc, t_of(pc[1])) : pc + 2;
  } else if constexpr (op == Op::Switch) {
    const std::uint64_t subject = m.base[a_of(w)];
    const std::uint32_t count = n_of(w);
    if (subject >= count) return pc + 1 + (count + 1) / 2;
    const Word pair = pc[1 + subject / 2];
    return jump_to<watched>(m, pc, static_cast<std::int32_t>(static_cast<std::uint32_t>(pair >> (subject % 2 * 32))));
  } else {
    return condition<op>(m, pc) ? jump_to<watched>(m, pc, t_of(pc[1])) : pc + 2;
  }
}

/// Starts the callee's frame at `window`; `back` is the instruction after the call. What has memory goes on in its
/// prologue.
template <bool watched>
[[gnu::always_inline]] inline const Word* enter(Machine& m, const Word* pc, const Word* back, std::uint64_t* window,
                                                const CodeEntry& callee) {
  if (reinterpret_cast<std::uint8_t*>(window) + callee.frame_bytes > m.memory) [[unlikely]] {
    return fail(TrapKind::Stack, pc, m);
  }
  const Word* next = callee.code;
  if constexpr (watched) {
    if (--m.thread->fuel < 0) [[unlikely]] {
      next = refuel_at_call(next, pc, m);
      if (next != callee.code) return next;
    }
  }
  window[-1] = reinterpret_cast<std::uint64_t>(back);
  window[-2] = reinterpret_cast<std::uint64_t>(m.base);
  window[-3] = reinterpret_cast<std::uint64_t>(m.memory);
  m.base = window;
  return next;
}

/// Takes the memory of the frame that starts and zeroes the owners in it.
[[gnu::noinline]] const Word* prologue(Machine& m, const Word* pc);
/// Records the trap of the instruction that failed.
[[gnu::cold, gnu::noinline]] void failure(Machine m, const Word* pc);

[[gnu::always_inline]] inline const Word* leave(Machine& m) {
  const auto* back = reinterpret_cast<const Word*>(m.base[-1]);
  m.memory = reinterpret_cast<std::uint8_t*>(m.base[-3]);
  m.base = reinterpret_cast<std::uint64_t*>(m.base[-2]);
  return back;
}

/// The function of a fn value or callable whose signature is `signature`, or null: none, or one forged from other bits.
[[gnu::always_inline]] inline const CodeEntry* function_of(const Machine& m, std::uint64_t value,
                                                           std::uint32_t signature) {
  if (value - 1 >= m.thread->function_count) return nullptr;
  const CodeEntry& entry = m.thread->functions[value - 1];
  return entry.signature == signature ? &entry : nullptr;
}

[[gnu::noinline]] const Word* call_native(const Word* pc, Machine machine);
[[gnu::noinline]] const Word* call_foreign(const Word* pc, Machine machine);

template <Op op, bool watched>
[[gnu::always_inline]] inline const Word* call_step(Machine& m, const Word* pc) {
  const Word w = pc[0];
  std::uint64_t* window = m.base + a_of(w);
  if constexpr (op == Op::Call) {
    return enter<watched>(m, pc, pc + 1, window, m.thread->functions[n_of(w)]);
  } else if constexpr (op == Op::CallValue) {
    const CodeEntry* callee = function_of(m, m.base[b_of(w)], m_of(pc[1]));
    if (callee == nullptr) [[unlikely]]
      return fail(TrapKind::Callable, pc, m);
    return enter<watched>(m, pc, pc + 2, window, *callee);
  } else if constexpr (op == Op::CallCallable) {
    const CodeEntry* callee = function_of(m, m.base[b_of(w)], m_of(pc[1]));
    if (callee == nullptr) [[unlikely]]
      return fail(TrapKind::Callable, pc, m);
    const std::uint64_t environment = m.base[b_of(w) + 1U];
    window[callee->parameter_slots] = environment;
    return enter<watched>(m, pc, pc + 2, window, *callee);
  } else if constexpr (op == Op::CallClosure) {
    const CodeEntry& callee = m.thread->functions[m_of(pc[1])];
    window[callee.parameter_slots] = m.base[b_of(w)];
    return enter<watched>(m, pc, pc + 2, window, callee);
  } else if constexpr (op == Op::CallDyn) {
    const std::uint64_t object = m.base[b_of(w)];
    const std::uint32_t function = m.thread->image().module().tables[m.base[b_of(w) + 1U]].functions[c_of(w)];
    window[d_of(pc[1])] = object;
    return enter<watched>(m, pc, pc + 2, window, m.thread->functions[function]);
  } else if constexpr (op == Op::CallNative) {
    return call_native(pc, m);
  } else if constexpr (op == Op::CallForeign) {
    return call_foreign(pc, m);
  } else if constexpr (op == Op::CallableFunction) {
    m.base[a_of(w)] = std::uint64_t{n_of(w)} + 1;
    m.base[a_of(w) + 1U] = 0;
  } else if constexpr (op == Op::CallableClosure) {
    const std::uint64_t environment = m.base[b_of(w)];
    m.base[a_of(w)] = std::uint64_t{m_of(pc[1])} + 1;
    m.base[a_of(w) + 1U] = environment;
  } else if constexpr (op == Op::CallableValue) {
    if (m.base[b_of(w)] == 0) [[unlikely]]
      return fail(TrapKind::Callable, pc, m);
    m.base[a_of(w)] = m.base[b_of(w)];
    m.base[a_of(w) + 1U] = 0;
  } else if constexpr (op == Op::Return) {
    return leave(m);
  } else if constexpr (op == Op::ReturnValue) {
    m.base[0] = m.base[a_of(w)];
    return leave(m);
  } else {
    static_assert(op == Op::ReturnPair);
    const std::uint64_t second = m.base[a_of(w) + 1U];
    m.base[0] = m.base[a_of(w)];
    m.base[1] = second;
    return leave(m);
  }
  return pc + kWords<op>;
}

template <Op op>
[[gnu::always_inline]] inline const Word* effect_step(Machine& m, const Word* pc) {
  const Word w = pc[0];
  if constexpr (op == Op::GuardLayout) {
    if (m.base[a_of(w)] >= pc[1]) [[unlikely]]
      return fail(TrapKind::Layout, pc, m);
    return pc + 2;
  } else if constexpr (op == Op::FailAssert || op == Op::FailEqual) {
    return fail(TrapKind::Assert, pc, m);
  } else if constexpr (op == Op::Fail) {
    return fail(static_cast<TrapKind>(a_of(w)), pc, m);
  } else if constexpr (op == Op::Print) {
    print(*m.thread, m.base, pc);
    return pc + 1 + (b_of(w) + 1) / 2;
  } else {
    static_assert(op == Op::Format);
    if (!format(*m.thread, m.base, pc)) [[unlikely]]
      return fail(TrapKind::Allocation, pc, m);
    return pc + 2 + (b_of(w) + 1) / 2;
  }
}

}  // namespace cairn::interpreter
