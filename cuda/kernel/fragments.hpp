// Fragments of mma.sync m16n8k16 (numerics, 9): what lane l holds, g = l / 4, t = l % 4. A fragment lies in the first
// bytes of its object, as the registers a lane holds; `Layout` says where element (row, column) of a tile lies.
#pragma once

#include "cuda/kernel/memory.hpp"
#include "runtime/semantics/storage_floats.hpp"

namespace cairn::kernel {

template <unsigned count>
struct Registers {
  U32 r[count];
};
template <unsigned count>
struct Accumulator {
  float c[count];
};

template <class Fragment>
__forceinline__ Fragment fragment(const unsigned char* at) {
  return *reinterpret_cast<const Fragment*>(at);
}
template <class Fragment>
__forceinline__ void keep_fragment(unsigned char* at, const Fragment& value) {
  *reinterpret_cast<Fragment*>(at) = value;
}

template <unsigned count>
__forceinline__ void fill_fragment(unsigned char* to, float value) {
  Accumulator<count> made;
#pragma unroll
  for (unsigned v = 0; v < count; ++v) made.c[v] = value;
  keep_fragment(to, made);
}

__forceinline__ U32 lane_of_warp() { return threadIdx.x % 32; }

/// Two neighbours of 16 bits, low half first.
template <class Layout>
__forceinline__ U32 two_of(const unsigned char* tile, U64 row, U64 column, U64 down, U64 across) {
  const U32 low = load<U16>(tile + 2 * Layout::offset(row, column));
  const U32 high = load<U16>(tile + 2 * Layout::offset(row + down, column + across));
  return low | high << 16;
}

#if defined(__CUDA_ARCH__)
__forceinline__ U32 shared_address(const unsigned char* at) { return static_cast<U32>(__cvta_generic_to_shared(at)); }
/// Whether ldmatrix may read the tile: its rows lie on 16 bytes when the tile does, and a part of an array need not.
__forceinline__ bool has_matrix_rows(const unsigned char* tile) {
  return __isShared(tile) && shared_address(tile) % 16 == 0;
}
#endif

/// A, 16 x 16, whose first element is (row, column) of the tile.
template <class Layout>
__forceinline__ void mma_load_a(unsigned char* to, const unsigned char* tile, U64 row, U64 column) {
  const U32 l = lane_of_warp();
  Registers<4> a;
#if defined(__CUDA_ARCH__)
  if (has_matrix_rows(tile)) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a.r[0]), "=r"(a.r[1]), "=r"(a.r[2]), "=r"(a.r[3])
                 : "r"(shared_address(tile + 2 * Layout::offset(row + l % 16, column + l / 16 * 8)))
                 : "memory");
    return keep_fragment(to, a);
  }
#endif
#pragma unroll
  for (U32 k = 0; k < 4; ++k) {
    a.r[k] = two_of<Layout>(tile, row + l / 4 + 8 * (k % 2), column + 2 * (l % 4) + 8 * (k / 2), 0, 1);
  }
  keep_fragment(to, a);
}

/// B, 16 x 8.
template <class Layout>
__forceinline__ void mma_load_b(unsigned char* to, const unsigned char* tile, U64 row, U64 column) {
  const U32 l = lane_of_warp();
  Registers<2> b;
#if defined(__CUDA_ARCH__)
  if (has_matrix_rows(tile)) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                 : "=r"(b.r[0]), "=r"(b.r[1])
                 : "r"(shared_address(tile + 2 * Layout::offset(row + l % 16, column)))
                 : "memory");
    return keep_fragment(to, b);
  }
#endif
#pragma unroll
  for (U32 k = 0; k < 2; ++k) {
    b.r[k] = two_of<Layout>(tile, row + 2 * (l % 4) + 8 * k, column + l / 4, 1, 0);
  }
  keep_fragment(to, b);
}

/// Where value v of this lane's share of a 16 x 8 accumulator lies.
template <class Layout>
__forceinline__ U64 share(U64 row, U64 column, U32 v) {
  const U32 l = lane_of_warp();
  return 4 * Layout::offset(row + l / 4 + 8 * (v / 2), column + 2 * (l % 4) + v % 2);
}

template <class Layout>
__forceinline__ void mma_load_accumulator(unsigned char* to, const unsigned char* tile, U64 row, U64 column) {
  Accumulator<4> c;
#pragma unroll
  for (U32 v = 0; v < 4; ++v) c.c[v] = load<float>(tile + share<Layout>(row, column, v));
  keep_fragment(to, c);
}

template <class Layout>
__forceinline__ void mma_store(const unsigned char* from, unsigned char* tile, U64 row, U64 column) {
  const auto c = fragment<Accumulator<4>>(from);
#pragma unroll
  for (U32 v = 0; v < 4; ++v) store<float>(tile + share<Layout>(row, column, v), c.c[v]);
}

// -------------------------------------------------------------------------------- plain forms of the instructions

#if !defined(__CUDA_ARCH__)
// What a tensor core does, without one: the lanes of a warp show each other what they hold, and an output takes its
// products in increasing k, each product and each sum rounded.

