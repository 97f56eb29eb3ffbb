#include "runtime/reference/array.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace cairn::reference {

static_assert(std::endian::native == std::endian::little);

std::size_t element_count(const Shape& shape) {
  std::size_t count = 1;
  for (const std::size_t extent : shape) {
    if (__builtin_mul_overflow(count, extent, &count)) count = std::numeric_limits<std::size_t>::max();
  }
  return std::ranges::find(shape, std::size_t{0}) != shape.end() ? 0 : count;
}

double Element::to_f64() const {
  switch (kind) {
    case Value::Kind::Finite:
      break;
    case Value::Kind::PlusInfinity:
      return std::numeric_limits<double>::infinity();
    case Value::Kind::MinusInfinity:
      return -std::numeric_limits<double>::infinity();
    case Value::Kind::NotANumber:
      return std::numeric_limits<double>::quiet_NaN();
  }
  return std::ldexp(static_cast<double>(significand), exponent);
}

Value Element::value() const {
  switch (kind) {
    case Value::Kind::Finite:
      break;
    case Value::Kind::PlusInfinity:
      return Value::infinity(false);
    case Value::Kind::MinusInfinity:
      return Value::infinity(true);
    case Value::Kind::NotANumber:
      return Value::nan();
  }
  return {mpz_class(significand), exponent};
}

namespace {

/// The layout of a pattern: sign, exponent field, fraction.
struct Layout {
  int fraction_bits;
  std::uint64_t exponent_ones;
  std::uint64_t sign;
};

Layout layout(const FormatInfo& format) {
  const int fraction = format.p - 1;
  return {fraction, (std::uint64_t{1} << (format.bits - 1 - fraction)) - 1, std::uint64_t{1} << (format.bits - 1)};
}

}  // namespace

Element decoded(std::uint64_t bits, Format format) {
  const FormatInfo& of = info(format);
  const auto [fraction_bits, ones, sign] = layout(of);
  const bool negative = (bits & sign) != 0;
  const std::uint64_t field = (bits & (sign - 1)) >> fraction_bits;
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << fraction_bits) - 1);
  if (field == ones) {
    if (of.infinities) {
      return {0, 0,
              fraction != 0 ? Value::Kind::NotANumber
              : negative    ? Value::Kind::MinusInfinity
                            : Value::Kind::PlusInfinity};
    }
    if (fraction == (std::uint64_t{1} << fraction_bits) - 1) return {0, 0, Value::Kind::NotANumber};
  }
  const std::uint64_t magnitude = field == 0 ? fraction : fraction | std::uint64_t{1} << fraction_bits;
  const auto significand = static_cast<std::int64_t>(magnitude);
  const int exponent = static_cast<int>(std::max<std::uint64_t>(field, 1) - 1) + of.emin - of.p + 1;
  return {negative ? -significand : significand, magnitude == 0 ? 0 : exponent, Value::Kind::Finite};
}

std::uint64_t encoded(double value, Format format) {
  const FormatInfo& of = info(format);
  const auto [fraction_bits, ones, sign] = layout(of);
  if (std::isnan(value)) {
    return of.infinities ? ones << fraction_bits | std::uint64_t{1} << (fraction_bits - 1) : sign - 1;
  }
  if (value == 0) return 0;
  const std::uint64_t sign_bit = value < 0 ? sign : 0;
  if (std::isinf(value)) return sign_bit | ones << fraction_bits;
  const int binade = std::max(std::ilogb(value), of.emin);
  const auto magnitude = static_cast<std::uint64_t>(std::ldexp(std::fabs(value), of.p - 1 - binade));
  const std::uint64_t hidden = std::uint64_t{1} << fraction_bits;
  if (magnitude < hidden) return sign_bit | magnitude;
  return sign_bit | static_cast<std::uint64_t>(binade - of.emin + 1) << fraction_bits | (magnitude & (hidden - 1));
}

std::uint64_t encoded(const Value& value, Format format) { return encoded(value.to_f64(), format); }

Array::Array(Format format, Shape shape)
    : format_(format),
      shape_(std::move(shape)),
      size_(element_count(shape_)),
      storage_(size_ * static_cast<std::size_t>(info(format).bits / 8)) {}

Value Array::at(std::span<const std::size_t> index) const {
  std::size_t position = 0;
  for (std::size_t d = 0; d < shape_.size(); ++d) position = position * shape_[d] + index[d];
  return at(position);
}

Element Array::element(std::size_t position) const {
  const auto width = static_cast<std::size_t>(info(format_).bits / 8);
  std::uint64_t bits = 0;
  std::memcpy(&bits, storage_.data() + position * width, width);
  return decoded(bits, format_);
}

void Array::store(std::size_t position, std::uint64_t bits) {
  const auto width = static_cast<std::size_t>(info(format_).bits / 8);
  std::memcpy(storage_.data() + position * width, &bits, width);
}

Array Array::reshaped(Shape shape) const {
  Array made = *this;
  made.shape_ = std::move(shape);
  return made;
}

bool Outcome::may_be(Special kind) const {
  switch (kind) {
    case Special::PlusInfinity:
      return plus_infinity;
    case Special::MinusInfinity:
      return minus_infinity;
    case Special::NotANumber:
      return not_a_number;
  }
  return false;
}

bool Outcome::covers(const Value& output) const {
  switch (output.kind()) {
    case Value::Kind::Finite:
      return range.ends && range.ends->first <= output && output <= range.ends->second;
    case Value::Kind::PlusInfinity:
      return plus_infinity;
    case Value::Kind::MinusInfinity:
      return minus_infinity;
    case Value::Kind::NotANumber:
      return not_a_number;
  }
  return false;
}

Rational Outcome::tolerance(const Value& reference) const {
  if (!range.ends) return {};
  if (!reference.is_finite()) return Rational::infinite();
  const Value above = range.ends->second - reference;
  const Value below = reference - range.ends->first;
  return Rational(above < below ? below : above);
}

Outcome Outcome::anything(Format format) {
  const FormatInfo& of = info(format);
  Outcome made;
  made.range.ends.emplace(of.largest.negated(), of.largest);
  made.plus_infinity = of.infinities;
  made.minus_infinity = of.infinities;
  made.not_a_number = true;
  return made;
}

}  // namespace cairn::reference
