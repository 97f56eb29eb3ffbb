// Limits and constants of pairs (pair floats, 2.7). The constants are written by generate/constants.py.
#pragma once

#include "runtime/semantics/pair/arithmetic.hpp"

// clang-format off

namespace cairn::semantics::pair {
inline namespace CAIRN_PAIR_BUILD {

template <class T>
CAIRN_PAIR_INLINE constexpr U32 digits() {
  return static_cast<U32>(2 * kPrecision<T> - 2);
}
/// 2^(3 - 2p)
template <class T>
CAIRN_PAIR_INLINE constexpr Pair<T> epsilon() {
  return {power_of_two<T>(3 - 2 * kPrecision<T>), T(0)};
}
template <class T>
CAIRN_PAIR_INLINE constexpr Pair<T> max_value() {
  return {kLargest<T>, kLargest<T> * power_of_two<T>(-kPrecision<T> - 1)};
}
/// The least power of two whose low limb may be normal too.
template <class T>
CAIRN_PAIR_INLINE constexpr Pair<T> min_normal() {
  return {power_of_two<T>(kMinExponent<T> + kPrecision<T>), T(0)};
}
template <class T>
CAIRN_PAIR_INLINE constexpr Pair<T> min_subnormal() {
  return {power_of_two<T>(kLeastExponent<T>), T(0)};
}
template <class T>
CAIRN_PAIR_INLINE constexpr Pair<T> infinity() {
  return {kInfinity<T>, T(0)};
}
template <class T>
CAIRN_PAIR_INLINE constexpr Pair<T> nan_value() {
  return {kNan<T>, T(0)};
}

/// Half the circumference of the unit circle.
template <class T>
CAIRN_PAIR_INLINE constexpr Pair<T> pi() {
  if constexpr (sizeof(T) == 4) return {0xc90fdbp-22F, -0x5dde97p-46F};
  else return {0x3243f6a8885a3p-48, 0x11a62633145c07p-105};
}

/// 2 pi.
template <class T>
CAIRN_PAIR_INLINE constexpr Pair<T> tau() {
  if constexpr (sizeof(T) == 4) return {0xc90fdbp-21F, -0x5dde97p-45F};
  else return {0x3243f6a8885a3p-47, 0x11a62633145c07p-104};
}

/// pi / 2.
template <class T>
CAIRN_PAIR_INLINE constexpr Pair<T> half_pi() {
  if constexpr (sizeof(T) == 4) return {0xc90fdbp-23F, -0x5dde97p-47F};
  else return {0x3243f6a8885a3p-49, 0x11a62633145c07p-106};
}

/// 1 / pi.
template <class T>
CAIRN_PAIR_INLINE constexpr Pair<T> inv_pi() {
  if constexpr (sizeof(T) == 4) return {0xa2f983p-25F, 0x1b9391p-47F};
  else return {0x145f306dc9c883p-54, -0xb580f62a0b82bp-107};
}

/// The base of the natural logarithm.
template <class T>
CAIRN_PAIR_INLINE constexpr Pair<T> e() {
  if constexpr (sizeof(T) == 4) return {0x2b7e15p-20F, 0xb14577p-47F};
  else return {0x15bf0a8b145769p-51, 0xa6abf7158809dp-104};
}

/// The natural logarithm of 2.
template <class T>
CAIRN_PAIR_INLINE constexpr Pair<T> ln2() {
  if constexpr (sizeof(T) == 4) return {0x162e43p-21F, -0x105c61p-49F};
  else return {0x162e42fefa39efp-53, 0x1abc9e3b39803fp-108};
}

/// The natural logarithm of 10.
template <class T>
CAIRN_PAIR_INLINE constexpr Pair<T> ln10() {
  if constexpr (sizeof(T) == 4) return {0x49aec7p-21F, -0x89555dp-48F};
  else return {0x935d8dddaaa8bp-50, -0x1f48ad494ea3e9p-105};
}

/// The base-2 logarithm of e.
template <class T>
CAIRN_PAIR_INLINE constexpr Pair<T> log2_e() {
  if constexpr (sizeof(T) == 4) return {0xb8aa3bp-23F, 0x52b83p-44F};
  else return {0xb8aa3b295c17fp-51, 0x5ddf43ff68349p-106};
}

/// The base-10 logarithm of e.
template <class T>
CAIRN_PAIR_INLINE constexpr Pair<T> log10_e() {
  if constexpr (sizeof(T) == 4) return {0xde5bd9p-25F, -0xad91afp-50F};
  else return {0xde5bd8a937287p-53, 0x195355baaafad3p-109};
}

/// The square root of 2.
template <class T>
CAIRN_PAIR_INLINE constexpr Pair<T> sqrt2() {
  if constexpr (sizeof(T) == 4) return {0xb504f3p-23F, 0x67f3bdp-48F};
  else return {0x16a09e667f3bcdp-52, -0xdee9a09d9322bp-105};
}

/// Euler's constant.
template <class T>
CAIRN_PAIR_INLINE constexpr Pair<T> egamma() {
  if constexpr (sizeof(T) == 4) return {0x12788dp-21F, -0x72093dp-50F};
  else return {0x12788cfc6fb619p-53, -0x16cb90701fbfabp-110};
}

}  // namespace CAIRN_PAIR_BUILD
}  // namespace cairn::semantics::pair
