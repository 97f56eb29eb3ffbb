#include "runtime/sums/superaccumulator.hpp"

#include <algorithm>
#include <bit>

namespace cairn::runtime {

namespace {

constexpr std::uint64_t kLow32 = 0xFFFFFFFFU;
__extension__ using Wide = unsigned __int128;

}  // namespace

void Superaccumulator::add(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const auto biased = static_cast<int>((bits >> 52U) & 0x7FFU);
  std::uint64_t significand = bits & 0xFFFFFFFFFFFFFU;
  if (biased != 0) significand |= std::uint64_t{1} << 52U;
  const auto magnitude = static_cast<std::int64_t>(significand);
  add_scaled((bits >> 63U) != 0 ? -magnitude : magnitude, (biased != 0 ? biased : 1) - 1075);
}

void Superaccumulator::add_scaled(std::int64_t count, int exponent) {
  const bool negative = count < 0;
  const auto magnitude = negative ? ~static_cast<std::uint64_t>(count) + 1 : static_cast<std::uint64_t>(count);
  const auto place = static_cast<unsigned>(exponent - kLeast);
  const std::size_t chunk = place / 32;
  low_ = std::min(low_, static_cast<int>(chunk));
  high_ = std::max(high_, static_cast<int>(chunk) + 2);
  const Wide shifted = static_cast<Wide>(magnitude) << (place % 32);
  const auto low = static_cast<std::int64_t>(static_cast<std::uint64_t>(shifted) & kLow32);
  const auto middle = static_cast<std::int64_t>(static_cast<std::uint64_t>(shifted >> 32U) & kLow32);
  const auto high = static_cast<std::int64_t>(static_cast<std::uint64_t>(shifted >> 64U));
  if (negative) {
    chunks_[chunk] -= low;
    chunks_[chunk + 1] -= middle;
    chunks_[chunk + 2] -= high;
  } else {
    chunks_[chunk] += low;
    chunks_[chunk + 1] += middle;
    chunks_[chunk + 2] += high;
  }
  if (++adds_ == kAddsBeforeCarry) settle();
}

void Superaccumulator::add(const Superaccumulator& other) {
  settle();
  Superaccumulator settled = other;
  settled.settle();
  low_ = std::min(low_, settled.low_);
  high_ = std::max(high_, settled.high_);
  for (int at = settled.low_; at <= settled.high_; ++at) {
    chunks_[static_cast<std::size_t>(at)] += settled.chunks_[static_cast<std::size_t>(at)];
  }
  adds_ = 2;
}

/// Moves carries up: every chunk below high_ becomes its low 32 bits, 0 <= chunk < 2^32; the one at high_ keeps the
/// sign and is small, because high_ grows while a carry is left.
void Superaccumulator::settle() {
  std::int64_t carry = 0;
  for (int at = low_; at <= high_; ++at) {
    const std::int64_t chunk = chunks_[static_cast<std::size_t>(at)] + carry;
    carry = chunk >> 32;  // rounds down, so what stays is not negative
    if (at == high_) {
      if ((carry == 0 || carry == -1) || at == kChunks - 1) {
        chunks_[static_cast<std::size_t>(at)] = chunk;
        break;
      }
      ++high_;
    }
    chunks_[static_cast<std::size_t>(at)] = static_cast<std::int64_t>(static_cast<std::uint64_t>(chunk) & kLow32);
  }
  adds_ = 1;
}

/// The bits of the nearest floating-point number with `precision` significant bits whose least positive value is
/// 2^least_exponent and whose exponent field has `exponent_bits` bits.
std::uint64_t Superaccumulator::rounded(int precision, int least_exponent, int exponent_bits) const {
  Superaccumulator total = *this;
  total.settle();
  auto& digits = total.chunks_;
  int top = total.high_;
  while (top >= total.low_ && digits[static_cast<std::size_t>(top)] == 0) --top;
  if (top < total.low_) return 0;
  const bool negative = digits[static_cast<std::size_t>(top)] < 0;
  if (negative) {
    for (int at = total.low_; at <= total.high_; ++at) digits[static_cast<std::size_t>(at)] *= -1;
    total.settle();
    top = total.high_;
    while (digits[static_cast<std::size_t>(top)] == 0) --top;
  }
  // Base 2^32 from here; the top digit may be larger but is not negative.
  const auto digit = [&](int at) {
    return at < 0 ? 0 : static_cast<std::uint64_t>(digits[static_cast<std::size_t>(at)]);
  };
  const int lead = 32 * top + 63 - std::countl_zero(digit(top));
  const int least = least_exponent - kLeast;  // the place of the format's last subnormal bit
  const int cut = lead - (precision - 1) > least ? lead - (precision - 1) : least;
  // The bits from place cut - 1 (the guard) up: at most 54, within three digits.
  const int base = cut == 0 ? 0 : (cut - 1) / 32;
  const Wide window = static_cast<Wide>(digit(base)) | static_cast<Wide>(digit(base + 1)) << 32U |
                      static_cast<Wide>(base + 2 < kChunks ? digit(base + 2) : 0) << 64U;
  std::uint64_t significand = static_cast<std::uint64_t>(window >> (cut - 32 * base));
  if (cut > 0) {
    const int guard_place = cut - 1 - 32 * base;
    const bool guard = (static_cast<std::uint64_t>(window >> guard_place) & 1U) != 0;
    bool sticky = (static_cast<std::uint64_t>(window) & ((std::uint64_t{1} << guard_place) - 1)) != 0;
    for (int at = base - 1; at >= total.low_ && !sticky; --at) sticky = digit(at) != 0;
    if (guard && (sticky || (significand & 1U) != 0)) ++significand;  // may carry into the next binade
  }
  // Exponent field and fraction are one number: a significand that carried, or a subnormal that became normal, is
  // right.
  const std::uint64_t hidden = std::uint64_t{1} << (precision - 1);
  const auto above_least = static_cast<std::uint64_t>(cut - least);
  std::uint64_t result = significand >= hidden ? (above_least << (precision - 1)) + significand : significand;
  const std::uint64_t infinity = ((std::uint64_t{1} << exponent_bits) - 1) << (precision - 1);
  if (result > infinity) result = infinity;
  const std::uint64_t sign = std::uint64_t{negative} << (precision - 1 + exponent_bits);
  return result | sign;
}

double Superaccumulator::to_f64() const { return std::bit_cast<double>(rounded(53, -1074, 11)); }

float Superaccumulator::to_f32() const {
  return std::bit_cast<float>(static_cast<std::uint32_t>(rounded(24, -149, 8)));
}

}  // namespace cairn::runtime
