// c += a times b on whole matrices (numerics, 4): each block computes tiles of 128 x 128 of c in steps of 32 along the
// depth, two steps in shared memory, so that one is copied while the other is multiplied. From sm_80 on in tensor cores
// (mma.sync m16n8k16, PTX ISA, "Warp-level matrix instructions"; fragments by ldmatrix), which add products in an order
// of their own; 8-bit factors are widened to f16, which holds them exactly. Elsewhere each thread adds with increasing
// depth, as the host does.
#pragma once

#include "cuda/kernel/blocks.hpp"
#include "cuda/kernel/storage_floats.hpp"

namespace cairn::kernel {

struct Product {
  U64 rows, columns, depth;
  Bytes c;
  const unsigned char* a;
  const unsigned char* b;
};

inline constexpr U32 kSide = 128;  // of a tile
inline constexpr U32 kStep = 32;
inline constexpr U32 kProductThreads = 256;

struct FactorF16 {
  static constexpr U32 bytes = 2;
  static constexpr bool is_bf16 = false;
  static __forceinline__ float value(const unsigned char* at) { return widen_f16<float>(load<U16>(at)); }
  static __forceinline__ U16 half(const unsigned char* at) { return load<U16>(at); }
};
struct FactorBF16 {
  static constexpr U32 bytes = 2;
  static constexpr bool is_bf16 = true;
  static __forceinline__ float value(const unsigned char* at) { return sem::widen<sem::BF16, float>(load<U16>(at)); }
  static __forceinline__ U16 half(const unsigned char* at) { return load<U16>(at); }
};
template <class Format>
struct FactorF8 {
  static constexpr U32 bytes = 1;
  static constexpr bool is_bf16 = false;
  static __forceinline__ float value(const unsigned char* at) { return sem::widen<Format, float>(load<U8>(at)); }
  static __forceinline__ U16 half(const unsigned char* at) {
    U16 out = 0;
    narrow_f16(value(at), out);
    return out;
  }
};

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800

// Rows of a stage are 16 bytes longer than what they hold, so that the eight rows of an ldmatrix lie in different
// banks.
inline constexpr U32 kRowA = 2 * kStep + 16;
inline constexpr U32 kRowB = 2 * kSide + 16;

__forceinline__ U32 in_shared(const unsigned char* at) { return static_cast<U32>(__cvta_generic_to_shared(at)); }

/// 16 bytes, of which those past `there` are zero.
__forceinline__ void copy_sixteen(unsigned char* to, const unsigned char* from, U32 there) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(in_shared(to)),
               "l"(__cvta_generic_to_global(from)), "r"(there)
               : "memory");
}

/// `width` elements of each of `lines` lines of a matrix, from (row, column) on, into rows of a stage; zero outside.
template <class Factor, U32 lines, U32 width, U32 stage_row>
__forceinline__ void stage_part(unsigned char* stage, const unsigned char* from, U64 row, U64 column, U64 rows,
                                U64 columns, bool whole_chunks) {
  constexpr U32 chunks = width / 8;
#pragma unroll
  for (U32 part = 0; part < lines * chunks / kProductThreads; ++part) {
    const U32 chunk = threadIdx.x + part * kProductThreads;
    const U64 r = row + chunk / chunks;
    const U64 c = column + chunk % chunks * 8;
    unsigned char* const to = stage + chunk / chunks * stage_row + chunk % chunks * 16;
    const bool inside = r < rows && c < columns;
    const unsigned char* const at = inside ? from + (r * columns + c) * Factor::bytes : from;
    if (Factor::bytes == 2 && whole_chunks) {
      copy_sixteen(to, at, inside ? 16 : 0);
    } else {
#pragma unroll
      for (U32 e = 0; e < 8; ++e) {
        store<U16>(to + 2 * e, inside && c + e < columns ? Factor::half(at + e * Factor::bytes) : U16{0});
      }
    }
  }
}

template <class Factor>
__forceinline__ void multiply_fragments(float (&c)[4], const U32 (&a)[4], const U32* b) {
  if constexpr (Factor::is_bf16) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  } else {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
}

