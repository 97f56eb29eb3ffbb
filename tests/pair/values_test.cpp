// Conversions, rounding to integers, remainders, text and arrays against exact numbers (pair floats, 2.3 to 2.9).
#include <mpfr.h>

#include <catch2/catch.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "runtime/semantics/pair/arrays.hpp"
#include "runtime/semantics/pair/constants.hpp"
#include "runtime/semantics/pair/decimal.hpp"
#include "tests/pair/dyadic.hpp"

using namespace cairn::tests;
using pair::Level;
using pair::Pair;

namespace {

/// The largest integer not above x, and whether x is one.
Dyadic floor_of(const Dyadic& x) {
  Dyadic result;
  mpz_t whole;
  mpz_init(whole);
  if (x.exponent() >= 0)
    mpz_mul_2exp(whole, x.significand(), static_cast<mp_bitcnt_t>(x.exponent()));
  else
    mpz_fdiv_q_2exp(whole, x.significand(), static_cast<mp_bitcnt_t>(-x.exponent()));
  result = Dyadic::of(whole);
  mpz_clear(whole);
  return result;
}
bool is_even(const Dyadic& integer) {
  const Dyadic half = integer.times_power_of_two(-1);
  return floor_of(half) == half;
}
Dyadic negated(const Dyadic& x) { return Dyadic() - x; }

Dyadic rounded(const Dyadic& x, int mode) {  // floor, ceil, trunc, round, rint
  if (mode == 0) return floor_of(x);
  if (mode == 1) return negated(floor_of(negated(x)));
  if (mode == 2) return x.sign() < 0 ? negated(floor_of(negated(x))) : floor_of(x);
  const bool negative = x.sign() < 0;
  const Dyadic size = x.magnitude();
  Dyadic whole = floor_of(size + Dyadic(0.5));
  if (mode == 4 && whole - size == Dyadic(0.5) && !is_even(whole)) whole = whole - Dyadic(1.0);
  return negative ? negated(whole) : whole;
}

/// x as often as a test of integers likes: integers, halves, both limbs with fractions.
template <class T>
Pair<T> around_integers(Operands<T>& operands) {
  const int p = pair::kPrecision<T>;
  switch (operands.below(4)) {
    case 0:
      return operands.pair_of(operands.below(3 * p) - 4);
    case 1: {
      const T whole = pair::nearest(operands.limb(operands.below(p)));
      return pair::two_sum(whole, operands.limb(-operands.below(2 * p)));
    }
    case 2: {
      const T half = pair::nearest(operands.limb(operands.below(p - 2))) + T(0.5);
      return pair::two_sum(half, operands.below(2) == 0 ? T(0) : operands.limb(-p - operands.below(p)));
    }
    default: {
      const T high = operands.limb(p + 2 + operands.below(p));
      const T low = pair::nearest(operands.limb(operands.below(4))) + T(0.5);
      return pair::two_sum(high, low);
    }
  }
}

template <class T, class I>
void hold_integers(Operands<T>& operands) {
  using Wide = std::conditional_t<std::is_signed_v<I>, std::int64_t, std::uint64_t>;
  for (int i = 0; i < 3000; ++i) {
    auto n = static_cast<I>(operands.bits() >> operands.below(64));
    if (operands.below(3) == 0) n = static_cast<I>(std::numeric_limits<I>::max() - static_cast<I>(operands.below(9)));
    if (operands.below(7) == 0) n = static_cast<I>(std::numeric_limits<I>::min() + static_cast<I>(operands.below(9)));
    const Pair<T> x = pair::from_int<T>(n);
    const Dyadic exact = Dyadic::of_integer(static_cast<std::int64_t>(static_cast<Wide>(n)), !std::is_signed_v<I>);
    const Dyadic error = (Dyadic(x) - exact).magnitude();
    INFO(static_cast<Wide>(n) << " is " << x.hi << " + " << x.lo);
    CHECK(error <= exact.magnitude().times_power_of_two(-2 * pair::kPrecision<T> - 1));
    CHECK(pair::is_norm(x));
    I back{};
    const bool fits = pair::to_int<I>(x, back);
    if (error.sign() == 0) {
      CHECK(fits);
      CHECK(back == n);
    }
    // A fraction below the number is cut off toward zero.
    const Pair<T> y = pair::add<Level::High>(x, pair::of(T(n > 0 ? -0.25 : 0.25)));
    if (error.sign() == 0 && n != 0 && Dyadic(y) == Dyadic(x) + Dyadic(n > 0 ? -0.25 : 0.25)) {
      REQUIRE(pair::to_int<I>(y, back));
      CHECK(back == static_cast<I>(n > 0 ? n - 1 : n + 1));
    }
  }
  I unused{};
  CHECK_FALSE(pair::to_int<I>(pair::nan_value<T>(), unused));
  CHECK_FALSE(pair::to_int<I>(pair::infinity<T>(), unused));
  CHECK_FALSE(pair::to_int<I>(Pair<T>{T(1), pair::kNan<T>}, unused));
  const T top = pair::power_of_two<T>(std::numeric_limits<I>::digits);
  CHECK_FALSE(pair::to_int<I>(pair::of(top), unused));
  REQUIRE(pair::to_int<I>(Pair<T>{top, -pair::power_of_two<T>(-20)}, unused));
  CHECK(unused == std::numeric_limits<I>::max());
  CHECK_FALSE(pair::to_int<I>(pair::of(std::is_signed_v<I> ? -top - top : T(-1)), unused));
}

template <class T>
std::string decimal(Pair<T> x, unsigned digits) {
  unsigned char text[pair::kDecimalSpace];
  return {reinterpret_cast<const char*>(text), pair::write_decimal(x, digits, text)};
}
template <class T>
long long read(const std::string& text, Pair<T>& x) {
  return pair::read_decimal(text.size(), reinterpret_cast<const unsigned char*>(text.data()), x);
}

}  // namespace

