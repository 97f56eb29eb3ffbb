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
  WholeOf<T> k;
  TruthOf<T> whole;  // j = k = 0: e^x - 1 is `part`
};

/// Of an argument of magnitude below 2^11.
template <class T>
inline Exponential<T> exponential(Triple<T> x) {
  using Limb = LimbOf<T>;
  const T n = nearest(x.a * T(ExponentialScale<Limb>::value));
  const WholeOf<T> index = whole_of(n);
  const Triple<T> r = x - constant_entry<T>(ExponentialStep<Limb>::limbs, 0) * n;
  const Pair<T> short_r = to_pair(r);
  const Pair<T> tail = mul<Level::Low>(sqr<Level::Mid>(short_r), polynomial_of<ExponentialTail>(short_r));
  return {entry_at<T>(PowersOfTwo<Limb>::limbs, index & 63), r + tail, index >> 6, index == 0};
}
template <class T>
CAIRN_PAIR_INLINE Triple<T> value_of(const Exponential<T>& e) {
  return e.step + e.step * e.part;
}

/// e^x = m 2^k to little more than one rounding of a pair, where nothing is made of it: what is left of x lies in a
/// pair. Of an argument of magnitude below 2^11.
template <class T>
struct ShortExponential {
  Pair<T> m;  // between 0.99 and 2.01
  WholeOf<T> k;
};
template <class T>
CAIRN_PAIR_INLINE ShortExponential<T> short_exponential(Triple<T> x) {
  using Limb = LimbOf<T>;
  const Limb* const unit = ExponentialStep<Limb>::limbs;
  const T n = nearest(x.a * T(ExponentialScale<Limb>::value));
  const WholeOf<T> index = whole_of(n);
  // The difference of the leading limbs is exact (Sterbenz).
  const Pair<T> first = two_prod(n, T(unit[0]));
  const Pair<T> second = two_prod(n, T(unit[1]));
  const Pair<T> u = two_sum(x.b, -first.lo);
  const Pair<T> v = two_sum(u.hi, -second.hi);
  const Pair<T> top = two_sum(x.a - first.hi, v.hi);
  const T low = (u.lo + v.lo) + (fused(-n, T(unit[2]), x.c) - second.lo);
  const Pair<T> r = fast_two_sum(top.hi, top.lo + low);
  const Pair<T> tail = mul<Level::Low>(sqr<Level::Mid>(r), falling_polynomial_of<ExponentialTail>(r));
  const Pair<T> part = add_smaller(r, tail);
  const Triple<T> step = entry_at<T>(PowersOfTwo<Limb>::limbs, index & 63);
  return {pair_with_smaller(step, mul<Level::Low>(Pair<T>{step.a, step.b}, part)), index >> 6};
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
  const ShortExponential<T> e = short_exponential(x);
  return assembled(e.m, e.k);
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
  return exp_of(constant_entry<T>(ExponentialStep<T>::limbs, 1) * x);
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
  const ShortExponential<T> e = short_exponential(entry(ExponentialStep<T>::limbs, 2) * rest);
  return assembled(e.m, e.k + static_cast<int>(n));
}

/// e^x - 1 in three limbs, relative to itself, for |x| < 2^11 where e^x is in range.
template <class T>
inline Triple<T> expm1_of(Triple<T> x) {
  const Exponential<T> e = exponential(x);
  if (e.whole) return e.part;
  return (scaled(e.step, e.k) + T(-1)) + scaled(e.step * e.part, e.k);
}
/// Between these e^x - 1 does not round to -1 or e^x.
template <class T>
inline constexpr int kExpm1Lowest = -3 * kPrecision<T>;
template <class T>
inline constexpr int kExpm1Highest = 2 * kPrecision<T>;
template <class T>
inline Pair<T> expm1(Pair<T> x) {
  x = ordinary(x);
  if (magnitude(x.hi) < kTinySquare<T>) return x;
  if (nan(x.hi)) return of(x.hi);
  if (x.hi < T(kExpm1Lowest<T>)) return of(T(-1));
  if (x.hi > T(kExpm1Highest<T>)) return exp(x);
  return to_pair(expm1_of(triple(x)));
}

// --------------------------------------------------------------------------------------------------------- logarithm

/// log x = k ln 2 + rest.
template <class T>
struct Logarithm {
  WholeOf<T> k;
  Triple<T> rest;
};

