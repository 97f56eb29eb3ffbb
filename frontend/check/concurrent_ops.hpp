// The operations of tickets, groups, atomics, mutexes and rings in the checked tree (concurrency, 5, 6, 11, 12 and 14),
// and of devices (devices, 9): what a ConcurrentExpr's receiver and arguments are.
#pragma once

#include <cstdint>

namespace cairn::checked {

enum class ConcurrentOp : std::uint16_t {
  // Tasks. The receiver is the Local of the ticket, group or ring; the waits consume it.
  WaitTicket,  // the task's result, void included
  WaitGroup,
  WaitRing,
  GroupNew,  // (n)
  Collect,   // the result of some finished task

  // Atomic[T]. The receiver is the place of the atomic (a Local, its type the Atomic); orders are Order values.
  AtomicNew,        // (value)
  Load,             // (order)
  Store,            // (value, order)
  Swap,             // (value, order): the old value, as are those below
  FetchAdd,         // (value, order)
  FetchSub,         // (value, order)
  FetchAnd,         // (value, order)
  FetchOr,          // (value, order)
  FetchXor,         // (value, order)
  CompareExchange,  // (Lend rw of expected, desired, order of success, order of failure): bool

  // Updates of one element. The receiver is the Element; each gives the old value.
  ElementAddWrap,       // (value)
  ElementMin,           // (value)
  ElementMax,           // (value)
  ElementAnd,           // (value)
  ElementOr,            // (value)
  ElementXor,           // (value)
  ElementCas,           // (expected, desired)
  ElementAddUnordered,  // (value)

  // Wide accesses (devices, 9). The receiver is the array: a view value or an Array place; one static, the CacheHint.
  LoadWide,   // (index): Array[T, K]
  StoreWide,  // (index, value)

  // Exchanges of a warp (devices, 10.5). Every lane of the warp takes part.
  WarpShuffle,      // (value, lane)
  WarpShuffleXor,   // (value, mask)
  WarpShuffleDown,  // (value, delta)
  WarpShuffleUp,    // (value, delta)
  WarpBallot,       // (condition): u32
  WarpAny,          // (condition): bool
  WarpAll,          // (condition): bool
  WarpMatch,        // (value): u32

  // Pipelines (devices, 14). The receiver is the Local of the pipeline.
  PipelineFill,  // (view, start, count)
  PipelineWait,
  PipelineRelease,

  // Matrices in tensor cores (numerics, 4 and 9). A multiply of whole matrices has no receiver; fragment operations are
  // FragmentExprs (fragments.hpp).
  MatrixMultiply,    // (m, n, k, c, a, b): c += a * b, the last three view values
  FragmentFill,      // (value)
  FragmentLoad,      // receiver: the tile, a view value; (i, j)
  FragmentStore,     // receiver: the tile; (i, j, accumulator)
  FragmentMultiply,  // (accumulator, a, b)
  FragmentGet,       // (accumulator, v)
  FragmentSet,       // (accumulator, v, value)

  // Mutex[T].
  MutexNew,   // (value)
  MutexWith,  // receiver: the place of the mutex; (Closure of one rw<T>): the closure's result

  // IoRing. The receiver is the place of the ring; `Buf`s are moved in.
  RingNew,      // (n)
  RingRead,     // (descriptor, data, count, offset, tag)
  RingWrite,    // (descriptor, data, count, offset, tag)
  RingReceive,  // (descriptor, data, count, tag)
  RingSend,     // (descriptor, data, count, tag)
  RingAccept,   // (descriptor, tag)
  RingTimeout,  // (nanoseconds, tag)
  RingCancel,   // (tag)
  RingNext,     // (Lend rw of tag, Lend rw of result): Buf[u8]
  RingStatus,   // i64
  RingRoom,     // usize
  RingPending,  // usize
};

/// How a wide access uses the caches of a device; no hint changes a value.
enum class CacheHint : std::uint8_t { All, L2, Streaming, LastUse, ReadOnly };

[[nodiscard]] constexpr bool is_wait(ConcurrentOp op) { return op <= ConcurrentOp::WaitRing; }
/// An operation of an Atomic: the effect `atomic`, observable from outside.
[[nodiscard]] constexpr bool is_atomic(ConcurrentOp op) {
  return op >= ConcurrentOp::Load && op <= ConcurrentOp::CompareExchange;
}
[[nodiscard]] constexpr bool is_element_update(ConcurrentOp op) {
  return op >= ConcurrentOp::ElementAddWrap && op <= ConcurrentOp::ElementAddUnordered;
}
[[nodiscard]] constexpr bool is_wide_access(ConcurrentOp op) {
  return op == ConcurrentOp::LoadWide || op == ConcurrentOp::StoreWide;
}
[[nodiscard]] constexpr bool is_warp_exchange(ConcurrentOp op) {
  return op >= ConcurrentOp::WarpShuffle && op <= ConcurrentOp::WarpMatch;
}
[[nodiscard]] constexpr bool is_shuffle(ConcurrentOp op) {
  return op >= ConcurrentOp::WarpShuffle && op <= ConcurrentOp::WarpShuffleUp;
}
[[nodiscard]] constexpr bool is_pipeline_operation(ConcurrentOp op) {
  return op >= ConcurrentOp::PipelineFill && op <= ConcurrentOp::PipelineRelease;
}
[[nodiscard]] constexpr bool is_fragment(ConcurrentOp op) {
  return op >= ConcurrentOp::FragmentFill && op <= ConcurrentOp::FragmentSet;
}
/// An operation of an object that only the host has.
[[nodiscard]] constexpr bool is_host_object(ConcurrentOp op) {
  return !is_element_update(op) && !is_wide_access(op) && !is_warp_exchange(op) && !is_pipeline_operation(op) &&
         op != ConcurrentOp::MatrixMultiply && !is_fragment(op);
}
/// What an IoRing is asked to do, its queries left out: the effect `io` and a write of the ring.
[[nodiscard]] constexpr bool is_ring_request(ConcurrentOp op) {
  return op >= ConcurrentOp::RingRead && op <= ConcurrentOp::RingNext;
}
[[nodiscard]] constexpr bool is_ring_query(ConcurrentOp op) { return op >= ConcurrentOp::RingStatus; }

}  // namespace cairn::checked