TEMPLATE_TEST_CASE("rounding to integers is exact and keeps the sign", "[pair]", float, double) {
  Operands<TestType> operands(21);
  for (int i = 0; i < 20000; ++i) {
    const Pair<TestType> x = around_integers(operands);
    const Pair<TestType> results[] = {pair::floor(x), pair::ceil(x), pair::trunc(x), pair::round(x), pair::rint(x)};
    const Dyadic exact(x);
    for (int mode = 0; mode < 5; ++mode) {
      INFO("mode " << mode << " of " << std::hexfloat << x.hi << " + " << x.lo << " gives " << results[mode].hi << " + "
                   << results[mode].lo);
      REQUIRE(Dyadic(results[mode]) == rounded(exact, mode));
      REQUIRE(pair::is_norm(results[mode]));
      if (results[mode].hi == TestType(0)) REQUIRE(pair::sign_bit(results[mode].hi) == pair::sign_bit(x.hi));
    }
    const auto parts = pair::split_int(x);
    REQUIRE(Dyadic(parts.whole) == rounded(exact, 2));
    REQUIRE(Dyadic(parts.part) == exact - rounded(exact, 2));
    REQUIRE(pair::sign_bit(parts.part.hi) == pair::sign_bit(x.hi));
  }
}

TEMPLATE_TEST_CASE("scaling, frexp and ilogb agree with the exact magnitude", "[pair]", float, double) {
  Operands<TestType> operands(22);
  for (int i = 0; i < 20000; ++i) {
    const Pair<TestType> x = operands.pair_of(operands.below(60) - 30);
    const int e = pair::ilogb(x);
    const Dyadic size = Dyadic(x).magnitude();
    REQUIRE(Dyadic(1.0).times_power_of_two(e) <= size);
    REQUIRE_FALSE(Dyadic(1.0).times_power_of_two(e + 1) <= size);
    const auto scaled = pair::frexp(x);
    REQUIRE(scaled.exp == e + 1);
    REQUIRE(Dyadic(scaled.frac).times_power_of_two(scaled.exp) == Dyadic(x));
    const int n = operands.below(40) - 20;
    REQUIRE(Dyadic(pair::ldexp(x, n)) == Dyadic(x).times_power_of_two(n));
  }
  CHECK(pair::ldexp(pair::of(TestType(1)), 100000).hi == pair::kInfinity<TestType>);
  CHECK(pair::bits_of(pair::ldexp(pair::of(TestType(-1)), -100000).hi) == pair::kSign<TestType>);
  CHECK(pair::ilogb(pair::of(TestType(0))) == std::numeric_limits<int>::min());
  CHECK(pair::ilogb(pair::infinity<TestType>()) == std::numeric_limits<int>::max());
  CHECK(pair::frexp(pair::of(TestType(0))).exp == 0);
}

