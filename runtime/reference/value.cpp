#include "runtime/reference/value.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <optional>

#include "runtime/reference/rounding.hpp"

namespace cairn::reference {

Value::Value(mpz_class significand, std::int64_t exponent) : exponent_(exponent), significand_(std::move(significand)) {
  if (sgn(significand_) == 0) {
    exponent_ = 0;
    return;
  }
  const mp_bitcnt_t zeros = mpz_scan1(significand_.get_mpz_t(), 0);
  if (zeros == 0) return;
  mpz_tdiv_q_2exp(significand_.get_mpz_t(), significand_.get_mpz_t(), zeros);
  exponent_ += static_cast<std::int64_t>(zeros);
}

Value Value::infinity(bool negative) {
  Value made;
  made.kind_ = negative ? Kind::MinusInfinity : Kind::PlusInfinity;
  return made;
}

Value Value::nan() {
  Value made;
  made.kind_ = Kind::NotANumber;
  return made;
}

Value Value::of(double number) {
  if (std::isnan(number)) return nan();
  if (std::isinf(number)) return infinity(number < 0);
  int exponent = 0;
  const double fraction = std::frexp(number, &exponent);
  return {mpz_class(std::ldexp(fraction, 53)), exponent - 53};
}

int Value::sign() const {
  switch (kind_) {
    case Kind::Finite:
      return sgn(significand_);
    case Kind::PlusInfinity:
      return 1;
    case Kind::MinusInfinity:
      return -1;
    case Kind::NotANumber:
      return 0;
  }
  return 0;
}

std::int64_t Value::binade() const {
  return static_cast<std::int64_t>(mpz_sizeinbase(significand_.get_mpz_t(), 2)) - 1 + exponent_;
}

Value Value::negated() const {
  Value made = *this;
  if (is_infinite()) return infinity(kind_ == Kind::PlusInfinity);
  mpz_neg(made.significand_.get_mpz_t(), made.significand_.get_mpz_t());
  return made;
}

Value Value::magnitude() const { return sign() < 0 ? negated() : *this; }

Value Value::scaled(std::int64_t shift) const {
  Value made = *this;
  if (sign() != 0 && is_finite()) made.exponent_ += shift;
  return made;
}

double Value::to_f64() const {
  switch (kind_) {
    case Kind::Finite:
      break;
    case Kind::PlusInfinity:
      return std::numeric_limits<double>::infinity();
    case Kind::MinusInfinity:
      return -std::numeric_limits<double>::infinity();
    case Kind::NotANumber:
      return std::numeric_limits<double>::quiet_NaN();
  }
  if (is_zero()) return 0;
  if (mpz_sizeinbase(significand_.get_mpz_t(), 2) > 53 || exponent_ < -1074 || binade() > 1023) {
    const Value rounded = round(*this, Format::F64, Rounding::NearestEven, Overflow::Default, false);
    return rounded.is_finite() && !rounded.is_zero()
               ? std::ldexp(rounded.significand_.get_d(), static_cast<int>(rounded.exponent_))
               : (rounded.is_zero() ? 0 : rounded.to_f64());
  }
  return std::ldexp(significand_.get_d(), static_cast<int>(exponent_));
}

namespace {

/// a + b or a - b, both finite.
Value finite_sum(const Value& a, const Value& b, bool subtract) {
  if (b.is_zero()) return a;
  if (a.is_zero()) return subtract ? b.negated() : b;
  mpz_class sum;
  const std::int64_t exponent = std::min(a.exponent(), b.exponent());
  if (a.exponent() == b.exponent()) {
    subtract ? mpz_sub(sum.get_mpz_t(), a.significand().get_mpz_t(), b.significand().get_mpz_t())
             : mpz_add(sum.get_mpz_t(), a.significand().get_mpz_t(), b.significand().get_mpz_t());
  } else if (a.exponent() > b.exponent()) {
    mpz_mul_2exp(sum.get_mpz_t(), a.significand().get_mpz_t(), static_cast<mp_bitcnt_t>(a.exponent() - exponent));
    subtract ? mpz_sub(sum.get_mpz_t(), sum.get_mpz_t(), b.significand().get_mpz_t())
             : mpz_add(sum.get_mpz_t(), sum.get_mpz_t(), b.significand().get_mpz_t());
  } else {
    mpz_mul_2exp(sum.get_mpz_t(), b.significand().get_mpz_t(), static_cast<mp_bitcnt_t>(b.exponent() - exponent));
    subtract ? mpz_sub(sum.get_mpz_t(), a.significand().get_mpz_t(), sum.get_mpz_t())
             : mpz_add(sum.get_mpz_t(), a.significand().get_mpz_t(), sum.get_mpz_t());
  }
  return {std::move(sum), exponent};
}

}  // namespace

Value operator+(const Value& a, const Value& b) {
  if (a.is_finite() && b.is_finite()) return finite_sum(a, b, false);
  if (a.is_nan() || b.is_nan()) return Value::nan();
  if (a.is_infinite() && b.is_infinite()) return a == b ? a : Value::nan();
  return a.is_infinite() ? a : b;
}

Value operator-(const Value& a, const Value& b) {
  if (a.is_finite() && b.is_finite()) return finite_sum(a, b, true);
  return a + b.negated();
}

Value operator*(const Value& a, const Value& b) {
  if (a.is_finite() && b.is_finite()) {
    return {a.significand() * b.significand(), a.exponent() + b.exponent()};
  }
  const int sign = a.sign() * b.sign();
  return sign == 0 ? Value::nan() : Value::infinity(sign < 0);
}

int compare(const Value& a, const Value& b) {
  const int sign = a.sign();
  if (sign != b.sign()) return sign < b.sign() ? -1 : 1;
  if (sign == 0) return 0;
  if (a.is_infinite() || b.is_infinite()) {
    const int larger = (a.is_infinite() ? 1 : 0) - (b.is_infinite() ? 1 : 0);
    return larger * sign;
  }
  if (a.binade() != b.binade()) return (a.binade() < b.binade()) == (sign > 0) ? -1 : 1;
  if (a.exponent() == b.exponent()) {
    const int order = cmp(a.significand(), b.significand());
    return (order > 0) - (order < 0);
  }
  return finite_sum(a, b, true).sign();
}

// -------------------------------------------------------------------------------------------------------- rationals

Rational::Rational(const Value& value) {
  value_ = value.significand();
  if (value.exponent() >= 0) {
    mpq_mul_2exp(value_.get_mpq_t(), value_.get_mpq_t(), static_cast<mp_bitcnt_t>(value.exponent()));
  } else {
    mpq_div_2exp(value_.get_mpq_t(), value_.get_mpq_t(), static_cast<mp_bitcnt_t>(-value.exponent()));
  }
}

Rational Rational::infinite() {
  Rational made;
  made.infinite_ = true;
  return made;
}

double Rational::up_to_f64() const {
  if (infinite_) return std::numeric_limits<double>::infinity();
  const Value up = to_grid({value_.get_num(), 0, value_.get_den()}, info(Format::F64), Direction::Up);
  const Value& largest = info(Format::F64).largest;
  if (up > largest) return std::numeric_limits<double>::infinity();
  return up < largest.negated() ? std::numeric_limits<double>::lowest() : up.to_f64();
}

double Rational::nearest_f64() const {
  if (infinite_) return std::numeric_limits<double>::infinity();
  return round(*this, Format::F64, Rounding::NearestEven, Overflow::Default, false).to_f64();
}

// ------------------------------------------------------------------------------------------------------------- text

std::string text(const Value& value) {
  switch (value.kind()) {
    case Value::Kind::PlusInfinity:
      return "inf";
    case Value::Kind::MinusInfinity:
      return "-inf";
    case Value::Kind::NotANumber:
      return "nan";
    case Value::Kind::Finite:
      break;
  }
  const std::int64_t exponent = value.exponent();
  return (value.sign() < 0 ? "-0x" : "0x") + mpz_class(abs(value.significand())).get_str(16) +
         (exponent < 0 ? "p-" : "p+") + std::to_string(exponent < 0 ? -exponent : exponent);
}

std::string text(const Rational& value) {
  if (value.is_infinite()) return "inf";
  return value.exact().get_num().get_str() + "/" + value.exact().get_den().get_str();
}

namespace {

constexpr std::int64_t kMostExponent = 1'000'000;

bool is_digit(char c, int base) {
  const auto byte = static_cast<unsigned char>(c);
  return base == 16 ? std::isxdigit(byte) != 0 : std::isdigit(byte) != 0;
}

/// A decimal integer with an optional sign, of the whole text.
std::optional<std::int64_t> small_integer(std::string_view digits) {
  const bool negative = digits.starts_with('-');
  if (negative || digits.starts_with('+')) digits.remove_prefix(1);
  if (digits.empty()) return std::nullopt;
  std::int64_t value = 0;
  for (const char c : digits) {
    if (!is_digit(c, 10)) return std::nullopt;
    value = std::min<std::int64_t>(value * 10 + (c - '0'), 10 * kMostExponent);
  }
  return negative ? -value : value;
}

std::optional<mpz_class> whole_number(std::string_view digits, int base) {
  if (digits.empty() || !std::ranges::all_of(digits, [&](char c) { return is_digit(c, base); })) return std::nullopt;
  return mpz_class(std::string(digits), base);
}

std::expected<Rational, Refusal> malformed(std::string_view spelling) {
  return std::unexpected(Refusal{"'" + std::string(spelling.substr(0, 80)) + "' is no number"});
}

/// The significand's digits, their point taken out, and the exponent behind them.
std::expected<Rational, Refusal> floating_constant(std::string_view body, bool negative, std::string_view spelling) {
  const bool hexadecimal = body.starts_with("0x") || body.starts_with("0X");
  if (hexadecimal) body.remove_prefix(2);
  const int base = hexadecimal ? 16 : 10;
  const std::size_t mark = body.find_first_of(hexadecimal ? "pP" : "eE");
  std::int64_t exponent = 0;
  if (mark != std::string_view::npos) {
    const auto written = small_integer(body.substr(mark + 1));
    if (!written) return malformed(spelling);
    exponent = *written;
    body = body.substr(0, mark);
  }
  std::string digits(body);
  if (const std::size_t point = digits.find('.'); point != std::string::npos) {
    const auto behind = static_cast<std::int64_t>(digits.size() - point - 1);
    exponent -= hexadecimal ? 4 * behind : behind;
    digits.erase(point, 1);
  }
  const auto significand = whole_number(digits, base);
  if (!significand) return malformed(spelling);
  if (exponent > kMostExponent || exponent < -kMostExponent) {
    return std::unexpected(Refusal{"the exponent of '" + std::string(spelling.substr(0, 80)) + "' is out of range"});
  }
  mpq_class value = negative ? mpz_class(-*significand) : *significand;
  const auto size = static_cast<mp_bitcnt_t>(exponent < 0 ? -exponent : exponent);
  if (hexadecimal) {
    exponent < 0 ? mpq_div_2exp(value.get_mpq_t(), value.get_mpq_t(), size)
                 : mpq_mul_2exp(value.get_mpq_t(), value.get_mpq_t(), size);
  } else {
    mpz_class power;
    mpz_ui_pow_ui(power.get_mpz_t(), 10, size);
    exponent < 0 ? value /= power : value *= power;
  }
  return Rational(std::move(value));
}

}  // namespace

std::expected<Rational, Refusal> parse_rational(std::string_view spelling) {
  std::string_view body = spelling;
  const bool negative = body.starts_with('-');
  if (negative || body.starts_with('+')) body.remove_prefix(1);
  if (body.empty()) return malformed(spelling);
  const std::size_t slash = body.find('/');
  if (slash == std::string_view::npos) return floating_constant(body, negative, spelling);
  const auto numerator = whole_number(body.substr(0, slash), 10);
  const auto denominator = whole_number(body.substr(slash + 1), 10);
  if (!numerator || !denominator || *denominator == 0) return malformed(spelling);
  mpq_class value(negative ? mpz_class(-*numerator) : *numerator, *denominator);
  value.canonicalize();
  return Rational(std::move(value));
}

std::expected<Value, Refusal> parse(std::string_view spelling) {
  if (spelling == "inf" || spelling == "+inf") return Value::infinity(false);
  if (spelling == "-inf") return Value::infinity(true);
  if (spelling == "nan") return Value::nan();
  const auto number = parse_rational(spelling);
  if (!number) return std::unexpected(number.error());
  const mpz_class& denominator = number->exact().get_den();
  const mp_bitcnt_t zeros = mpz_scan1(denominator.get_mpz_t(), 0);
  if (mpz_sizeinbase(denominator.get_mpz_t(), 2) != zeros + 1) {
    return std::unexpected(Refusal{"'" + std::string(spelling.substr(0, 80)) + "' is no dyadic number"});
  }
  return Value(number->exact().get_num(), -static_cast<std::int64_t>(zeros));
}

}  // namespace cairn::reference
