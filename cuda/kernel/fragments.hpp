// Fragments of mma.sync m16n8k16 (numerics, 9): what lane l holds, g = l / 4, t = l % 4. A fragment lies in the first
// bytes of its object, as the registers a lane holds; `Layout` says where element (row, column) of a tile lies.
#pragma once

#include "cuda/kernel/memory.hpp"

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
#endif

/// A, 16 x 16, whose first element is (row, column) of the tile.
template <class Layout>
__forceinline__ void mma_load_a(unsigned char* to, const unsigned char* tile, U64 row, U64 column) {
  const U32 l = lane_of_warp();
  Registers<4> a;
#if defined(__CUDA_ARCH__)
  if (__isShared(tile)) {
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
  if (__isShared(tile)) {
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
