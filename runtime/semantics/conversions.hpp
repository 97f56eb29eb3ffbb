// Conversions between the ten numeric types (syntax and values, 1.6.4).
#pragma once

#include "runtime/semantics/base.hpp"

namespace cairn::semantics {

/// out = the same number, when it fits To.
template <class To, class From>
constexpr bool integer_to_integer(From x, To& out) {
  out = static_cast<To>(x);
  // The way back gives x, and the sign did not turn.
  return static_cast<From>(out) == x && (out < To{0}) == (x < From{0});
}

/// The nearest F, ties to even.
template <class F, class From>
constexpr F integer_to_float(From x) {
  return static_cast<F>(x);
}

/// out = x truncated toward zero, when x is a number whose truncated value fits To.
template <class To, class F>
constexpr bool float_to_integer(F x, To& out) {
  // -2^width is exact in both formats, but minimum - 1 is not: compare x > minimum - 1 as x >= minimum where F cannot
  // tell the two apart. 2^(width-1) or 2^width, the first value past the maximum, is always exact.
  constexpr unsigned kMagnitudeBits = kSigned<To> ? kWidth<To> - 1 : kWidth<To>;
  constexpr unsigned kPrecision = sizeof(F) == 4 ? 24 : 53;
  const F past = static_cast<F>(U64{1} << (kMagnitudeBits - 1)) * F{2};
  if (!(x < past)) return false;  // NaN too
  if constexpr (!kSigned<To>) {
    if (!(x > F{-1})) return false;
  } else if constexpr (kMagnitudeBits < kPrecision) {
    if (!(x > -past - F{1})) return false;
  } else {
    if (!(x >= -past)) return false;
  }
  out = static_cast<To>(x);
  return true;
}

}  // namespace cairn::semantics
