// Decimal text of pairs (pair floats, 2.9): digits of the exact value, correctly rounded, and the nearest pair of a
// text.
#pragma once

#include "runtime/semantics/pair/remainders.hpp"

namespace cairn::semantics::pair {
inline namespace CAIRN_PAIR_BUILD {

inline constexpr U64 kMostDigits = 120;
/// What `write_decimal` needs at most: a sign, the digits, their point, an exponent.
inline constexpr unsigned kDecimalSpace = kMostDigits + 12;

/// Writes the exact value rounded to `digits` (1 to kMostDigits) significant digits, ties to even; the count of bytes.
template <class T>
inline unsigned write_decimal(Pair<T> x, unsigned digits, U8* out) {
  x = ordinary(x);
  unsigned at = 0;
  const auto put = [&](const char* text) {
    for (; *text != 0; ++text) out[at++] = static_cast<U8>(*text);
  };
  if (nan(x.hi)) {
    put("nan");
    return at;
  }
  if (sign_bit(x.hi)) put("-");
  if (infinite(x.hi)) {
    put("inf");
    return at;
  }
  U8 digit[kMostDigits];
  int exponent = 0;
  if (x.hi == T(0)) {
    for (unsigned k = 0; k < digits; ++k) digit[k] = 0;
  } else {
    constexpr unsigned kWords = 2 * kPairWords<T> + 8;
    const int unit = unit_of(x.hi, x.lo);
    Natural<kWords> above = exact_magnitude<kWords>(x.hi, x.lo, unit);
    Natural<kWords> below(1);
    exponent = static_cast<int>((static_cast<I64>(above.bits() + unit - 1) * 30103) / 100000) - 1;
    if (unit > 0)
      above.shift_left(unit);
    else
      below.shift_left(-unit);
    if (exponent > 0)
      below.multiply_power_of_ten(exponent);
    else
      above.multiply_power_of_ten(-exponent);
    // The estimate is low by one to three; then above / below lies in [1, 10).
    while (true) {
      Natural<kWords> ten = below;
      ten.multiply_add(10, 0);
      if (above.compare(ten) < 0) break;
      below = ten;
      ++exponent;
    }
    for (unsigned k = 0; k < digits; ++k) {
      digit[k] = 0;
      while (above.compare(below) >= 0) {
        above.subtract(below);
        ++digit[k];
      }
      if (k + 1 < digits) above.multiply_add(10, 0);
    }
    above.shift_left(1);
    const int side = above.compare(below);
    if (side > 0 || (side == 0 && (digit[digits - 1] & 1) != 0)) {
      unsigned k = digits;
      while (k != 0 && digit[k - 1] == 9) digit[--k] = 0;
      if (k != 0) {
        ++digit[k - 1];
      } else {
        digit[0] = 1;
        ++exponent;
      }
    }
  }
  for (unsigned k = 0; k < digits; ++k) {
    if (k == 1) put(".");
    out[at++] = static_cast<U8>('0' + digit[k]);
  }
  put(exponent < 0 ? "e-" : "e+");
  const auto size = static_cast<unsigned>(exponent < 0 ? -exponent : exponent);
  if (size >= 100) out[at++] = static_cast<U8>('0' + size / 100);
  if (size >= 10) out[at++] = static_cast<U8>('0' + size / 10 % 10);
  out[at++] = static_cast<U8>('0' + size % 10);
  return at;
}

/// above / below rounded once. `below` is not zero.
template <class T, unsigned capacity>
inline T rounded_quotient(Natural<capacity> above, Natural<capacity> below) {
  if (above.is_zero()) return T(0);
  int top = above.bits() - below.bits();
  if (top > kMaxExponent<T> + 1) return kInfinity<T>;
  if (top < kLeastExponent<T> - 2) return T(0);
  {  // the exponent of the leading bit
    Natural<capacity> a = above;
    Natural<capacity> b = below;
    if (top > 0)
      b.shift_left(top);
    else
      a.shift_left(-top);
    if (a.compare(b) < 0) --top;
  }
  const int last = top - kPrecision<T> + 1 > kLeastExponent<T> ? top - kPrecision<T> + 1 : kLeastExponent<T>;
  if (last > 0)
    below.shift_left(last);
  else
    above.shift_left(-last);
  below.shift_left(kPrecision<T>);
  U64 significand = 0;
  for (int k = kPrecision<T>; k >= 0; --k) {
    significand <<= 1;
    if (above.compare(below) >= 0) {
      above.subtract(below);
      significand |= 1;
    }
    above.shift_left(1);
  }
  const int side = above.compare(below);
  if (side > 0 || (side == 0 && (significand & 1) != 0)) ++significand;
  return scaled(static_cast<T>(significand), last);
}

/// The nearest pair of digits 10^power.
template <class T, unsigned capacity>
inline Pair<T> nearest_decimal(Natural<capacity>& above, int power) {
  Natural<capacity> below(1);
  if (power > 0)
    above.multiply_power_of_ten(power);
  else
    below.multiply_power_of_ten(-power);
  const T high = rounded_quotient<T>(above, below);
  if (high == T(0) || !finite(high)) return of(high);
  const Dissected<T> parts = dissected(high);
  Natural<capacity> near = below;
  near.multiply(parts.significand);
  if (parts.exponent > 0) {
    near.shift_left(parts.exponent);
  } else {
    above.shift_left(-parts.exponent);
    below.shift_left(-parts.exponent);
  }
  if (above.compare(near) >= 0) {
    above.subtract(near);
    return joined(high, rounded_quotient<T>(above, below));
  }
  near.subtract(above);
  return joined(high, -rounded_quotient<T>(near, below));
}

/// Reads [+-] digits [. digits] [(e|E) [+-] digits]. -1 and the nearest pair, else the index of the first byte that
/// cannot stand where it does: `n` when the text ends too early.
template <class T>
inline I64 read_decimal(U64 n, const U8* s, Pair<T>& result) {
  U64 at = 0;
  const auto is_digit = [&] { return at < n && s[at] >= '0' && s[at] <= '9'; };
  const auto is = [&](char a, char b) { return at < n && (s[at] == a || s[at] == b); };
  const auto failed = [&] { return static_cast<I64>(at); };
  const bool negative = is('-', '-');
  if (is('+', '-')) ++at;

  // Digits beyond `kKept` only say whether the value lies above what was kept: no tie of a low limb has more of them.
  constexpr int kKept = sizeof(T) == 4 ? 200 : 1400;
  constexpr unsigned kWords = sizeof(T) == 4 ? 72 : 440;
  Natural<kWords> digits;
  int kept = 0;
  bool beyond = false;
  I64 power = 0;
  if (!is_digit()) return failed();
  for (bool fraction = false;; fraction = true) {
    for (; is_digit(); ++at) {
      const U32 digit = s[at] - U32{'0'};
      if (kept == kKept) {
        beyond = beyond || digit != 0;
        power += fraction ? 0 : 1;
        continue;
      }
      if (kept != 0 || digit != 0) {
        digits.multiply_add(10, digit);
        ++kept;
      }
      power -= fraction ? 1 : 0;
    }
    if (fraction || !is('.', '.')) break;
    ++at;
    if (!is_digit()) return failed();
  }
  if (is('e', 'E')) {
    ++at;
    const bool down = is('-', '-');
    if (is('+', '-')) ++at;
    if (!is_digit()) return failed();
    I64 written = 0;
    constexpr I64 kEnough = I64{1} << 61;
    for (; is_digit(); ++at) written = written < kEnough / 10 - 1 ? written * 10 + (s[at] - '0') : written;
    power += down ? -written : written;
  }
  if (at != n) return failed();
  if (beyond) {
    digits.multiply_add(10, 1);
    ++kept;
    --power;
  }
  constexpr int kRange = sizeof(T) == 4 ? 60 : 360;
  Pair<T> x = of(T(0));
  if (kept != 0) {
    if (power + kept > kRange)
      x = of(kInfinity<T>);
    else if (power + kept > -kRange)
      x = nearest_decimal<T>(digits, static_cast<int>(power));
  }
  result = signed_like(x, negative ? T(-1) : T(1));
  return -1;
}

}  // namespace CAIRN_PAIR_BUILD
}  // namespace cairn::semantics::pair
