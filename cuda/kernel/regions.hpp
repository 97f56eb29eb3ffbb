// The forms of regions and collectors (devices, 4 and 20): each index once, whatever the grid; totals and prefixes of
// integers exact in any order; a checked sum traps exactly when it overflows, since partial sums of unsigned numbers
// never exceed the total. Scans and selections work on tiles of consecutive indices: the blocks fold their tiles, one
// block turns the tiles' totals into offsets, the blocks finish (Blelloch 1990, Prefix sums and their applications).
#pragma once

#include "cuda/kernel/folds.hpp"
#include "cuda/kernel/memory.hpp"

namespace cairn::kernel {

inline constexpr U32 kThreads = 256;  // of a block
inline constexpr U32 kItems = 8;      // of a thread in a tile
inline constexpr U32 kTile = kThreads * kItems;
inline constexpr U32 kOffsetThreads = 1024;  // of the one block that makes offsets

/// Every index below the count once.
template <class Lane>
__forceinline__ void each_index(U64 count, Lane lane) {
  const U64 stride = static_cast<U64>(gridDim.x) * blockDim.x;
  const U64 first = static_cast<U64>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (first >= count) return;
  for (U64 i = first;; i += stride) {
    lane(i);
    if (count - i <= stride) break;
  }
}

/// left OP right, or a trap at the fold's own instruction.
template <class Fold>
__forceinline__ typename Fold::Type combined(At at, U32 site, typename Fold::Type left, typename Fold::Type right) {
  typename Fold::Type out;
  if (!Fold::combine(left, right, out)) fail(at, site, left, right);
  return out;
}

/// The fold of every thread's value, in thread 0, in a tree over `values`, one element a thread.
template <class Fold>
__forceinline__ void fold_block(At at, U32 site, typename Fold::Type value, typename Fold::Type* values) {
  const U32 t = threadIdx.x;
  values[t] = value;
  __syncthreads();
  for (U32 half = blockDim.x / 2; half != 0; half /= 2) {
    if (t < half) values[t] = combined<Fold>(at, site, values[t], values[t + half]);
    __syncthreads();
  }
}

/// Entry 1 of a reduction: each block's fold to its scratch word. `lane(i)` gives the identity OP the yield of i.
template <class Fold, class Lane>
__forceinline__ void reduce_partials(At at, U32 site, U64 count, Bytes scratch, Lane lane) {
  __shared__ typename Fold::Type values[kThreads];
  typename Fold::Type total = Fold::identity();
  each_index(count, [&](U64 i) {
    at.lane = i;
    total = combined<Fold>(at, site, total, lane(i));
  });
  fold_block<Fold>(at, site, total, values);
  if (threadIdx.x == 0) store<typename Fold::Type>(scratch + 8 * static_cast<U64>(blockIdx.x), values[0]);
}

/// Entry 2, one block: the fold of the scratch words.
template <class Fold>
__forceinline__ void reduce_total(At at, U32 site, Bytes scratch, U64 parts, Bytes to) {
  using T = typename Fold::Type;
  __shared__ T values[kThreads];
  T total = Fold::identity();
  for (U64 k = threadIdx.x; k < parts; k += kThreads) {
    total = combined<Fold>(at, site, total, load<T>(scratch + 8 * k));
  }
  fold_block<Fold>(at, site, total, values);
  if (threadIdx.x == 0 && to != nullptr) store<T>(to, values[0]);
}

/// Inclusive prefixes of one value a thread, over the block; `values` has an element for each thread.
template <class Fold>
__forceinline__ typename Fold::Type scan_block(At at, U32 site, typename Fold::Type value,
                                               typename Fold::Type* values) {
  const U32 t = threadIdx.x;
  values[t] = value;
  __syncthreads();
  for (U32 step = 1; step < blockDim.x; step *= 2) {
    typename Fold::Type before = values[t];
    if (t >= step) before = combined<Fold>(at, site, values[t - step], before);
    __syncthreads();
    values[t] = before;
    __syncthreads();
  }
  return values[t];
}

/// A tile's prefixes: `items` holds its values and then its prefixes. Gives the tile's total, in every thread.
template <class Fold, bool exclusive>
__forceinline__ typename Fold::Type scan_tile(At at, U32 site, typename Fold::Type* items,
                                              typename Fold::Type* values) {
  using T = typename Fold::Type;
  T* const own = items + threadIdx.x * kItems;
  T sum = Fold::identity();
  for (U32 k = 0; k < kItems; ++k) sum = combined<Fold>(at, site, sum, own[k]);
  scan_block<Fold>(at, site, sum, values);
  T before = threadIdx.x == 0 ? Fold::identity() : values[threadIdx.x - 1];
  for (U32 k = 0; k < kItems; ++k) {
    const T next = combined<Fold>(at, site, before, own[k]);
    own[k] = exclusive ? before : next;
    before = next;
  }
  __syncthreads();
  return values[kThreads - 1];
}

/// Entry 1 of a scan: each tile's own prefixes to the output, its total to its scratch word.
template <class Fold, bool exclusive, class Lane>
__forceinline__ void scan_tiles(At at, U32 site, U64 count, Bytes output, Bytes scratch, Lane lane) {
  using T = typename Fold::Type;
  __shared__ T items[kTile];
  __shared__ T values[kThreads];
  const U64 first = static_cast<U64>(blockIdx.x) * kTile;
  for (U32 k = threadIdx.x; k < kTile; k += kThreads) {
    at.lane = first + k;
    items[k] = first + k < count ? lane(first + k) : Fold::identity();
  }
  __syncthreads();
  const T total = scan_tile<Fold, exclusive>(at, site, items, values);
  for (U32 k = threadIdx.x; k < kTile; k += kThreads) {
    if (first + k < count) store<T>(output + (first + k) * sizeof(T), items[k]);
  }
  if (threadIdx.x == 0) store<T>(scratch + 8 * static_cast<U64>(blockIdx.x), total);
}

/// Entry 2, one block: each tile's total becomes what comes before the tile. `to`: null when nobody wants the total.
template <class Fold>
__forceinline__ void scan_offsets(At at, U32 site, Bytes scratch, U64 tiles, Bytes to) {
  using T = typename Fold::Type;
  __shared__ T values[kOffsetThreads];
  T before = Fold::identity();
  for (U64 first = 0; first < tiles; first += kOffsetThreads) {
    const U64 k = first + threadIdx.x;
    const T own = k < tiles ? load<T>(scratch + 8 * k) : Fold::identity();
    scan_block<Fold>(at, site, own, values);
    const T left = threadIdx.x == 0 ? Fold::identity() : values[threadIdx.x - 1];
    if (k < tiles) store<T>(scratch + 8 * k, combined<Fold>(at, site, before, left));
    before = combined<Fold>(at, site, before, values[kOffsetThreads - 1]);
    __syncthreads();
  }
  if (threadIdx.x == 0 && to != nullptr) store<T>(to, before);
}

/// Entry 3: every prefix is combined with what comes before its tile.
template <class Fold>
__forceinline__ void scan_add(At at, U32 site, U64 count, Bytes output, Bytes scratch) {
  using T = typename Fold::Type;
  const U64 first = static_cast<U64>(blockIdx.x) * kTile;
  const T before = load<T>(scratch + 8 * static_cast<U64>(blockIdx.x));
  for (U32 k = threadIdx.x; k < kTile && first + k < count; k += kThreads) {
    Bytes const element = output + (first + k) * sizeof(T);
    store<T>(element, combined<Fold>(at, site, before, load<T>(element)));
  }
}

/// Whether index i of a selection is kept lies after the staged elements.
__forceinline__ Bytes kept_flag(Bytes staging, U64 count, U32 size, U64 i) { return staging + count * size + i; }

/// Entry 1 of a selection: what an index yields goes to its place in the staging area, whether it is kept to its flag,
/// and how many of a tile are kept to the tile's scratch word. `lane(i, to)` stores at most one element and gives how
/// many.
template <U32 size, class Lane>
__forceinline__ void compact_tiles(At at, U64 count, Bytes staging, Bytes scratch, Lane lane) {
  using Count = Fold<FoldKind::AddWrap, U64>;
  __shared__ U64 values[kThreads];
  const U64 first = static_cast<U64>(blockIdx.x) * kTile;
  U64 kept = 0;
  for (U32 k = threadIdx.x; k < kTile && first + k < count; k += kThreads) {
    const U64 i = first + k;
    at.lane = i;
    const U64 one = lane(i, staging + i * size);
    store<U8>(kept_flag(staging, count, size, i), static_cast<U8>(one));
    kept += one;
  }
  fold_block<Count>(at, 0, kept, values);
  if (threadIdx.x == 0) store<U64>(scratch + 8 * static_cast<U64>(blockIdx.x), values[0]);
}

/// Entry 3: the kept elements go to the output, in order; what lies past them stays as it was.
template <U32 size, unsigned align>
__forceinline__ void compact_gather(At at, U64 count, Bytes output, Bytes staging, Bytes scratch) {
  using Count = Fold<FoldKind::AddWrap, U32>;
  __shared__ U32 values[kThreads];
  const U64 first = static_cast<U64>(blockIdx.x) * kTile;
  const U64 own = first + threadIdx.x * kItems;
  const auto is_kept = [&](U32 k) {
    return own + k < count && load<U8>(kept_flag(staging, count, size, own + k)) != 0;
  };
  U32 kept = 0;
  for (U32 k = 0; k < kItems; ++k) kept += is_kept(k) ? 1 : 0;
  scan_block<Count>(at, 0, kept, values);
  U64 to = load<U64>(scratch + 8 * static_cast<U64>(blockIdx.x)) + (threadIdx.x == 0 ? 0 : values[threadIdx.x - 1]);
  for (U32 k = 0; k < kItems; ++k) {
    if (is_kept(k)) copy<size, align>(output + size * to++, staging + size * (own + k));
  }
}

}  // namespace cairn::kernel