TEMPLATE_TEST_CASE("remainders are exact, and the quotient's bits are right", "[pair]", float, double) {
  Operands<TestType> operands(23);
  const int wide = sizeof(TestType) == 4 ? 60 : 400;
  for (int i = 0; i < 1500; ++i) {
    const Pair<TestType> x = operands.pair_of(operands.below(2 * wide) - wide);
    const Pair<TestType> y = operands.pair_of(operands.below(3) == 0 ? pair::exponent_of(x.hi) - operands.below(6)
                                                                     : operands.below(2 * wide) - wide);
    // x = n y + r with n whole: by integers of a common exponent.
    const Dyadic dx(x), dy(y);
    const long unit = std::min(dx.exponent(), dy.exponent());
    mpz_t a, b, quotient, rest;
    mpz_inits(a, b, quotient, rest, nullptr);
    mpz_mul_2exp(a, dx.significand(), static_cast<mp_bitcnt_t>(dx.exponent() - unit));
    mpz_mul_2exp(b, dy.significand(), static_cast<mp_bitcnt_t>(dy.exponent() - unit));
    mpz_tdiv_qr(quotient, rest, a, b);
    const Dyadic truncated = Dyadic::of(rest).times_power_of_two(unit);
    const Dyadic tolerance = dy.magnitude().times_power_of_two(-2 * pair::kPrecision<TestType> - 1);
    INFO(std::hexfloat << x.hi << " + " << x.lo << " by " << y.hi << " + " << y.lo);
    CHECK((Dyadic(pair::fmod(x, y)) - truncated).magnitude() <=
          truncated.magnitude() * Dyadic(1.0).times_power_of_two(-2 * pair::kPrecision<TestType>));
    const auto nearest = pair::remquo(x, y);
    // n is the nearest whole number, ties to even.
    Dyadic best = truncated;
    const Dyadic twice = truncated.magnitude().times_power_of_two(1);
    const bool past = !(twice <= dy.magnitude()) || (twice == dy.magnitude() && mpz_odd_p(quotient) != 0);
    if (past) {
      best = truncated.sign() > 0 ? truncated - dy.magnitude() : truncated + dy.magnitude();
      if (dx.sign() * dy.sign() > 0)
        mpz_add_ui(quotient, quotient, 1);
      else
        mpz_sub_ui(quotient, quotient, 1);
    }
    CHECK((Dyadic(nearest.rem) - best).magnitude() <= tolerance);
    CHECK(same(nearest.rem, pair::remainder(x, y)));
    const unsigned long low = mpz_tdiv_ui(quotient, 8);
    CHECK(static_cast<unsigned>(std::abs(static_cast<long>(nearest.quo))) % 8 == low);
    if (low != 0) CHECK((nearest.quo < 0) == (mpz_sgn(quotient) < 0));
    mpz_clears(a, b, quotient, rest, nullptr);
  }
  using T = TestType;
  CHECK(pair::is_nan(pair::fmod(pair::infinity<T>(), pair::of(T(1)))));
  CHECK(pair::is_nan(pair::fmod(pair::of(T(1)), pair::of(T(0)))));
  CHECK(same(pair::fmod(pair::of(T(1)), pair::infinity<T>()), pair::of(T(1))));
  CHECK(same(pair::fmod(pair::of(T(-6)), pair::of(T(3))), pair::of(T(-0.0))));
}

