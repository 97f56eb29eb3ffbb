// The arithmetic of pairs at its three levels (pair floats, 2.3 to 2.4 and 4.6): the kernels, guarded where the chapter
// says, and what is defined by them. Level Low, Mid or High is a template argument.
#pragma once

#include "runtime/semantics/pair/kernels.hpp"

namespace cairn::semantics::pair {
inline namespace CAIRN_PAIR_BUILD {

enum class Level { Low, Mid, High };

template <class T>
CAIRN_PAIR_INLINE Pair<T> unguarded(Kernel<T> k) {
  return {k.hi, k.lo};
}
template <class T>
CAIRN_PAIR_INLINE TruthOf<T> is_nonzero_number(T a) {
  return (a < T(0)) | (a > T(0));
}
template <class T>
CAIRN_PAIR_INLINE T either(bool condition, T a, T b) {
  return condition ? a : b;
}
/// (lead, +0) where the kernel's high limb is NaN or zero: one comparison and two selections.
template <class T>
CAIRN_PAIR_INLINE Pair<T> guarded(Kernel<T> k) {
  const auto number = is_nonzero_number(k.hi);
  return {either(number, k.hi, k.lead), either(number, k.lo, T(0))};
}

/// (c, +0)
template <class T>
CAIRN_PAIR_INLINE Pair<T> of(T c) {
  return {c, T(0)};
}
template <class T>
CAIRN_PAIR_INLINE Pair<T> neg(Pair<T> x) {
  return {-x.hi, -x.lo};
}
/// The normalized pair of a low-level result.
template <class T>
CAIRN_PAIR_INLINE Pair<T> renorm(Pair<T> x) {
  return fast_two_sum(x.hi, x.lo);
}

template <Level level, class T>
CAIRN_PAIR_INLINE Pair<T> add(Pair<T> x, Pair<T> y) {
  if constexpr (level == Level::Low)
    return unguarded(kernel::add_low(x.hi, x.lo, y.hi, y.lo));
  else if constexpr (level == Level::Mid)
    return unguarded(kernel::add(x.hi, x.lo, y.hi, y.lo));
  else
    return guarded(kernel::add_high(x.hi, x.lo, y.hi, y.lo));
}
template <Level level, class T>
CAIRN_PAIR_INLINE Pair<T> sub(Pair<T> x, Pair<T> y) {
  return add<level>(x, neg(y));
}
template <Level level, class T>
CAIRN_PAIR_INLINE Pair<T> add_limb(Pair<T> x, T c) {
  if constexpr (level == Level::Low)
    return unguarded(kernel::add_limb_low(x.hi, x.lo, c));
  else if constexpr (level == Level::Mid)
    return unguarded(kernel::add_limb(x.hi, x.lo, c));
  else
    return guarded(kernel::add_limb(x.hi, x.lo, c));
}
template <Level level, class T>
CAIRN_PAIR_INLINE Pair<T> sub_limb(Pair<T> x, T c) {
  return add_limb<level>(x, -c);
}
/// c - x
template <Level level, class T>
CAIRN_PAIR_INLINE Pair<T> rsub_limb(Pair<T> x, T c) {
  return add_limb<level>(neg(x), c);
}
template <Level level, class T>
CAIRN_PAIR_INLINE Pair<T> mul(Pair<T> x, Pair<T> y) {
  if constexpr (level == Level::Low)
    return unguarded(kernel::mul_low(x.hi, x.lo, y.hi, y.lo));
  else if constexpr (level == Level::Mid)
    return unguarded(kernel::mul(x.hi, x.lo, y.hi, y.lo));
  else
    return guarded(kernel::mul_high(x.hi, x.lo, y.hi, y.lo));
}
template <Level level, class T>
CAIRN_PAIR_INLINE Pair<T> mul_limb(Pair<T> x, T c) {
  if constexpr (level == Level::Low)
    return unguarded(kernel::mul_limb_low(x.hi, x.lo, c));
  else if constexpr (level == Level::Mid)
    return unguarded(kernel::mul_limb(x.hi, x.lo, c));
  else
    return guarded(kernel::mul_limb_high(x.hi, x.lo, c));
}
template <Level level, class T>
CAIRN_PAIR_INLINE Pair<T> sqr(Pair<T> x) {
  if constexpr (level == Level::Low)
    return unguarded(kernel::sqr_low(x.hi, x.lo));
  else if constexpr (level == Level::Mid)
    return unguarded(kernel::sqr(x.hi, x.lo));
  else
    return guarded(kernel::sqr(x.hi, x.lo));
}
template <Level level, class T>
CAIRN_PAIR_INLINE Pair<T> div(Pair<T> x, Pair<T> y) {
  if constexpr (level == Level::Low)
    return unguarded(kernel::div_low(x.hi, x.lo, y.hi, y.lo));
  else if constexpr (level == Level::Mid)
    return unguarded(kernel::div(x.hi, x.lo, y.hi, y.lo));
  else
    return guarded(kernel::div_high(x.hi, x.lo, y.hi, y.lo));
}
template <Level level, class T>
CAIRN_PAIR_INLINE Pair<T> div_limb(Pair<T> x, T c) {
  if constexpr (level == Level::Low)
    return unguarded(kernel::div_limb_low(x.hi, x.lo, c));
  else if constexpr (level == Level::Mid)
    return unguarded(kernel::div_limb(x.hi, x.lo, c));
  else
    return guarded(kernel::div_limb_high(x.hi, x.lo, c));
}
/// c / x
template <Level level, class T>
CAIRN_PAIR_INLINE Pair<T> rdiv_limb(Pair<T> x, T c) {
  return div<level>(of(c), x);
}
template <class T>
CAIRN_PAIR_INLINE Pair<T> recip(Pair<T> x) {
  return rdiv_limb<Level::Mid>(x, T(1));
}
/// xy + z, the leading product and sum without error.
template <Level level, class T>
CAIRN_PAIR_INLINE Pair<T> fma(Pair<T> x, Pair<T> y, Pair<T> z) {
  if constexpr (level == Level::Low)
    return unguarded(kernel::fma_low(x.hi, x.lo, y.hi, y.lo, z.hi, z.lo));
  else if constexpr (level == Level::Mid)
    return unguarded(kernel::fma(x.hi, x.lo, y.hi, y.lo, z.hi, z.lo));
  else
    return guarded(kernel::fma_high(x.hi, x.lo, y.hi, y.lo, z.hi, z.lo));
}
/// A product, then a sum: low of low ones, mid of a low product and a mid sum, high of a mid product and a high sum.
template <Level level, class T>
CAIRN_PAIR_INLINE Pair<T> mad(Pair<T> x, Pair<T> y, Pair<T> z) {
  if constexpr (level == Level::Low)
    return add<Level::Low>(mul<Level::Low>(x, y), z);
  else if constexpr (level == Level::Mid)
    return add<Level::Mid>(mul<Level::Low>(x, y), z);
  else
    return add<Level::High>(mul<Level::Mid>(x, y), z);
}
template <class T>
CAIRN_PAIR_INLINE Pair<T> sqrt(Pair<T> x) {
  return guarded(kernel::sqrt(x.hi, x.lo));
}
template <class T>
CAIRN_PAIR_INLINE Pair<T> rsqrt(Pair<T> x) {
  return guarded(kernel::rsqrt(x.hi, x.lo));
}

}  // namespace CAIRN_PAIR_BUILD
}  // namespace cairn::semantics::pair
