// An independent model of the storage floats: the table of a format's values as exact doubles, and rounding by
// comparing with exact midpoints. It shares no step with the integer routine it judges.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <vector>

namespace cairn::tests {

template <class Format>
class StorageModel {
 public:
  using Pattern = typename Format::Pattern;

  /// Magnitudes 0 .. largest, then one step past it, at the index of their pattern.
  StorageModel() {
    for (std::uint32_t p = 0; p <= Format::kLargest; ++p) magnitudes_.push_back(magnitude(p));
    const std::size_t n = magnitudes_.size();
    magnitudes_.push_back(magnitudes_[n - 1] + (magnitudes_[n - 1] - magnitudes_[n - 2]));
  }

  [[nodiscard]] double value(Pattern pattern) const {
    const std::uint32_t m = pattern & (Format::kSign - 1);
    const double sign = (pattern & Format::kSign) != 0 ? -1.0 : 1.0;
    if (m <= Format::kLargest) return std::copysign(magnitudes_[m], sign);
    if (Format::kHasInfinity && m == Format::kLargest + 1) return sign * std::numeric_limits<double>::infinity();
    return std::numeric_limits<double>::quiet_NaN();
  }

  /// The index of the greatest magnitude not above x; the step past the largest counts.
  [[nodiscard]] std::size_t below(double x) const {
    return static_cast<std::size_t>(std::ranges::upper_bound(magnitudes_, x) - magnitudes_.begin()) - 1;
  }

  [[nodiscard]] std::optional<Pattern> narrow(double x) const {
    const std::uint32_t sign = std::signbit(x) ? Format::kSign : 0;
    if (std::isnan(x)) return static_cast<Pattern>(sign | Format::kQuietNan);
    const double m = std::fabs(x);
    std::size_t p = magnitudes_.size() - 1;  // past
    if (m < magnitudes_.back()) {
      p = below(m);
      const double midpoint = (magnitudes_[p] + magnitudes_[p + 1]) / 2;  // exact: two more bits than the format
      if (m > midpoint || (m == midpoint && p % 2 == 1)) ++p;
    }
    if (p > Format::kLargest) {
      if (!Format::kHasInfinity) return std::nullopt;
      p = Format::kLargest + 1;
    }
    return static_cast<Pattern>(sign | p);
  }

  [[nodiscard]] const std::vector<double>& magnitudes() const { return magnitudes_; }

  /// Every value, every midpoint, their neighbours in f64 and f32, specials, random numbers over the range and beyond.
  [[nodiscard]] std::vector<double> interesting() const {
    std::vector<double> values{0.0,
                               std::numeric_limits<double>::infinity(),
                               std::numeric_limits<double>::quiet_NaN(),
                               std::numeric_limits<double>::denorm_min(),
                               std::numeric_limits<double>::min(),
                               std::numeric_limits<double>::max(),
                               1e-200,
                               1e-40,
                               1e300};
    for (std::size_t p = 0; p + 1 < magnitudes_.size(); ++p) {
      for (const double at : {magnitudes_[p], (magnitudes_[p] + magnitudes_[p + 1]) / 2, magnitudes_[p + 1]}) {
        values.push_back(at);
        values.push_back(std::nextafter(at, 0.0));
        values.push_back(std::nextafter(at, std::numeric_limits<double>::infinity()));
        const auto single = static_cast<float>(at);
        values.push_back(static_cast<double>(std::nextafter(single, 0.0F)));
        values.push_back(static_cast<double>(std::nextafter(single, std::numeric_limits<float>::infinity())));
      }
    }
    std::mt19937_64 random(3);
    for (int i = 0; i < 20000; ++i) {
      const double fraction = std::ldexp(static_cast<double>(random() >> 11), -53) + 1;
      values.push_back(std::ldexp(fraction, static_cast<int>(random() % 320) - 170));
    }
    const std::size_t count = values.size();
    for (std::size_t i = 0; i < count; ++i) values.push_back(-values[i]);
    return values;
  }

 private:
  static double magnitude(std::uint32_t p) {
    const std::uint32_t fraction = p & ((1U << Format::kFraction) - 1);
    const int field = static_cast<int>(p >> Format::kFraction);
    const int bits = static_cast<int>(Format::kFraction);
    if (field == 0) return std::ldexp(static_cast<double>(fraction), 1 - Format::kBias - bits);
    return std::ldexp(static_cast<double>((1U << Format::kFraction) + fraction), field - Format::kBias - bits);
  }

  std::vector<double> magnitudes_;
};

}  // namespace cairn::tests
