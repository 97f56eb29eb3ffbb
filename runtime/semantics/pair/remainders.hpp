// fmod, remainder and remquo (pair floats, 2.6): on the operands' integers, so that no quotient is ever rounded.
#pragma once

#include "runtime/semantics/pair/conversions.hpp"
#include "runtime/semantics/pair/naturals.hpp"

namespace cairn::semantics::pair {
inline namespace CAIRN_PAIR_BUILD {

template <class T>
struct Quotient {
  Pair<T> rem;
  I32 quo;
};

/// The pair nearest to n 2^unit, of a sign.
template <class T, unsigned capacity>
inline Pair<T> nearest_pair(const Natural<capacity>& n, int unit, bool negative) {
  const T high = rounded<T>(n, unit);
  T low = T(0);
  if (finite(high) && high != T(0)) {
    const Dissected<T> parts = dissected(high);
    Natural<capacity> near(parts.significand);
    Natural<capacity> rest = n;
    // The high limb has no bit below the unit unless the number itself is shorter than a limb.
    if (parts.exponent >= unit) {
      near.shift_left(parts.exponent - unit);
    } else {
      rest.shift_left(unit - parts.exponent);
      unit = parts.exponent;
    }
    const bool above = rest.compare(near) < 0;
    if (above) {
      near.subtract(rest);
      low = -rounded<T>(near, unit);
    } else {
      rest.subtract(near);
      low = rounded<T>(rest, unit);
    }
  }
  const Pair<T> result = joined(high, low);
  return signed_like(result, negative ? T(-1) : T(1));
}

/// x - n y with n = x/y truncated, or nearest with ties to even; the low bits of n with the quotient's sign.
template <class T>
inline Quotient<T> exact_remainder(Pair<T> x, Pair<T> y, bool to_nearest) {
  x = ordinary(x);
  y = ordinary(y);
  if (nan(x.hi) || nan(y.hi) || infinite(x.hi) || y.hi == T(0)) return {of(kNan<T>), 0};
  if (infinite(y.hi) || x.hi == T(0)) return {x.hi == T(0) ? of(x.hi) : x, 0};
  constexpr unsigned kWords = kPairWords<T>;
  const int unit_x = unit_of(x.hi, x.lo);
  const int unit_y = unit_of(y.hi, y.lo);
  const int unit = unit_x < unit_y ? unit_x : unit_y;
  Natural<kWords> divisor = exact_magnitude<kWords>(y.hi, y.lo, unit);
  // The bits of x come in from the top, in units of its own, while the remainder is below the divisor.
  const Natural<kWords> dividend = exact_magnitude<kWords>(x.hi, x.lo, unit_x);
  Natural<kWords> rest;
  U32 quotient = 0;
  for (int k = dividend.bits() + unit_x - unit; k-- > 0;) {
    const int bit = k - (unit_x - unit);
    rest.shift_left(1);
    if (bit >= 0 && dividend.bit(bit)) rest.add(Natural<kWords>(1));
    quotient <<= 1;
    if (rest.compare(divisor) >= 0) {
      rest.subtract(divisor);
      quotient |= 1;
    }
  }
  bool negative = sign_bit(x.hi);
  const bool quotient_negative = negative != sign_bit(y.hi);
  if (to_nearest) {
    Natural<kWords> twice = rest;
    twice.shift_left(1);
    const int side = twice.compare(divisor);
    if (side > 0 || (side == 0 && (quotient & 1) != 0)) {
      divisor.subtract(rest);
      rest = divisor;
      negative = !negative;
      ++quotient;
    }
  }
  const auto bits = static_cast<I32>(quotient & 0x7fffffffU);
  // A zero has the sign of x.
  Pair<T> rem = nearest_pair<T>(rest, unit, rest.is_zero() ? sign_bit(x.hi) : negative);
  return {rem, quotient_negative ? -bits : bits};
}

template <class T>
inline Pair<T> fmod(Pair<T> x, Pair<T> y) {
  return exact_remainder(x, y, false).rem;
}
template <class T>
inline Pair<T> remainder(Pair<T> x, Pair<T> y) {
  return exact_remainder(x, y, true).rem;
}
template <class T>
inline Quotient<T> remquo(Pair<T> x, Pair<T> y) {
  return exact_remainder(x, y, true);
}

}  // namespace CAIRN_PAIR_BUILD
}  // namespace cairn::semantics::pair