TEMPLATE_TEST_CASE("integers become the nearest pairs and come back", "[pair]", float, double) {
  Operands<TestType> operands(24);
  hold_integers<TestType, std::uint8_t>(operands);
  hold_integers<TestType, std::uint16_t>(operands);
  hold_integers<TestType, std::uint32_t>(operands);
  hold_integers<TestType, std::uint64_t>(operands);
  hold_integers<TestType, std::int8_t>(operands);
  hold_integers<TestType, std::int16_t>(operands);
  hold_integers<TestType, std::int32_t>(operands);
  hold_integers<TestType, std::int64_t>(operands);
}

TEST_CASE("floats and pairs convert with one rounding of each limb", "[pair]") {
  Operands<double> operands(25);
  Operands<float> narrow(26);
  for (int i = 0; i < 50000; ++i) {
    const Pair<double> x = operands.pair_of(operands.below(60) - 30);
    const Dyadic size = Dyadic(x).magnitude();
    INFO(std::hexfloat << x.hi << " + " << x.lo);
    const Pair<float> half = pair::narrow(x);
    REQUIRE((Dyadic(half) - Dyadic(x)).magnitude() <= size.times_power_of_two(-49));
    REQUIRE(pair::is_norm(half));
    const Pair<float> one = pair::from_f64(x.hi);
    REQUIRE((Dyadic(one) - Dyadic(x.hi)).magnitude() <= size.times_power_of_two(-49));
    // to_f32 rounds the exact sum once: no float lies nearer, and a tie goes to even.
    const float single = pair::to_f32(x);
    const Dyadic off = (Dyadic(single) - Dyadic(x)).magnitude();
    for (const float other : {std::nextafterf(single, -INFINITY), std::nextafterf(single, INFINITY)}) {
      const Dyadic apart = (Dyadic(other) - Dyadic(x)).magnitude();
      REQUIRE(off <= apart);
      if (off == apart) REQUIRE((pair::bits_of(single) & 1) == 0);
    }
    const Pair<float> y = narrow.pair_of(narrow.below(60) - 30);
    REQUIRE(Dyadic(pair::widen(y)) == Dyadic(y));
  }
  CHECK(same(pair::from_f64(1e300), pair::infinity<float>()));
  CHECK(same(pair::from_f64(-0.0), pair::of(-0.0F)));
  CHECK(pair::is_nan(pair::widen(pair::nan_value<float>())));
}

TEMPLATE_TEST_CASE("decimal text is the exact value, correctly rounded, and reads back", "[pair]", float, double) {
  using T = TestType;
  Operands<T> operands(27);
  const unsigned enough = sizeof(T) == 4 ? 17 : 34;
  for (int i = 0; i < 1500; ++i) {
    Pair<T> x = operands.pair_of(operands.below(i % 3 == 0 ? 120 : 40) - 20);
    // Limbs that adjoin.
    x = pair::fast_two_sum(x.hi, operands.limb(pair::exponent_of(x.hi) - pair::kPrecision<T> - 1));
    Pair<T> back{};
    const std::string text = decimal(x, enough);
    INFO(text << " of " << std::hexfloat << x.hi << " + " << x.lo);
    REQUIRE(read(text, back) == -1);
    REQUIRE(same(back, x));
    // Against MPFR: the exact value, rounded once.
    mpfr_t exact;
    mpfr_init2(exact, 4000);
    mpfr_set_d(exact, static_cast<double>(x.hi), MPFR_RNDN);
    mpfr_add_d(exact, exact, static_cast<double>(x.lo), MPFR_RNDN);
    char digits[200];
    mpfr_snprintf(digits, sizeof(digits), "%.*RNe", static_cast<int>(enough) - 1, exact);
    const std::string wanted(digits);
    const auto mantissa = wanted.substr(0, wanted.find('e'));
    CHECK(text.substr(0, text.find('e')) == mantissa);
    CHECK(std::stoi(text.substr(text.find('e') + 1)) == std::stoi(wanted.substr(wanted.find('e') + 1)));
    mpfr_clear(exact);
  }
  CHECK(decimal(pair::of(T(9.5)), 1) == "1e+1");
  CHECK(decimal(pair::of(T(8.5)), 1) == "8e+0");
  CHECK(decimal(pair::of(T(0)), 3) == "0.00e+0");
  CHECK(decimal(pair::of(T(-0.0)), 1) == "-0e+0");
  CHECK(decimal(pair::neg(pair::infinity<T>()), 4) == "-inf");
  CHECK(decimal(pair::nan_value<T>(), 4) == "nan");
}

