// What one thread of an emulated warp does with fragments (numerics, 9.6). A thread's copy of a fragment is a row-major
// array of f32, operands widened. Of an accumulator only the elements of the thread's own lane can ever be seen, so
// only those are kept up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "runtime/matrices/multiply.hpp"

namespace cairn::runtime {

/// How a tile lies in memory: a 2-D storage layout (ownership and memory, 11) as 64-bit words, so that a program
/// carries it as text. A layout comes from outside and is never trusted: offsets are compared with the tile they index.
class TileLayout {
 public:
  struct Mode {
    std::uint64_t extent = 1;
    std::uint64_t stride = 0;
  };
  /// Modes of the rows, then of the columns, fastest first.
  TileLayout(std::vector<Mode> rows, std::vector<Mode> columns, std::uint32_t bits, std::uint32_t base,
             std::uint32_t shift, std::uint64_t cosize);

  [[nodiscard]] std::vector<std::uint64_t> words() const;
  /// Nothing when the bytes are no layout.
  [[nodiscard]] static std::optional<TileLayout> of(std::span<const std::uint8_t> bytes);

  [[nodiscard]] std::uint64_t rows() const { return extent(rows_); }
  [[nodiscard]] std::uint64_t columns() const { return extent(columns_); }
  [[nodiscard]] std::uint64_t cosize() const { return cosize_; }
  [[nodiscard]] std::uint64_t offset(std::uint64_t row, std::uint64_t column) const {
    const std::uint64_t sum = along(rows_, row) + along(columns_, column);
    return bits_ == 0 ? sum : sum ^ ((sum >> shift_) & (((std::uint64_t{1} << bits_) - 1) << base_));
  }

 private:
  static std::uint64_t extent(const std::vector<Mode>& modes);
  static std::uint64_t along(const std::vector<Mode>& modes, std::uint64_t coordinate) {
    std::uint64_t sum = 0;
    for (const Mode& mode : modes) {
      sum += coordinate % mode.extent * mode.stride;
      coordinate /= mode.extent;
    }
    return sum;
  }

  std::vector<Mode> rows_, columns_;
  std::uint32_t bits_, base_, shift_;
  std::uint64_t cosize_;
};

/// The lane that holds element (row, column) of an accumulator on the host, in both families.
[[nodiscard]] constexpr std::uint32_t lane_of(std::size_t row, std::size_t column) {
  return static_cast<std::uint32_t>((row % 8) * 4 + (column % 8) / 2);
}

/// Calls `visit(row, column)` for the elements of a rows x columns accumulator that a lane holds.
template <class Visit>
void for_each_own(std::size_t rows, std::size_t columns, std::uint32_t lane, Visit visit) {
  for (std::size_t row = lane / 4; row < rows; row += 8) {
    for (std::size_t column = std::size_t{lane % 4} * 2; column < columns; column += 8) {
      visit(row, column);
      visit(row, column + 1);
    }
  }
}

/// The element of a 16 x 8 accumulator that is value v of a lane, v below 4: row * 8 + column (numerics, 9.7).
[[nodiscard]] constexpr std::size_t value_element(std::uint32_t lane, std::size_t v) {
  return (lane / 4 + 8 * (v / 2)) * 8 + 2 * std::size_t{lane % 4} + v % 2;
}

/// acc + a * b over the lane's own elements: increasing k, the product rounded, the sum rounded. acc is m x n, a m x k,
/// b k x n.
void multiply_own(std::size_t m, std::size_t n, std::size_t k, float* acc, const float* a, const float* b,
                  std::uint32_t lane);

}  // namespace cairn::runtime
