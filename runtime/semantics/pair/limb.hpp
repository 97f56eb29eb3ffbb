// What pair floats know of one limb: its format, its bits, and the operations C++ has no operator for. Freestanding, as
// everything in this folder: no heap, no library, no <math.h>.
//
// A file that is compiled for a processor of its own names its copy of these templates by CAIRN_PAIR_BUILD, so that the
// linker never takes one for the other.
#pragma once

#include "runtime/semantics/base.hpp"

#ifndef CAIRN_PAIR_BUILD
#define CAIRN_PAIR_BUILD portable
#endif

#if defined(__CUDACC_RTC__)
#define CAIRN_PAIR_INLINE inline
#else
#define CAIRN_PAIR_INLINE [[gnu::always_inline]] inline
#endif

namespace cairn::semantics::pair {
inline namespace CAIRN_PAIR_BUILD {

template <class T>
struct LimbFormat;
template <>
struct LimbFormat<float> {
  using Bits = U32;
  using Int = I32;
  static constexpr int precision = 24;
  static constexpr int max_exponent = 127;   // of the largest limb
  static constexpr int min_exponent = -126;  // of the least normal one
  static constexpr int bias = 127;
};
template <>
struct LimbFormat<double> {
  using Bits = U64;
  using Int = I64;
  static constexpr int precision = 53;
  static constexpr int max_exponent = 1023;
  static constexpr int min_exponent = -1022;
  static constexpr int bias = 1023;
};

/// What goes with a limb, or with several side by side (runtime/pair/lanes.hpp): one of them, an integer beside each, a
/// truth of each.
template <class T>
struct LimbShape {
  using Limb = T;
  using Whole = int;
  using Truth = bool;
};
template <class T>
using LimbOf = typename LimbShape<T>::Limb;
template <class T>
using WholeOf = typename LimbShape<T>::Whole;
template <class T>
using TruthOf = typename LimbShape<T>::Truth;

template <class T>
using Bits = typename LimbFormat<T>::Bits;
template <class T>
inline constexpr int kPrecision = LimbFormat<T>::precision;
template <class T>
inline constexpr int kMaxExponent = LimbFormat<T>::max_exponent;
template <class T>
inline constexpr int kMinExponent = LimbFormat<T>::min_exponent;
/// Exponent of the least subnormal.
template <class T>
inline constexpr int kLeastExponent = LimbFormat<T>::min_exponent - LimbFormat<T>::precision + 1;
template <class T>
inline constexpr Bits<T> kSign = Bits<T>{1} << (sizeof(T) * 8 - 1);
template <class T>
inline constexpr Bits<T> kInfinityBits =
    static_cast<Bits<T>>(2 * LimbFormat<T>::bias + 1) << (LimbFormat<T>::precision - 1);

template <class T>
CAIRN_PAIR_INLINE constexpr Bits<T> bits_of(T x) {
  return __builtin_bit_cast(Bits<T>, x);
}
template <class T>
CAIRN_PAIR_INLINE constexpr T limb_of(Bits<T> bits) {
  return __builtin_bit_cast(T, bits);
}

template <class T>
inline constexpr T kInfinity = limb_of<T>(kInfinityBits<T>);
template <class T>
inline constexpr T kNan = limb_of<T>(kInfinityBits<T> | (Bits<T>{1} << (kPrecision<T> - 2)));
template <class T>
inline constexpr T kLargest = limb_of<T>(kInfinityBits<T> - 1);
template <class T>
inline constexpr T kLeastNormal = limb_of<T>(Bits<T>{1} << (kPrecision<T> - 1));

template <class T>
CAIRN_PAIR_INLINE constexpr bool nan(T x) {
  return x != x;  // NOLINT(misc-redundant-expression): only what is no number differs from itself
}
template <class T>
CAIRN_PAIR_INLINE constexpr bool sign_bit(T x) {
  return (bits_of(x) & kSign<T>) != 0;
}
template <class T>
CAIRN_PAIR_INLINE constexpr T magnitude(T x) {
  return limb_of<T>(bits_of(x) & static_cast<Bits<T>>(~kSign<T>));
}
template <class T>
CAIRN_PAIR_INLINE constexpr bool infinite(T x) {
  return bits_of(magnitude(x)) == kInfinityBits<T>;
}
template <class T>
CAIRN_PAIR_INLINE constexpr bool finite(T x) {
  return bits_of(magnitude(x)) < kInfinityBits<T>;
}
/// x with its sign flipped where the sign of `by` is set.
template <class T>
CAIRN_PAIR_INLINE constexpr T flip(T x, T by) {
  return limb_of<T>(bits_of(x) ^ (bits_of(by) & kSign<T>));
}
template <class T>
CAIRN_PAIR_INLINE constexpr T with_sign(T x, T of) {
  return limb_of<T>((bits_of(x) & static_cast<Bits<T>>(~kSign<T>)) | (bits_of(of) & kSign<T>));
}

#if defined(__CUDACC_RTC__)
CAIRN_PAIR_INLINE float fused(float a, float b, float c) { return __fmaf_rn(a, b, c); }
CAIRN_PAIR_INLINE double fused(double a, double b, double c) { return __fma_rn(a, b, c); }
CAIRN_PAIR_INLINE float square_root(float x) { return __fsqrt_rn(x); }
CAIRN_PAIR_INLINE double square_root(double x) { return __dsqrt_rn(x); }
#else
/// The exact ab + c, rounded once.
CAIRN_PAIR_INLINE float fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
CAIRN_PAIR_INLINE double fused(double a, double b, double c) { return __builtin_fma(a, b, c); }
/// The square root, rounded once.
CAIRN_PAIR_INLINE float square_root(float x) { return __builtin_sqrtf(x); }
CAIRN_PAIR_INLINE double square_root(double x) { return __builtin_sqrt(x); }
#endif

/// Zeros above the leading bit of a number that is not zero.
#if defined(__CUDACC_RTC__)
CAIRN_PAIR_INLINE int leading_zeros(U32 bits) { return __clz(static_cast<int>(bits)); }
CAIRN_PAIR_INLINE int leading_zeros(U64 bits) { return __clzll(static_cast<I64>(bits)); }
#else
CAIRN_PAIR_INLINE constexpr int leading_zeros(U32 bits) { return __builtin_clz(bits); }
CAIRN_PAIR_INLINE constexpr int leading_zeros(U64 bits) { return __builtin_clzll(bits); }
#endif

/// 2^e; an infinity or, below the subnormals, zero.
template <class T>
CAIRN_PAIR_INLINE constexpr T power_of_two(int e) {
  if (e > kMaxExponent<T>) return kInfinity<T>;
  if (e >= kMinExponent<T>) return limb_of<T>(static_cast<Bits<T>>(e + LimbFormat<T>::bias) << (kPrecision<T> - 1));
  if (e >= kLeastExponent<T>) return limb_of<T>(Bits<T>{1} << (e - kLeastExponent<T>));
  return T(0);
}

/// Floor of log2 of the magnitude of a finite limb that is not zero.
template <class T>
CAIRN_PAIR_INLINE constexpr int exponent_of(T x) {
  const Bits<T> bits = bits_of(magnitude(x));
  const int biased = static_cast<int>(bits >> (kPrecision<T> - 1));
  if (biased != 0) return biased - LimbFormat<T>::bias;
  return kLeastExponent<T> + 63 - leading_zeros(static_cast<U64>(bits));
}

// The same of limbs and lanes, for what is known to be within range.

/// A limb that is an integer, and back.
template <class T>
CAIRN_PAIR_INLINE constexpr int whole_of(T x) {
  return static_cast<int>(x);
}
template <class T>
CAIRN_PAIR_INLINE constexpr T limb_of_whole(int k) {
  return static_cast<T>(k);
}
CAIRN_PAIR_INLINE constexpr int one_more_where(bool condition, int k) { return k + (condition ? 1 : 0); }
/// 2^k, a normal limb.
template <class T>
CAIRN_PAIR_INLINE constexpr T normal_power(int k) {
  return limb_of<T>(static_cast<Bits<T>>(k + LimbFormat<T>::bias) << (kPrecision<T> - 1));
}
/// Floor of log2 of a positive normal limb.
template <class T>
CAIRN_PAIR_INLINE constexpr int normal_exponent(T x) {
  return static_cast<int>(bits_of(x) >> (kPrecision<T> - 1)) - LimbFormat<T>::bias;
}
/// The bits of a positive limb from bit `from` on, as many as `mask` has.
template <class T>
CAIRN_PAIR_INLINE constexpr int bits_from(T x, int from, int mask) {
  return static_cast<int>(bits_of(x) >> from) & mask;
}
/// How many last places x is above `from`, both positive and of one exponent.
template <class T>
CAIRN_PAIR_INLINE constexpr int bits_above(T x, T from) {
  return static_cast<int>(bits_of(x) - bits_of(from));
}
/// Limb `at` of a row in a table of rows of `stride` limbs.
template <class T>
CAIRN_PAIR_INLINE constexpr T looked_up(const T* limbs, int row, int stride, int at) {
  return limbs[row * stride + at];
}

/// xy rounded to the nearest integer, of magnitude below 2^(p-3), xy before any rounding.
template <class T>
struct Rounded {
  T limb;
  WholeOf<T> whole;
};
template <class T>
CAIRN_PAIR_INLINE Rounded<T> rounded(T x, T y) {
  constexpr LimbOf<T> kUp = LimbOf<T>(1.5) * power_of_two<LimbOf<T>>(kPrecision<T> - 1);
  const T up = fused(x, y, T(kUp));
  return {up - T(kUp), bits_above(up, kUp)};
}

/// The significand of a finite limb that is not zero, signed, of magnitude in [1, 2).
template <class T>
CAIRN_PAIR_INLINE constexpr T significand_of(T x) {
  if (magnitude(x) < kLeastNormal<T>) x *= power_of_two<T>(kPrecision<T>);
  constexpr Bits<T> kExponent = kInfinityBits<T>;
  return limb_of<T>((bits_of(x) & static_cast<Bits<T>>(~kExponent)) | bits_of(T(1)));
}

/// x 2^e rounded once, for any e.
template <class T>
CAIRN_PAIR_INLINE constexpr T scaled(T x, int e) {
  if (!finite(x) || x == T(0)) return x;
  const int top = exponent_of(x);
  const T m = significand_of(x);
  constexpr int kRange = kMaxExponent<T> - kLeastExponent<T> + 4;
  const int to = top + (e > kRange ? kRange : e < -kRange ? -kRange : e);
  if (to >= kMinExponent<T>) return m * power_of_two<T>(to);
  const int below = to - kMinExponent<T>;  // m times this power is exact; what follows rounds
  return (m * power_of_two<T>(below < -2 * kPrecision<T> ? -2 * kPrecision<T> : below)) * kLeastNormal<T>;
}

/// x without its fraction. The sign of zero is kept; infinities and NaN pass.
template <class T>
CAIRN_PAIR_INLINE constexpr T truncated(T x) {
  if (!(magnitude(x) < power_of_two<T>(kPrecision<T> - 1))) return x;
  return with_sign(static_cast<T>(static_cast<I64>(x)), x);
}
/// The nearest integer, ties to even.
template <class T>
CAIRN_PAIR_INLINE constexpr T nearest(T x) {
  constexpr T kShift = power_of_two<T>(kPrecision<T> - 1);
  if (!(magnitude(x) < kShift)) return x;
  const T y = (magnitude(x) + kShift) - kShift;
  return with_sign(y, x);
}

}  // namespace CAIRN_PAIR_BUILD
}  // namespace cairn::semantics::pair