template <class Factor>
__forceinline__ void multiply_tile(const Product& p, U64 row, U64 column) {
  __shared__ __align__(16) unsigned char stage_a[2][kSide * kRowA];
  __shared__ __align__(16) unsigned char stage_b[2][kStep * kRowB];
  const U32 warp = threadIdx.x / 32;
  const U32 lane = threadIdx.x % 32;
  const U32 warp_row = warp / 4 * 64;  // of the 64 x 32 part a warp computes
  const U32 warp_column = warp % 4 * 32;
  const bool whole_a = p.depth % 8 == 0 && reinterpret_cast<U64>(p.a) % 16 == 0;
  const bool whole_b = p.columns % 8 == 0 && reinterpret_cast<U64>(p.b) % 16 == 0;
  float c[4][4][4] = {};
  const auto fill = [&](U32 stage, U64 from) {
    stage_part<Factor, kSide, kStep, kRowA>(stage_a[stage], p.a, row, from, p.rows, p.depth, whole_a);
    stage_part<Factor, kStep, kSide, kRowB>(stage_b[stage], p.b, from, column, p.depth, p.columns, whole_b);
    asm volatile("cp.async.commit_group;" ::: "memory");
  };
  if (p.depth != 0) fill(0, 0);
  U32 stage = 0;
  for (U64 from = 0; from < p.depth; from += kStep, stage ^= 1) {
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    __syncthreads();
    if (from + kStep < p.depth) fill(stage ^ 1, from + kStep);
#pragma unroll
    for (U32 k = 0; k < kStep; k += 16) {
      U32 a[4][4];
      U32 b[4][2];
#pragma unroll
      for (U32 i = 0; i < 4; ++i) {
        const unsigned char* const at =
            stage_a[stage] + (warp_row + 16 * i + lane % 16) * kRowA + 2 * (k + lane / 16 * 8);
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(a[i][0]), "=r"(a[i][1]), "=r"(a[i][2]), "=r"(a[i][3])
                     : "r"(in_shared(at))
                     : "memory");
      }
#pragma unroll
      for (U32 j = 0; j < 4; j += 2) {
        const unsigned char* const at =
            stage_b[stage] + (k + lane % 16) * kRowB + 2 * (warp_column + 8 * j + lane / 16 * 8);
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(b[j][0]), "=r"(b[j][1]), "=r"(b[j + 1][0]), "=r"(b[j + 1][1])
                     : "r"(in_shared(at))
                     : "memory");
      }
#pragma unroll
      for (U32 i = 0; i < 4; ++i) {
#pragma unroll
        for (U32 j = 0; j < 4; ++j) multiply_fragments<Factor>(c[i][j], a[i], b[j]);
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (U32 i = 0; i < 4; ++i) {
#pragma unroll
    for (U32 j = 0; j < 4; ++j) {
#pragma unroll
      for (U32 v = 0; v < 4; ++v) {
        const U64 r = row + warp_row + 16 * i + lane / 4 + v / 2 * 8;
        const U64 k = column + warp_column + 8 * j + lane % 4 * 2 + v % 2;
        if (r >= p.rows || k >= p.columns) continue;
        unsigned char* const to = p.c + 4 * (r * p.columns + k);
        store<float>(to, load<float>(to) + c[i][j][v]);
      }
    }
  }
}

#else

template <class Factor>
__forceinline__ void multiply_tile(const Product& p, U64 row, U64 column) {
  for (U32 e = threadIdx.x; e < kSide * kSide; e += kProductThreads) {
    const U64 r = row + e / kSide;
    const U64 k = column + e % kSide;
    if (r >= p.rows || k >= p.columns) continue;
    unsigned char* const to = p.c + 4 * (r * p.columns + k);
    float sum = load<float>(to);
    for (U64 d = 0; d < p.depth; ++d) {
      sum = sum + Factor::value(p.a + (r * p.depth + d) * Factor::bytes) *
                      Factor::value(p.b + (d * p.columns + k) * Factor::bytes);
    }
    store<float>(to, sum);
  }
}

#endif

/// Tiles first, first + gridDim, .. of the product, row by row of tiles.
template <class Factor>
__forceinline__ void multiply(const Product& p, U64 tiles) {
  const U64 across = (p.columns - 1) / kSide + 1;
  for (U64 tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    multiply_tile<Factor>(p, tile / across * kSide, tile % across * kSide);
    __syncthreads();
  }
}

}  // namespace cairn::kernel
