// A fixed-point accumulator that holds any sum of up to 2^64 finite doubles exactly, after R. M. Neal, "Fast exact
// summation using small and large superaccumulators" (2015): signed 64-bit chunks, one per 32 bits of weight, carries
// settled only now and then. It is the meaning of the exact parallel sum (numerics, section 6); faster methods end
// here.
#pragma once

#include <array>
#include <cstdint>

namespace cairn::runtime {

class Superaccumulator {
 public:
  /// Adds a finite double, exactly.
  void add(double value);
  /// Adds count * 2^exponent, exactly; exponent >= -1074, and the result must stay below 2^1090 in magnitude.
  void add_scaled(std::int64_t count, int exponent);
  void add(const Superaccumulator& other);

  /// The exact total rounded once, to nearest, ties to even; subnormal results and overflow to an infinity included.
  /// A total of zero is +0.0.
  [[nodiscard]] double to_f64() const;
  [[nodiscard]] float to_f32() const;

 private:
  static constexpr int kChunks = 70;    // 70 * 32 = 2240 bits from 2^-1074 up
  static constexpr int kLeast = -1074;  // exponent of bit 0
  static constexpr std::uint32_t kAddsBeforeCarry = std::uint32_t{1} << 29U;

  void settle();
  [[nodiscard]] std::uint64_t rounded(int precision, int least_exponent, int exponent_bits) const;

  std::array<std::int64_t, kChunks> chunks_{};
  int low_ = kChunks;  // chunks below low_ and above high_ are zero
  int high_ = -1;
  std::uint32_t adds_ = 0;  // since the last settling
};

}  // namespace cairn::runtime
