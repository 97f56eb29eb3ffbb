#include "runtime/semantics/quantize.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "tests/runtime/storage_float_model.hpp"

namespace sem = cairn::semantics;
using cairn::tests::StorageModel;
using sem::QuantizeFault;

namespace {

/// Pairs of f32 whose quotients spread over a format, meet its midpoints, and leave it.
std::vector<std::pair<float, float>> pairs(double largest) {
  std::vector<std::pair<float, float>> list;
  std::mt19937 random(5);
  const auto draw = [&](int low, int high) {
    const float fraction = std::ldexp(static_cast<float>(random() >> 8), -24) + 1;
    return std::ldexp(fraction, low + static_cast<int>(random() % static_cast<unsigned>(high - low)));
  };
  const int top = std::min(std::ilogb(largest) + 3, 126);
  for (int i = 0; i < 60000; ++i) {
    const float scale = i % 4 == 0 ? std::ldexp(1.0F, static_cast<int>(random() % 20) - 10) : draw(-12, 12);
    float x = draw(-40, top) * (random() % 2 == 0 ? 1.0F : -1.0F);
    if (i % 5 == 0) x = std::nearbyint(draw(-1, 10) * 2) / 2 * scale;  // whole and half quotients, where exact
    list.emplace_back(x, scale);
  }
  for (const float x : {0.0F, -0.0F, std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity(),
                        std::numeric_limits<float>::denorm_min(), std::numeric_limits<float>::max()}) {
    for (const float scale :
         {1.0F, 0.3F, std::numeric_limits<float>::denorm_min(), std::numeric_limits<float>::max()}) {
      list.emplace_back(x, scale);
    }
  }
  return list;
}

/// Compares |x| / scale with a value of at most 20 bits, exactly: both sides of x against value * scale fit a double.
int compare(float x, float scale, double value) {
  const double left = std::fabs(static_cast<double>(x));
  const double right = value * static_cast<double>(scale);
  return left < right ? -1 : left > right ? 1 : 0;
}

template <class Format>
std::size_t wrong_storage() {
  const StorageModel<Format> model;
  const std::vector<double>& steps = model.magnitudes();
  std::size_t wrong = 0;
  for (const auto& [x, scale] : pairs(steps.back())) {
    typename Format::Pattern out{};
    if (sem::StorageTarget<Format>::nearest(x, scale, out) != QuantizeFault::None) {
      ++wrong;
      continue;
    }
    // The largest step not above the exact quotient, by bisection with exact comparisons.
    std::size_t low = 0;
    std::size_t high = steps.size();
    while (high - low > 1) {
      const std::size_t middle = (low + high) / 2;
      (compare(x, scale, steps[middle]) >= 0 ? low : high) = middle;
    }
    if (low < Format::kLargest) {
      const int against = compare(x, scale, (steps[low] + steps[low + 1]) / 2);
      if (against > 0 || (against == 0 && low % 2 == 1)) ++low;
    } else {
      low = Format::kLargest;
    }
    const std::uint32_t expected = static_cast<std::uint32_t>(low) | (std::signbit(x) ? Format::kSign : 0);
    wrong += out != expected;

    // Stochastic: from the f64 quotient, whose distance to the step below is exact.
    const double quotient = std::fabs(static_cast<double>(x) / static_cast<double>(scale));
    for (const std::uint32_t noise : {0U, 0x3fffffffU, 0x40000000U, 0x80000000U, 0xffffffffU}) {
      std::uint32_t wanted = Format::kLargest;
      if (quotient < steps[Format::kLargest]) {
        const std::size_t below = model.below(quotient);
        const double rest = (quotient - steps[below]) / (steps[below + 1] - steps[below]);
        const auto fraction = static_cast<std::uint64_t>(std::ldexp(static_cast<long double>(rest), 32));
        wanted = static_cast<std::uint32_t>(below) + (fraction > noise ? 1 : 0);
      }
      if (std::signbit(x)) wanted |= Format::kSign;
      wrong += sem::StorageTarget<Format>::stochastic(x, scale, noise, out) != QuantizeFault::None || out != wanted;
    }
  }
  return wrong;
}

template <class T>
std::size_t wrong_integers() {
  constexpr double kLow = std::numeric_limits<T>::min();
  constexpr double kHigh = std::numeric_limits<T>::max();
  std::size_t wrong = 0;
  for (const auto& [x, scale] : pairs(kHigh)) {
    const double sign = std::signbit(x) ? -1.0 : 1.0;
    // The whole part of the exact magnitude, then what is left against a half.
    double whole = std::floor(std::min(std::fabs(static_cast<double>(x) / static_cast<double>(scale)), 1e6));
    if (compare(x, scale, whole) < 0) whole -= 1;
    if (whole < 1e6 && compare(x, scale, whole + 1) >= 0) whole += 1;
    const int against = compare(x, scale, whole + 0.5);
    const double rounded = against > 0 || (against == 0 && std::fmod(whole, 2) == 1) ? whole + 1 : whole;
    T out{};
    wrong += sem::IntegerTarget<T>::nearest(x, scale, out) != QuantizeFault::None ||
             static_cast<double>(out) != std::clamp(sign * rounded, kLow, kHigh);

    const double quotient = static_cast<double>(x) / static_cast<double>(scale);
    for (const std::uint32_t noise : {0U, 0x3fffffffU, 0x40000000U, 0xffffffffU}) {
      double wanted = std::clamp(quotient, kLow, kHigh);
      if (quotient > kLow && quotient < kHigh) {
        const double below = std::trunc(quotient);
        const double rest = std::fabs(quotient - below);
        const auto fraction = static_cast<std::uint64_t>(std::ldexp(rest, 32));
        wanted = std::clamp(below + (fraction > noise ? sign : 0.0), kLow, kHigh);
      }
      wrong += sem::IntegerTarget<T>::stochastic(x, scale, noise, out) != QuantizeFault::None ||
               static_cast<double>(out) != wanted;
    }
  }
  return wrong;
}

}  // namespace

