#include "runtime/semantics/conversions.hpp"

#include <mpfr.h>

#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "runtime/semantics/floats.hpp"

namespace sem = cairn::semantics;

namespace {

using Wide = __int128;

std::vector<std::uint64_t> patterns() {
  std::vector<std::uint64_t> values;
  for (unsigned bit = 0; bit < 64; ++bit) {
    for (int d = -2; d <= 2; ++d) {
      const std::uint64_t v = (std::uint64_t{1} << bit) + static_cast<std::uint64_t>(d);
      values.push_back(v);
      values.push_back(0 - v);
    }
  }
  std::mt19937_64 random(7);
  for (int i = 0; i < 200; ++i) values.push_back(random() >> (random() % 64));
  return values;
}

template <class To, class From>
std::size_t wrong_integer_conversions() {
  std::size_t wrong = 0;
  for (const std::uint64_t bits : patterns()) {
    const auto x = static_cast<From>(bits);
    To out{};
    const bool fits = static_cast<Wide>(x) >= static_cast<Wide>(std::numeric_limits<To>::min()) &&
                      static_cast<Wide>(x) <= static_cast<Wide>(std::numeric_limits<To>::max());
    const bool fine = sem::integer_to_integer(x, out);
    wrong += fine != fits || (fine && static_cast<Wide>(out) != static_cast<Wide>(x));
  }
  return wrong;
}

template <class To>
std::size_t wrong_integer_conversions_to() {
  return wrong_integer_conversions<To, std::uint8_t>() + wrong_integer_conversions<To, std::uint16_t>() +
         wrong_integer_conversions<To, std::uint32_t>() + wrong_integer_conversions<To, std::uint64_t>() +
         wrong_integer_conversions<To, std::int8_t>() + wrong_integer_conversions<To, std::int16_t>() +
         wrong_integer_conversions<To, std::int32_t>() + wrong_integer_conversions<To, std::int64_t>();
}

/// Floats around every power of two, every boundary of an integer type, halves, infinities and NaNs.
template <class F>
std::vector<F> floats() {
  std::vector<F> values{F{0},
                        -F{0},
                        std::numeric_limits<F>::infinity(),
                        -std::numeric_limits<F>::infinity(),
                        std::numeric_limits<F>::quiet_NaN(),
                        std::numeric_limits<F>::max(),
                        std::numeric_limits<F>::denorm_min()};
  for (int exponent = -3; exponent <= 66; ++exponent) {
    const F power = std::ldexp(F{1}, exponent);
    for (const F base : {power, power - F{1}, power + F{1}, power - F{0.5}, power + F{0.5}}) {
      for (const F v : {base, std::nextafter(base, F{0}), std::nextafter(base, std::numeric_limits<F>::infinity())}) {
        values.push_back(v);
        values.push_back(-v);
      }
    }
  }
  return values;
}

/// Truncation by MPFR, the judge of whether it fits by exact comparison.
template <class To, class F>
std::size_t wrong_float_conversions() {
  std::size_t wrong = 0;
  mpfr_t exact;
  mpfr_init2(exact, 200);
  for (const F x : floats<F>()) {
    bool fits = false;
    Wide truncated = 0;
    if (std::isfinite(x)) {
      mpfr_set_d(exact, static_cast<double>(x), MPFR_RNDN);
      mpfr_trunc(exact, exact);
      if (mpfr_cmpabs_ui(exact, 0) == 0 || mpfr_get_exp(exact) <= 80) {
        const long double value = mpfr_get_ld(exact, MPFR_RNDN);  // up to 64 bits: exact
        truncated = static_cast<Wide>(value);
        fits = truncated >= static_cast<Wide>(std::numeric_limits<To>::min()) &&
               truncated <= static_cast<Wide>(std::numeric_limits<To>::max());
      }
    }
    To out{};
    const bool fine = sem::float_to_integer(x, out);
    wrong += fine != fits || (fine && static_cast<Wide>(out) != truncated);
  }
  mpfr_clear(exact);
  return wrong;
}

}  // namespace

TEMPLATE_TEST_CASE("an integer converts to the same number or the guard fails", "[semantics]", std::uint8_t,
                   std::uint16_t, std::uint32_t, std::uint64_t, std::int8_t, std::int16_t, std::int32_t, std::int64_t) {
  CHECK(wrong_integer_conversions_to<TestType>() == 0);
}

