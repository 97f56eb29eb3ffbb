// Hyperbolic functions and their inverses, cube roots and lengths (pair floats, 5): from the exponential and the
// logarithm in three limbs, by formulas in which nothing cancels.
#pragma once

#include "runtime/semantics/pair/exponential.hpp"

namespace cairn::semantics::pair {
inline namespace CAIRN_PAIR_BUILD {

// --------------------------------------------------------------------------------------------------------- hyperbolic

/// From here on e^-y is below u^3 of e^y, and tanh y rounds to 1.
template <class T>
inline constexpr LimbOf<T> kReciprocalEnds = LimbOf<T>(1.1) * kPrecision<T>;

template <class T>
inline Pair<T> sinh(Pair<T> x) {
  x = ordinary(x);
  if (magnitude(x.hi) < kTiny<T>) return x;
  if (nan(x.hi)) return of(kNan<T>);
  const Pair<T> y = abs(x);
  Pair<T> value;
  if (y.hi < T(1)) {
    // (m + m/(m + 1))/2 of m = e^y - 1
    const Triple<T> m = expm1_of(triple(y));
    value = to_pair((m + m / (m + T(1))) * T(0.5));
  } else if (y.hi > kExponentRange<T>) {
    value = of(kInfinity<T>);
  } else {
    const Exponential<T> e = exponential(triple(y));
    Triple<T> m = value_of(e);
    if (y.hi < kReciprocalEnds<T>) m = m - scaled(triple(T(1)) / m, -2 * e.k);
    value = assembled(m, e.k - 1);
  }
  return odd_value(value, x.hi);
}
template <class T>
inline Pair<T> cosh(Pair<T> x) {
  x = ordinary(x);
  if (nan(x.hi)) return of(kNan<T>);
  const Pair<T> y = abs(x);
  if (y.hi > kExponentRange<T>) return of(kInfinity<T>);
  const Exponential<T> e = exponential(triple(y));
  Triple<T> m = value_of(e);
  if (y.hi < kReciprocalEnds<T>) m = m + scaled(triple(T(1)) / m, -2 * e.k);
  return assembled(m, e.k - 1);
}
template <class T>
inline Pair<T> tanh(Pair<T> x) {
  x = ordinary(x);
  if (magnitude(x.hi) < kTiny<T>) return x;
  if (nan(x.hi)) return of(kNan<T>);
  const Pair<T> y = abs(x);
  if (y.hi > kReciprocalEnds<T>) return of(flip(T(1), x.hi));
  const Triple<T> m = expm1_of(triple(Pair<T>{y.hi + y.hi, y.lo + y.lo}));
  const Pair<T> value = to_pair(m / (m + T(2)));
  return odd_value(value, x.hi);
}

/// log(2y) for a large y > 0.
template <class T>
CAIRN_PAIR_INLINE Pair<T> log_of_twice(Pair<T> y) {
  return to_pair(log_of(triple(y), 1));
}
/// From here on sqrt(y^2 +- 1) is y.
template <class T>
inline constexpr T kLarge = power_of_two<T>(kPrecision<T> + 4);

template <class T>
inline Pair<T> asinh(Pair<T> x) {
  x = ordinary(x);
  if (!(magnitude(x.hi) >= kTiny<T>) || infinite(x.hi)) return nan(x.hi) ? of(x.hi) : x;
  const Pair<T> y = abs(x);
  Pair<T> value;
  if (y.hi > kLarge<T>) {
    value = log_of_twice(y);
  } else {
    // log(1 + y + y^2/(1 + sqrt(1 + y^2)))
    const Triple<T> square = triple(y) * triple(y);
    value = to_pair(log1p_of(triple(y) + square / (square_root(square + T(1)) + T(1))));
  }
  return odd_value(value, x.hi);
}
template <class T>
inline Pair<T> acosh(Pair<T> x) {
  x = ordinary(x);
  if (x.hi == kInfinity<T>) return of(x.hi);
  const Triple<T> t = triple(x) + T(-1);
  if (!(t.a >= T(0))) return of(kNan<T>);
  if (t.a == T(0)) return of(T(0));
  if (x.hi > kLarge<T>) return log_of_twice(x);
  // log(1 + t + sqrt(t (t + 2)))
  return to_pair(log1p_of(t + square_root(t * (t + T(2)))));
}
template <class T>
inline Pair<T> atanh(Pair<T> x) {
  x = ordinary(x);
  if (magnitude(x.hi) < kTiny<T>) return x;
  const Pair<T> y = abs(x);
  const Triple<T> left = triple(neg(y)) + T(1);
  if (!(left.a > T(0))) return of(left.a == T(0) ? flip(kInfinity<T>, x.hi) : kNan<T>);
  const Pair<T> value = to_pair(log1p_of(triple(Pair<T>{y.hi + y.hi, y.lo + y.lo}) / left) * T(0.5));
  return odd_value(value, x.hi);
}

// --------------------------------------------------------------------------------------------------------- cube roots

/// The cube root of m in [1, 8), by Newton's iteration: in limbs, then with residuals of three limbs.
template <class T>
inline Triple<T> cube_root(Triple<T> m) {
  using Limb = LimbOf<T>;
  T y = T(Limb(0.8)) + m.a * (T(Limb(0.22)) - m.a * T(Limb(0.0095)));
  for (int k = 0; k < 5; ++k) y = y - (y - m.a / (y * y)) * (T(1) / T(3));
  const T slope = T(3) * y * y;
  const Triple<T> first = triple(y);
  const T second = (m - first * first * first).a / slope;
  const Triple<T> better = triple(fast_two_sum(y, second));
  const T third = (m - better * better * better).a / slope;
  return better + third;
}
/// |x| as m 8^k with m in [1, 8). x is finite and not zero.
template <class T>
CAIRN_PAIR_INLINE Triple<T> by_eights(Pair<T> x, int& k) {
  const int e = exponent_of(x.hi);
  k = (e >= 0 ? e : e - 2) / 3;
  return scaled(triple(abs(x)), -3 * k);
}
template <class T>
inline Pair<T> cbrt(Pair<T> x) {
  x = ordinary(x);
  if (x.hi == T(0) || !finite(x.hi)) return of(x.hi);
  int k = 0;
  const Triple<T> m = by_eights(x, k);
  const Pair<T> value = assembled(cube_root(m), k);
  return odd_value(value, x.hi);
}
template <class T>
inline Pair<T> rcbrt(Pair<T> x) {
  x = ordinary(x);
  if (nan(x.hi)) return of(x.hi);
  if (x.hi == T(0) || infinite(x.hi)) return of(flip(x.hi == T(0) ? kInfinity<T> : T(0), x.hi));
  int k = 0;
  const Triple<T> m = by_eights(x, k);
  const Pair<T> value = assembled(triple(T(1)) / cube_root(m), -k);
  return odd_value(value, x.hi);
}

// ------------------------------------------------------------------------------------------------------------ lengths

/// The length of a vector, or its reciprocal.
template <bool reciprocal, class T, int count>
inline Pair<T> length(const Pair<T> (&given)[count]) {
  Pair<T> x[count];
  T largest = T(0);
  bool not_numbers = false;
  for (int k = 0; k < count; ++k) {
    x[k] = ordinary(given[k]);
    if (infinite(x[k].hi)) return of(reciprocal ? T(0) : kInfinity<T>);
    if (nan(x[k].hi)) not_numbers = true;
    if (magnitude(x[k].hi) > largest) largest = magnitude(x[k].hi);
  }
  if (not_numbers) return of(kNan<T>);
  if (largest == T(0)) return of(reciprocal ? kInfinity<T> : T(0));
  const int e = exponent_of(largest);
  // The order of the terms must not matter: they are added from the smallest on.
  Triple<T> squares[count];
  for (int k = 0; k < count; ++k) {
    const Triple<T> term = scaled(triple(x[k]), -e);
    Triple<T> square = term * term;
    int at = k;
    for (; at > 0; --at) {
      const Triple<T>& before = squares[at - 1];
      const bool below =
          square.a < before.a ||
          (square.a == before.a && (square.b < before.b || (square.b == before.b && square.c < before.c)));
      if (!below) break;
      squares[at] = before;
    }
    squares[at] = square;
  }
  Triple<T> sum = squares[0];
  for (int k = 1; k < count; ++k) sum = sum + squares[k];
  const Triple<T> root = square_root(sum);
  return reciprocal ? assembled(triple(T(1)) / root, -e) : assembled(root, e);
}
template <class T>
inline Pair<T> hypot(Pair<T> x, Pair<T> y) {
  const Pair<T> all[] = {x, y};
  return length<false>(all);
}
template <class T>
inline Pair<T> rhypot(Pair<T> x, Pair<T> y) {
  const Pair<T> all[] = {x, y};
  return length<true>(all);
}
template <class T>
inline Pair<T> norm3(Pair<T> x, Pair<T> y, Pair<T> z) {
  const Pair<T> all[] = {x, y, z};
  return length<false>(all);
}
template <class T>
inline Pair<T> rnorm3(Pair<T> x, Pair<T> y, Pair<T> z) {
  const Pair<T> all[] = {x, y, z};
  return length<true>(all);
}
template <class T>
inline Pair<T> norm4(Pair<T> x, Pair<T> y, Pair<T> z, Pair<T> t) {
  const Pair<T> all[] = {x, y, z, t};
  return length<false>(all);
}
template <class T>
inline Pair<T> rnorm4(Pair<T> x, Pair<T> y, Pair<T> z, Pair<T> t) {
  const Pair<T> all[] = {x, y, z, t};
  return length<true>(all);
}

}  // namespace CAIRN_PAIR_BUILD
}  // namespace cairn::semantics::pair
