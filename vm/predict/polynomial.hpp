// Polynomials over a function's extents, with real coefficients: how often something happens, as its sizes say.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace cairn::predict {

using Sizes = std::map<std::string, double>;

class Polynomial {
 public:
  Polynomial() = default;
  Polynomial(double constant);  // NOLINT: a number is a polynomial
  static Polynomial variable(const std::string& name);

  [[nodiscard]] bool is_zero() const { return terms_.empty(); }
  [[nodiscard]] bool is_constant() const;
  [[nodiscard]] double value(const Sizes& sizes) const;
  /// The value of a constant one.
  [[nodiscard]] double constant() const { return value({}); }
  [[nodiscard]] std::vector<std::string> variables() const;
  /// Each variable replaced; one that is not named stays.
  [[nodiscard]] Polynomial substitute(const std::map<std::string, Polynomial>& by) const;
  /// Per monomial the larger coefficient: at least either, wherever sizes are not negative.
  [[nodiscard]] static Polynomial larger(const Polynomial& left, const Polynomial& right);
  /// `2*n + 8`; highest degree first.
  [[nodiscard]] std::string text() const;

  Polynomial& operator+=(const Polynomial& other);
  friend Polynomial operator+(Polynomial left, const Polynomial& right) { return left += right; }
  friend Polynomial operator-(const Polynomial& left, const Polynomial& right) {
    return left + right * Polynomial(-1.0);
  }
  friend Polynomial operator*(const Polynomial& left, const Polynomial& right);
  friend bool operator==(const Polynomial&, const Polynomial&) = default;

 private:
  using Monomial = std::map<std::string, unsigned>;  // variable -> power
  std::map<Monomial, double> terms_;                 // no coefficient is zero
};

/// A number as people read it: `8`, `0.5`, `1.25e+06`.
[[nodiscard]] std::string number_text(double value);

}  // namespace cairn::predict
