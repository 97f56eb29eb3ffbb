// erf, erfc, erfcx, the normal distribution, their inverses, and the Boys function of order 0 (pair floats, 5).
//
// Below 1/2 erf is its series; from there on erfc(x) = exp(-x^2) erfcx(x) with the exact square and local polynomials
// of erfcx, its asymptotic series from 16 on. The inverses refine a polynomial's guess by one step of Halley's method
// on the smaller tail (of third order: Gander, On Halley's iteration method, American Mathematical Monthly 92, 1985).
#pragma once

#include "runtime/semantics/pair/hyperbolic.hpp"
#include "runtime/semantics/pair/tables/errors.hpp"

namespace cairn::semantics::pair {
inline namespace CAIRN_PAIR_BUILD {

enum ErrorScale { kTwoOverRootPi, kOneOverRootPi, kHalfRootPi, kOneOverRootTwo, kRootTwo };
template <class T>
CAIRN_PAIR_INLINE Triple<T> error_scale(ErrorScale k) {
  return entry(ErrorScales<T>::limbs, k);
}

/// m 2^k.
template <class T>
struct Wide {
  Triple<T> m;
  int k;
};

/// 1 + w q(w), the integral of exp(-w t^2) over t from 0 to 1, for 0 <= w <= 1/4.
template <class T>
CAIRN_PAIR_INLINE Triple<T> boys_series(Triple<T> w) {
  const Pair<T> short_w = to_pair(w);
  return triple(mul<Level::Low>(short_w, polynomial_of<ErrorTail>(short_w))) + T(1);
}
/// erf(z) for |z| <= 1/2, relative to itself.
template <class T>
CAIRN_PAIR_INLINE Triple<T> erf_near(Triple<T> z) {
  return error_scale<T>(kTwoOverRootPi) * z * boys_series(z * z);
}
/// erfcx(z) for z >= 1/4.
template <class T>
inline Triple<T> erfcx_far(Triple<T> z) {
  if (z.a >= T(16)) {
    const Triple<T> inverse = triple(T(1)) / z;
    Triple<T> series = triple(T(1));
    if (z.a < kLarge<T>) {
      const Pair<T> w = sqr<Level::Mid>(to_pair(inverse));
      series = triple(mul<Level::Low>(w, polynomial_of<ScaledComplementFar>(w))) + T(1);
    }
    return error_scale<T>(kOneOverRootPi) * inverse * series;
  }
  const int binade = exponent_of(z.a);
  const int part = static_cast<int>(bits_of(z.a) >> (kPrecision<T> - 5)) & 15;
  const T middle = scaled(T(1) + (static_cast<T>(part) + T(0.5)) * T(0.0625), binade);
  const T* row = ScaledComplement<T>::rows + ScaledComplement<T>::stride * (16 * (binade + 2) + part);
  const Pair<T> t = to_pair(z + -middle);
  return entry(row, 0) + mul<Level::Low>(t, polynomial_of<ScaledComplement<T>>(row + 3, t));
}
/// erfc(z) for z >= 1/4, with the exact square of z. Zero where no pair is small enough.
template <class T>
inline Wide<T> erfc_far(Triple<T> z, Triple<T> square) {
  if (square.a > kExponentRange<T>) return {triple(T(0)), 0};
  const Exponential<T> e = exponential(-square);
  return {value_of(e) * erfcx_far(z), e.k};
}
template <class T>
CAIRN_PAIR_INLINE Triple<T> value_of(Wide<T> x) {
  return scaled(x.m, x.k);
}

/// erf(z) for z >= 0 and finite, relative to itself.
template <class T>
inline Triple<T> erf_of(Triple<T> z) {
  if (z.a < T(0.5)) return erf_near(z);
  if (z.a > T(32)) return triple(T(1));
  return -value_of(erfc_far(z, z * z)) + T(1);
}

template <class T>
inline Pair<T> erf(Pair<T> x) {
  x = ordinary(x);
  if (nan(x.hi)) return of(x.hi);
  const Pair<T> y = abs(x);
  if (infinite(x.hi)) return of(flip(T(1), x.hi));
  Pair<T> value;
  if (y.hi < kTiny<T>) {
    constexpr int kShift = 3 * kPrecision<T>;  // so that no error term falls below the subnormals
    value = assembled(error_scale<T>(kTwoOverRootPi) * ldexp(y, kShift), -kShift);
  } else {
    value = to_pair(erf_of(triple(y)));
  }
  return odd_value(value, x.hi);
}
template <class T>
inline Pair<T> erfc(Pair<T> x) {
  x = ordinary(x);
  if (nan(x.hi)) return of(x.hi);
  if (infinite(x.hi)) return of(x.hi < T(0) ? T(2) : T(0));
  if (x.hi < T(0.5)) {
    const Triple<T> value = erf_of(triple(abs(x)));
    const Pair<T> result = to_pair((x.hi < T(0) ? value : -value) + T(1));
    return {result.hi, result.lo + T(0)};
  }
  if (x.hi > kExponentRange<T>) return of(T(0));
  const Wide<T> value = erfc_far(triple(x), triple(x) * triple(x));
  return assembled(value.m, value.k);
}
template <class T>
inline Pair<T> erfcx(Pair<T> x) {
  x = ordinary(x);
  if (nan(x.hi)) return of(x.hi);
  if (infinite(x.hi)) return of(x.hi < T(0) ? kInfinity<T> : T(0));
  if (x.hi >= T(0.5)) {
    if (x.hi < kLarge<T>) return to_pair(erfcx_far(triple(x)));
    const int k = exponent_of(x.hi);
    return assembled(error_scale<T>(kOneOverRootPi) / scaled(triple(x), -k), -k);
  }
  if (x.hi < -kExponentRange<T>) return of(kInfinity<T>);
  const Triple<T> z = triple(x);
  const Triple<T> square = z * z;
  if (square.a > kExponentRange<T>) return of(kInfinity<T>);
  const Exponential<T> e = exponential(square);
  if (x.hi > T(-0.5)) return assembled(value_of(e) * (-(erf_near(z)) + T(1)), e.k);
  return assembled(value_of(e) * T(2) - scaled(erfcx_far(-z), -e.k), e.k);
}

/// The probability below x: erfc(-x/sqrt 2)/2.
template <class T>
inline Pair<T> normcdf(Pair<T> x) {
  x = ordinary(x);
  if (nan(x.hi)) return of(x.hi);
  if (infinite(x.hi)) return of(x.hi < T(0) ? T(0) : T(1));
  if (x.hi < -kExponentRange<T>) return of(T(0));
  if (x.hi > kExponentRange<T>) return of(T(1));
  const Triple<T> z = error_scale<T>(kOneOverRootTwo) * abs(x);
  if (x.hi > T(0) || z.a < T(0.5)) {
    const Triple<T> value = erf_of(z);
    const Pair<T> result = to_pair(((x.hi < T(0) ? -value : value) + T(1)) * T(0.5));
    return {result.hi, result.lo + T(0)};
  }
  const Wide<T> value = erfc_far(z, triple(x) * triple(x) * T(0.5));
  return assembled(value.m, value.k - 1);
}

// ----------------------------------------------------------------------------------------------------------- inverses

/// z with erf(z) = s, for |s| <= 1/2.
template <class T>
inline Triple<T> erfinv_near(Triple<T> s) {
  const T w = s.a * s.a - T(0.125);
  T guess = InverseMiddle<T>::coefficients[InverseMiddle<T>::count - 1];
  for (int k = InverseMiddle<T>::count - 2; k >= 0; --k) {
    guess = fused(guess, w, InverseMiddle<T>::coefficients[k]);
  }
  const Triple<T> z = triple(guess * s.a);
  const Triple<T> square = z * z;
  const Triple<T> slope = value_of(exponential(square)) * error_scale<T>(kHalfRootPi);  // of the inverse
  const Triple<T> u = (s - error_scale<T>(kTwoOverRootPi) * z * boys_series(square)) * slope;
  return z + to_pair(u / (-(z * u) + T(1)));
}
/// z with erfc(z) = q 2^k, for a value of at most 1/2.
template <class T>
inline Triple<T> erfcinv_far(Triple<T> q, int k) {
  const T v = square_root(-log_of(q, k).a);
  int part = static_cast<int>((v - T(0.75)) * T(2));
  if (part < 0) part = 0;
  const T* row = InverseStart<T>::rows + InverseStart<T>::count * part;
  const T t = v - (T(1) + T(0.5) * static_cast<T>(part));
  T guess = row[InverseStart<T>::count - 1];
  for (int i = InverseStart<T>::count - 2; i >= 0; --i) guess = fused(guess, t, row[i]);
  const Triple<T> z = triple(guess);
  // u = (erfc(z) - q) / |erfc'(z)| = erfcx(z) sqrt(pi)/2 (1 - q/erfc(z))
  const Exponential<T> e = exponential(-(z * z));
  const Triple<T> tail = erfcx_far(z);
  const Triple<T> ratio = scaled(q / (value_of(e) * tail), k - e.k);
  const Triple<T> u = tail * error_scale<T>(kHalfRootPi) * (-ratio + T(1));
  return z + to_pair(u / (-(z * u) + T(1)));
}
/// A probability of at most 1/2 as the lower tail of erfc; `q` is twice it: z with erfc(z) = q 2^k, any value in (0,
/// 1].
template <class T>
CAIRN_PAIR_INLINE Triple<T> erfcinv_of(Triple<T> q, int k) {
  const Triple<T> value = k < -1 ? triple(T(0)) : scaled(q, k);
  if (value.a >= T(0.5)) return erfinv_near(-value + T(1));
  return erfcinv_far(q, k);
}

template <class T>
inline Pair<T> erfinv(Pair<T> x) {
  x = ordinary(x);
  const Pair<T> y = abs(x);
  const Triple<T> rest = triple(neg(y)) + T(1);
  if (!(rest.a > T(0))) return of(rest.a == T(0) ? flip(kInfinity<T>, x.hi) : kNan<T>);
  Pair<T> value;
  if (y.hi < power_of_two<T>(-2 * kPrecision<T>)) {
    if (x.hi == T(0)) return x;
    constexpr int kShift = 3 * kPrecision<T>;
    value = assembled(error_scale<T>(kHalfRootPi) * ldexp(y, kShift), -kShift);
  } else if (y.hi <= T(0.5)) {
    value = to_pair(erfinv_near(triple(y)));
  } else {
    value = to_pair(erfcinv_far(rest, 0));
  }
  return odd_value(value, x.hi);
}
template <class T>
inline Pair<T> erfcinv(Pair<T> x) {
  x = ordinary(x);
  if (x.hi == T(0)) return of(kInfinity<T>);
  const Triple<T> other = triple(neg(x)) + T(2);  // exact: the tail on the other side
  if (!(x.hi > T(0)) || !(other.a >= T(0))) return of(kNan<T>);
  if (other.a == T(0)) return of(-kInfinity<T>);
  if (x.hi < T(0.5)) {
    const int k = exponent_of(x.hi);
    return to_pair(erfcinv_far(scaled(triple(x), -k), k));
  }
  if (x.hi <= T(1.5)) {
    const Triple<T> s = triple(neg(x)) + T(1);
    if (s.a == T(0)) return of(T(0));
    return to_pair(erfinv_near(s));
  }
  return to_pair(-erfcinv_far(other, 0));
}

/// normcdfinv of m 2^k, a probability of at most 1/2 that is not zero.
template <class T>
CAIRN_PAIR_INLINE Triple<T> lower_quantile(Triple<T> m, int k) {
  const Triple<T> z = erfcinv_of(m, k + 1);
  return -(error_scale<T>(kRootTwo) * z);
}
template <class T>
inline Pair<T> normcdfinv(Pair<T> x) {
  x = ordinary(x);
  if (x.hi == T(0)) return of(-kInfinity<T>);
  const Triple<T> other = triple(neg(x)) + T(1);
  if (!(x.hi > T(0)) || !(other.a >= T(0))) return of(kNan<T>);
  if (other.a == T(0)) return of(kInfinity<T>);
  const Triple<T> centre = triple(x) + T(-0.5);
  if (centre.a == T(0)) return of(T(0));
  const Triple<T> least = centre.a < T(0) ? triple(x) : other;
  const int k = exponent_of(least.a);
  const Triple<T> value = lower_quantile(scaled(least, -k), k);
  return to_pair(centre.a < T(0) ? value : -value);
}
/// normcdfinv((k + 1/2)/2^bits) for k of `bits` bits: what lies above the middle mirrors what lies below.
template <class T>
inline Pair<T> quantile_of_part(U64 k, int bits) {
  const U64 last = bits == 64 ? ~U64{0} : (U64{1} << bits) - 1;
  const bool upper = (k >> (bits - 1)) != 0;
  const U64 below = upper ? last - k : k;
  // below < 2^(bits - 1), so that 2 below + 1 fits; in three exact limbs.
  U64 rest = 2 * below + 1;
  T limbs[3];
  for (T& limb : limbs) {
    const int size = rest == 0 ? 0 : 64 - leading_zeros(rest);
    const U64 top = size > kPrecision<T> ? rest >> (size - kPrecision<T>) << (size - kPrecision<T>) : rest;
    limb = static_cast<T>(top);
    rest -= top;
  }
  const Triple<T> m = settled(limbs[0], limbs[1], limbs[2]);
  const int e = exponent_of(m.a);
  const Pair<T> value = to_pair(lower_quantile(scaled(m, -e), e - bits - 1));
  return upper ? neg(value) : value;
}
template <class T>
inline Pair<T> icdf_u32(U32 k) {
  return quantile_of_part<T>(k, 32);
}
/// In an f32x2 the top 48 bits count.
template <class T>
inline Pair<T> icdf_u64(U64 k) {
  if constexpr (sizeof(T) == 4)
    return quantile_of_part<T>(k >> 16, 48);
  else
    return quantile_of_part<T>(k, 64);
}

// -------------------------------------------------------------------------------------------------------------- Boys

/// The integral of exp(-x t^2) over t from 0 to 1: sqrt(pi)/2 erf(sqrt x)/sqrt x.
template <class T>
inline Pair<T> boys_f0(Pair<T> x) {
  x = ordinary(x);
  if (x.hi == T(0)) return of(T(1));
  if (!(x.hi > T(0))) return of(kNan<T>);
  if (infinite(x.hi)) return of(T(0));
  if (x.hi < T(0.25)) return to_pair(boys_series(triple(x)));
  int e = exponent_of(x.hi);
  e -= e & 1;
  const Triple<T> root = square_root(scaled(triple(x), -e));
  const Triple<T> z = scaled(root, e / 2);
  return assembled(error_scale<T>(kHalfRootPi) * erf_of(z) / root, -e / 2);
}

}  // namespace CAIRN_PAIR_BUILD
}  // namespace cairn::semantics::pair
