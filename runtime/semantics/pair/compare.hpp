// Signs, order and classes of pairs (pair floats, 2.5). Operands are normalized.
#pragma once

#include "runtime/semantics/pair/arithmetic.hpp"

namespace cairn::semantics::pair {
inline namespace CAIRN_PAIR_BUILD {

/// x or its negation, so that the high limb's sign bit is that of `sign`; of a NaN too.
template <class T>
CAIRN_PAIR_INLINE Pair<T> with_sign(Pair<T> x, T sign) {
  const T by = limb_of<T>(bits_of(x.hi) ^ bits_of(sign));
  return {flip(x.hi, by), flip(x.lo, by)};
}
template <class T>
CAIRN_PAIR_INLINE Pair<T> abs(Pair<T> x) {
  return {flip(x.hi, x.hi), flip(x.lo, x.hi)};
}
template <class T>
CAIRN_PAIR_INLINE Pair<T> copysign(Pair<T> x, Pair<T> y) {
  return with_sign(x, y.hi);
}

template <class T>
CAIRN_PAIR_INLINE bool eq(Pair<T> x, Pair<T> y) {
  return x.hi == y.hi && x.lo == y.lo;
}
template <class T>
CAIRN_PAIR_INLINE bool ne(Pair<T> x, Pair<T> y) {
  return !eq(x, y);
}
template <class T>
CAIRN_PAIR_INLINE bool lt(Pair<T> x, Pair<T> y) {
  return x.hi < y.hi || (x.hi == y.hi && x.lo < y.lo);
}
template <class T>
CAIRN_PAIR_INLINE bool le(Pair<T> x, Pair<T> y) {
  return x.hi < y.hi || (x.hi == y.hi && x.lo <= y.lo);
}
template <class T>
CAIRN_PAIR_INLINE bool gt(Pair<T> x, Pair<T> y) {
  return lt(y, x);
}
template <class T>
CAIRN_PAIR_INLINE bool ge(Pair<T> x, Pair<T> y) {
  return le(y, x);
}

/// The smaller; the other one when one is NaN; x when they are equal.
template <class T>
CAIRN_PAIR_INLINE Pair<T> min(Pair<T> x, Pair<T> y) {
  const bool second = nan(x.hi) || lt(y, x);
  return {second ? y.hi : x.hi, second ? y.lo : x.lo};
}
template <class T>
CAIRN_PAIR_INLINE Pair<T> max(Pair<T> x, Pair<T> y) {
  const bool second = nan(x.hi) || lt(x, y);
  return {second ? y.hi : x.hi, second ? y.lo : x.lo};
}

template <class T>
CAIRN_PAIR_INLINE bool is_nan(Pair<T> x) {
  return nan(x.hi);
}
template <class T>
CAIRN_PAIR_INLINE bool is_inf(Pair<T> x) {
  return infinite(x.hi);
}
template <class T>
CAIRN_PAIR_INLINE bool is_finite(Pair<T> x) {
  return finite(x.hi);
}
template <class T>
CAIRN_PAIR_INLINE bool is_zero(Pair<T> x) {
  return x.hi == T(0);
}
template <class T>
CAIRN_PAIR_INLINE bool sign_bit(Pair<T> x) {
  return sign_bit(x.hi);
}
template <class T>
CAIRN_PAIR_INLINE bool is_norm(Pair<T> x) {
  return (finite(x.hi) || x.lo == T(0)) && x.hi + x.lo == x.hi;
}
/// x - y where x > y, NaN beside one, else +0.
template <class T>
CAIRN_PAIR_INLINE Pair<T> fdim(Pair<T> x, Pair<T> y) {
  if (nan(x.hi) || nan(y.hi)) return of(kNan<T>);
  return gt(x, y) ? sub<Level::Mid>(x, y) : of(T(0));
}

}  // namespace CAIRN_PAIR_BUILD
}  // namespace cairn::semantics::pair
