#include "runtime/reference/error_model.hpp"

#include <array>
#include <cstdio>

namespace cairn::reference {

namespace {

mpz_class power_of_two(std::size_t exponent) {
  mpz_class power;
  mpz_setbit(power.get_mpz_t(), exponent);
  return power;
}

/// (1+u)^n - 1 rounded up to a multiple of 2^-64.
mpq_class rounded_growth(int p, std::size_t n) {
  const mpz_class base = power_of_two(static_cast<std::size_t>(p)) + 1;
  mpz_class grown;
  mpz_pow_ui(grown.get_mpz_t(), base.get_mpz_t(), n);
  const std::size_t unit = static_cast<std::size_t>(p) * n;
  grown -= power_of_two(unit);
  grown <<= 64;
  mpz_cdiv_q_2exp(grown.get_mpz_t(), grown.get_mpz_t(), unit);
  mpq_class result(grown, power_of_two(64));
  result.canonicalize();
  return result;
}

std::string shown(const Rational& number) {
  std::array<char, 32> text;
  const int length = std::snprintf(text.data(), text.size(), "%.3g", number.nearest_f64());
  return {text.data(), static_cast<std::size_t>(length)};
}

}  // namespace

std::optional<mpq_class> growth(Format format, std::size_t n) {
  const int p = info(format).p;
  const std::uint64_t two_to_p = std::uint64_t{1} << p;
  if (n <= two_to_p / 2) {
    mpq_class classic{mpz_class(n), mpz_class(two_to_p - n)};
    classic.canonicalize();
    return classic;
  }
  if (p <= 11 && n <= 32 * two_to_p) return rounded_growth(p, n);
  return std::nullopt;
}

ErrorModel ErrorModel::of(Format format, std::size_t depth, std::size_t roundings, std::string scale) {
  const auto relative = growth(format, depth);
  if (!relative) return {Rational::infinite(), Rational::infinite(), std::move(scale)};
  const mpq_class lost = Rational(info(format).half_subnormal).exact() * mpq_class(mpz_class(roundings));
  return {Rational(*relative), Rational(mpq_class(lost * (1 + *relative))), std::move(scale)};
}

Rational ErrorModel::bound(const Rational& scale_value) const {
  if (!is_bounded() || scale_value.is_infinite()) return Rational::infinite();
  return Rational(mpq_class(relative.exact() * scale_value.exact() + absolute.exact()));
}

std::string ErrorModel::text() const { return shown(relative) + " * " + scale + " + " + shown(absolute); }

}  // namespace cairn::reference
