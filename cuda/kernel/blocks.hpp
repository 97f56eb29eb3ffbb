// What the threads of a cooperative block share (devices, 10, 14 and 16): barriers, warp operations, pipelines, the
// finish, and updates of elements.
#pragma once

#include "cuda/kernel/folds.hpp"
#include "cuda/kernel/memory.hpp"

namespace cairn::kernel {

inline constexpr U32 kWholeWarp = 0xffffffffU;

/// The leading bytes of a block's shared memory = 0.
template <U32 bytes>
__forceinline__ void clear_shared(Bytes shared) {
  for (U32 k = threadIdx.x; k < (bytes + 15) / 16; k += blockDim.x) {
    store<U64>(shared + 16 * k, 0);
    store<U64>(shared + 16 * k + 8, 0);
  }
}

/// Blocks first, first + gridDim, .. below the count, in step for all threads.
template <U32 zeroed, class Body>
__forceinline__ void each_block(U64 count, Bytes shared, Body body) {
  for (U64 b = blockIdx.x; b < count; b += gridDim.x) {
    clear_shared<zeroed>(shared);
    __syncthreads();
    body(b);
    __syncthreads();
  }
}

/// True in every thread of the block that is the last of the launch to come here. `counter` is 0 between launches.
/// The block is told by the barrier's own vote: its arrays may fill all the shared memory that there is.
__forceinline__ bool is_last_block(U32* counter) {
  __threadfence();
  __syncthreads();
  const bool last = threadIdx.x == 0 && atomicAdd(counter, 1U) == gridDim.x - 1;
  if (__syncthreads_or(last ? 1 : 0) == 0) return false;
  __threadfence();
  if (threadIdx.x == 0) *counter = 0;
  return true;
}

// ---------------------------------------------------------------------------------------------- warp operations

/// How a value crosses: narrow ones in 32 bits, wide ones whole.
template <class T>
__forceinline__ auto crossing(T value) {
  if constexpr (sizeof(T) == 8) {
    return bit_cast<U64>(value);
  } else if constexpr (sizeof(T) == 4) {
    return bit_cast<U32>(value);
  } else {
    return static_cast<U32>(static_cast<I32>(value));
  }
}
template <class T, class Crossed>
__forceinline__ T crossed(Crossed value) {
  if constexpr (sizeof(T) >= 4) {
    return bit_cast<T>(value);
  } else {
    return static_cast<T>(value);
  }
}

template <class T>
__forceinline__ T shuffle(T value, U64 lane) {
  return crossed<T>(__shfl_sync(kWholeWarp, crossing(value), static_cast<int>(lane)));
}
template <class T>
__forceinline__ T shuffle_xor(T value, U64 mask) {
  return crossed<T>(__shfl_xor_sync(kWholeWarp, crossing(value), static_cast<int>(mask)));
}
template <class T>
__forceinline__ T shuffle_down(T value, U64 by) {
  return crossed<T>(__shfl_down_sync(kWholeWarp, crossing(value), static_cast<unsigned>(by)));
}
template <class T>
__forceinline__ T shuffle_up(T value, U64 by) {
  return crossed<T>(__shfl_up_sync(kWholeWarp, crossing(value), static_cast<unsigned>(by)));
}
template <class T>
__forceinline__ U32 warp_match(T value) {
  return __match_any_sync(kWholeWarp, crossing(value));
}

/// for m in [16, 8, 4, 2, 1] { v = OP(v, v of lane l ^ m) }. False when a checked addition overflows.
template <class Fold>
__forceinline__ bool warp_fold(typename Fold::Type value, typename Fold::Type& out) {
  bool fine = true;
  for (U32 m = 16; m != 0; m /= 2) {
    typename Fold::Type next = value;
    fine = Fold::combine(value, shuffle_xor(value, m), next) && fine;
    value = next;
  }
  out = value;
  return fine;
}

// ---------------------------------------------------------------------------------------------------- pipelines

template <U32 bytes>
__forceinline__ void copy_async(Bytes to, const unsigned char* from, bool there) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  const unsigned stage = static_cast<unsigned>(__cvta_generic_to_shared(to));
  const unsigned wanted = there ? bytes : 0;  // the rest is filled with zeros
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(stage), "l"(__cvta_generic_to_global(from)),
               "n"(bytes), "r"(wanted)
               : "memory");
#else
  using Word = typename UnsignedOfSize<bytes>::Type;
  store<Word>(to, there ? load<Word>(from) : Word{0});
#endif
}

/// Elements start .. start + count of `from` into a stage of `size` elements, zeros after them.
template <U32 size, U32 bytes>
__forceinline__ void fill_stage(Bytes stage, const unsigned char* from, U64 start, U64 count) {
  for (U32 e = threadIdx.x; e < size; e += blockDim.x) {
    const bool there = e < count;
    copy_async<bytes>(stage + e * bytes, there ? from + (start + e) * bytes : from, there);
  }
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/// Waits until at most `left` of the thread's fills are in flight, then for the block. A pipeline has at most 8 stages.
__forceinline__ void wait_stage(U32 left) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  switch (left) {
    case 0:
      asm volatile("cp.async.wait_group 0;" ::: "memory");
      break;
    case 1:
      asm volatile("cp.async.wait_group 1;" ::: "memory");
      break;
    case 2:
      asm volatile("cp.async.wait_group 2;" ::: "memory");
      break;
    case 3:
      asm volatile("cp.async.wait_group 3;" ::: "memory");
      break;
    case 4:
      asm volatile("cp.async.wait_group 4;" ::: "memory");
      break;
    case 5:
      asm volatile("cp.async.wait_group 5;" ::: "memory");
      break;
    case 6:
      asm volatile("cp.async.wait_group 6;" ::: "memory");
      break;
    default:
      asm volatile("cp.async.wait_group 7;" ::: "memory");
      break;
  }
#endif
  __syncthreads();
}

/// No copy is in flight any more.
__forceinline__ void drain_stages() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

// ----------------------------------------------------------------------------------------------- element updates

// CUDA's atomics know `unsigned long long` and the like under these very names. Relaxed: they order nothing else.
template <class T>
__forceinline__ T atomic_add(Bytes at, T value) {
  return atomicAdd(reinterpret_cast<T*>(at), value);
}
template <class T>
__forceinline__ T atomic_min(Bytes at, T value) {
  return atomicMin(reinterpret_cast<T*>(at), value);
}
template <class T>
__forceinline__ T atomic_max(Bytes at, T value) {
  return atomicMax(reinterpret_cast<T*>(at), value);
}
template <class T>
__forceinline__ T atomic_and(Bytes at, T value) {
  return atomicAnd(reinterpret_cast<T*>(at), value);
}
template <class T>
__forceinline__ T atomic_or(Bytes at, T value) {
  return atomicOr(reinterpret_cast<T*>(at), value);
}
template <class T>
__forceinline__ T atomic_xor(Bytes at, T value) {
  return atomicXor(reinterpret_cast<T*>(at), value);
}
template <class T>
__forceinline__ T atomic_swap(Bytes at, T value) {
  using Word = Unsigned<T>;
  return bit_cast<T>(atomicExch(reinterpret_cast<Word*>(at), bit_cast<Word>(value)));
}
template <class T>
__forceinline__ T atomic_cas(Bytes at, T expected, T desired) {
  using Word = Unsigned<T>;
  return bit_cast<T>(atomicCAS(reinterpret_cast<Word*>(at), bit_cast<Word>(expected), bit_cast<Word>(desired)));
}

}  // namespace cairn::kernel