/// `count` registers of all 32 lanes: register r of lane l is [r][l].
template <unsigned count>
struct WarpRegisters {
  U32 of[count][32];
};
template <unsigned count>
WarpRegisters<count> of_the_warp(const U32 (&held)[count]) {
  WarpRegisters<count> all;
  for (U32 r = 0; r < count; ++r) {
    for (U32 l = 0; l < 32; ++l) all.of[r][l] = __shfl_sync(0xffffffffU, held[r], static_cast<int>(l));
  }
  return all;
}
template <bool bf16>
float widened(U32 pattern) {
  if constexpr (bf16) return sem::widen<sem::BF16, float>(static_cast<U16>(pattern));
  return sem::widen<sem::F16, float>(static_cast<U16>(pattern));
}

template <bool bf16>
void mma_step_plain(Accumulator<4>& c, const Registers<4>& a, const Registers<2>& b) {
  const auto left = of_the_warp(a.r);
  const auto right = of_the_warp(b.r);
  const U32 l = lane_of_warp();
  for (U32 v = 0; v < 4; ++v) {
    const U32 row = l / 4 + 8 * (v / 2);
    const U32 column = 2 * (l % 4) + v % 2;
    for (U32 k = 0; k < 16; ++k) {
      const U32 of_a = left.of[row / 8 + 2 * (k / 8)][row % 8 * 4 + k % 8 / 2];
      const U32 of_b = right.of[k / 8][column * 4 + k % 8 / 2];
      const U32 half = 16 * (k % 2);
      c.c[v] += widened<bf16>(of_a >> half) * widened<bf16>(of_b >> half);
    }
  }
}

/// Which lane holds what of a WMMA fragment is nobody's business: here lane l holds consecutive elements, row-major.
template <class T, U32 rows, U32 columns, bool by_rows>
void wmma_load_plain(unsigned char* to, const unsigned char* tile, U32 leading) {
  constexpr U32 kOwn = rows * columns / 32;
  for (U32 k = 0; k < kOwn; ++k) {
    const U32 element = lane_of_warp() * kOwn + k;
    const U32 r = element / columns;
    const U32 c = element % columns;
    store<T>(to + k * sizeof(T), load<T>(tile + sizeof(T) * (by_rows ? r * leading + c : c * leading + r)));
  }
}
template <U32 rows, U32 columns, bool by_rows>
void wmma_store_plain(const unsigned char* from, unsigned char* tile, U32 leading) {
  constexpr U32 kOwn = rows * columns / 32;
  for (U32 k = 0; k < kOwn; ++k) {
    const U32 element = lane_of_warp() * kOwn + k;
    const U32 r = element / columns;
    const U32 c = element % columns;
    store<float>(tile + 4 * (by_rows ? r * leading + c : c * leading + r), load<float>(from + k * 4));
  }
}
template <U32 m, U32 n, U32 depth, bool bf16>
void wmma_step_plain(unsigned char* acc, const unsigned char* a, const unsigned char* b) {
  const auto left = of_the_warp(fragment<Registers<m * depth / 64>>(a).r);
  const auto right = of_the_warp(fragment<Registers<depth * n / 64>>(b).r);
  const auto of = [](const auto& all, U32 element, U32 own) {
    const U32 place = element % own;
    return all.of[place / 2][element / own] >> 16 * (place % 2);
  };
  constexpr U32 kOwn = m * n / 32;
  for (U32 v = 0; v < kOwn; ++v) {
    const U32 element = lane_of_warp() * kOwn + v;
    float sum = load<float>(acc + v * 4);
    for (U32 k = 0; k < depth; ++k) {
      sum += widened<bf16>(of(left, element / n * depth + k, m * depth / 32)) *
             widened<bf16>(of(right, k * n + element % n, depth * n / 32));
    }
    store<float>(acc + v * 4, sum);
  }
}
#endif

/// c += a * b
template <bool bf16>
__forceinline__ void mma_step(Accumulator<4>& c, const Registers<4>& a, const Registers<2>& b) {
#if defined(__CUDA_ARCH__)
  if constexpr (bf16) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(c.c[0]), "+f"(c.c[1]), "+f"(c.c[2]), "+f"(c.c[3])
        : "r"(a.r[0]), "r"(a.r[1]), "r"(a.r[2]), "r"(a.r[3]), "r"(b.r[0]), "r"(b.r[1]));
  } else {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(c.c[0]), "+f"(c.c[1]), "+f"(c.c[2]), "+f"(c.c[3])
        : "r"(a.r[0]), "r"(a.r[1]), "r"(a.r[2]), "r"(a.r[3]), "r"(b.r[0]), "r"(b.r[1]));
  }
#else
  mma_step_plain<bf16>(c, a, b);
#endif
}
template <bool bf16>
__forceinline__ void mma_step(unsigned char* acc, const unsigned char* a, const unsigned char* b) {
  auto c = fragment<Accumulator<4>>(acc);
  mma_step<bf16>(c, fragment<Registers<4>>(a), fragment<Registers<2>>(b));
  keep_fragment(acc, c);
}

__forceinline__ float mma_get(const unsigned char* at, U64 v) {
  const auto c = fragment<Accumulator<4>>(at);
  return v == 0 ? c.c[0] : v == 1 ? c.c[1] : v == 2 ? c.c[2] : c.c[3];
}
__forceinline__ void mma_set(unsigned char* at, U64 v, float value) {
  auto c = fragment<Accumulator<4>>(at);
#pragma unroll
  for (U32 k = 0; k < 4; ++k) c.c[k] = v == k ? value : c.c[k];
  keep_fragment(at, c);
}

}  // namespace cairn::kernel
