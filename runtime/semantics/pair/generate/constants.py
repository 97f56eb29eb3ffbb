"""Writes ../constants.hpp: the named constants of std.pair as the nearest pairs (pair floats, 2.7). Needs mpmath."""
import pathlib

from mpmath import mp

from limbs import FORMATS, hexadecimal, limbs

mp.prec = 400
CONSTANTS = [
    ("pi", mp.pi, "Half the circumference of the unit circle."),
    ("tau", 2 * mp.pi, "2 pi."),
    ("half_pi", mp.pi / 2, "pi / 2."),
    ("inv_pi", 1 / mp.pi, "1 / pi."),
    ("e", mp.e, "The base of the natural logarithm."),
    ("ln2", mp.log(2), "The natural logarithm of 2."),
    ("ln10", mp.log(10), "The natural logarithm of 10."),
    ("log2_e", 1 / mp.log(2), "The base-2 logarithm of e."),
    ("log10_e", 1 / mp.log(10), "The base-10 logarithm of e."),
    ("sqrt2", mp.sqrt(2), "The square root of 2."),
    ("egamma", mp.euler, "Euler's constant."),
]
HEAD = """// Limits and constants of pairs (pair floats, 2.7). The constants are written by generate/constants.py.
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
"""
text = HEAD
for name, value, what in CONSTANTS:
    rows = {f: ", ".join(hexadecimal(x, f) for x in limbs(value, 2, f)) for f in FORMATS}
    text += f"""
/// {what}
template <class T>
CAIRN_PAIR_INLINE constexpr Pair<T> {name}() {{
  if constexpr (sizeof(T) == 4) return {{{rows["f32"]}}};
  else return {{{rows["f64"]}}};
}}
"""
text += """
}  // namespace CAIRN_PAIR_BUILD
}  // namespace cairn::semantics::pair
"""
(pathlib.Path(__file__).parent.parent / "constants.hpp").write_text(text)
