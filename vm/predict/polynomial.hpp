// Polynomials over a function's extents, with real coefficients: how often something happens, as its sizes say. Guesses
// of how often a loop turns or a function calls itself (turns.hpp, recursion.hpp) have powers that are no whole
// numbers, and beside `n` the variables `log2(n)` and `1.618^n`.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cairn::predict {

using Sizes = std::map<std::string, double>;

class Polynomial {
 public:
  Polynomial() = default;
  Polynomial(double constant);  // NOLINT: a number is a polynomial
  static Polynomial variable(const std::string& name);
  /// The binary logarithm, 0 of what is below 1; of a polynomial that of its leading term.
  static Polynomial log2(const Polynomial& of);
  /// `base` above 1 to a power; nothing when that is neither a number nor a multiple of one variable beside one.
  static std::optional<Polynomial> exponential(double base, const Polynomial& power);

  [[nodiscard]] bool is_zero() const { return terms_.empty(); }
  [[nodiscard]] bool is_constant() const;
  [[nodiscard]] double value(const Sizes& sizes) const;
  /// The value of a constant one.
  [[nodiscard]] double constant() const { return value({}); }
  /// Whose values it takes: of `log2(n)` it is n.
  [[nodiscard]] std::vector<std::string> variables() const;
  /// Each variable replaced; one that is not named stays.
  [[nodiscard]] Polynomial substitute(const std::map<std::string, Polynomial>& by) const;
  /// This over the leading term of another, which is not zero.
  [[nodiscard]] Polynomial over(const Polynomial& divisor) const;
  /// The leading term to a power.
  [[nodiscard]] Polynomial leading_to(double power) const;
  /// a and b of a * variable + b; nothing when it is not that.
  [[nodiscard]] std::optional<std::pair<double, Polynomial>> linear_in(const std::string& variable) const;
  /// The sum of what each term, split in its power of the variable and the rest, becomes.
  [[nodiscard]] Polynomial each_term(
      const std::string& variable,
      const std::function<Polynomial(double power, const Polynomial& rest)>& becomes) const;
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
  using Monomial = std::map<std::string, double>;  // variable -> power, which is not zero
  [[nodiscard]] static double degree(const Monomial& monomial);
  [[nodiscard]] const std::pair<const Monomial, double>& leading() const;

  std::map<Monomial, double> terms_;  // no coefficient is zero
};

/// A number as people read it: `8`, `0.5`, `1.25e+06`.
[[nodiscard]] std::string number_text(double value);

}  // namespace cairn::predict
