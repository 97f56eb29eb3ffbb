// Pairs from and to floats and integers (pair floats, 2.3).
#pragma once

#include "runtime/semantics/pair/integers.hpp"

namespace cairn::semantics::pair {
inline namespace CAIRN_PAIR_BUILD {

/// high + rest, normalized; a zero, an infinity or a NaN stands alone.
template <class T>
CAIRN_PAIR_INLINE Pair<T> joined(T high, T rest) {
  if (high == T(0) || !finite(high)) return of(high);
  const Pair<T> sum = fast_two_sum(high, rest);
  return finite(sum.hi) ? sum : of(sum.hi);
}

/// Error at most u^2/2.
CAIRN_PAIR_INLINE Pair<float> from_f64(double d) {
  const auto high = static_cast<float>(d);
  return joined(high, static_cast<float>(d - static_cast<double>(high)));
}
/// Exact.
CAIRN_PAIR_INLINE Pair<double> widen(Pair<float> x) {
  return joined(static_cast<double>(x.hi), static_cast<double>(x.lo));
}
/// Error at most u^2/2.
CAIRN_PAIR_INLINE Pair<float> narrow(Pair<double> x) {
  const auto high = static_cast<float>(x.hi);
  return joined(high, static_cast<float>((x.hi - static_cast<double>(high)) + x.lo));
}

/// Exact where a pair holds i, else an error of at most u^2/2.
template <class T, class I>
CAIRN_PAIR_INLINE Pair<T> from_int(I i) {
  const T high = static_cast<T>(i);
  // The rest is small, so that arithmetic modulo 2^64 gives it, whether or not the high limb fits I.
  const T top = static_cast<T>(18446744073709551616.0);
  const U64 whole = high < T(0) ? U64{0} - static_cast<U64>(-high) : high < top ? static_cast<U64>(high) : 0;
  const U64 rest = static_cast<U64>(i) - whole;
  return joined(high, static_cast<T>(static_cast<I64>(rest)));
}

/// The exact sum, rounded once.
CAIRN_PAIR_INLINE double to_f64(Pair<float> x) { return static_cast<double>(x.hi) + static_cast<double>(x.lo); }
CAIRN_PAIR_INLINE double to_f64(Pair<double> x) { return x.hi + x.lo; }
CAIRN_PAIR_INLINE float to_f32(Pair<float> x) { return x.hi + x.lo; }
CAIRN_PAIR_INLINE float to_f32(Pair<double> x) {
  Pair<double> sum = two_sum(x.hi, x.lo);
  const U64 bits = bits_of(sum.hi);
  // To odd: then the second rounding sees on which side of a tie the sum lies.
  if (finite(sum.hi) && sum.lo != 0.0 && (bits & 1) == 0) {
    const bool outward = sign_bit(sum.hi) == sign_bit(sum.lo);
    sum.hi = limb_of<double>(outward ? bits + 1 : bits - 1);
  }
  return static_cast<float>(sum.hi);
}

/// The exact sum, truncated toward zero; false when a limb is no finite number or I does not hold the value.
template <class I, class T>
CAIRN_PAIR_INLINE bool to_int(Pair<T> x, I& result) {
  if (!finite(x.hi) || !finite(x.lo)) return false;
  const Pair<T> sum = two_sum(x.hi, x.lo);
  if (!finite(sum.hi)) return false;
  const Pair<T> whole = abs(trunc(sum));
  const T top = static_cast<T>(18446744073709551616.0);
  if (whole.hi > top || (whole.hi == top && !(whole.lo < T(0)))) return false;
  const U64 high = whole.hi < top ? static_cast<U64>(whole.hi) : 0;
  const U64 value = whole.lo < T(0) ? high - static_cast<U64>(-whole.lo) : high + static_cast<U64>(whole.lo);
  if (sign_bit(sum.hi)) {
    const U64 most = kSigned<I> ? static_cast<U64>(kMax<I>) + 1 : 0;
    if (value > most) return false;
    result = static_cast<I>(U64{0} - value);
    return true;
  }
  if (value > static_cast<U64>(kMax<I>)) return false;
  result = static_cast<I>(value);
  return true;
}

}  // namespace CAIRN_PAIR_BUILD
}  // namespace cairn::semantics::pair
