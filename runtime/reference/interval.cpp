#include "runtime/reference/interval.hpp"

#include <algorithm>

namespace cairn::reference {

Interval::Interval(const Value& value, mpfr_prec_t precision) : lo_(precision), hi_(precision) {
  mpfr_set_z_2exp(lo(), value.significand().get_mpz_t(), value.exponent(), MPFR_RNDD);
  mpfr_set_z_2exp(hi(), value.significand().get_mpz_t(), value.exponent(), MPFR_RNDU);
}

Interval::Interval(const mpq_class& value, mpfr_prec_t precision) : lo_(precision), hi_(precision) {
  mpfr_set_q(lo(), value.get_mpq_t(), MPFR_RNDD);
  mpfr_set_q(hi(), value.get_mpq_t(), MPFR_RNDU);
}

Interval::Interval(unsigned long value, mpfr_prec_t precision) : lo_(precision), hi_(precision) {
  mpfr_set_ui(lo(), value, MPFR_RNDD);
  mpfr_set_ui(hi(), value, MPFR_RNDU);
}

Interval Interval::negated() const {
  Interval made(precision());
  mpfr_neg(made.lo(), hi(), MPFR_RNDD);
  mpfr_neg(made.hi(), lo(), MPFR_RNDU);
  return made;
}

Interval Interval::magnitude() const {
  if (mpfr_sgn(lo()) >= 0) return *this;
  if (mpfr_sgn(hi()) <= 0) return negated();
  Interval made(precision());
  mpfr_neg(made.hi(), lo(), MPFR_RNDU);
  mpfr_max(made.hi(), made.hi(), hi(), MPFR_RNDU);
  return made;
}

Interval Interval::power(unsigned long exponent) const {
  Interval made(precision());
  mpfr_pow_ui(made.lo(), lo(), exponent, MPFR_RNDD);
  mpfr_pow_ui(made.hi(), hi(), exponent, MPFR_RNDU);
  return made;
}

bool Interval::is_number() const {
  return mpfr_nan_p(lo()) == 0 && mpfr_nan_p(hi()) == 0 && mpfr_inf_p(lo()) == 0 && mpfr_inf_p(hi()) == 0;
}

Interval& Interval::operator+=(const Interval& other) {
  mpfr_add(lo(), lo(), other.lo(), MPFR_RNDD);
  mpfr_add(hi(), hi(), other.hi(), MPFR_RNDU);
  return *this;
}

Interval& Interval::add_product(const Interval& a, const Interval& b) { return *this += a * b; }

Interval operator+(const Interval& a, const Interval& b) {
  Interval made(a.precision());
  mpfr_add(made.lo(), a.lo(), b.lo(), MPFR_RNDD);
  mpfr_add(made.hi(), a.hi(), b.hi(), MPFR_RNDU);
  return made;
}

Interval operator-(const Interval& a, const Interval& b) {
  Interval made(a.precision());
  mpfr_sub(made.lo(), a.lo(), b.hi(), MPFR_RNDD);
  mpfr_sub(made.hi(), a.hi(), b.lo(), MPFR_RNDU);
  return made;
}

namespace {

/// A product of ends. Zero times an infinite end is 0: the number behind that end is finite.
void multiply(mpfr_ptr result, mpfr_srcptr a, mpfr_srcptr b, mpfr_rnd_t rounding) {
  if ((mpfr_zero_p(a) != 0 && mpfr_inf_p(b) != 0) || (mpfr_inf_p(a) != 0 && mpfr_zero_p(b) != 0)) {
    mpfr_set_zero(result, 1);
  } else {
    mpfr_mul(result, a, b, rounding);
  }
}

}  // namespace

Interval operator*(const Interval& a, const Interval& b) {
  Interval made(a.precision());
  if (mpfr_sgn(a.lo()) >= 0) {
    multiply(made.lo(), mpfr_sgn(b.lo()) >= 0 ? a.lo() : a.hi(), b.lo(), MPFR_RNDD);
    multiply(made.hi(), mpfr_sgn(b.hi()) >= 0 ? a.hi() : a.lo(), b.hi(), MPFR_RNDU);
    return made;
  }
  if (mpfr_sgn(b.lo()) >= 0) return b * a;
  Real other(a.precision());
  multiply(made.lo(), a.lo(), b.hi(), MPFR_RNDD);
  multiply(other.get(), a.hi(), b.lo(), MPFR_RNDD);
  mpfr_min(made.lo(), made.lo(), other.get(), MPFR_RNDD);
  multiply(other.get(), a.hi(), b.hi(), MPFR_RNDD);
  mpfr_min(made.lo(), made.lo(), other.get(), MPFR_RNDD);
  multiply(made.hi(), a.lo(), b.lo(), MPFR_RNDU);
  multiply(other.get(), a.hi(), b.hi(), MPFR_RNDU);
  mpfr_max(made.hi(), made.hi(), other.get(), MPFR_RNDU);
  return made;
}

Interval operator/(const Interval& a, const Interval& b) {
  Interval made(a.precision());
  mpfr_div(made.lo(), a.lo(), mpfr_sgn(a.lo()) >= 0 ? b.hi() : b.lo(), MPFR_RNDD);
  mpfr_div(made.hi(), a.hi(), mpfr_sgn(a.hi()) >= 0 ? b.lo() : b.hi(), MPFR_RNDU);
  return made;
}

Interval operator+(const Interval& a, unsigned long b) {
  Interval made(a.precision());
  mpfr_add_ui(made.lo(), a.lo(), b, MPFR_RNDD);
  mpfr_add_ui(made.hi(), a.hi(), b, MPFR_RNDU);
  return made;
}

Interval operator-(const Interval& a, unsigned long b) {
  Interval made(a.precision());
  mpfr_sub_ui(made.lo(), a.lo(), b, MPFR_RNDD);
  mpfr_sub_ui(made.hi(), a.hi(), b, MPFR_RNDU);
  return made;
}

Interval operator*(const Interval& a, unsigned long b) {
  if (b == 0) return Interval(a.precision());
  Interval made(a.precision());
  mpfr_mul_ui(made.lo(), a.lo(), b, MPFR_RNDD);
  mpfr_mul_ui(made.hi(), a.hi(), b, MPFR_RNDU);
  return made;
}

void add_scaled(Interval& sum, const Interval& a, double b, Real& scratch) {
  if (b == 0) return;
  mpfr_mul_d(scratch.get(), b > 0 ? a.lo() : a.hi(), b, MPFR_RNDD);
  mpfr_add(sum.lo(), sum.lo(), scratch.get(), MPFR_RNDD);
  mpfr_mul_d(scratch.get(), b > 0 ? a.hi() : a.lo(), b, MPFR_RNDU);
  mpfr_add(sum.hi(), sum.hi(), scratch.get(), MPFR_RNDU);
}

namespace {

using Function = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);

/// Of a function that grows.
template <Function function>
Interval growing(const Interval& x) {
  Interval made(x.precision());
  function(made.lo(), x.lo(), MPFR_RNDD);
  function(made.hi(), x.hi(), MPFR_RNDU);
  return made;
}

}  // namespace

