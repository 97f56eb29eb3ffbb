// Sums, dot products and polynomials over arrays (pair floats, 2.8), all at the mid level. The forms with lanes keep
// sixteen partial results, which vector registers hold side by side.
#pragma once

#include "runtime/semantics/pair/arithmetic.hpp"

namespace cairn::semantics::pair {
inline namespace CAIRN_PAIR_BUILD {

inline constexpr unsigned kLanes = 16;

/// One after the other, in index order, from +0. `step(s, i)` takes element i in.
template <class T, class Step>
CAIRN_PAIR_INLINE Pair<T> in_order(U64 n, Step step) {
  Pair<T> s = of(T(0));
  for (U64 i = 0; i < n; ++i) s = step(s, i);
  return s;
}

/// Partial result k takes the indices i with i mod 16 = k; then halves are added to halves.
template <class T, class Step>
CAIRN_PAIR_INLINE Pair<T> in_lanes(U64 n, Step step) {
  T high[kLanes] = {};
  T low[kLanes] = {};
  const U64 whole = n - n % kLanes;
  for (U64 i = 0; i < whole; i += kLanes) {
    for (unsigned k = 0; k < kLanes; ++k) {
      const Pair<T> s = step(Pair<T>{high[k], low[k]}, i + k);
      high[k] = s.hi;
      low[k] = s.lo;
    }
  }
  for (unsigned k = 0; k < n % kLanes; ++k) {
    const Pair<T> s = step(Pair<T>{high[k], low[k]}, whole + k);
    high[k] = s.hi;
    low[k] = s.lo;
  }
  for (unsigned d = kLanes / 2; d != 0; d /= 2) {
    for (unsigned k = 0; k < d; ++k) {
      const Pair<T> s = add<Level::Mid>(Pair<T>{high[k], low[k]}, Pair<T>{high[k + d], low[k + d]});
      high[k] = s.hi;
      low[k] = s.lo;
    }
  }
  return {high[0], low[0]};
}

template <class T>
inline Pair<T> sum(U64 n, const Pair<T>* xs) {
  return in_order<T>(n, [=](Pair<T> s, U64 i) { return add<Level::Mid>(s, xs[i]); });
}
template <class T>
inline Pair<T> sum_limbs(U64 n, const T* xs) {
  return in_order<T>(n, [=](Pair<T> s, U64 i) { return add_limb<Level::Mid>(s, xs[i]); });
}
template <class T>
inline Pair<T> dot(U64 n, const Pair<T>* xs, const Pair<T>* ys) {
  return in_order<T>(n, [=](Pair<T> s, U64 i) { return fma<Level::Mid>(xs[i], ys[i], s); });
}
template <class T>
inline Pair<T> dot_limbs(U64 n, const T* xs, const T* ys) {
  return in_order<T>(n, [=](Pair<T> s, U64 i) { return add<Level::Mid>(s, two_prod(xs[i], ys[i])); });
}
template <class T>
inline Pair<T> sum_lanes(U64 n, const Pair<T>* xs) {
  return in_lanes<T>(n, [=](Pair<T> s, U64 i) { return add<Level::Mid>(s, xs[i]); });
}
template <class T>
inline Pair<T> sum_limbs_lanes(U64 n, const T* xs) {
  return in_lanes<T>(n, [=](Pair<T> s, U64 i) { return add_limb<Level::Mid>(s, xs[i]); });
}
template <class T>
inline Pair<T> dot_lanes(U64 n, const Pair<T>* xs, const Pair<T>* ys) {
  return in_lanes<T>(n, [=](Pair<T> s, U64 i) { return fma<Level::Mid>(xs[i], ys[i], s); });
}
template <class T>
inline Pair<T> dot_limbs_lanes(U64 n, const T* xs, const T* ys) {
  return in_lanes<T>(n, [=](Pair<T> s, U64 i) { return add<Level::Mid>(s, two_prod(xs[i], ys[i])); });
}
/// c[n-1], then r = r x + c[i] down to c[0]; +0 when there is none.
template <class T>
inline Pair<T> polynomial(U64 n, const Pair<T>* c, Pair<T> x) {
  if (n == 0) return of(T(0));
  Pair<T> r = c[n - 1];
  for (U64 i = n - 1; i-- > 0;) r = fma<Level::Mid>(r, x, c[i]);
  return r;
}

}  // namespace CAIRN_PAIR_BUILD
}  // namespace cairn::semantics::pair
