#include "frontend/check/number_text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>

#include "frontend/diagnostics/diagnostic.hpp"

namespace cairn {

namespace {

/// Whether a literal's value is below 1, told from its digits and exponent alone.
bool is_small(std::string_view digits) {
  long exponent = 0;
  const std::size_t e = digits.find_first_of("eE");
  if (e != digits.npos) {
    std::string_view written = digits.substr(e + 1);
    const bool negative = written.starts_with('-');
    if (written.starts_with('-') || written.starts_with('+')) written.remove_prefix(1);
    const auto read = std::from_chars(written.data(), written.data() + written.size(), exponent);
    if (read.ec != std::errc()) return negative;
    if (negative) exponent = -exponent;
  }
  const std::string_view mantissa = digits.substr(0, e);
  const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
  const std::size_t leading = mantissa.find_first_not_of("0.");
  if (leading == mantissa.npos) return true;
  // The power of ten of the leading digit.
  const long place = leading < point ? static_cast<long>(point - leading) - 1 : -static_cast<long>(leading - point);
  return place + exponent < 0;
}

template <class Float>
std::optional<double> rounded(std::string_view digits) {
  Float value = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (read.ec == std::errc::result_out_of_range) return is_small(digits) ? std::optional(0.0) : std::nullopt;
  if (!std::isfinite(value)) return std::nullopt;
  return static_cast<double>(value);
}

}  // namespace

std::optional<double> float64_of(std::string_view digits) { return rounded<double>(digits); }

std::optional<double> float32_of(std::string_view digits) {
  const auto exact = float64_of(digits);
  if (!exact || *exact > std::numeric_limits<float>::max()) return std::nullopt;
  return rounded<float>(digits);
}

void refuse_literal(std::string_view type, Position at) {
  refuse(Code::LiteralRange, at, "This literal does not fit " + std::string(type) + ".");
}

}  // namespace cairn
