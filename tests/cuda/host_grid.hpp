// Stand-ins for what CUDA gives a kernel, so that a kernel's text compiles and runs on the host: a grid runs block by
// block, the threads of a block as fibers of one host thread that change at barriers and warp operations. It comes
// before the text, in a translation unit of its own.
//
// What it is faithful to: each thread's arithmetic, memory and guards, and what barriers, shuffles and votes exchange.
// What it is not: warps in lockstep, atomics under contention (one fiber runs at a time), asynchronous copies and
// tensor core instructions, for which the headers of cuda/kernel have a plain form.
#pragma once

#include <cstdint>
#include <cstring>

#define __device__
#define __global__
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __grid_constant__
#define __shared__ static
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __launch_bounds__(threads)

/// Kernels are libraries of their own, which find the grid in the test program.
#define HOST_GRID __attribute__((visibility("default")))

struct GridIndex {
  unsigned x = 0;
};
extern HOST_GRID GridIndex threadIdx, blockIdx, blockDim, gridDim;

/// Runs `kernel(state)` in every thread of the grid. False when a guard failed: nothing ran after that.
HOST_GRID bool host_grid_run(unsigned blocks, unsigned threads, void (*kernel)(void*), void* state);
/// The running thread waits for the others of its block.
HOST_GRID void host_grid_barrier();
/// What every lane of the running thread's warp gives, by lane: all 32 come here together.
HOST_GRID const std::uint64_t* host_grid_exchange(std::uint64_t given);
[[noreturn]] HOST_GRID void host_grid_fail();

template <class Kernel>
bool host_grid_launch(unsigned blocks, unsigned threads, Kernel kernel) {
  return host_grid_run(blocks, threads, [](void* state) { (*static_cast<Kernel*>(state))(); }, &kernel);
}

inline void __syncthreads() { host_grid_barrier(); }
inline int __syncthreads_or(int given) {
  static int any;
  host_grid_barrier();
  any = 0;
  host_grid_barrier();
  if (given != 0) any = 1;
  host_grid_barrier();
  const int all = any;
  host_grid_barrier();
  return all;
}
inline void __threadfence() {}
inline void __threadfence_system() {}
[[noreturn]] inline void __trap() { host_grid_fail(); }

// One fiber runs at a time.
template <class T, class Next>
T host_update(T* at, Next next) {
  const T old = *at;
  *at = next(old);
  return old;
}
template <class T>
T atomicAdd(T* at, T value) {
  return host_update(at, [&](T old) { return static_cast<T>(old + value); });
}
template <class T>
T atomicMin(T* at, T value) {
  return host_update(at, [&](T old) { return value < old ? value : old; });
}
template <class T>
T atomicMax(T* at, T value) {
  return host_update(at, [&](T old) { return old < value ? value : old; });
}
template <class T>
T atomicAnd(T* at, T value) {
  return host_update(at, [&](T old) { return old & value; });
}
template <class T>
T atomicOr(T* at, T value) {
  return host_update(at, [&](T old) { return old | value; });
}
template <class T>
T atomicXor(T* at, T value) {
  return host_update(at, [&](T old) { return old ^ value; });
}
template <class T>
T atomicExch(T* at, T value) {
  return host_update(at, [&](T) { return value; });
}
template <class T>
T atomicCAS(T* at, T expected, T desired) {
  return host_update(at, [&](T old) { return old == expected ? desired : old; });
}

inline unsigned host_lane() { return threadIdx.x % 32; }
template <class T>
T host_from(T value, unsigned lane) {
  return static_cast<T>(host_grid_exchange(value)[lane]);
}
template <class T>
T __shfl_sync(unsigned, T value, int lane) {
  return host_from(value, static_cast<unsigned>(lane) % 32);
}
template <class T>
T __shfl_xor_sync(unsigned, T value, int mask) {
  return host_from(value, (host_lane() ^ static_cast<unsigned>(mask)) % 32);
}
template <class T>
T __shfl_down_sync(unsigned, T value, unsigned by) {
  return host_from(value, host_lane() + by < 32 ? host_lane() + by : host_lane());
}
template <class T>
T __shfl_up_sync(unsigned, T value, unsigned by) {
  return host_from(value, host_lane() >= by ? host_lane() - by : host_lane());
}
template <class Holds>
unsigned host_votes(std::uint64_t value, Holds holds) {
  const std::uint64_t* const values = host_grid_exchange(value);
  unsigned mask = 0;
  for (unsigned l = 0; l < 32; ++l) mask |= static_cast<unsigned>(holds(values[l])) << l;
  return mask;
}
inline unsigned __ballot_sync(unsigned, bool value) {
  return host_votes(value, [](std::uint64_t v) { return v != 0; });
}
inline int __any_sync(unsigned whole, bool value) { return __ballot_sync(whole, value) != 0; }
inline int __all_sync(unsigned whole, bool value) { return __ballot_sync(whole, value) == whole; }
template <class T>
unsigned __match_any_sync(unsigned, T value) {
  return host_votes(value, [&](std::uint64_t v) { return v == value; });
}
