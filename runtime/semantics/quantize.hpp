// quantize and quantize_stochastic (numerics, 3). Target is a StorageFormat or one of I8, U8, I16, U16.
#pragma once

#include "runtime/semantics/floats.hpp"
#include "runtime/semantics/storage_floats.hpp"

namespace cairn::semantics {

/// Which guard of a quantize failed, in the order they are tested.
enum class QuantizeFault { None, Scale, NotANumber };

constexpr bool is_scale(float scale) { return scale > 0.0f && !is_infinite(scale); }

/// What both forms share: the scale, a NaN, then the quotient. The f64 quotient rounds like the exact one for every
/// target; an f64 division of two widened f32 cannot be NaN here.
template <class T>
struct IntegerTarget {
  using Result = T;

  static QuantizeFault nearest(float x, float scale, T& out) {
    return rounded(x, scale, out, [](double magnitude, U64 whole) {
      const double rest = magnitude - static_cast<double>(whole);  // exact below 2^16
      return rest > 0.5 || (rest == 0.5 && (whole & 1) != 0);
    });
  }
  static QuantizeFault stochastic(float x, float scale, U32 noise, T& out) {
    return rounded(x, scale, out, [noise](double magnitude, U64 whole) {
      const double rest = magnitude - static_cast<double>(whole);
      return static_cast<U32>(rest * 4294967296.0) > noise;  // below 2^32, truncated
    });
  }

 private:
  template <class MovesAway>
  static QuantizeFault rounded(float x, float scale, T& out, MovesAway moves_away) {
    if (!is_scale(scale)) return QuantizeFault::Scale;
    if (is_nan(x)) return QuantizeFault::NotANumber;
    const double quotient = static_cast<double>(x) / static_cast<double>(scale);
    if (quotient <= static_cast<double>(kMin<T>)) {
      out = kMin<T>;
    } else if (quotient >= static_cast<double>(kMax<T>)) {
      out = kMax<T>;
    } else {
      const double magnitude = abs_float(quotient);
      U64 whole = static_cast<U64>(magnitude);
      if (moves_away(magnitude, whole)) whole += 1;  // at most the bound, which is whole
      out = static_cast<T>(quotient < 0 ? 0 - whole : whole);
    }
    return QuantizeFault::None;
  }
};

template <class Format>
struct StorageTarget {
  using Result = typename Format::Pattern;

  static QuantizeFault nearest(float x, float scale, Result& out) {
    return rounded(x, scale, out, [](const Cut& part) { return rounds_up(part); });
  }
  static QuantizeFault stochastic(float x, float scale, U32 noise, Result& out) {
    return rounded(x, scale, out, [noise](const Cut& part) { return dropped_fraction(part) > noise; });
  }

 private:
  template <class MovesAway>
  static QuantizeFault rounded(float x, float scale, Result& out, MovesAway moves_away) {
    if (!is_scale(scale)) return QuantizeFault::Scale;
    if (is_nan(x)) {
      out = static_cast<Result>(storage_sign<Format>(static_cast<double>(x)) | Format::kQuietNan);
      return QuantizeFault::None;
    }
    const double quotient = static_cast<double>(x) / static_cast<double>(scale);
    U32 pattern = Format::kLargest;
    if (!is_infinite(quotient)) {
      const Cut part = cut<Format>(quotient);
      pattern = part.pattern + (moves_away(part) ? 1 : 0);
      if (pattern > Format::kLargest) pattern = Format::kLargest;
    }
    out = static_cast<Result>(storage_sign<Format>(quotient) | pattern);
    return QuantizeFault::None;
  }
};

}  // namespace cairn::semantics
