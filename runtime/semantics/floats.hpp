// f32 and f64 operations that C++ operators do not write (numerics, 1). F is float or double. + - * / and comparisons
// are the language's own, in a build without contraction or excess precision.
#pragma once

#include "runtime/semantics/base.hpp"

namespace cairn::semantics {

template <class F>
inline constexpr Unsigned<F> kSignBit = Unsigned<F>{1} << (kWidth<F> - 1);

/// x with its sign bit flipped, NaN and zero included.
template <class F>
constexpr F neg_float(F x) {
  return bit_cast<F>(static_cast<Unsigned<F>>(bit_cast<Unsigned<F>>(x) ^ kSignBit<F>));
}

/// x with its sign bit cleared.
template <class F>
constexpr F abs_float(F x) {
  return bit_cast<F>(static_cast<Unsigned<F>>(bit_cast<Unsigned<F>>(x) & ~kSignBit<F>));
}

template <class F>
constexpr bool is_nan(F x) {
  return x != x;  // NOLINT(misc-redundant-expression): only what is no number differs from itself
}

template <class F>
constexpr bool is_infinite(F x) {
  return abs_float(x) == bit_cast<F>(sizeof(F) == 4 ? Unsigned<F>(0x7f800000U) : Unsigned<F>(0x7ff0000000000000ULL));
}

#if defined(__CUDACC_RTC__)
inline float square_root(float x) { return __fsqrt_rn(x); }
inline double square_root(double x) { return __dsqrt_rn(x); }
inline float round_down(float x) { return floorf(x); }
inline double round_down(double x) { return ::floor(x); }
inline float round_up(float x) { return ceilf(x); }
inline double round_up(double x) { return ::ceil(x); }
inline float round_to_zero(float x) { return truncf(x); }
inline double round_to_zero(double x) { return ::trunc(x); }
inline float fused(float a, float b, float c) { return __fmaf_rn(a, b, c); }
inline double fused(double a, double b, double c) { return __fma_rn(a, b, c); }
#else
/// The square root, correctly rounded.
inline float square_root(float x) { return __builtin_sqrtf(x); }
inline double square_root(double x) { return __builtin_sqrt(x); }
/// floor, ceil, trunc: exact; the sign of zero, infinities and NaN pass through.
inline float round_down(float x) { return __builtin_floorf(x); }
inline double round_down(double x) { return __builtin_floor(x); }
inline float round_up(float x) { return __builtin_ceilf(x); }
inline double round_up(double x) { return __builtin_ceil(x); }
inline float round_to_zero(float x) { return __builtin_truncf(x); }
inline double round_to_zero(double x) { return __builtin_trunc(x); }
/// The exact a * b + c, rounded once.
inline float fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline double fused(double a, double b, double c) { return __builtin_fma(a, b, c); }
#endif

}  // namespace cairn::semantics
