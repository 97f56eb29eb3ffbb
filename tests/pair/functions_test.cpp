#include "runtime/semantics/pair/functions.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/pair/function_cases.hpp"

using namespace cairn::tests;

namespace {

/// The pair nearest to k pi/2, k of random size.
template <class T>
pair::Pair<T> near_quarter_turns(Operands<T>& operands) {
  Real value(1400);
  mpfr_const_pi(value, MPFR_RNDN);
  const int most = sizeof(T) == 4 ? 120 : 1000;
  const int size = operands.below(most);
  mpfr_mul_ui(value, value, (operands.bits() >> (size < 62 ? 63 - size : 1)) | 1, MPFR_RNDN);
  if (size > 62) mpfr_mul_2si(value, value, size - 62, MPFR_RNDN);
  mpfr_div_2ui(value, value, 1, MPFR_RNDN);
  const auto high =
      sizeof(T) == 4 ? static_cast<T>(mpfr_get_flt(value, MPFR_RNDN)) : static_cast<T>(mpfr_get_d(value, MPFR_RNDN));
  mpfr_sub_d(value, value, static_cast<double>(high), MPFR_RNDN);
  const auto low =
      sizeof(T) == 4 ? static_cast<T>(mpfr_get_flt(value, MPFR_RNDN)) : static_cast<T>(mpfr_get_d(value, MPFR_RNDN));
  return pair::fast_two_sum(high, low);
}

template <class T>
pair::Pair<T> draw(const Range& range, Operands<T>& operands) {
  const double low = sizeof(T) == 4 ? range.low32 : range.low64;
  const double high = sizeof(T) == 4 ? range.high32 : range.high64;
  pair::Pair<T> x{};
  switch (range.spread) {
    case Spread::Uniform: {
      const T top = static_cast<T>(low + operands.uniform() * (high - low));
      x = pair::fast_two_sum(top, operands.pair_of(pair::exponent_of(top)).lo);
      break;
    }
    case Spread::Logarithmic: {
      const double exponent = std::log2(low) + operands.uniform() * (std::log2(high) - std::log2(low));
      x = pair::abs(operands.pair_of(static_cast<int>(std::floor(exponent))));
      break;
    }
    case Spread::NearQuarterTurns:
      x = near_quarter_turns(operands);
      break;
    case Spread::NearOne: {
      // low: which sides are allowed, -1 below, 0 both, 1 above
      T step = pair::scaled(operands.significand(), -2 - operands.below(2 * pair::kPrecision<T> - 6));
      if (low < 0 || (low == 0 && operands.below(2) == 0)) step = -step;
      x = pair::add<pair::Level::High>(pair::of(T(1)), pair::Pair<T>{step, T(0)});
      break;
    }
  }
  return range.both && operands.below(2) == 0 ? pair::neg(x) : x;
}

/// The relative error of a result in u^2; for results below the safe range, of what is beyond a least subnormal.
template <class T>
double error_of(const FunctionCase& each, pair::Pair<T> x, pair::Pair<T> y, pair::Pair<T> result) {
  static Real exact(sizeof(T) == 4 ? 192 : 320), argument(sizeof(T) == 4 ? 192 : 320),
      second(sizeof(T) == 4 ? 192 : 320), computed(sizeof(T) == 4 ? 192 : 320);
  set(argument, x);
  set(second, y);
  set(computed, result);
  if (each.residual != nullptr) {
    each.residual(exact, computed, argument);
  } else {
    each.exact(exact, argument, second);
    mpfr_sub(computed, computed, exact, MPFR_RNDN);
    mpfr_div(exact, computed, exact, MPFR_RNDN);
  }
  mpfr_mul_2si(exact, exact, 2 * pair::kPrecision<T>, MPFR_RNDN);
  return std::fabs(mpfr_get_d(exact, MPFR_RNDN));
}

template <class T>
bool in_safe_range(pair::Pair<T> x) {
  const double size = std::fabs(static_cast<double>(x.hi));
  return sizeof(T) == 4 ? size >= 0x1p-96 && size <= 0x1p126 : size >= 0x1p-960 && size <= 0x1p1022;
}

/// The largest error over `count` points of a range.
template <class T>
double worst(const FunctionCase& each, const Range& range, int count, std::uint64_t seed) {
  Operands<T> operands(seed);
  double largest = 0;
  for (int i = 0; i < count; ++i) {
    pair::Pair<T> x = draw(range, operands);
    pair::Pair<T> y{};
    if (each.two) y = draw(range, operands);
    if (each.name == "pow" && range.spread == Spread::NearOne)
      y = operands.pair_of(operands.below(2 * pair::kPrecision<T>) - 8);
    pair::Pair<T> result{};
    if constexpr (sizeof(T) == 4)
      result = each.f32(x, y);
    else
      result = each.f64(x, y);
    if (!in_safe_range(result)) continue;
    const double error = error_of(each, x, y, result);
    if (!(error <= largest)) {
      largest = error;
      INFO(each.name << " " << range.name << " of " << std::hexfloat << x.hi << " + " << x.lo << ", " << y.hi << " + "
                     << y.lo << " gives " << result.hi << " + " << result.lo << ", error " << std::defaultfloat
                     << error);
      CHECK(error <= each.bound);
    }
    INFO(each.name << " of " << std::hexfloat << x.hi << " + " << x.lo);
    REQUIRE(pair::is_norm(result));
  }
  return largest;
}

/// Points a range; CAIRN_PAIR_POINTS asks for more, and for the table of docs/pair-floats.md.
int points() {
  const char* wanted = std::getenv("CAIRN_PAIR_POINTS");
  return wanted == nullptr ? 0 : std::atoi(wanted);
}

}  // namespace

