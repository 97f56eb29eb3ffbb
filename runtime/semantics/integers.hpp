// Integer operations (syntax and values, 1.6.1 and 1.7.1). T is one of the eight integer types; usize is U64.
#pragma once

#include "runtime/semantics/base.hpp"

namespace cairn::semantics {

/// out = a + b when that fits T.
template <class T>
constexpr bool add(T a, T b, T& out) {
#if defined(__CUDACC_RTC__)
  out = static_cast<T>(static_cast<Unsigned<T>>(static_cast<Unsigned<T>>(a) + static_cast<Unsigned<T>>(b)));
  if constexpr (kSigned<T>) {
    return static_cast<T>((a ^ out) & (b ^ out)) >= 0;
  } else {
    // Not out >= a: up to sm_90, NVRTC 13.0 takes a counted loop that holds that test for one without an end.
    return a <= static_cast<T>(~b);
  }
#else
  return !__builtin_add_overflow(a, b, &out);
#endif
}

/// out = a - b when that fits T.
template <class T>
constexpr bool sub(T a, T b, T& out) {
#if defined(__CUDACC_RTC__)
  out = static_cast<T>(static_cast<Unsigned<T>>(static_cast<Unsigned<T>>(a) - static_cast<Unsigned<T>>(b)));
  if constexpr (kSigned<T>) {
    return static_cast<T>((a ^ b) & (a ^ out)) >= 0;
  } else {
    return a >= b;
  }
#else
  return !__builtin_sub_overflow(a, b, &out);
#endif
}

/// The upper 64 bits of a * b.
constexpr U64 mul_high(U64 a, U64 b) {
  const U64 a0 = a & 0xffffffff, a1 = a >> 32, b0 = b & 0xffffffff, b1 = b >> 32;
  const U64 middle = a1 * b0 + ((a0 * b0) >> 32);
  const U64 other = a0 * b1 + (middle & 0xffffffff);
  return a1 * b1 + (middle >> 32) + (other >> 32);
}

/// out = a * b when that fits T.
template <class T>
constexpr bool mul(T a, T b, T& out) {
#if defined(__CUDACC_RTC__)
  if constexpr (kWidth<T> < 64) {
    const I64 product = static_cast<I64>(a) * static_cast<I64>(b);  // u32 * u32 wraps to negative only past 2^63
    out = static_cast<T>(product);
    return kSigned<T> ? static_cast<I64>(out) == product : static_cast<U64>(out) == static_cast<U64>(product);
  } else if constexpr (kSigned<T>) {
    const U64 x = a < 0 ? 0 - static_cast<U64>(a) : static_cast<U64>(a);
    const U64 y = b < 0 ? 0 - static_cast<U64>(b) : static_cast<U64>(b);
    const bool negative = (a < 0) != (b < 0);
    const U64 magnitude = x * y;
    out = static_cast<T>(negative ? 0 - magnitude : magnitude);
    return mul_high(x, y) == 0 && magnitude <= static_cast<U64>(kMax<T>) + (negative ? 1 : 0);
  } else {
    out = a * b;
    return mul_high(a, b) == 0;
  }
#else
  return !__builtin_mul_overflow(a, b, &out);
#endif
}

/// True when a / b and a % b exist: b is not 0, and not the signed minimum by -1.
template <class T>
constexpr bool divides(T a, T b) {
  if constexpr (kSigned<T>) {
    if (b == T{-1} && a == kMin<T>) return false;
  }
  return b != 0;
}

/// out = a / b, toward zero.
template <class T>
constexpr bool div(T a, T b, T& out) {
  if (!divides(a, b)) return false;
  out = static_cast<T>(a / b);
  return true;
}

/// out = a % b, with the sign of a.
template <class T>
constexpr bool rem(T a, T b, T& out) {
  if (!divides(a, b)) return false;
  out = static_cast<T>(a % b);
  return true;
}

/// out = -a, for signed T.
template <class T>
constexpr bool neg(T a, T& out) {
  return sub(T{0}, a, out);
}

/// out = |a|, for signed T.
template <class T>
constexpr bool abs(T a, T& out) {
  if (a >= 0) {
    out = a;
    return true;
  }
  return neg(a, out);
}

// Modulo 2^width, for unsigned T. The products are taken in 64 bits: a u16 would be promoted to int and overflow.
template <class T>
constexpr T add_wrap(T a, T b) {
  return static_cast<T>(static_cast<U64>(a) + static_cast<U64>(b));
}
template <class T>
constexpr T sub_wrap(T a, T b) {
  return static_cast<T>(static_cast<U64>(a) - static_cast<U64>(b));
}
template <class T>
constexpr T mul_wrap(T a, T b) {
  return static_cast<T>(static_cast<U64>(a) * static_cast<U64>(b));
}

/// out = a << count, the bits above the width lost; false when count >= width.
template <class T>
constexpr bool shl_wrap(T a, U64 count, T& out) {
  if (count >= kWidth<T>) return false;
  out = static_cast<T>(static_cast<U64>(a) << count);
  return true;
}

/// out = a >> count, zeros shifted in; false when count >= width.
template <class T>
constexpr bool shr(T a, U64 count, T& out) {
  if (count >= kWidth<T>) return false;
  out = static_cast<T>(a >> count);
  return true;
}

template <class T>
constexpr T min(T a, T b) {
  return b < a ? b : a;
}
template <class T>
constexpr T max(T a, T b) {
  return a < b ? b : a;
}

}  // namespace cairn::semantics