TEMPLATE_TEST_CASE("text that is no number tells where it goes wrong", "[pair]", float, double) {
  using T = TestType;
  Pair<T> x{};
  for (const auto& [text, at] : std::vector<std::pair<std::string, long long>>{
           {"+", 1}, {".5", 0}, {"1.", 2}, {"1e", 2}, {"1e+", 3}, {"1x", 1}, {"1.5e3 ", 5}, {"--1", 1}, {"e5", 0}}) {
    INFO(text);
    CHECK(read(text, x) == at);
  }
  CHECK(read("1e99999999999999999999", x) == -1);
  CHECK(x.hi == pair::kInfinity<T>);
  CHECK(read("-1e-99999999999999999999", x) == -1);
  CHECK(same(x, pair::of(T(-0.0))));
  CHECK(read("0." + std::string(5000, '0') + "1e5001", x) == -1);
  CHECK(same(x, pair::of(T(1))));
  // A tie of the high limb that the last of many digits breaks.
  const std::string tie =
      sizeof(T) == 4 ? "1.000000059604644775390625" : "1.00000000000000011102230246251565404236316680908203125";
  CHECK(read(tie, x) == -1);
  CHECK(x.hi == T(1));
  CHECK(x.lo == pair::power_of_two<T>(-pair::kPrecision<T>));
}

TEMPLATE_TEST_CASE("sums in lanes take the order the chapter fixes", "[pair]", float, double) {
  using T = TestType;
  Operands<T> operands(28);
  for (const std::size_t n : {0UL, 1UL, 5UL, 15UL, 16UL, 17UL, 31UL, 32UL, 100UL, 1003UL}) {
    std::vector<Pair<T>> xs(n), ys(n);
    std::vector<T> us(n), vs(n);
    for (std::size_t i = 0; i < n; ++i) {
      xs[i] = operands.pair_of(operands.below(20) - 10);
      ys[i] = operands.pair_of(operands.below(20) - 10);
      us[i] = xs[i].hi;
      vs[i] = ys[i].hi;
    }
    const auto in_order = [&](auto step) {
      Pair<T> s{};
      for (std::size_t i = 0; i < n; ++i) s = step(s, i);
      return s;
    };
    const auto in_lanes = [&](auto step) {
      Pair<T> s[16] = {};
      for (std::size_t i = 0; i < n; ++i) s[i % 16] = step(s[i % 16], i);
      for (int d = 8; d > 0; d /= 2) {
        for (int k = 0; k < d; ++k) s[k] = pair::add<Level::Mid>(s[k], s[k + d]);
      }
      return s[0];
    };
    const auto sum = [&](Pair<T> s, std::size_t i) { return pair::add<Level::Mid>(s, xs[i]); };
    const auto sum_limbs = [&](Pair<T> s, std::size_t i) { return pair::add_limb<Level::Mid>(s, us[i]); };
    const auto dot = [&](Pair<T> s, std::size_t i) { return pair::fma<Level::Mid>(xs[i], ys[i], s); };
    const auto dot_limbs = [&](Pair<T> s, std::size_t i) {
      return pair::add<Level::Mid>(s, pair::two_prod(us[i], vs[i]));
    };
    CHECK(same(pair::sum(n, xs.data()), in_order(sum)));
    CHECK(same(pair::sum_limbs(n, us.data()), in_order(sum_limbs)));
    CHECK(same(pair::dot(n, xs.data(), ys.data()), in_order(dot)));
    CHECK(same(pair::dot_limbs(n, us.data(), vs.data()), in_order(dot_limbs)));
    CHECK(same(pair::sum_lanes(n, xs.data()), in_lanes(sum)));
    CHECK(same(pair::sum_limbs_lanes(n, us.data()), in_lanes(sum_limbs)));
    CHECK(same(pair::dot_lanes(n, xs.data(), ys.data()), in_lanes(dot)));
    CHECK(same(pair::dot_limbs_lanes(n, us.data(), vs.data()), in_lanes(dot_limbs)));
  }
  CHECK(same(pair::polynomial<T>(0, nullptr, pair::of(T(2))), pair::of(T(0))));
  const Pair<T> c[] = {pair::of(T(1)), pair::of(T(2)), pair::of(T(3))};
  CHECK(same(pair::polynomial(3, c, pair::of(T(2))), pair::of(T(17))));
}

