// Steps of regions, tasks, locks, atomics and the machine.
#pragma once

#include <atomic>

#include "vm/interpreter/concurrency.hpp"
#include "vm/interpreter/devices.hpp"
#include "vm/interpreter/kernels.hpp"
#include "vm/interpreter/machine.hpp"

namespace cairn::interpreter {

using bytecode::a_of;
using bytecode::b_of;
using bytecode::c_of;
using bytecode::d_of;
using bytecode::e_of;
using bytecode::m_of;

/// The memory order an Order value names.
[[gnu::always_inline]] inline std::memory_order memory_order_of(std::uint64_t order) {
  switch (order) {
    case 0:
      return std::memory_order_relaxed;
    case 1:
      return std::memory_order_acquire;
    case 2:
      return std::memory_order_release;
    case 3:
      return std::memory_order_acq_rel;
    default:
      return std::memory_order_seq_cst;
  }
}
constexpr bool can_load(std::uint64_t order) { return order <= 4 && order != 2 && order != 3; }
constexpr bool can_store(std::uint64_t order) { return order <= 4 && order != 1 && order != 3; }

/// The value becomes update(old) in one step; the old value.
template <class T, class Update>
[[gnu::always_inline]] inline T updated(std::atomic_ref<T> value, std::memory_order order, Update update) {
  T old = value.load(std::memory_order_relaxed);
  while (!value.compare_exchange_weak(old, update(old), order, std::memory_order_relaxed)) {
  }
  return old;
}

template <Op op>
[[gnu::always_inline]] inline const Word* atomic_step(Machine& m, const Word* pc) {
  using Named = TypeOf<op>;
  using T = std::conditional_t<std::is_same_v<Named, bool>, std::uint8_t, Named>;
  constexpr std::string_view verb = name_of(op).verb;
  const Word w = pc[0];
  const auto at = [&](std::uint32_t slot) { return std::atomic_ref<T>(*reinterpret_cast<T*>(m.base[slot])); };
  if constexpr (verb == "atomic.load") {
    const std::uint64_t order = m.base[c_of(w)];
    if (!can_load(order)) [[unlikely]]
      return fail(TrapKind::Order, pc, m);
    write<T>(m.base, a_of(w), at(b_of(w)).load(memory_order_of(order)));
  } else if constexpr (verb == "atomic.store") {
    const std::uint64_t order = m.base[c_of(w)];
    if (!can_store(order)) [[unlikely]]
      return fail(TrapKind::Order, pc, m);
    at(a_of(w)).store(read<T>(m.base, b_of(w)), memory_order_of(order));
  } else if constexpr (verb == "atomic.compare") {
    const std::uint64_t success = m.base[e_of(pc[1])] % 8;
    const std::uint64_t failure = m.base[e_of(pc[1])] / 8;
    if (success > 4 || !can_load(failure)) [[unlikely]]
      return fail(TrapKind::Order, pc, m);
    auto* const expected = reinterpret_cast<T*>(m.base[c_of(w)]);
    const bool same = at(b_of(w)).compare_exchange_strong(*expected, read<T>(m.base, d_of(pc[1])),
                                                          memory_order_of(success), memory_order_of(failure));
    write<bool>(m.base, a_of(w), same);
  } else if constexpr (verb == "atomic.cas") {
    T expected = read<T>(m.base, c_of(w));
    at(b_of(w)).compare_exchange_strong(expected, read<T>(m.base, d_of(pc[1])), std::memory_order_relaxed);
    write<T>(m.base, a_of(w), expected);
  } else if constexpr (verb == "atomic.min" || verb == "atomic.max" || std::is_floating_point_v<T>) {
    const T value = read<T>(m.base, c_of(w));
    const T old = updated(at(b_of(w)), std::memory_order_relaxed, [&](T before) -> T {
      if constexpr (verb == "atomic.min")
        return value < before ? value : before;
      else if constexpr (verb == "atomic.max")
        return before < value ? value : before;
      else
        return before + value;
    });
    write<T>(m.base, a_of(w), old);
  } else {
    const std::uint64_t order = m.base[d_of(pc[1])];
    if (order > 4) [[unlikely]]
      return fail(TrapKind::Order, pc, m);
    const T value = read<T>(m.base, c_of(w));
    const std::memory_order ordered = memory_order_of(order);
    std::atomic_ref<T> target = at(b_of(w));
    if constexpr (verb == "atomic.swap")
      write<T>(m.base, a_of(w), target.exchange(value, ordered));
    else if constexpr (verb == "atomic.add")
      write<T>(m.base, a_of(w), target.fetch_add(value, ordered));
    else if constexpr (verb == "atomic.sub")
      write<T>(m.base, a_of(w), target.fetch_sub(value, ordered));
    else if constexpr (verb == "atomic.and")
      write<T>(m.base, a_of(w), target.fetch_and(value, ordered));
    else if constexpr (verb == "atomic.or")
      write<T>(m.base, a_of(w), target.fetch_or(value, ordered));
    else {
      static_assert(verb == "atomic.xor");
      write<T>(m.base, a_of(w), target.fetch_xor(value, ordered));
    }
  }
  return pc + kWords<op>;
}

template <Op op>
[[gnu::always_inline]] inline const Word* machine_step(Machine& m, const Word* pc) {
  using T = TypeOf<op>;
  const Word w = pc[0];
  if constexpr (name_of(op).verb == "mmio.read") {
    write<T>(m.base, a_of(w), *reinterpret_cast<const volatile T*>(m.base[b_of(w)]));
  } else {
    *reinterpret_cast<volatile T*>(m.base[a_of(w)]) = read<T>(m.base, b_of(w));
  }
  return pc + 1;
}

template <Op op>
[[gnu::always_inline]] inline const Word* concurrency_step(Machine& m, const Word* pc) {
  if constexpr (op == Op::Parallel)
    return run_parallel(m, pc);
  else if constexpr (op == Op::Reduce)
    return run_reduce(m, pc);
  else if constexpr (op == Op::SumExactF32)
    return run_exact_sum<float>(m, pc);
  else if constexpr (op == Op::SumExactF64)
    return run_exact_sum<double>(m, pc);
  else if constexpr (op == Op::Scan)
    return run_scan(m, pc);
  else if constexpr (op == Op::Spawn)
    return spawn(m, pc);
  else if constexpr (op == Op::Wait)
    return wait_ticket(m, pc);
  else if constexpr (op == Op::GroupNew)
    return new_group(m, pc);
  else if constexpr (op == Op::SpawnInto)
    return spawn_into(m, pc);
  else if constexpr (op == Op::Collect)
    return collect(m, pc);
  else if constexpr (op == Op::WaitGroup)
    return wait_group(m, pc);
  else if constexpr (op == Op::MutexLock)
    return lock_mutex(m, pc);
  else {
    static_assert(op == Op::MutexUnlock);
    unlock_mutex(reinterpret_cast<std::uint8_t*>(m.base[a_of(pc[0])]));
    return pc + 1;
  }
}

template <Op op>
[[gnu::always_inline]] inline const Word* device_step(Machine& m, const Word* pc) {
  if constexpr (op == Op::PlacedNew) {
    return placed_new(m, pc);
  } else if constexpr (op == Op::PlacedDrop) {
    placed_drop(m, pc);
    return pc + 2;
  } else if constexpr (op == Op::Transfer) {
    return transfer(m, pc);
  } else if constexpr (op == Op::DeviceParallel) {
    return device_parallel(m, pc);
  } else if constexpr (op == Op::DeviceReduce) {
    return device_reduce(m, pc);
  } else if constexpr (op == Op::DeviceReduceTo) {
    return device_reduce_to(m, pc);
  } else if constexpr (op == Op::DeviceScan || op == Op::DevicePrefixes) {
    return device_scan(m, pc);
  } else if constexpr (op == Op::DeviceCompact) {
    return device_compact(m, pc);
  } else if constexpr (op == Op::DeviceLaunch) {
    return device_launch(m, pc);
  } else if constexpr (op == Op::QueueAfter) {
    return queue_after(m, pc);
  } else if constexpr (op == Op::QueueParallel) {
    return queue_parallel(m, pc);
  } else if constexpr (op == Op::QueueTransfer) {
    return queue_transfer(m, pc);
  } else {
    static_assert(op == Op::QueueWait);
    return queue_wait(m, pc);
  }
}

template <Op op>
[[gnu::always_inline]] inline const Word* kernel_step(Machine& m, const Word* pc) {
  if constexpr (op == Op::Cooperative) {
    return d_of(pc[1]) != 0 ? device_cooperative(m, pc) : run_cooperative(m, pc);
  } else if constexpr (op == Op::SharedView) {
    return shared_view(m, pc);
  } else if constexpr (op == Op::PipelineFill) {
    return pipeline_fill(m, pc);
  } else if constexpr (op == Op::PipelineView) {
    return pipeline_view(m, pc);
  } else if constexpr (op == Op::PipelineRelease) {
    return pc + 1;  // which stages are free is the checker's business
  } else {
    return suspend(m, pc);  // barrier, pipeline.wait and warp operations: the block's scheduler goes on
  }
}

}  // namespace cairn::interpreter
