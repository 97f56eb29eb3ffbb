// exp, exp2, exp10, expm1, log, log2, log10, log1p, pow (pair floats, 5).
//
// The exponential is reduced to |r| <= (ln 2)/128 with a table of 2^(j/64) in three limbs (Tang, Table-driven
// implementation of the exponential function in IEEE floating-point arithmetic, ACM TOMS 15, 1989), the logarithm by a
// table of short reciprocals, so that z = mc - 1 is exact (Tang, Table-driven implementation of the logarithm function,
// ACM TOMS 16, 1990). Both give three limbs with an error below 2^-8 u^2, which pow and the functions built on them
// need.
#pragma once

#include "runtime/semantics/pair/tables/exponential.hpp"
#include "runtime/semantics/pair/tables/logarithm.hpp"
#include "runtime/semantics/pair/triple.hpp"

namespace cairn::semantics::pair {
inline namespace CAIRN_PAIR_BUILD {

// ------------------------------------------------------------------------------------------------------- exponential

/// e^x = (step + step part) 2^k, step = 2^(j/64) and part = e^r - 1 for the rest r.
template <class T>
struct Exponential {
  Triple<T> step;
  Triple<T> part;
  int k;
  bool whole;  // j = k = 0: e^x - 1 is `part`
};

/// Of an argument of magnitude below 2^11.
template <class T>
inline Exponential<T> exponential(Triple<T> x) {
  const T n = nearest(x.a * ExponentialScale<T>::value);
  const int index = static_cast<int>(n);
  const Triple<T> r = x - entry(ExponentialStep<T>::limbs, 0) * n;
  const Pair<T> short_r = to_pair(r);
  const Pair<T> tail = mul<Level::Low>(sqr<Level::Mid>(short_r), polynomial_of<ExponentialTail<T>>(short_r));
  return {entry(PowersOfTwo<T>::limbs, index & 63), r + tail, index >> 6, index == 0};
}
template <class T>
CAIRN_PAIR_INLINE Triple<T> value_of(const Exponential<T>& e) {
  return e.step + e.step * e.part;
}

/// Beyond these no result lies within the range, whatever the base.
template <class T>
inline constexpr T kExponentRange = sizeof(T) == 4 ? T(110) : T(760);

/// e^x for x in three limbs, of any size.
template <class T>
inline Pair<T> exp_of(Triple<T> x) {
  if (nan(x.a)) return of(x.a);
  if (x.a > kExponentRange<T>) return of(kInfinity<T>);
  if (x.a < -kExponentRange<T>) return of(T(0));
  const Exponential<T> e = exponential(x);
  return assembled(value_of(e), e.k);
}

template <class T>
inline Pair<T> exp(Pair<T> x) {
  x = ordinary(x);
  return exp_of(triple(x));
}
template <class T>
inline Pair<T> exp10(Pair<T> x) {
  x = ordinary(x);
  if (!(magnitude(x.hi) < kExponentRange<T>)) return exp_of(triple(x.hi));
  return exp_of(entry(ExponentialStep<T>::limbs, 1) * x);
}
template <class T>
inline Pair<T> exp2(Pair<T> x) {
  x = ordinary(x);
  constexpr T kRange = 2 * kExponentRange<T>;
  if (nan(x.hi)) return of(x.hi);
  if (x.hi > kRange) return of(kInfinity<T>);
  if (x.hi < -kRange) return of(T(0));
  // The whole part is exact, and so 2^n is.
  const T n = nearest(x.hi);
  const Triple<T> rest = triple(two_sum(x.hi - n, x.lo));
  const Exponential<T> e = exponential(entry(ExponentialStep<T>::limbs, 2) * rest);
  return assembled(value_of(e), e.k + static_cast<int>(n));
}

/// e^x - 1 in three limbs, relative to itself, for |x| < 2^11 where e^x is in range.
template <class T>
inline Triple<T> expm1_of(Triple<T> x) {
  const Exponential<T> e = exponential(x);
  if (e.whole) return e.part;
  return (scaled(e.step, e.k) + T(-1)) + scaled(e.step * e.part, e.k);
}
template <class T>
inline Pair<T> expm1(Pair<T> x) {
  x = ordinary(x);
  if (magnitude(x.hi) < power_of_two<T>(-2 * kPrecision<T> - 4)) return {x.hi, x.lo};
  if (nan(x.hi)) return of(x.hi);
  if (x.hi < T(-3 * kPrecision<T>)) return of(T(-1));
  if (x.hi > T(2 * kPrecision<T>)) return exp(x);
  return to_pair(expm1_of(triple(x)));
}

// --------------------------------------------------------------------------------------------------------- logarithm

/// log x = k ln 2 + rest.
template <class T>
struct Logarithm {
  int k;
  Triple<T> rest;
};

/// Of a positive number whose limbs are scaled by `exponent` already.
template <class T>
inline Logarithm<T> logarithm(Triple<T> x, int exponent = 0) {
  if (x.a < kLeastNormal<T> * power_of_two<T>(2 * kPrecision<T>)) {
    x = scaled(x, 4 * kPrecision<T>);
    exponent -= 4 * kPrecision<T>;
  }
  int k = exponent_of(x.a);
  const auto index = static_cast<unsigned>(bits_of(x.a) >> (kPrecision<T> - 8)) & 127U;
  if (index >= Reciprocals<T>::first_halved) ++k;
  const T scale = power_of_two<T>(-k);
  const Triple<T> m = {x.a * scale, x.b * scale, x.c * scale};
  const T c = Reciprocals<T>::limbs[index];
  // The products with a short limb are exact, and so is the leading difference.
  const Pair<T> top = two_prod(m.a, c);
  const Pair<T> middle = two_prod(m.b, c);
  const Triple<T> z = Triple<T>{top.hi - T(1), top.lo, T(0)} + Triple<T>{middle.hi, middle.lo, m.c * c};
  const Triple<T> square = z * z;
  const Pair<T> short_z = to_pair(z);
  const Pair<T> cube = mul<Level::Low>(to_pair(square), short_z);
  const Pair<T> tail = mul<Level::Low>(cube, polynomial_of<LogarithmTail<T>>(short_z));
  const Triple<T> series = z + (Triple<T>{T(-0.5) * square.a, T(-0.5) * square.b, T(-0.5) * square.c} + tail);
  return {k + exponent, entry(LogarithmsOfReciprocals<T>::limbs, static_cast<int>(index)) + series};
}

/// The natural logarithm of a positive triple.
template <class T>
inline Triple<T> log_of(Triple<T> x, int exponent = 0) {
  const Logarithm<T> parts = logarithm(x, exponent);
  return entry(LogarithmScales<T>::limbs, 0) * static_cast<T>(parts.k) + parts.rest;
}
/// log(1 + v) in three limbs, relative to itself, for v > -1.
template <class T>
inline Triple<T> log1p_of(Triple<T> v) {
  if (magnitude(v.a) < T(1) / T(256)) {
    const Triple<T> square = v * v;
    const Pair<T> short_v = to_pair(v);
    const Pair<T> cube = mul<Level::Low>(to_pair(square), short_v);
    const Pair<T> tail = mul<Level::Low>(cube, polynomial_of<LogarithmTail<T>>(short_v));
    return v + (Triple<T>{T(-0.5) * square.a, T(-0.5) * square.b, T(-0.5) * square.c} + tail);
  }
  return log_of(v + T(1));
}

/// What the logarithms share: zero, negative numbers, infinities, NaN. True when `result` is the whole answer.
template <class T>
CAIRN_PAIR_INLINE bool logarithm_ends(Pair<T> x, Pair<T>& result) {
  if (x.hi > T(0) && finite(x.hi)) return false;
  result = of(x.hi == T(0) ? -kInfinity<T> : x.hi > T(0) ? x.hi : kNan<T>);
  return true;
}
template <class T>
inline Pair<T> log(Pair<T> x) {
  x = ordinary(x);
  Pair<T> end;
  if (logarithm_ends(x, end)) return end;
  const Pair<T> result = to_pair(log_of(triple(x)));
  return {result.hi + T(0), result.lo + T(0)};
}
template <class T>
inline Pair<T> log2(Pair<T> x) {
  x = ordinary(x);
  Pair<T> end;
  if (logarithm_ends(x, end)) return end;
  const Logarithm<T> parts = logarithm(triple(x));
  const Pair<T> result = to_pair(parts.rest * entry(LogarithmScales<T>::limbs, 1) + static_cast<T>(parts.k));
  return {result.hi + T(0), result.lo + T(0)};
}
template <class T>
inline Pair<T> log10(Pair<T> x) {
  x = ordinary(x);
  Pair<T> end;
  if (logarithm_ends(x, end)) return end;
  const Logarithm<T> parts = logarithm(triple(x));
  const Pair<T> result = to_pair(entry(LogarithmScales<T>::limbs, 2) * static_cast<T>(parts.k) +
                                 parts.rest * entry(LogarithmScales<T>::limbs, 3));
  return {result.hi + T(0), result.lo + T(0)};
}
template <class T>
inline Pair<T> log1p(Pair<T> x) {
  x = ordinary(x);
  if (magnitude(x.hi) < power_of_two<T>(-2 * kPrecision<T> - 4)) return x;
  const Triple<T> sum = triple(x) + T(1);
  if (!(sum.a > T(0)) || !finite(x.hi)) {
    return of(sum.a == T(0) ? -kInfinity<T> : x.hi > T(0) ? x.hi : kNan<T>);
  }
  return to_pair(log1p_of(triple(x)));
}

// --------------------------------------------------------------------------------------------------------------- pow

/// Whether the exact value is an integer, and whether that is odd.
template <class T>
CAIRN_PAIR_INLINE bool is_integer(Pair<T> y) {
  return truncated(y.hi) == y.hi && truncated(y.lo) == y.lo;
}
template <class T>
CAIRN_PAIR_INLINE bool is_odd(Pair<T> y) {
  return odd_limb(y.hi) != odd_limb(y.lo);
}

/// x to the power y, as IEEE 754's pow.
template <class T>
inline Pair<T> pow(Pair<T> x, Pair<T> y) {
  x = ordinary(x);
  y = ordinary(y);
  if (y.hi == T(0) || (x.hi == T(1) && x.lo == T(0))) return of(T(1));
  if (nan(x.hi) || nan(y.hi)) return of(kNan<T>);
  const Pair<T> base = abs(x);
  if (infinite(y.hi)) {
    if (base.hi == T(1) && base.lo == T(0)) return of(T(1));
    const bool above = base.hi > T(1) || (base.hi == T(1) && base.lo > T(0));
    return of(above == (y.hi > T(0)) ? kInfinity<T> : T(0));
  }
  const bool whole = is_integer(y);
  const T sign = sign_bit(x.hi) && whole && is_odd(y) ? T(-1) : T(1);
  if (x.hi == T(0) || infinite(x.hi)) {
    const bool large = infinite(x.hi) == (y.hi > T(0));
    return of(flip(large ? kInfinity<T> : T(0), sign));
  }
  if (x.hi < T(0) && !whole) return of(kNan<T>);
  const Triple<T> logarithm = log_of(triple(base));
  if (logarithm.a == T(0)) return of(sign);
  // The product may lie far beyond the range of limbs, or far below what can be seen beside 1.
  const int exponent = exponent_of(logarithm.a) + exponent_of(y.hi);
  Pair<T> result;
  if (exponent > 14) {
    result = of((logarithm.a > T(0)) == (y.hi > T(0)) ? kInfinity<T> : T(0));
  } else if (exponent < -3 * kPrecision<T>) {
    result = of(T(1));
  } else {
    result = exp_of(logarithm * y);
  }
  return {flip(result.hi, sign), flip(result.lo, result.lo == T(0) ? T(1) : sign)};
}

}  // namespace CAIRN_PAIR_BUILD
}  // namespace cairn::semantics::pair