Interval exp(const Interval& x) { return growing<mpfr_exp>(x); }
Interval expm1(const Interval& x) { return growing<mpfr_expm1>(x); }
Interval log(const Interval& x) { return growing<mpfr_log>(x); }
Interval log1p(const Interval& x) { return growing<mpfr_log1p>(x); }
Interval sqrt(const Interval& x) { return growing<mpfr_sqrt>(x); }

Interval max(const Interval& a, const Interval& b) {
  Interval made(a.precision());
  mpfr_max(made.lo(), a.lo(), b.lo(), MPFR_RNDD);
  mpfr_max(made.hi(), a.hi(), b.hi(), MPFR_RNDU);
  return made;
}

Interval min(const Interval& a, const Interval& b) {
  Interval made(a.precision());
  mpfr_min(made.lo(), a.lo(), b.lo(), MPFR_RNDD);
  mpfr_min(made.hi(), a.hi(), b.hi(), MPFR_RNDU);
  return made;
}

Value value_of(mpfr_srcptr number) {
  if (mpfr_nan_p(number) != 0) return Value::nan();
  if (mpfr_inf_p(number) != 0) return Value::infinity(mpfr_sgn(number) < 0);
  if (mpfr_zero_p(number) != 0) return {};
  mpz_class significand;
  const mpfr_exp_t exponent = mpfr_get_z_2exp(significand.get_mpz_t(), number);
  return {std::move(significand), exponent};
}

std::optional<Value> rounded_if_certain(const Interval& number, Format format, Rounding rounding) {
  if (!number.is_number()) return std::nullopt;
  Value low = round(value_of(number.lo()), format, rounding, Overflow::Default, false);
  if (mpfr_equal_p(number.lo(), number.hi()) != 0) return low;
  const Value high = round(value_of(number.hi()), format, rounding, Overflow::Default, false);
  // Past both ends of a format without infinities is NaN twice, and yet two answers.
  if (!(low == high) || (low.is_nan() && mpfr_sgn(number.lo()) != mpfr_sgn(number.hi()))) return std::nullopt;
  return low;
}

std::optional<Value> single_breakpoint(const Interval& number, Format format, Rounding rounding) {
  if (!number.is_number()) return std::nullopt;
  const FormatInfo& of = info(format);
  const auto on_grid = [&](mpfr_srcptr end) { return to_grid(value_of(end), of, nearest(rounding)); };
  const auto clamped = [&](const Value& value) {
    Value beyond = of.edge.scaled(1) - of.largest;  // the grid's value behind the largest
    if (value > of.largest) return beyond;
    return value < of.largest.negated() ? beyond.negated() : value;
  };
  const Value low = clamped(on_grid(number.lo()));
  const Value high = clamped(on_grid(number.hi()));
  if (low == high) return std::nullopt;
  // Neighbours have nothing between them: their middle rounds to one of them on a grid of twice as many values.
  Value middle = (low + high).scaled(-1);
  const Value rounded = to_grid(middle, of, Direction::Down);
  const Value above = to_grid(middle, of, Direction::Up);
  if (!(rounded == low) || !(above == high)) return std::nullopt;
  return middle;
}

}  // namespace cairn::reference
