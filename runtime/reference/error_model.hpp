// How far an accumulated value can be from the exact sum (reference algorithms, 7).
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "runtime/reference/formats.hpp"
#include "runtime/reference/value.hpp"

namespace cairn::reference {

/// A bound of (1+u)^n - 1 with the format's unit roundoff; nothing where the library has no bound.
[[nodiscard]] std::optional<mpq_class> growth(Format format, std::size_t n);

/// |accumulated - exact| <= relative * scale + absolute, before the output is rounded and when nothing overflowed.
struct ErrorModel {
  Rational relative;
  Rational absolute;
  std::string scale;

  /// Of roundings that a term passes through at most `depth` times, `roundings` in all.
  [[nodiscard]] static ErrorModel of(Format format, std::size_t depth, std::size_t roundings, std::string scale);

  [[nodiscard]] bool is_bounded() const { return !relative.is_infinite() && !absolute.is_infinite(); }
  [[nodiscard]] Rational bound(const Rational& scale_value) const;
  /// "4.17e-07 * sum over k of |A[i,k] * B[k,j]| + 1.26e-44".
  [[nodiscard]] std::string text() const;
};

}  // namespace cairn::reference
