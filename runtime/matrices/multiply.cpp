#include "runtime/matrices/multiply.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "runtime/matrices/multiply_kernel.hpp"
#include "runtime/processor.hpp"
#include "runtime/semantics/storage_floats.hpp"

namespace cairn::runtime {

namespace {

constexpr std::size_t kRun = 256;  // of p: what is packed stays in the caches

MultiplyKernel chosen_kernel() {
  if (has_avx512()) return multiply_kernel_avx512();
  if (has_fused_avx2()) return multiply_kernel_avx2();
  return multiply_kernel<4, 4, 2>();
}

template <class Format>
void widen_pattern_list(const void* from, std::size_t count, float* to) {
  const auto* bytes = static_cast<const std::uint8_t*>(from);
  for (std::size_t i = 0; i < count; ++i) {
    typename Format::Pattern pattern;
    std::memcpy(&pattern, bytes + i * sizeof(pattern), sizeof(pattern));
    to[i] = semantics::widen<Format, float>(pattern);
  }
}

constexpr std::size_t bytes_of(StorageFloat format) {
  return format == StorageFloat::F16 || format == StorageFloat::BF16 ? 2 : 1;
}

/// Rows and columns of a block that reach past the matrix are zero: what is made of them is dropped.
class Multiplication {
 public:
  Multiplication(StorageFloat format, std::size_t m, std::size_t n, std::size_t k)
      : kernel_(chosen_kernel()), format_(format), m_(m), n_(n), k_(k) {
    const std::size_t rows = (m + kernel_.rows - 1) / kernel_.rows * kernel_.rows;
    const std::size_t run = std::min(k, kRun);
    left_.resize(rows * run);
    right_.resize(run * kernel_.columns);
    line_.resize(std::max(run, kernel_.columns));
    edge_.resize(kernel_.rows * kernel_.columns);
  }

  void run(float* c, const std::uint8_t* a, const std::uint8_t* b) {
    for (std::size_t from = 0; from < k_; from += kRun) {
      const std::size_t count = std::min(kRun, k_ - from);
      pack_left(a, from, count);
      for (std::size_t column = 0; column < n_; column += kernel_.columns) {
        pack_right(b, from, count, column);
        for (std::size_t row = 0; row < m_; row += kernel_.rows) block(c, row, column, count);
      }
    }
  }

 private:
  /// Blocks of rows, each count x rows.
  void pack_left(const std::uint8_t* a, std::size_t from, std::size_t count) {
    std::ranges::fill(left_, 0.0F);
    for (std::size_t i = 0; i < m_; ++i) {
      widen_all(format_, a + (i * k_ + from) * bytes_of(format_), count, line_.data());
      float* const to = left_.data() + i / kernel_.rows * kernel_.rows * count + i % kernel_.rows;
      for (std::size_t p = 0; p < count; ++p) to[p * kernel_.rows] = line_[p];
    }
  }

  void pack_right(const std::uint8_t* b, std::size_t from, std::size_t count, std::size_t column) {
    const std::size_t used = std::min(kernel_.columns, n_ - column);
    for (std::size_t p = 0; p < count; ++p) {
      float* const to = right_.data() + p * kernel_.columns;
      widen_all(format_, b + ((from + p) * n_ + column) * bytes_of(format_), used, to);
      std::fill(to + used, to + kernel_.columns, 0.0F);
    }
  }

  void block(float* c, std::size_t row, std::size_t column, std::size_t count) {
    const float* const left = left_.data() + row * count;
    float* const at = c + row * n_ + column;
    const std::size_t rows = std::min(kernel_.rows, m_ - row);
    const std::size_t columns = std::min(kernel_.columns, n_ - column);
    if (rows == kernel_.rows && columns == kernel_.columns) {
      return kernel_.run(count, left, right_.data(), at, n_);
    }
    std::ranges::fill(edge_, 0.0F);
    const auto line = [&](std::size_t r) { return edge_.data() + r * kernel_.columns; };
    for (std::size_t r = 0; r < rows; ++r) std::copy_n(at + r * n_, columns, line(r));
    kernel_.run(count, left, right_.data(), edge_.data(), kernel_.columns);
    for (std::size_t r = 0; r < rows; ++r) std::copy_n(line(r), columns, at + r * n_);
  }

  MultiplyKernel kernel_;
  StorageFloat format_;
  std::size_t m_, n_, k_;
  std::vector<float> left_, right_, line_, edge_;
};

}  // namespace

float widened(StorageFloat format, std::uint32_t pattern) {
  switch (format) {
    case StorageFloat::F16:
      return semantics::widen<semantics::F16, float>(static_cast<std::uint16_t>(pattern));
    case StorageFloat::BF16:
      return semantics::widen<semantics::BF16, float>(static_cast<std::uint16_t>(pattern));
    case StorageFloat::F8E4M3:
      return semantics::widen<semantics::F8E4M3, float>(static_cast<std::uint8_t>(pattern));
    default:
      return semantics::widen<semantics::F8E5M2, float>(static_cast<std::uint8_t>(pattern));
  }
}

void widen_all(StorageFloat format, const void* from, std::size_t count, float* to) {
  switch (format) {
    case StorageFloat::F16:
      return widen_pattern_list<semantics::F16>(from, count, to);
    case StorageFloat::BF16:
      return widen_pattern_list<semantics::BF16>(from, count, to);
    case StorageFloat::F8E4M3:
      return widen_pattern_list<semantics::F8E4M3>(from, count, to);
    default:
      return widen_pattern_list<semantics::F8E5M2>(from, count, to);
  }
}

void multiply_add(StorageFloat format, std::size_t m, std::size_t n, std::size_t k, float* c, const void* a,
                  const void* b) {
  if (m == 0 || n == 0 || k == 0) return;
  Multiplication(format, m, n, k).run(c, static_cast<const std::uint8_t*>(a), static_cast<const std::uint8_t*>(b));
}

}  // namespace cairn::runtime
