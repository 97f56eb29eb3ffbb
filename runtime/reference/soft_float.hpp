// Emulated arithmetic of an accumulator of any format: one exact operation, one rounding, in machine words. A value of
// a format is a double here; every format's values are.
#pragma once

#include "runtime/reference/array.hpp"
#include "runtime/reference/fixed_point.hpp"
#include "runtime/reference/rounding.hpp"

namespace cairn::reference {

/// An exact number of at most 106 bits: an element, or a product of two.
struct Small {
  Wide magnitude = 0;
  int exponent = 0;
  bool negative = false;
  Value::Kind kind = Value::Kind::Finite;

  [[nodiscard]] bool is_finite() const { return kind == Value::Kind::Finite; }
  [[nodiscard]] Value value() const;
};

[[nodiscard]] Small small(const Element& element);
[[nodiscard]] Small small(double number);
/// The exact product, by 1.1.
[[nodiscard]] Small product(const Element& a, const Element& b);
/// -1, 0 or 1, of finite ones.
[[nodiscard]] int compare(const Small& a, const Small& b);

/// Rounds to one format; a number past the range becomes its infinity, or NaN in a format without.
class Rounder {
 public:
  Rounder(Format format, Rounding rounding);

  [[nodiscard]] double round(const Small& number) const;
  /// sum + term, exact and then rounded. `sum` is a value of the format.
  [[nodiscard]] double add(double sum, const Small& term) const;

 private:
  [[nodiscard]] double round_magnitude(bool negative, Wide magnitude, int exponent) const;

  int p_;
  int emin_;
  double largest_;
  double overflow_;  // of a positive number
  bool ties_to_even_;
};

}  // namespace cairn::reference