TEMPLATE_TEST_CASE("a float truncates toward zero or the guard fails", "[semantics]", std::uint8_t, std::uint16_t,
                   std::uint32_t, std::uint64_t, std::int8_t, std::int16_t, std::int32_t, std::int64_t) {
  CHECK(wrong_float_conversions<TestType, float>() == 0);
  CHECK(wrong_float_conversions<TestType, double>() == 0);
}

TEST_CASE("the specification's examples of truncation", "[semantics]") {
  std::uint8_t byte{};
  REQUIRE(sem::float_to_integer(-0.9, byte));
  CHECK(byte == 0);
  REQUIRE(sem::float_to_integer(255.9, byte));
  CHECK(byte == 255);
  CHECK_FALSE(sem::float_to_integer(256.0, byte));
  CHECK_FALSE(sem::float_to_integer(std::nan(""), byte));
}

TEST_CASE("an integer converts to the nearest float, ties to even", "[semantics]") {
  mpfr_t exact;
  mpfr_init2(exact, 64);
  std::size_t wrong = 0;
  for (const std::uint64_t bits : patterns()) {
    mpfr_set_ui(exact, bits, MPFR_RNDN);
    wrong += sem::integer_to_float<float>(bits) != mpfr_get_flt(exact, MPFR_RNDN);
    wrong += sem::integer_to_float<double>(bits) != mpfr_get_d(exact, MPFR_RNDN);
    const auto negative = static_cast<std::int64_t>(bits);
    mpfr_set_si(exact, negative, MPFR_RNDN);
    wrong += sem::integer_to_float<float>(negative) != mpfr_get_flt(exact, MPFR_RNDN);
    wrong += sem::integer_to_float<double>(negative) != mpfr_get_d(exact, MPFR_RNDN);
  }
  mpfr_clear(exact);
  CHECK(wrong == 0);
}

TEST_CASE("square root, fused multiply-add and rounding to whole numbers agree with MPFR", "[semantics]") {
  mpfr_t a, b, c, r;
  mpfr_inits2(53, a, b, c, static_cast<mpfr_ptr>(nullptr));
  mpfr_init2(r, 53);
  std::mt19937_64 random(11);
  std::size_t wrong = 0;
  for (int i = 0; i < 20000; ++i) {
    // Magnitudes around one, so that nothing underflows in MPFR's wider range.
    const auto draw = [&] {
      return std::ldexp(static_cast<double>(random() >> 11), -53 + static_cast<int>(random() % 40) - 20);
    };
    const double x = draw();
    const double y = -draw();
    const double z = i % 3 == 0 ? -x * y : draw();
    mpfr_set_d(a, x, MPFR_RNDN);
    mpfr_set_d(b, y, MPFR_RNDN);
    mpfr_set_d(c, z, MPFR_RNDN);
    mpfr_sqrt(r, a, MPFR_RNDN);
    wrong += sem::square_root(x) != mpfr_get_d(r, MPFR_RNDN);
    mpfr_fma(r, a, b, c, MPFR_RNDN);
    wrong += sem::fused(x, y, z) != mpfr_get_d(r, MPFR_RNDN);
    mpfr_floor(r, b);
    wrong += sem::round_down(y) != mpfr_get_d(r, MPFR_RNDN);
    mpfr_ceil(r, b);
    wrong += sem::round_up(y) != mpfr_get_d(r, MPFR_RNDN);
    mpfr_trunc(r, b);
    wrong += sem::round_to_zero(y) != mpfr_get_d(r, MPFR_RNDN);
  }
  mpfr_clears(a, b, c, r, static_cast<mpfr_ptr>(nullptr));
  CHECK(wrong == 0);
}

TEST_CASE("signs of zero, infinities and NaN pass through the exact float builtins", "[semantics]") {
  CHECK(std::signbit(sem::round_up(-0.5)));
  CHECK(std::signbit(sem::square_root(-0.0)));
  CHECK(std::isnan(sem::square_root(-1.0)));
  CHECK(sem::round_down(std::numeric_limits<double>::infinity()) == std::numeric_limits<double>::infinity());
  CHECK(std::isnan(sem::round_to_zero(std::nan(""))));
  CHECK(std::bit_cast<std::uint32_t>(sem::neg_float(std::bit_cast<float>(0x7fc00001U))) == 0xffc00001U);
  CHECK(std::bit_cast<std::uint64_t>(sem::abs_float(-0.0)) == 0);
}
