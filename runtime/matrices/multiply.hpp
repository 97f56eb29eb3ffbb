// c += a * b over row-major matrices of storage floats, in the host's fixed order (numerics, 4): every output starts
// from its old value and takes its products in increasing p, each product and each sum rounded to f32. Loops are
// interchanged and vectorized over columns, which changes no bit.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cairn::runtime {

enum class StorageFloat : std::uint8_t { F16, BF16, F8E4M3, F8E5M2 };

/// The value of a pattern (numerics, 2.3, widening), exact.
[[nodiscard]] float widened(StorageFloat format, std::uint32_t pattern);
/// Widens `count` elements from `from` on.
void widen_all(StorageFloat format, const void* from, std::size_t count, float* to);

/// a is m x k and b is k x n, both of `format`; c is m x n. c overlaps neither.
void multiply_add(StorageFloat format, std::size_t m, std::size_t n, std::size_t k, float* c, const void* a,
                  const void* b);

}  // namespace cairn::runtime