TEMPLATE_TEST_CASE("quantize rounds the exact quotient once and clamps", "[quantize]", sem::F16, sem::BF16, sem::F8E4M3,
                   sem::F8E5M2) {
  CHECK(wrong_storage<TestType>() == 0);
}

TEMPLATE_TEST_CASE("quantize to integers rounds half to even and clamps", "[quantize]", std::int8_t, std::uint8_t,
                   std::int16_t, std::uint16_t) {
  CHECK(wrong_integers<TestType>() == 0);
}

TEST_CASE("the specification's stochastic rows", "[quantize]") {
  const std::uint32_t noises[] = {0, 0x40000000, 0x80000000, 0xc0000000, 0xffffffff};
  const auto row = [&](auto target, float x, float scale, std::vector<int> expected) {
    using Target = decltype(target);
    typename Target::Result out{};
    for (std::size_t i = 0; i < 5; ++i) {
      REQUIRE(Target::stochastic(x, scale, noises[i], out) == QuantizeFault::None);
      CHECK(static_cast<int>(out) == expected[i]);
    }
    REQUIRE(Target::nearest(x, scale, out) == QuantizeFault::None);
    CHECK(static_cast<int>(out) == expected[5]);
  };
  row(sem::IntegerTarget<std::int8_t>{}, 1.3F, 0.25F, {6, 5, 5, 5, 5, 5});
  row(sem::IntegerTarget<std::uint8_t>{}, 2.7F, 0.4F, {7, 7, 7, 7, 6, 7});
  row(sem::StorageTarget<sem::F16>{}, 0.1F, 0.3F, {0x3556, 0x3556, 0x3555, 0x3555, 0x3555, 0x3555});
  row(sem::StorageTarget<sem::F8E4M3>{}, 0.1F, 0.3F, {0x2b, 0x2b, 0x2b, 0x2a, 0x2a, 0x2b});
  row(sem::StorageTarget<sem::F8E5M2>{}, -2.3F, 0.7F, {0xc3, 0xc3, 0xc3, 0xc2, 0xc2, 0xc3});
  row(sem::StorageTarget<sem::BF16>{}, 1.0F, 3.0F, {0x3eab, 0x3eab, 0x3eab, 0x3eaa, 0x3eaa, 0x3eab});
  std::int8_t out{};
  REQUIRE(sem::IntegerTarget<std::int8_t>::stochastic(-1.25F, 1.0F, 0x3fffffff, out) == QuantizeFault::None);
  CHECK(out == -2);
  REQUIRE(sem::IntegerTarget<std::int8_t>::stochastic(126.5F, 1.0F, 0, out) == QuantizeFault::None);
  CHECK(out == 127);
}

TEST_CASE("a bad scale is found first, then a NaN into an integer", "[quantize]") {
  std::int8_t out{};
  std::uint16_t half{};
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const float scale : {nan, 0.0F, -0.0F, -1.0F, std::numeric_limits<float>::infinity()}) {
    CHECK(sem::IntegerTarget<std::int8_t>::nearest(nan, scale, out) == QuantizeFault::Scale);
    CHECK(sem::StorageTarget<sem::F16>::nearest(1.0F, scale, half) == QuantizeFault::Scale);
  }
  CHECK(sem::IntegerTarget<std::int8_t>::nearest(nan, 1.0F, out) == QuantizeFault::NotANumber);
  REQUIRE(sem::StorageTarget<sem::F16>::nearest(-nan, 1.0F, half) == QuantizeFault::None);
  CHECK(half == 0xfe00);
}