TEST_CASE("every function stays within its bound", "[pair]") {
  const int wanted = points();
  const int count = wanted != 0 ? wanted : 200;
  for (const FunctionCase& each : function_cases()) {
    for (const Range& range : each.ranges) {
      const double f32 = worst<float>(each, range, count, 11);
      const double f64 = worst<double>(each, range, count, 12);
      if (wanted == 0) continue;
      std::printf("| `%s` | %s | %.3f | %.3f | %g |\n", std::string(each.name).c_str(), std::string(range.name).c_str(),
                  f32, f64, each.bound);
      std::fflush(stdout);
    }
  }
}

namespace {

/// Results outside the safe range: within the bound and one least subnormal more, infinite where the exact value rounds
/// past the largest limb.
template <class T>
void hold_ends(std::string_view name, std::initializer_list<std::pair<double, double>> ranges, int least) {
  const FunctionCase* found = nullptr;
  for (const FunctionCase& each : function_cases()) {
    if (each.name == name) found = &each;
  }
  REQUIRE(found != nullptr);
  Operands<T> operands(31);
  Real exact(1600), argument(1600), error(1600), allowed(1600);
  int seen = 0;
  for (const auto& [low, high] : ranges) {
    for (int i = 0; i < 400; ++i) {
      const T top = static_cast<T>(low + operands.uniform() * (high - low));
      const pair::Pair<T> x = pair::fast_two_sum(top, operands.pair_of(pair::exponent_of(top)).lo);
      pair::Pair<T> result{};
      if constexpr (sizeof(T) == 4)
        result = found->f32(x, {});
      else
        result = found->f64(x, {});
      set(argument, x);
      found->exact(exact, argument, argument);
      INFO(name << " of " << std::hexfloat << x.hi << " + " << x.lo << " gives " << result.hi << " + " << result.lo);
      mpfr_abs(error, exact, MPFR_RNDN);
      if (mpfr_cmp_d(error, static_cast<double>(pair::kLargest<T>)) > 0) {
        // The last pairs reach a little beyond the largest limb.
        if (pair::is_finite(result)) CHECK(pair::magnitude(result.hi) == pair::kLargest<T>);
        continue;
      }
      REQUIRE(pair::is_finite(result));
      CHECK(pair::is_norm(result));
      mpfr_mul_d(allowed, error, found->bound, MPFR_RNDN);
      mpfr_mul_2si(allowed, allowed, -2 * pair::kPrecision<T>, MPFR_RNDN);
      set(error, result);
      mpfr_sub(error, error, exact, MPFR_RNDN);
      mpfr_abs(error, error, MPFR_RNDN);
      mpfr_set_ui_2exp(argument, 1, pair::kLeastExponent<T>, MPFR_RNDN);
      mpfr_add(allowed, allowed, argument, MPFR_RNDN);
      CHECK(mpfr_lessequal_p(error, allowed) != 0);
      seen += pair::exponent_of(result.hi == T(0) ? T(1) : result.hi) < least || result.hi == T(0) ? 1 : 0;
    }
  }
  CHECK(seen > 50);
}

}  // namespace

TEST_CASE("results leave the range gradually at both ends", "[pair]") {
  hold_ends<float>("exp", {{-104.5, -66}, {80, 90}}, -96);
  hold_ends<float>("exp2", {{-151, -96}, {126, 129}}, -96);
  hold_ends<float>("exp10", {{-46, -28}, {37, 39}}, -96);
  hold_ends<float>("erfc", {{8, 10.3}}, -96);
  hold_ends<float>("normcdf", {{-14.5, -11}}, -96);
  hold_ends<float>("sin", {{0x1p-130, 0x1p-128}}, -96);
  hold_ends<float>("sinpi", {{0x1p-130, 0x1p-128}, {0x1p-149, 0x1p-140}}, -96);
  hold_ends<float>("erf", {{0x1p-130, 0x1p-128}, {0x1p-149, 0x1p-140}}, -96);
  hold_ends<float>("cosh", {{-90, -87}, {87, 90}, {0x1p-130, 0x1p-128}}, 1);
  hold_ends<float>("sinh", {{-90, -87}, {87, 90}, {0x1p-130, 0x1p-128}}, -96);
  hold_ends<double>("exp", {{-746, -664}, {700, 711}}, -960);
  hold_ends<double>("exp2", {{-1076, -960}, {1022, 1025}}, -960);
  hold_ends<double>("exp10", {{-324.5, -288}, {307, 309}}, -960);
  hold_ends<double>("erfc", {{25.5, 27.3}}, -960);
  hold_ends<double>("normcdf", {{-38.7, -36}}, -960);
  hold_ends<double>("sinpi", {{0x1p-1030, 0x1p-1028}, {0x1p-1074, 0x1p-1060}}, -960);
  hold_ends<double>("erf", {{0x1p-1030, 0x1p-1028}, {0x1p-1074, 0x1p-1060}}, -960);
  hold_ends<double>("sinh", {{-711, -708}, {708, 711}, {0x1p-1030, 0x1p-1028}}, -960);
}
