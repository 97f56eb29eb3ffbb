// One rounding of an exact number to a format (reference algorithms, 1.3).
#pragma once

#include <cstdint>

#include "runtime/reference/formats.hpp"
#include "runtime/reference/value.hpp"

namespace cairn::reference {

enum class Rounding : std::uint8_t { NearestEven, NearestAway };
enum class Overflow : std::uint8_t { Default, Saturate, NotANumber };

/// numerator * 2^exponent / denominator, the denominator positive.
struct Quotient {
  mpz_class numerator;
  std::int64_t exponent = 0;
  mpz_class denominator = 1;
};

enum class Direction : std::uint8_t { NearestEven, NearestAway, Up, Down };

/// The neighbour, in that direction, on the format's grid continued past its largest value: steps 1 and 2 of 1.3.
[[nodiscard]] Value to_grid(const Quotient& number, const FormatInfo& format, Direction direction);
/// The same of a finite value.
[[nodiscard]] Value to_grid(const Value& number, const FormatInfo& format, Direction direction);

[[nodiscard]] constexpr Direction nearest(Rounding rounding) {
  return rounding == Rounding::NearestEven ? Direction::NearestEven : Direction::NearestAway;
}

/// Rounded once; `overflow` says what a number past the range gives. With `flush` a result below the least normal
/// magnitude becomes 0.
[[nodiscard]] Value round(const Value& number, Format format, Rounding rounding, Overflow overflow, bool flush);
[[nodiscard]] Value round(const Rational& number, Format format, Rounding rounding, Overflow overflow, bool flush);

/// Whether a finite value rounds past the format's range.
[[nodiscard]] bool rounds_past(const Value& number, Format format, Rounding rounding);

}  // namespace cairn::reference
