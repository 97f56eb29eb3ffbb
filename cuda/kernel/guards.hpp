// What every kernel's text is written with: slots, guards and the record of a failed one. The headers of this folder
// are for NVRTC, with --device-as-default-execution-space; tests compile them for the host, whose stand-ins for CUDA's
// names come first (tests/cuda/host_grid.hpp).
#pragma once

#include "runtime/semantics/conversions.hpp"
#include "runtime/semantics/floats.hpp"
#include "runtime/semantics/integers.hpp"

namespace cairn::kernel {

using namespace semantics;  // U8 .. I64, bit_cast; operations are written sem::add
namespace sem = semantics;

using Bytes = unsigned char*;

/// Two registers: a pointer and a length.
struct Pair {
  Bytes first;
  U64 second;
};

/// A value as a slot of bytecode holds it.
template <class T>
__forceinline__ U64 to_slot(T value) {
  constexpr bool kFloat = sizeof(T) >= 4 && static_cast<T>(0.5F) != static_cast<T>(0);
  if constexpr (kFloat) {
    return bit_cast<Unsigned<T>>(value);
  } else if constexpr (sizeof(T) == 8 && !kSigned<T>) {
    return static_cast<U64>(value);
  } else {
    return static_cast<U64>(static_cast<I64>(value));  // sign-extended; bool and unsigned types zero-extended
  }
}

template <class T>
__forceinline__ T from_slot(U64 slot) {
  return static_cast<T>(slot);
}
template <>
__forceinline__ float from_slot<float>(U64 slot) {
  return bit_cast<float>(static_cast<U32>(slot));
}
template <>
__forceinline__ double from_slot<double>(U64 slot) {
  return bit_cast<double>(slot);
}
template <>
__forceinline__ bool from_slot<bool>(U64 slot) {
  return slot != 0;
}

/// a + b modulo 2^width. A program may compare the sum with a; up to sm_90, NVRTC 13.0 takes a counted loop that does
/// so for one without an end, unless it cannot see through the sum.
template <class T>
__forceinline__ T add_wrap(T a, T b) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 1000
  if constexpr (sizeof(T) == 8) {
    T sum;
    asm("add.u64 %0, %1, %2;" : "=l"(sum) : "l"(a), "l"(b));
    return sum;
  } else if constexpr (sizeof(T) == 4) {
    T sum;
    asm("add.u32 %0, %1, %2;" : "=r"(sum) : "r"(a), "r"(b));
    return sum;
  }
#endif
  return sem::add_wrap(a, b);
}

/// cuda/compiler.hpp, TrapRecord: the same layout.
struct TrapRecord {
  U32 state;
  U32 site;
  U64 lane;
  U64 thread;
  U64 values[6];
};

/// Where a thread of a kernel is: what a failed guard tells.
struct At {
  TrapRecord* record;
  U64 lane;       // the index, or the block
  U64 thread;     // of a cooperative block
  U32 stack = 0;  // bytes that calls may have taken, where one of them may call itself
};

/// In a call that takes so many bytes of the stack.
__forceinline__ At deeper(At at, U32 bytes) {
  at.stack += bytes;
  return at;
}

#if defined(__CUDA_ARCH__)
/// Which thread of the kernel fills its record is settled in the device's own memory: the record lies in the host's,
/// whose link need not know atomic updates.
static __device__ U32 record_is_taken;
#endif

/// A guard failed. The first thread to fail fills the record; the others wait for that, since a trap ends every thread.
template <class... Slots>
[[noreturn]] __noinline__ void failed(At at, U32 site, Slots... slots) {
  TrapRecord* const record = at.record;
  auto* const state = reinterpret_cast<volatile U32*>(&record->state);
#if defined(__CUDA_ARCH__)
  U32* const taken = &record_is_taken;
#else
  U32* const taken = &record->state;
#endif
  if (atomicCAS(taken, 0U, 1U) == 0U) {
    record->site = site;
    record->lane = at.lane;
    record->thread = at.thread;
    U32 k = 0;
    ((record->values[k++] = slots), ...);
    __threadfence_system();
    *state = 2;
    __threadfence_system();
  } else {
    while (*state != 2) {
    }
  }
  __trap();
  __builtin_unreachable();
}

template <class... Values>
[[noreturn]] __forceinline__ void fail(At at, U32 site, Values... values) {
  failed(at, site, to_slot(values)...);
}

}  // namespace cairn::kernel