TEST_CASE("constants are the chapter's limbs", "[pair]") {
  const auto is32 = [](Pair<float> x, std::uint32_t hi, std::uint32_t lo) {
    return pair::bits_of(x.hi) == hi && pair::bits_of(x.lo) == lo;
  };
  const auto is64 = [](Pair<double> x, std::uint64_t hi, std::uint64_t lo) {
    return pair::bits_of(x.hi) == hi && pair::bits_of(x.lo) == lo;
  };
  CHECK(is32(pair::pi<float>(), 0x40490fdb, 0xb3bbbd2e));
  CHECK(is64(pair::pi<double>(), 0x400921fb54442d18, 0x3ca1a62633145c07));
  CHECK(is32(pair::tau<float>(), 0x40c90fdb, 0xb43bbd2e));
  CHECK(is64(pair::tau<double>(), 0x401921fb54442d18, 0x3cb1a62633145c07));
  CHECK(is32(pair::half_pi<float>(), 0x3fc90fdb, 0xb33bbd2e));
  CHECK(is64(pair::half_pi<double>(), 0x3ff921fb54442d18, 0x3c91a62633145c07));
  CHECK(is32(pair::inv_pi<float>(), 0x3ea2f983, 0x325c9c88));
  CHECK(is64(pair::inv_pi<double>(), 0x3fd45f306dc9c883, 0xbc76b01ec5417056));
  CHECK(is32(pair::e<float>(), 0x402df854, 0x33b14577));
  CHECK(is64(pair::e<double>(), 0x4005bf0a8b145769, 0x3ca4d57ee2b1013a));
  CHECK(is32(pair::ln2<float>(), 0x3f317218, 0xb102e308));
  CHECK(is64(pair::ln2<double>(), 0x3fe62e42fefa39ef, 0x3c7abc9e3b39803f));
  CHECK(is32(pair::ln10<float>(), 0x40135d8e, 0xb309555d));
  CHECK(is64(pair::ln10<double>(), 0x40026bb1bbb55516, 0xbcaf48ad494ea3e9));
  CHECK(is32(pair::log2_e<float>(), 0x3fb8aa3b, 0x32a57060));
  CHECK(is64(pair::log2_e<double>(), 0x3ff71547652b82fe, 0x3c7777d0ffda0d24));
  CHECK(is32(pair::log10_e<float>(), 0x3ede5bd9, 0xb22d91af));
  CHECK(is64(pair::log10_e<double>(), 0x3fdbcb7b1526e50e, 0x3c695355baaafad3));
  CHECK(is32(pair::sqrt2<float>(), 0x3fb504f3, 0x32cfe77a));
  CHECK(is64(pair::sqrt2<double>(), 0x3ff6a09e667f3bcd, 0xbc9bdd3413b26456));
  CHECK(is32(pair::egamma<float>(), 0x3f13c468, 0xb1e4127a));
  CHECK(is64(pair::egamma<double>(), 0x3fe2788cfc6fb619, 0xbc56cb90701fbfab));
}
