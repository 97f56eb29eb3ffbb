// A fixed-point sum of dyadic terms, exact whatever their exponents (reference algorithms, 3): wide enough for 2^60
// products of two f64 values, exponents -2148 to 2047. Signed 64-bit limbs, one for each 32 bits of weight, whose
// carries are settled only now and then.
#pragma once

#include <array>
#include <cstdint>

#include "runtime/reference/value.hpp"

namespace cairn::reference {

__extension__ using Wide = unsigned __int128;

class FixedPoint {
 public:
  /// Adds +-magnitude * 2^exponent; exponent >= -2148, and the term is below 2^2112.
  void add(bool negative, std::uint64_t magnitude, int exponent) {
    const auto [at, shift] = place(exponent);
    const Wide shifted = Wide{magnitude} << shift;
    const std::int64_t sign = negative ? -1 : 1;
    limbs_[at] += sign * static_cast<std::int64_t>(static_cast<std::uint32_t>(shifted));
    limbs_[at + 1] += sign * static_cast<std::int64_t>(static_cast<std::uint32_t>(shifted >> 32));
    limbs_[at + 2] += sign * static_cast<std::int64_t>(static_cast<std::uint32_t>(shifted >> 64));
    touched(at, at + 3);
  }
  void add_wide(bool negative, Wide magnitude, int exponent) {
    add(negative, static_cast<std::uint64_t>(magnitude), exponent);
    if (const auto high = static_cast<std::uint64_t>(magnitude >> 64); high != 0) add(negative, high, exponent + 64);
  }

  [[nodiscard]] Value value();
  void clear();

 private:
  static constexpr int kLeast = -2148;  // exponent of bit 0
  static constexpr std::size_t kLimbs = 140;
  static constexpr std::uint32_t kAddsBeforeCarry = std::uint32_t{1} << 29U;

  struct Place {
    std::size_t limb;
    unsigned shift;
  };
  static Place place(int exponent) {
    const auto bit = static_cast<unsigned>(exponent - kLeast);
    return {bit / 32, bit % 32};
  }
  void touched(std::size_t low, std::size_t end) {
    if (low < low_) low_ = low;
    if (end > end_) end_ = end;
    if (++adds_ == kAddsBeforeCarry) settle();
  }
  /// Brings every limb but the highest used one into [0, 2^32).
  void settle();

  std::array<std::int64_t, kLimbs> limbs_{};
  std::size_t low_ = kLimbs;  // limbs below low_ and from end_ on are 0
  std::size_t end_ = 0;
  std::uint32_t adds_ = 0;  // since the last settling
};

}  // namespace cairn::reference
