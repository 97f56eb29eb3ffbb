// Regions as plans say (concurrency, 13.1): loops over a thread's indices unrolled, adjacent indices taken at once with
// one access an array, and what the lanes of a block read around their own index loaded once. None changes what a lane
// computes.
#pragma once

#include "cuda/kernel/regions.hpp"

namespace cairn::kernel {

/// Every index below the count once; a thread's loop in bodies of `unrolled`.
template <U32 unrolled, class Lane>
__forceinline__ void each_index_unrolled(U64 count, Lane lane) {
  const U64 stride = static_cast<U64>(gridDim.x) * blockDim.x;
  U64 i = static_cast<U64>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= count) return;
  U64 left = (count - 1 - i) / stride + 1;
  for (; left >= unrolled; left -= unrolled) {
#pragma unroll
    for (U32 k = 0; k < unrolled; ++k) {
      lane(i);
      i += stride;  // past the last index it may wrap, and is not used
    }
  }
  for (; left != 0; --left) {
    lane(i);
    i += stride;
  }
}

/// Runs of `size` adjacent indices below the count: `run(first, end)`, the last one shorter.
template <U32 size, U32 unrolled, class Run>
__forceinline__ void each_run(U64 count, Run run) {
  each_index_unrolled<unrolled>(count / size + (count % size != 0 ? 1 : 0), [&](U64 k) {
    const U64 first = k * size;
    run(first, count - first < size ? count : first + size);
  });
}

/// Adjacent elements of an array, moved in one access.
template <class T, U32 count>
struct __attribute__((may_alias)) alignas(sizeof(T) * count) Pack {
  T of[count];
};
/// Whether the elements first .. first + count of a view are there and lie on a pack's boundary.
template <class T, U32 count>
__forceinline__ bool has_pack(const Pair& view, U64 first) {
  return first < view.second && view.second - first >= count &&
         reinterpret_cast<U64>(view.first + first * sizeof(T)) % (sizeof(T) * count) == 0;
}
template <class T, U32 count>
__forceinline__ Pack<T, count> load_pack(const Pair& view, U64 first) {
  return *reinterpret_cast<const Pack<T, count>*>(view.first + first * sizeof(T));
}
template <class T, U32 count>
__forceinline__ void store_pack(const Pair& view, U64 first, const Pack<T, count>& pack) {
  *reinterpret_cast<Pack<T, count>*>(view.first + first * sizeof(T)) = pack;
}

/// The elements low .. low + held of an array, which the block keeps.
struct Staged {
  Bytes elements;
  U64 low;
  U64 held;
};
/// Loads what lanes first .. first + blockDim may read within `reach` of their index. A barrier follows.
template <class T, U32 reach>
__forceinline__ Staged stage_elements(Bytes elements, const Pair& view, U64 first) {
  const U64 low = first > reach ? first - reach : 0;
  const U64 wanted = first - low + blockDim.x + reach;
  const U64 there = view.second > low ? view.second - low : 0;
  const U64 held = there < wanted ? there : wanted;
  for (U64 e = threadIdx.x; e < held; e += blockDim.x) {
    store<T>(elements + e * sizeof(T), load<T>(view.first + (low + e) * sizeof(T)));
  }
  return {elements, low, held};
}
/// Element i, of the stage where that has it.
template <class T>
__forceinline__ T staged_element(const Staged& stage, const unsigned char* array, U64 i) {
  const U64 e = i - stage.low;
  return e < stage.held ? load<T>(stage.elements + e * sizeof(T)) : load<T>(array + i * sizeof(T));
}

/// Blocks of as many indices as a block has threads, in step for all threads: `stage(first)`, then `lane(i)`.
template <U32 unrolled, class Stage, class Lane>
__forceinline__ void each_staged(U64 count, Stage stage, Lane lane) {
  const U64 stride = static_cast<U64>(gridDim.x) * blockDim.x;
  U64 first = static_cast<U64>(blockIdx.x) * blockDim.x;
  if (first >= count) return;
  U64 left = (count - 1 - first) / stride + 1;
#pragma unroll unrolled
  for (; left != 0; --left) {
    stage(first);
    __syncthreads();
    if (threadIdx.x < count - first) lane(first + threadIdx.x);
    __syncthreads();
    first += stride;
  }
}

}  // namespace cairn::kernel
