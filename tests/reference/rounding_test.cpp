// One rounding against lists of every value of a format, and against MPFR.
#include "runtime/reference/rounding.hpp"

#include <mpfr.h>

#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/reference/exact_model.hpp"

namespace cairn::model {
namespace {

using ref::Format;

/// Every value of a format that is no less than 0, ascending, continued two steps past the largest.
std::vector<mpq_class> ladder(Format format) {
  const Spec f = spec(format);
  std::vector<mpq_class> made;
  for (int n = 0; n < 1 << (f.p - 1); ++n) made.push_back(n * two_to(f.emin - f.p + 1));
  for (int e = f.emin; e <= f.emax + 1; ++e) {
    for (int n = 1 << (f.p - 1); n < 1 << f.p; ++n) made.push_back(n * two_to(e - f.p + 1));
  }
  return made;
}

}  // namespace

TEST_CASE("rounding finds the nearest rung of the ladder of a format's values", "[reference][rounding]") {
  for (const Format format : {Format::F16, Format::F8E4M3, Format::F8E5M2}) {
    const Spec f = spec(format);
    const std::vector<mpq_class> rungs = ladder(format);
    for (std::size_t i = 0; i + 1 < rungs.size() && rungs[i] <= f.largest; i += 1 + rungs.size() / 2000) {
      const mpq_class middle = (rungs[i] + rungs[i + 1]) / 2;
      const mpq_class little = (rungs[i + 1] - rungs[i]) / 1000;
      const auto nearest_of = [&](const mpq_class& q, ref::Rounding rounding) {
        return number(ref::round(ref::Rational(q), format, rounding, ref::Overflow::Default, false));
      };
      const auto rung = [&](std::size_t at) {
        return rungs[at] <= f.largest ? finite(rungs[at]) : special(f.infinities ? '+' : 'n');
      };
      // A rung's significand is even when its place in the ladder is.
      const std::size_t even = i % 2 == 0 ? i : i + 1;
      CHECK(same(nearest_of(middle, ref::Rounding::NearestEven), rung(even)));
      CHECK(same(nearest_of(middle, ref::Rounding::NearestAway), rung(i + 1)));
      for (const ref::Rounding rounding : {ref::Rounding::NearestEven, ref::Rounding::NearestAway}) {
        CHECK(same(nearest_of(middle - little, rounding), rung(i)));
        CHECK(same(nearest_of(middle + little, rounding), rung(i + 1)));
        CHECK(same(nearest_of(rungs[i], rounding), rung(i)));
        const Number below = nearest_of(-middle - little, rounding);
        CHECK((rung(i + 1).kind == 'f' ? below.q == -rungs[i + 1] : below.kind != 'f'));
      }
    }
  }
}

TEST_CASE("f32 and f64 are rounded as MPFR rounds", "[reference][rounding]") {
  Generator random(11);
  mpfr_t exact;
  mpfr_init2(exact, 5000);
  for (int t = 0; t < trials(2000); ++t) {
    const ref::Value sum =
        random.value(Format::F64, false) + random.value(Format::F64, false) * random.value(Format::F64, false);
    if (sum.is_zero()) continue;
    mpfr_set_z_2exp(exact, sum.significand().get_mpz_t(), sum.exponent(), MPFR_RNDN);
    const auto rounded = [&](Format format) {
      return ref::round(sum, format, ref::Rounding::NearestEven, ref::Overflow::Default, false);
    };
    CHECK(rounded(Format::F64) == ref::Value::of(mpfr_get_d(exact, MPFR_RNDN)));
    CHECK(rounded(Format::F32) == ref::Value::of(static_cast<double>(mpfr_get_flt(exact, MPFR_RNDN))));
    CHECK(sum.to_f64() == mpfr_get_d(exact, MPFR_RNDN));
    // A third as much is no dyadic number.
    mpfr_div_ui(exact, exact, 3, MPFR_RNDN);
    const ref::Rational third(mpq_class(rational(sum) / 3));
    CHECK(third.nearest_f64() == mpfr_get_d(exact, MPFR_RNDN));
    CHECK(third.up_to_f64() == mpfr_get_d(exact, MPFR_RNDU));
  }
  mpfr_clear(exact);
}

TEST_CASE("the model rounds as the library does, in every mode", "[reference][rounding]") {
  Generator random(12);
  for (int t = 0; t < trials(3000); ++t) {
    const Format format = random.format();
    mpq_class q = rational(random.value(random.format(), false)) + rational(random.value(format, false));
    if (random.one_in(3)) q /= 1 + random.below(9);
    const auto overflow = static_cast<ref::Overflow>(random.below(3));
    const bool away = random.one_in(2);
    const bool flush = random.one_in(2);
    const ref::Value got = ref::round(ref::Rational(q), format,
                                      away ? ref::Rounding::NearestAway : ref::Rounding::NearestEven, overflow, flush);
    CHECK(same(number(got), rounded(finite(q), spec(format), away, static_cast<Over>(overflow), flush)));
  }
}

TEST_CASE("a value is stored as its bits and read back", "[reference][array]") {
  for (const Format format : {Format::F16, Format::Bf16, Format::F8E4M3, Format::F8E5M2}) {
    const int bits = ref::info(format).bits;
    for (std::uint64_t pattern = 0; pattern < std::uint64_t{1} << bits; ++pattern) {
      const ref::Element element = ref::decoded(pattern, format);
      const std::uint64_t back = ref::encoded(element.value(), format);
      if (element.kind == ref::Value::Kind::NotANumber) {
        CHECK(ref::decoded(back, format).kind == ref::Value::Kind::NotANumber);
        CHECK(back >> (bits - 1) == 0);
      } else if (element.is_finite() && element.significand == 0) {
        CHECK(back == 0);
      } else {
        CHECK(back == pattern);
      }
    }
  }
  CHECK(ref::decoded(0x3ff8000000000000, Format::F64).value() == ref::Value(mpz_class(3), -1));
  CHECK(ref::decoded(0x00000001, Format::F32).value() == ref::Value(mpz_class(1), -149));
}

TEST_CASE("a number has one text, and many ways to be read", "[reference][value]") {
  const auto read = [](const char* text) { return ref::text(*ref::parse(text)); };
  CHECK(read("0x1.8p+1") == "0x3p+0");
  CHECK(read("-0.15625") == "-0x5p-5");
  CHECK(read("12/4") == "0x3p+0");
  CHECK(read("-0x0p+0") == "0x0p+0");
  CHECK(read("1e3") == "0x7dp+3");
  CHECK(read("-inf") == "-inf");
  CHECK(ref::text(*ref::parse_rational("-6/4")) == "-3/2");
  CHECK(ref::text(*ref::parse_rational("0.1")) == "1/10");
  for (const char* text : {"", "-", "0x", "1/0", "1/", "0.1", "1e", "0x1p", "one", "1e9999999999", "--1", "1 ", "."}) {
    INFO(text);
    CHECK_FALSE(ref::parse(text).has_value());
  }
}

}  // namespace cairn::model
