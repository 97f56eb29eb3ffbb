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

#if defined(__CUDACC_RTC__)
template <class T>
using LaneVector = T;
#else
/// A vector register's worth of limbs: each operation on one is the operation on every lane.
#if defined(__AVX__)
inline constexpr unsigned kVectorBytes = 32;
#else
inline constexpr unsigned kVectorBytes = 16;
#endif
template <class T>
struct LaneVectorOf;
template <>
struct LaneVectorOf<float> {
  using Type [[gnu::vector_size(kVectorBytes)]] = float;
};
template <>
struct LaneVectorOf<double> {
  using Type [[gnu::vector_size(kVectorBytes)]] = double;
};
template <class T>
using LaneVector = typename LaneVectorOf<T>::Type;

template <class T, int... k>
CAIRN_PAIR_INLINE Pair<LaneVector<T>> split_lanes(const Pair<T>* xs) {
  LaneVector<T> first;
  LaneVector<T> second;
  __builtin_memcpy(&first, xs, sizeof(first));
  __builtin_memcpy(&second, &xs[sizeof...(k) / 2], sizeof(second));
  return {__builtin_shufflevector(first, second, (2 * k)...), __builtin_shufflevector(first, second, (2 * k + 1)...)};
}
#endif

/// Consecutive elements of an array as one limb or one vector of limbs.
template <class V, class T>
CAIRN_PAIR_INLINE V lanes_at(const T* xs) {
  if constexpr (sizeof(V) == sizeof(T)) {
    return *xs;
  } else {
    V lanes;
    __builtin_memcpy(&lanes, xs, sizeof(V));
    return lanes;
  }
}
template <class V, class T>
CAIRN_PAIR_INLINE Pair<V> lanes_at(const Pair<T>* xs) {
#if defined(__CUDACC_RTC__)
  return *xs;
#else
  constexpr unsigned kCount = sizeof(V) / sizeof(T);
  if constexpr (kCount == 1) {
    return *xs;
  } else if constexpr (kCount == 8) {
    return split_lanes<T, 0, 1, 2, 3, 4, 5, 6, 7>(xs);
  } else if constexpr (kCount == 4) {
    return split_lanes<T, 0, 1, 2, 3>(xs);
  } else {
    return split_lanes<T, 0, 1>(xs);
  }
#endif
}

/// Partial result k takes the indices i with i mod 16 = k; then halves are added to halves. `step(s, i)` takes the
/// elements from i on in, as many as s has lanes.
template <class T, class Step>
CAIRN_PAIR_INLINE Pair<T> in_lanes(U64 n, Step step) {
  using Vector = LaneVector<T>;
  constexpr unsigned kWidth = sizeof(Vector) / sizeof(T);
  constexpr unsigned kVectors = kLanes / kWidth;
  Pair<Vector> partial[kVectors];
  for (Pair<Vector>& each : partial) each = {Vector{}, Vector{}};
  const U64 whole = n - n % kLanes;
  for (U64 i = 0; i < whole; i += kLanes) {
    for (unsigned k = 0; k < kVectors; ++k) partial[k] = step(partial[k], i + k * kWidth);
  }
  T high[kLanes];
  T low[kLanes];
  for (unsigned k = 0; k < kVectors; ++k) {
    __builtin_memcpy(high + k * kWidth, &partial[k].hi, sizeof(Vector));
    __builtin_memcpy(low + k * kWidth, &partial[k].lo, sizeof(Vector));
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
  return in_lanes<T>(n, [=]<class V>(Pair<V> s, U64 i) { return add<Level::Mid>(s, lanes_at<V>(xs + i)); });
}
template <class T>
inline Pair<T> sum_limbs_lanes(U64 n, const T* xs) {
  return in_lanes<T>(n, [=]<class V>(Pair<V> s, U64 i) { return add_limb<Level::Mid>(s, lanes_at<V>(xs + i)); });
}
template <class T>
inline Pair<T> dot_lanes(U64 n, const Pair<T>* xs, const Pair<T>* ys) {
  return in_lanes<T>(
      n, [=]<class V>(Pair<V> s, U64 i) { return fma<Level::Mid>(lanes_at<V>(xs + i), lanes_at<V>(ys + i), s); });
}
template <class T>
inline Pair<T> dot_limbs_lanes(U64 n, const T* xs, const T* ys) {
  return in_lanes<T>(n, [=]<class V>(Pair<V> s, U64 i) {
    return add<Level::Mid>(s, two_prod(lanes_at<V>(xs + i), lanes_at<V>(ys + i)));
  });
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
