// Rounding to integers, scaling by powers of two, and what exponents tell (pair floats, 2.6). Exact on the value of a
// normalized pair, except where scaling leaves the range of a limb.
#pragma once

#include "runtime/semantics/pair/compare.hpp"

namespace cairn::semantics::pair {
inline namespace CAIRN_PAIR_BUILD {

template <class T>
struct Parts {
  Pair<T> whole;
  Pair<T> part;
};
template <class T>
struct Scaled {
  Pair<T> frac;
  I32 exp;
};

/// The pair a function takes its operand for: itself when it is normalized, else the normalized pair of the sum; an
/// infinity or a NaN stands alone. So a function is one of the exact value, whatever the limbs.
template <class T>
CAIRN_PAIR_INLINE Pair<T> ordinary(Pair<T> x) {
  if (!finite(x.hi)) return of(x.hi);
  const Pair<T> sum = two_sum(x.hi, x.lo);
  if (sum.hi == x.hi) return x;
  return finite(sum.hi) ? sum : of(sum.hi);
}

enum class Rounding { Down, Up, Zero, HalfAway, HalfEven };

/// The largest integer limb not above x.
template <class T>
CAIRN_PAIR_INLINE T floor_limb(T x) {
  const T t = truncated(x);
  return t > x ? t - T(1) : t;
}
template <class T>
CAIRN_PAIR_INLINE bool odd_limb(T integer) {
  return truncated(integer * T(0.5)) != integer * T(0.5);
}

/// Whether a magnitude rounds away from zero: `part` in [0, 1) is its fraction, `rest` what still lies beyond the
/// fraction's own rounding (only its sign counts), `odd` says whether the integer below is.
template <Rounding mode, class T>
CAIRN_PAIR_INLINE bool rounds_up(T part, T rest, bool odd, bool negative) {
  const bool exact = part == T(0) && rest == T(0);
  if constexpr (mode == Rounding::Zero) return false;
  if constexpr (mode == Rounding::Down) return negative && !exact;
  if constexpr (mode == Rounding::Up) return !negative && !exact;
  if (part != T(0.5)) return part > T(0.5);
  if (rest != T(0)) return rest > T(0);
  return mode == Rounding::HalfAway || odd;
}

/// The pair with the sign of another limb; its low limb is no -0.
template <class T>
CAIRN_PAIR_INLINE Pair<T> signed_like(Pair<T> x, T sign) {
  const Pair<T> y = with_sign(x, sign);
  return {y.hi, y.lo + T(0)};
}

template <Rounding mode, class T>
inline Pair<T> to_integer(Pair<T> x) {
  if (x.hi == T(0) || !finite(x.hi)) return of(x.hi);
  const bool negative = sign_bit(x.hi);
  const Pair<T> y = abs(x);
  Pair<T> whole;
  if (const T below = truncated(y.hi); below != y.hi) {
    whole = of(below + T(rounds_up<mode>(y.hi - below, y.lo, odd_limb(below), negative) ? 1 : 0));
  } else {
    const T low = floor_limb(y.lo);
    const bool odd = odd_limb(y.hi) != odd_limb(low);
    // The fraction of a low limb just below an integer may round up to 1: above one half all the same.
    whole = fast_two_sum(y.hi, low + T(rounds_up<mode>(y.lo - low, T(0), odd, negative) ? 1 : 0));
  }
  return signed_like(whole, x.hi);
}

template <class T>
inline Pair<T> floor(Pair<T> x) {
  return to_integer<Rounding::Down>(x);
}
template <class T>
inline Pair<T> ceil(Pair<T> x) {
  return to_integer<Rounding::Up>(x);
}
template <class T>
inline Pair<T> trunc(Pair<T> x) {
  return to_integer<Rounding::Zero>(x);
}
/// Halves away from zero.
template <class T>
inline Pair<T> round(Pair<T> x) {
  return to_integer<Rounding::HalfAway>(x);
}
/// Halves to even.
template <class T>
inline Pair<T> rint(Pair<T> x) {
  return to_integer<Rounding::HalfEven>(x);
}

/// trunc(x) and x - trunc(x), both exact and with the sign of x.
template <class T>
inline Parts<T> split_int(Pair<T> x) {
  if (nan(x.hi)) return {of(x.hi), of(x.hi)};
  if (x.hi == T(0) || infinite(x.hi)) return {of(x.hi), of(with_sign(T(0), x.hi))};
  const Pair<T> y = abs(x);
  const T below = truncated(y.hi);
  Pair<T> whole = of(below);
  Pair<T> part;
  if (below != y.hi) {
    part = fast_two_sum(y.hi - below, y.lo);
  } else {
    const T low = floor_limb(y.lo);
    whole = fast_two_sum(y.hi, low);
    part = fast_two_sum(-low, y.lo);
  }
  return {signed_like(whole, x.hi), signed_like(part, x.hi)};
}

/// Both limbs times 2^n, each rounded once; (inf, +0) beyond the range.
template <class T>
inline Pair<T> ldexp(Pair<T> x, I32 n) {
  const T hi = scaled(x.hi, n);
  if (!finite(hi) || hi == T(0)) return of(hi);
  return {hi, scaled(x.lo, n)};
}

/// Floor of log2 of the exact magnitude.
template <class T>
inline I32 ilogb(Pair<T> x) {
  if (x.hi == T(0)) return kMin<I32>;
  if (!finite(x.hi)) return kMax<I32>;
  const bool just_below = magnitude(significand_of(x.hi)) == T(1) && x.lo != T(0) && sign_bit(x.hi) != sign_bit(x.lo);
  return exponent_of(x.hi) - (just_below ? 1 : 0);
}

/// x = frac 2^exp with 1/2 <= abs(frac) < 1.
template <class T>
inline Scaled<T> frexp(Pair<T> x) {
  if (x.hi == T(0) || !finite(x.hi)) return {of(x.hi), 0};
  const I32 exp = ilogb(x) + 1;
  return {{scaled(x.hi, -exp), scaled(x.lo, -exp)}, exp};
}

}  // namespace CAIRN_PAIR_BUILD
}  // namespace cairn::semantics::pair
