#include "runtime/reference/soft_float.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace cairn::reference {

namespace {

/// The position of the highest bit of a number other than 0.
int highest_bit(Wide magnitude) {
  const auto high = static_cast<std::uint64_t>(magnitude >> 64);
  return high != 0 ? 127 - std::countl_zero(high) : 63 - std::countl_zero(static_cast<std::uint64_t>(magnitude));
}

double special(Value::Kind kind) {
  return kind == Value::Kind::NotANumber     ? std::numeric_limits<double>::quiet_NaN()
         : kind == Value::Kind::PlusInfinity ? std::numeric_limits<double>::infinity()
                                             : -std::numeric_limits<double>::infinity();
}

}  // namespace

Value Small::value() const {
  if (!is_finite()) return Value::of(special(kind));
  mpz_class significand;
  const std::uint64_t words[2] = {static_cast<std::uint64_t>(magnitude), static_cast<std::uint64_t>(magnitude >> 64)};
  mpz_import(significand.get_mpz_t(), 2, -1, sizeof(std::uint64_t), 0, 0, words);
  if (negative) significand = -significand;
  return {std::move(significand), exponent};
}

Small small(const Element& element) {
  const bool negative = element.significand < 0;
  return {static_cast<std::uint64_t>(negative ? -element.significand : element.significand), element.exponent, negative,
          element.kind};
}

Small small(double number) {
  if (!std::isfinite(number)) {
    return {0, 0, false,
            std::isnan(number) ? Value::Kind::NotANumber
            : number < 0       ? Value::Kind::MinusInfinity
                               : Value::Kind::PlusInfinity};
  }
  const auto bits = std::bit_cast<std::uint64_t>(number);
  const std::uint64_t fraction = bits & 0xfffffffffffffULL;
  const auto field = static_cast<int>(bits >> 52 & 0x7ffU);
  if (field == 0) return {fraction, -1074, (bits >> 63) != 0, Value::Kind::Finite};
  return {fraction | 1ULL << 52, field - 1075, (bits >> 63) != 0, Value::Kind::Finite};
}

Small product(const Element& a, const Element& b) {
  if (a.is_finite() && b.is_finite()) {
    const Small x = small(a);
    const Small y = small(b);
    return {x.magnitude * y.magnitude, x.exponent + y.exponent, x.negative != y.negative, Value::Kind::Finite};
  }
  const auto sign = [](const Element& e) {
    return e.kind == Value::Kind::PlusInfinity    ? 1
           : e.kind == Value::Kind::MinusInfinity ? -1
           : e.kind == Value::Kind::NotANumber    ? 0
                                                  : (e.significand > 0) - (e.significand < 0);
  };
  const int signs = sign(a) * sign(b);
  return {0, 0, false,
          signs == 0  ? Value::Kind::NotANumber
          : signs > 0 ? Value::Kind::PlusInfinity
                      : Value::Kind::MinusInfinity};
}

int compare(const Small& a, const Small& b) {
  const int sign_a = a.magnitude == 0 ? 0 : a.negative ? -1 : 1;
  const int sign_b = b.magnitude == 0 ? 0 : b.negative ? -1 : 1;
  if (sign_a != sign_b) return sign_a < sign_b ? -1 : 1;
  if (sign_a == 0) return 0;
  const int top_a = highest_bit(a.magnitude) + a.exponent;
  const int top_b = highest_bit(b.magnitude) + b.exponent;
  if (top_a != top_b) return (top_a < top_b) == (sign_a > 0) ? -1 : 1;
  // The same highest bit: moved to one exponent, both still fit.
  const Wide x = a.magnitude << (a.exponent > b.exponent ? a.exponent - b.exponent : 0);
  const Wide y = b.magnitude << (b.exponent > a.exponent ? b.exponent - a.exponent : 0);
  if (x == y) return 0;
  return (x < y) == (sign_a > 0) ? -1 : 1;
}

Rounder::Rounder(Format format, Rounding rounding)
    : p_(info(format).p),
      emin_(info(format).emin),
      largest_(info(format).largest.to_f64()),
      overflow_(special(info(format).infinities ? Value::Kind::PlusInfinity : Value::Kind::NotANumber)),
      ties_to_even_(rounding == Rounding::NearestEven) {}

double Rounder::round_magnitude(bool negative, Wide magnitude, int exponent) const {
  if (magnitude == 0) return 0;
  const int binade = highest_bit(magnitude) + exponent;
  const int step = std::max(binade, emin_) - p_ + 1;
  const int dropped = step - exponent;
  double result = 0;
  if (dropped <= 0) {
    result = std::ldexp(static_cast<double>(static_cast<std::uint64_t>(magnitude)), exponent);
  } else {
    std::uint64_t kept = dropped < 128 ? static_cast<std::uint64_t>(magnitude >> dropped) : 0;
    if (dropped <= 128) {
      const Wide half = Wide{1} << (dropped - 1);
      const Wide rest = dropped < 128 ? magnitude & ((half << 1) - 1) : magnitude;
      if (rest > half || (rest == half && (!ties_to_even_ || (kept & 1U) != 0))) ++kept;
    }
    // kept * 2^step may be 2^1024, which ldexp makes infinite: past every format.
    result = std::ldexp(static_cast<double>(kept), step);
  }
  if (result > largest_) result = overflow_;
  return negative ? -result : result;
}

double Rounder::round(const Small& number) const {
  if (!number.is_finite()) {
    const double value = special(number.kind);
    return std::isinf(value) ? std::copysign(overflow_, value) : value;
  }
  return round_magnitude(number.negative, number.magnitude, number.exponent);
}

double Rounder::add(double sum, const Small& term) const {
  if (!std::isfinite(sum) || !term.is_finite()) {
    const double result = sum + (term.is_finite() ? 0.0 : special(term.kind));
    return std::isinf(result) ? std::copysign(overflow_, result) : result;
  }
  if (term.magnitude == 0) return sum;
  if (sum == 0) return round(term);
  Small a = small(sum);
  Small b = term;
  // Both highest bits to bit 126: with at most 106 bits each, the low ones are free.
  for (Small* each : {&a, &b}) {
    const int shift = 126 - highest_bit(each->magnitude);
    each->magnitude <<= shift;
    each->exponent -= shift;
  }
  if (a.exponent < b.exponent || (a.exponent == b.exponent && a.magnitude < b.magnitude)) std::swap(a, b);
  const int distance = a.exponent - b.exponent;
  if (distance != 0) {
    // What is shifted out leaves its trace in the lowest bit, far below every place where the sum is cut.
    const Wide kept = distance < 127 ? b.magnitude >> distance : 0;
    const bool lost = distance >= 127 || (kept << distance) != b.magnitude;
    b.magnitude = kept | (lost ? 1U : 0U);
  }
  const Wide magnitude = a.negative == b.negative ? a.magnitude + b.magnitude : a.magnitude - b.magnitude;
  return round_magnitude(a.negative, magnitude, a.exponent);
}

}  // namespace cairn::reference
