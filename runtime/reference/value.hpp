// Numbers of the reference (reference algorithms, 1): values, which are finite dyadic numbers or specials and whose
// zero has no sign, and exact rationals for bounds. Both are of any size; nothing here rounds.
#pragma once

#include <gmpxx.h>

#include <compare>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

namespace cairn::reference {

/// Why an argument is refused, in one sentence.
struct Refusal {
  std::string message;
};

class Value {
 public:
  enum class Kind : std::uint8_t { Finite, PlusInfinity, MinusInfinity, NotANumber };

  Value() = default;  // 0
  /// significand * 2^exponent.
  Value(mpz_class significand, std::int64_t exponent);
  [[nodiscard]] static Value infinity(bool negative);
  [[nodiscard]] static Value nan();
  /// The double's value; -0.0 is 0.
  [[nodiscard]] static Value of(double number);
  [[nodiscard]] static Value power_of_two(std::int64_t exponent) { return {mpz_class(1), exponent}; }

  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] bool is_finite() const { return kind_ == Kind::Finite; }
  [[nodiscard]] bool is_nan() const { return kind_ == Kind::NotANumber; }
  [[nodiscard]] bool is_infinite() const { return kind_ == Kind::PlusInfinity || kind_ == Kind::MinusInfinity; }
  [[nodiscard]] bool is_zero() const { return is_finite() && sgn(significand_) == 0; }
  /// -1, 0 or 1; of an infinity too. A NaN has 0.
  [[nodiscard]] int sign() const;
  /// Odd, or 0 with exponent 0. Of finite values.
  [[nodiscard]] const mpz_class& significand() const { return significand_; }
  [[nodiscard]] std::int64_t exponent() const { return exponent_; }
  /// floor(log2 |x|) of a finite value other than 0.
  [[nodiscard]] std::int64_t binade() const;

  [[nodiscard]] Value negated() const;
  [[nodiscard]] Value magnitude() const;
  /// Times 2^shift.
  [[nodiscard]] Value scaled(std::int64_t shift) const;
  /// The nearest double, ties to even; exact for a value of any format.
  [[nodiscard]] double to_f64() const;

  /// Values are compared as numbers; NaN equals NaN.
  friend bool operator==(const Value& a, const Value& b) {
    return a.kind_ == b.kind_ && a.exponent_ == b.exponent_ && a.significand_ == b.significand_;
  }

 private:
  Kind kind_ = Kind::Finite;
  std::int64_t exponent_ = 0;
  mpz_class significand_;
};

/// Arithmetic of section 1.1: exact, or the special that infinities and NaN give.
[[nodiscard]] Value operator+(const Value& a, const Value& b);
[[nodiscard]] Value operator-(const Value& a, const Value& b);
[[nodiscard]] Value operator*(const Value& a, const Value& b);
/// -1, 0 or 1. Neither may be NaN.
[[nodiscard]] int compare(const Value& a, const Value& b);
[[nodiscard]] inline bool operator<(const Value& a, const Value& b) { return compare(a, b) < 0; }
[[nodiscard]] inline bool operator<=(const Value& a, const Value& b) { return compare(a, b) <= 0; }
[[nodiscard]] inline bool operator>(const Value& a, const Value& b) { return compare(a, b) > 0; }
[[nodiscard]] inline bool operator>=(const Value& a, const Value& b) { return compare(a, b) >= 0; }

/// An exact rational, or infinite where a bound is.
class Rational {
 public:
  Rational() = default;  // 0
  explicit Rational(mpq_class value) : value_(std::move(value)) {}
  /// Of a finite value.
  explicit Rational(const Value& value);
  [[nodiscard]] static Rational infinite();

  [[nodiscard]] bool is_infinite() const { return infinite_; }
  /// Of a finite one; in lowest terms.
  [[nodiscard]] const mpq_class& exact() const { return value_; }
  /// The least double that is no less; infinity past the range.
  [[nodiscard]] double up_to_f64() const;
  /// The nearest double, ties to even.
  [[nodiscard]] double nearest_f64() const;

  friend bool operator==(const Rational& a, const Rational& b) {
    return a.infinite_ == b.infinite_ && (a.infinite_ || a.value_ == b.value_);
  }

 private:
  bool infinite_ = false;
  mpq_class value_;
};

/// `0x0p+0`, `inf`, `-inf`, `nan`, or `[-]0xHp+E` with an odd H in lower-case hexadecimal (1.4).
[[nodiscard]] std::string text(const Value& value);
/// `P/Q` in lowest terms, `inf` when infinite.
[[nodiscard]] std::string text(const Rational& value);

/// A number as 1.4 reads it: any C99 hexadecimal or decimal floating constant, `P/Q`. Exponents beyond a million are
/// refused.
[[nodiscard]] std::expected<Rational, Refusal> parse_rational(std::string_view spelling);
/// The same and the specials; a finite one must be dyadic.
[[nodiscard]] std::expected<Value, Refusal> parse(std::string_view spelling);

}  // namespace cairn::reference
