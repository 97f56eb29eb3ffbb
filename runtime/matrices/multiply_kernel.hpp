// One block of outputs, kept in registers: kRows rows of kVectors vectors, over a run of p. One kernel per vector
// width, all of this template; a file compiled for wider vectors gives its own (multiply_avx2.cpp).
#pragma once

#include <cstddef>
#include <cstring>

namespace cairn::runtime {

/// What multiply_add runs. `rows` and `columns` are the size of a block.
struct MultiplyKernel {
  std::size_t rows = 0;
  std::size_t columns = 0;
  /// c[r][j] += a[p][r] * b[p][j] for all rows and columns, p from 0 to k - 1: `a` is packed k x rows, `b` k x columns,
  /// `c` has `stride` floats a row.
  void (*run)(std::size_t k, const float* a, const float* b, float* c, std::size_t stride) = nullptr;
};

[[nodiscard]] MultiplyKernel multiply_kernel_avx2();
[[nodiscard]] MultiplyKernel multiply_kernel_avx512();

template <int kWidth, int kRows, int kVectors>
void multiply_block(std::size_t k, const float* a, const float* b, float* c, std::size_t stride) {
  using Vector [[gnu::vector_size(kWidth * sizeof(float))]] = float;
  Vector sums[kRows][kVectors];
  for (int r = 0; r < kRows; ++r) {
    std::memcpy(sums[r], c + static_cast<std::size_t>(r) * stride, sizeof(sums[r]));
  }
  for (std::size_t p = 0; p < k; ++p) {
    Vector row[kVectors];
    std::memcpy(row, b + p * kWidth * kVectors, sizeof(row));
    for (int r = 0; r < kRows; ++r) {
      const float factor = a[p * kRows + static_cast<std::size_t>(r)];
      for (int v = 0; v < kVectors; ++v) sums[r][v] = sums[r][v] + row[v] * factor;  // two roundings: nothing contracts
    }
  }
  for (int r = 0; r < kRows; ++r) {
    std::memcpy(c + static_cast<std::size_t>(r) * stride, sums[r], sizeof(sums[r]));
  }
}

template <int kWidth, int kRows, int kVectors>
MultiplyKernel multiply_kernel() {
  return {kRows, static_cast<std::size_t>(kWidth) * kVectors, multiply_block<kWidth, kRows, kVectors>};
}

}  // namespace cairn::runtime
