#include "runtime/semantics/pair/functions.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdio>
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
      do {
        x = pair::abs(operands.pair_of(static_cast<int>(std::floor(exponent))));
      } while (pair::lt(x, pair::of(static_cast<T>(low))));
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

/// Whether the bound holds as it is: below, it allows for one least subnormal more (5.1).
template <class T>
bool in_safe_range(mpfr_srcptr exact) {
  const mpfr_exp_t exponent = mpfr_get_exp(exact);
  return exponent > (sizeof(T) == 4 ? -96 : -960);
}

/// The error of a result in u^2 of the exact value, which is zero for inverse functions alone; below the safe range, of
/// what is beyond a least subnormal. Infinite for a result that leaves the range too soon or too late.
template <class T>
double error_of(const FunctionCase& each, pair::Pair<T> x, pair::Pair<T> y, pair::Pair<T> result) {
  constexpr int p = pair::kPrecision<T>;
  static Real argument(6 * p), second(6 * p), computed(6 * p), exact(2 * p + 48), error(2 * p + 48);
  set(argument, x);
  set(second, y);
  set(computed, result);
  if (each.residual != nullptr) {
    each.residual(error, computed, argument);
    // Of zero the relative error is 0 / 0 where zero is exact, else infinite.
    if (mpfr_zero_p(computed) != 0) return mpfr_nan_p(error) != 0 ? 0 : HUGE_VAL;
    mpfr_mul(error, error, computed, MPFR_RNDN);
    mpfr_set(exact, computed, MPFR_RNDN);
  } else {
    each.exact(exact, argument, second);
    mpfr_sub(error, computed, exact, MPFR_RNDN);
  }
  mpfr_abs(error, error, MPFR_RNDN);
  mpfr_abs(exact, exact, MPFR_RNDN);
  if (mpfr_cmp_d(exact, static_cast<double>(pair::kLargest<T>)) > 0) {
    // The last pairs reach a little beyond the largest limb.
    return pair::is_finite(result) && pair::magnitude(result.hi) != pair::kLargest<T> ? HUGE_VAL : 0;
  }
  if (!in_safe_range<T>(exact)) {
    mpfr_set_ui_2exp(argument, 1, pair::kLeastExponent<T>, MPFR_RNDN);
    mpfr_sub(error, error, argument, MPFR_RNDN);
    if (mpfr_signbit(error) != 0) return 0;
  }
  mpfr_div(error, error, exact, MPFR_RNDN);
  mpfr_mul_2si(error, error, 2 * p, MPFR_RNDN);
  return mpfr_get_d(error, MPFR_RNDN);
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
    const double error = error_of(each, x, y, result);
    if (!(error <= largest)) {
      largest = error;
      INFO(each.name << " " << range.name << " of " << std::hexfloat << x.hi << " + " << x.lo << ", " << y.hi << " + "
                     << y.lo << " gives " << result.hi << " + " << result.lo << ", error " << std::defaultfloat
                     << error);
      CHECK(error <= each.bound);
    }
    if (!pair::is_norm(result)) {
      INFO(each.name << " of " << std::hexfloat << x.hi << " + " << x.lo);
      REQUIRE(pair::is_norm(result));
    }
  }
  return largest;
}

}  // namespace

TEST_CASE("every function stays within its bound, to the ends of its range", "[pair]") {
  // CAIRN_PAIR_POINTS points a range, for the table of docs/pair-floats.md; CAIRN_PAIR_SEED for others than the last
  // time; CAIRN_PAIR_FUNCTIONS for some functions.
  const int wanted = asked("CAIRN_PAIR_POINTS", 0);
  const int count = wanted != 0 ? wanted : 200;
  const auto seed = static_cast<std::uint64_t>(asked("CAIRN_PAIR_SEED", 0));
  for (const FunctionCase& each : function_cases()) {
    if (!is_wanted("CAIRN_PAIR_FUNCTIONS", each.name)) continue;
    for (const Range& range : each.ranges) {
      const double f32 = worst<float>(each, range, count, 2 * seed + 11);
      const double f64 = worst<double>(each, range, count, 2 * seed + 12);
      if (wanted == 0) continue;
      std::printf("| `%s` | %s | %.3f | %.3f | %g |\n", std::string(each.name).c_str(), std::string(range.name).c_str(),
                  f32, f64, each.bound);
      std::fflush(stdout);
    }
  }
}
