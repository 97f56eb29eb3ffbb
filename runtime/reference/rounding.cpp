#include "runtime/reference/rounding.hpp"

#include <algorithm>

namespace cairn::reference {

namespace {

/// Where |number| stands between two neighbours of the grid: at the lower one, or below, at or above the middle.
enum class Position : std::uint8_t { Exact, Below, Middle, Above };

bool moves_away(Position position, bool odd, bool negative, Direction direction) {
  if (position == Position::Exact) return false;
  switch (direction) {
    case Direction::NearestEven:
      return position == Position::Above || (position == Position::Middle && odd);
    case Direction::NearestAway:
      return position != Position::Below;
    case Direction::Up:
      return !negative;
    case Direction::Down:
      return negative;
  }
  return false;
}

Value with_direction(mpz_class lower, std::int64_t exponent, Position position, bool negative, Direction direction) {
  if (moves_away(position, mpz_odd_p(lower.get_mpz_t()) != 0, negative, direction)) lower += 1;
  if (negative) mpz_neg(lower.get_mpz_t(), lower.get_mpz_t());
  return {std::move(lower), exponent};
}

}  // namespace

Value to_grid(const Value& number, const FormatInfo& format, Direction direction) {
  if (number.is_zero()) return number;
  const std::int64_t step = std::max<std::int64_t>(number.binade(), format.emin) - format.p + 1;
  if (number.exponent() >= step) return number;
  const auto dropped = static_cast<mp_bitcnt_t>(step - number.exponent());
  // The significand is odd, so something is dropped; only its highest dropped bit may stand alone.
  mpz_class lower;
  mpz_tdiv_q_2exp(lower.get_mpz_t(), number.significand().get_mpz_t(), dropped);
  mpz_abs(lower.get_mpz_t(), lower.get_mpz_t());
  const bool negative = number.sign() < 0;
  bool half = false;
  const std::size_t size = mpz_sizeinbase(number.significand().get_mpz_t(), 2);
  if (dropped <= size) {
    const mpz_srcptr bits = number.significand().get_mpz_t();
    // mpz_tstbit sees negatives as two's complement: below the lowest set bit both agree, above it they differ.
    half = (mpz_tstbit(bits, dropped - 1) != 0) != (negative && dropped - 1 > 0);
  }
  const Position position = !half ? Position::Below : dropped == 1 ? Position::Middle : Position::Above;
  return with_direction(std::move(lower), step, position, negative, direction);
}

Value to_grid(const Quotient& number, const FormatInfo& format, Direction direction) {
  if (number.denominator == 1) return to_grid(Value(number.numerator, number.exponent), format, direction);
  if (number.numerator == 0) return {};
  const bool negative = sgn(number.numerator) < 0;
  mpz_class dividend = abs(number.numerator);
  const std::int64_t difference = static_cast<std::int64_t>(mpz_sizeinbase(dividend.get_mpz_t(), 2)) -
                                  static_cast<std::int64_t>(mpz_sizeinbase(number.denominator.get_mpz_t(), 2));
  const auto shifted = [](const mpz_class& x, std::int64_t by) {
    mpz_class result;
    mpz_mul_2exp(result.get_mpz_t(), x.get_mpz_t(), static_cast<mp_bitcnt_t>(std::max<std::int64_t>(by, 0)));
    return result;
  };
  const bool reaches = shifted(dividend, -difference) >= shifted(number.denominator, difference);
  const std::int64_t binade = difference + number.exponent - (reaches ? 0 : 1);
  const std::int64_t step = std::max<std::int64_t>(binade, format.emin) - format.p + 1;
  const std::int64_t shift = number.exponent - step;
  dividend = shifted(dividend, shift);
  const mpz_class divisor = shifted(number.denominator, -shift);
  mpz_class lower;
  mpz_class rest;
  mpz_tdiv_qr(lower.get_mpz_t(), rest.get_mpz_t(), dividend.get_mpz_t(), divisor.get_mpz_t());
  Position position = Position::Exact;
  if (rest != 0) {
    const int order = cmp(2 * rest, divisor);
    position = order < 0 ? Position::Below : order == 0 ? Position::Middle : Position::Above;
  }
  return with_direction(std::move(lower), step, position, negative, direction);
}

namespace {

Value past_the_range(bool negative, const FormatInfo& format, Overflow overflow) {
  switch (overflow) {
    case Overflow::Default:
      return format.infinities ? Value::infinity(negative) : Value::nan();
    case Overflow::Saturate:
      return negative ? format.largest.negated() : format.largest;
    case Overflow::NotANumber:
      break;
  }
  return Value::nan();
}

Value finished(Value rounded, const FormatInfo& format, Overflow overflow, bool flush) {
  if (rounded.magnitude() > format.largest) return past_the_range(rounded.sign() < 0, format, overflow);
  if (flush && rounded.magnitude() < format.least_normal) return {};
  return rounded;
}

}  // namespace

Value round(const Value& number, Format format, Rounding rounding, Overflow overflow, bool flush) {
  const FormatInfo& target = info(format);
  if (number.is_nan()) return number;
  if (number.is_infinite()) return past_the_range(number.sign() < 0, target, overflow);
  return finished(to_grid(number, target, nearest(rounding)), target, overflow, flush);
}

Value round(const Rational& number, Format format, Rounding rounding, Overflow overflow, bool flush) {
  const FormatInfo& target = info(format);
  if (number.is_infinite()) return past_the_range(false, target, overflow);
  const mpq_class& exact = number.exact();
  return finished(to_grid({exact.get_num(), 0, exact.get_den()}, target, nearest(rounding)), target, overflow, flush);
}

bool rounds_past(const Value& number, Format format, Rounding rounding) {
  if (number.is_infinite()) return true;
  const FormatInfo& target = info(format);
  // Most numbers are far from the edge.
  if (number.is_zero() || number.binade() < target.emax) return false;
  return to_grid(number, target, nearest(rounding)).magnitude() > target.largest;
}

}  // namespace cairn::reference