/// Where the logarithm of 1 + v is a series in v.
template <class T>
inline constexpr T kNearOne = T(0.00390625);
/// log(1 + v) in three limbs, relative to itself, for |v| < kNearOne.
template <class T>
inline Triple<T> log1p_series(Triple<T> v) {
  const Triple<T> square = v * v;
  const Pair<T> short_v = to_pair(v);
  const Pair<T> cube = mul<Level::Low>(to_pair(square), short_v);
  const Pair<T> tail = mul<Level::Low>(cube, polynomial_of<LogarithmTail>(short_v));
  return v + (Triple<T>{T(-0.5) * square.a, T(-0.5) * square.b, T(-0.5) * square.c} + tail);
}
/// Of the logarithm of m 2^k, m from about 0.7 to about 1.4, `index` from m's bits.
template <class T>
inline Triple<T> logarithm_of_significand(Triple<T> m, WholeOf<T> index) {
  using Limb = LimbOf<T>;
  const T c = looked_up(Reciprocals<Limb>::limbs, index, 1, 0);
  // The products with a short limb are exact, and so is the leading difference.
  const Pair<T> top = two_prod(m.a, c);
  const Pair<T> middle = two_prod(m.b, c);
  const Triple<T> z = Triple<T>{top.hi - T(1), top.lo, T(0)} + Triple<T>{middle.hi, middle.lo, m.c * c};
  return entry_at<T>(LogarithmsOfReciprocals<Limb>::limbs, index) + log1p_series(z);
}
/// Of a positive number of moderate size.
template <class T>
CAIRN_PAIR_INLINE Logarithm<T> logarithm_within(Triple<T> x) {
  const WholeOf<T> index = bits_from(x.a, kPrecision<T> - 8, 127);
  const TruthOf<T> halved = index >= static_cast<int>(Reciprocals<LimbOf<T>>::first_halved);
  const WholeOf<T> k = one_more_where(halved, normal_exponent(x.a));
  return {k, logarithm_of_significand(scaled_within(x, -k), index)};
}
/// Of a positive number whose limbs are scaled by `exponent` already.
template <class T>
inline Logarithm<T> logarithm(Triple<T> x, int exponent = 0) {
  if (x.a < kLeastNormal<T> * power_of_two<T>(2 * kPrecision<T>)) {
    x = scaled(x, 4 * kPrecision<T>);
    exponent -= 4 * kPrecision<T>;
  }
  int k = exponent_of(x.a);
  const int index = bits_from(x.a, kPrecision<T> - 8, 127);
  if (index >= static_cast<int>(Reciprocals<T>::first_halved)) ++k;
  const T scale = power_of_two<T>(-k);
  return {k + exponent, logarithm_of_significand(Triple<T>{x.a * scale, x.b * scale, x.c * scale}, index)};
}

/// The natural logarithm of what has these parts; of a positive triple.
template <class T>
CAIRN_PAIR_INLINE Triple<T> natural(const Logarithm<T>& parts) {
  return constant_entry<T>(LogarithmScales<LimbOf<T>>::limbs, 0) * limb_of_whole<LimbOf<T>>(parts.k) + parts.rest;
}
template <class T>
inline Triple<T> log_of(Triple<T> x, int exponent = 0) {
  return natural(logarithm(x, exponent));
}
template <class T>
CAIRN_PAIR_INLINE Pair<T> log2_of(const Logarithm<T>& parts) {
  return to_pair(parts.rest * constant_entry<T>(LogarithmScales<LimbOf<T>>::limbs, 1) +
                 limb_of_whole<LimbOf<T>>(parts.k));
}
template <class T>
CAIRN_PAIR_INLINE Pair<T> log10_of(const Logarithm<T>& parts) {
  return to_pair(constant_entry<T>(LogarithmScales<LimbOf<T>>::limbs, 2) * limb_of_whole<LimbOf<T>>(parts.k) +
                 parts.rest * constant_entry<T>(LogarithmScales<LimbOf<T>>::limbs, 3));
}
/// log(1 + v) in three limbs, relative to itself, for v > -1.
template <class T>
inline Triple<T> log1p_of(Triple<T> v) {
  return magnitude(v.a) < kNearOne<T> ? log1p_series(v) : log_of(v + T(1));
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
  const Pair<T> result = log2_of(logarithm(triple(x)));
  return {result.hi + T(0), result.lo + T(0)};
}
template <class T>
inline Pair<T> log10(Pair<T> x) {
  x = ordinary(x);
  Pair<T> end;
  if (logarithm_ends(x, end)) return end;
  const Pair<T> result = log10_of(logarithm(triple(x)));
  return {result.hi + T(0), result.lo + T(0)};
}
template <class T>
inline Pair<T> log1p(Pair<T> x) {
  x = ordinary(x);
  if (magnitude(x.hi) < kTinySquare<T>) return x;
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
