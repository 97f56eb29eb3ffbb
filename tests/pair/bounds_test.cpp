// The errors of the arithmetic against exact numbers (pair floats, 4.7).
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tests/pair/dyadic.hpp"
#include "tests/pair/expansion.hpp"

using namespace cairn::tests;
using pair::Level;
using pair::Pair;

namespace {

/// A formula of a result and its operands, in exact numbers and in expansions.
template <class Number>
using FormulaIn = Number (*)(const Number& r, const Number& x, const Number& y, const Number& z);
struct Formula {
  FormulaIn<Dyadic> exact;
  FormulaIn<Expansion> fast;
  template <class F>
  Formula(F formula) : exact(formula), fast(formula) {}  // NOLINT: a lambda is a formula
};

/// An operation with its bound in u^2 of what the chapter measures it by. `error` gives the error times a factor, and
/// `size` what it is measured by times the same factor, so that quotients and roots stay exact.
template <class T>
struct Bound {
  std::string name;
  double bound;
  int operands;  // 1, 2 or 3 pairs; the second's high limb is the scalar
  Pair<T> (*computed)(Pair<T>, Pair<T>, Pair<T>);
  Formula error;
  Formula size;
  bool sum = false;        // operands that cancel
  bool limb = false;       // y is its high limb
  bool normalized = true;  // the result is
  bool positive = false;   // x > 0
  bool cancels = false;    // the bound grows with cancellation: fma at the high level
};

template <class T>
std::vector<Bound<T>> bounds() {
  using P = Pair<T>;
  const auto add_error = []<class D>(const D& r, const D& x, const D& y, const D&) { return r - x - y; };
  const auto add_terms = []<class D>(const D&, const D& x, const D& y, const D&) {
    return x.magnitude() + y.magnitude();
  };
  const auto add_result = []<class D>(const D&, const D& x, const D& y, const D&) { return (x + y).magnitude(); };
  const auto mul_error = []<class D>(const D& r, const D& x, const D& y, const D&) { return r - x * y; };
  const auto mul_result = []<class D>(const D&, const D& x, const D& y, const D&) { return (x * y).magnitude(); };
  const auto sqr_error = []<class D>(const D& r, const D& x, const D&, const D&) { return r - x * x; };
  const auto sqr_result = []<class D>(const D&, const D& x, const D&, const D&) { return x * x; };
  const auto div_error = []<class D>(const D& r, const D& x, const D& y, const D&) { return r * y - x; };
  const auto div_result = []<class D>(const D&, const D& x, const D&, const D&) { return x.magnitude(); };
  const auto fma_error = []<class D>(const D& r, const D& x, const D& y, const D& z) { return r - x * y - z; };
  const auto fma_terms = []<class D>(const D&, const D& x, const D& y, const D& z) {
    return (x * y).magnitude() + z.magnitude();
  };
  const auto fma_result = []<class D>(const D&, const D& x, const D& y, const D& z) { return (x * y + z).magnitude(); };
  // (r^2 - x)/(2x) and, for 1/root, (r^2 x - 1)/2, to first order.
  const auto root_error = []<class D>(const D& r, const D& x, const D&, const D&) { return r * r - x; };
  const auto root_result = []<class D>(const D&, const D& x, const D&, const D&) { return x.times_power_of_two(1); };
  const auto inverse_error = []<class D>(const D& r, const D& x, const D&, const D&) { return r * r * x - D(1.0); };
  const auto inverse_result = []<class D>(const D&, const D&, const D&, const D&) { return D(2.0); };
#define CAIRN_CALL(...) \
  [](P x, P y, P z) {   \
    (void)y;            \
    (void)z;            \
    return __VA_ARGS__; \
  }
  return {
      {"add low", 3, 2, CAIRN_CALL(pair::add<Level::Low>(x, y)), add_error, add_terms, true, false, false},
      {"add", 3, 2, CAIRN_CALL(pair::add<Level::Mid>(x, y)), add_error, add_terms, true},
      {"add high", 3, 2, CAIRN_CALL(pair::add<Level::High>(x, y)), add_error, add_result, true},
      {"sub high", 3, 2, CAIRN_CALL(pair::sub<Level::High>(x, pair::neg(y))), add_error, add_result, true},
      {"add_limb low", 2, 2, CAIRN_CALL(pair::add_limb<Level::Low>(x, y.hi)), add_error, add_result, true, true, false},
      {"add_limb", 2, 2, CAIRN_CALL(pair::add_limb<Level::Mid>(x, y.hi)), add_error, add_result, true, true},
      {"add_limb high", 2, 2, CAIRN_CALL(pair::add_limb<Level::High>(x, y.hi)), add_error, add_result, true, true},
      {"rsub_limb", 2, 2, CAIRN_CALL(pair::neg(pair::rsub_limb<Level::Mid>(x, -y.hi))), add_error, add_result, true,
       true},
      {"mul low", 5, 2, CAIRN_CALL(pair::mul<Level::Low>(x, y)), mul_error, mul_result, false, false, false},
      {"mul", 5, 2, CAIRN_CALL(pair::mul<Level::Mid>(x, y)), mul_error, mul_result},
      {"mul high", 4, 2, CAIRN_CALL(pair::mul<Level::High>(x, y)), mul_error, mul_result},
      {"mul_limb low", 2, 2, CAIRN_CALL(pair::mul_limb<Level::Low>(x, y.hi)), mul_error, mul_result, false, true,
       false},
      {"mul_limb", 2, 2, CAIRN_CALL(pair::mul_limb<Level::Mid>(x, y.hi)), mul_error, mul_result, false, true},
      {"mul_limb high", 1.5, 2, CAIRN_CALL(pair::mul_limb<Level::High>(x, y.hi)), mul_error, mul_result, false, true},
      {"sqr low", 3, 1, CAIRN_CALL(pair::sqr<Level::Low>(x)), sqr_error, sqr_result, false, false, false},
      {"sqr", 3, 1, CAIRN_CALL(pair::sqr<Level::Mid>(x)), sqr_error, sqr_result},
      {"sqr high", 3, 1, CAIRN_CALL(pair::sqr<Level::High>(x)), sqr_error, sqr_result},
      {"div low", 19, 2, CAIRN_CALL(pair::div<Level::Low>(x, y)), div_error, div_result, false, false, false},
      {"div", 9.8, 2, CAIRN_CALL(pair::div<Level::Mid>(x, y)), div_error, div_result},
      {"div high", 1, 2, CAIRN_CALL(pair::div<Level::High>(x, y)), div_error, div_result},
      {"div_limb low", 9, 2, CAIRN_CALL(pair::div_limb<Level::Low>(x, y.hi)), div_error, div_result, false, true,
       false},
      {"div_limb", 3, 2, CAIRN_CALL(pair::div_limb<Level::Mid>(x, y.hi)), div_error, div_result, false, true},
      {"div_limb high", 1, 2, CAIRN_CALL(pair::div_limb<Level::High>(x, y.hi)), div_error, div_result, false, true},
      {"fma low", 10, 3, CAIRN_CALL(pair::fma<Level::Low>(x, y, z)), fma_error, fma_terms, true, false, false},
      {"fma", 10, 3, CAIRN_CALL(pair::fma<Level::Mid>(x, y, z)), fma_error, fma_terms, true},
      {"fma high", 2, 3, CAIRN_CALL(pair::fma<Level::High>(x, y, z)), fma_error, fma_result, true, false, true, false,
       true},
      {"mad low", 12, 3, CAIRN_CALL(pair::mad<Level::Low>(x, y, z)), fma_error, fma_terms, true, false, false},
      {"mad", 12, 3, CAIRN_CALL(pair::mad<Level::Mid>(x, y, z)), fma_error, fma_terms, true},
      {"mad high", 8, 3, CAIRN_CALL(pair::mad<Level::High>(x, y, z)), fma_error, fma_terms, true},
      {"sqrt", 3.125, 1, CAIRN_CALL(pair::sqrt(x)), root_error, root_result, false, false, true, true},
      {"rsqrt", 8.5, 1, CAIRN_CALL(pair::rsqrt(x)), inverse_error, inverse_result, false, false, true, true},
  };
#undef CAIRN_CALL
}

/// Operands and the error they gave, in u^2; where the bound grows with cancellation, as much less.
template <class T>
struct Found {
  Pair<T> x{}, y{}, z{};
  double error = 0;
};

/// The error of a result in u^2 of what it is measured by, by exact numbers, and whether it is within the bound.
struct Judgement {
  double error;
  bool within;
};
template <class T>
Judgement exactly(const Bound<T>& each, Pair<T> r, Pair<T> x, Pair<T> y, Pair<T> z) {
  const double u = std::ldexp(1.0, -pair::kPrecision<T>);
  const Dyadic dx(x), dy(y), dz(z), dr(r);
  const Dyadic error = each.error.exact(dr, dx, dy, dz).magnitude();
  const Dyadic size = each.size.exact(dr, dx, dy, dz);
  double allowed = each.bound * (1 + 64 * u);
  if (each.cancels && size.sign() != 0) {
    allowed += 8 * u * ratio((dx * dy).magnitude() + dz.magnitude(), size) * (1 + 64 * u);
  }
  const bool within = size.sign() == 0 ? error.sign() == 0
                                       : error <= size * Dyadic(allowed).times_power_of_two(-2 * pair::kPrecision<T>);
  return {error.sign() == 0 ? 0 : std::ldexp(ratio(error, size), 2 * pair::kPrecision<T>) * each.bound / allowed,
          within};
}

/// The same by expansions, where those are sure of it: of limbs of moderate size.
template <class T>
std::optional<Judgement> fast(const Bound<T>& each, Pair<T> r, Pair<T> x, Pair<T> y, Pair<T> z) {
  const double u = std::ldexp(1.0, -pair::kPrecision<T>);
  const Expansion ex(x), ey(y), ez(z), er(r);
  const Expansion::Value error = each.error.fast(er, ex, ey, ez).value();
  const Expansion::Value size = each.size.fast(er, ex, ey, ez).value();
  double allowed = each.bound * (1 + 64 * u);
  if (each.cancels) {
    const auto rounded = [](Pair<T> p) { return static_cast<double>(p.hi) + static_cast<double>(p.lo); };
    const double terms = std::fabs(rounded(x) * rounded(y)) + std::fabs(rounded(z));
    allowed += 8 * u * terms / size.nearest * (1 + 64 * u);
  }
  const double limit = allowed * u * u * size.nearest;
  constexpr double kClose = 1e-9;
  const bool sure = size.error <= kClose * size.nearest && error.error <= kClose * limit &&
                    std::fabs(error.nearest) <= (1 - 1e-6) * limit;
  if (!sure) return std::nullopt;
  return Judgement{std::fabs(error.nearest) / limit * each.bound, true};
}

/// Forms the result, holds it to its bound and gives the error. By expansions alone where `moderate`, and where they
/// are sure.
template <class T>
double judged(const Bound<T>& each, Pair<T> x, Pair<T> y, Pair<T> z, bool moderate) {
  const Pair<T> r = each.computed(x, y, z);
  const std::optional<Judgement> quick = moderate ? fast(each, r, x, y, z) : std::nullopt;
  const Judgement found = quick ? *quick : exactly(each, r, x, y, z);
  if (!found.within || (each.normalized && !pair::is_norm(r))) {
    INFO(each.name << " of " << std::hexfloat << x.hi << " + " << x.lo << ", " << y.hi << " + " << y.lo << ", " << z.hi
                   << " + " << z.lo << " gives " << r.hi << " + " << r.lo);
    REQUIRE(found.within);
    REQUIRE(pair::is_norm(r));
  }
  return found.error;
}

/// Where an operation's operands come from: others by CAIRN_PAIR_SEED.
std::uint64_t seed_of(const std::string& name, int purpose) {
  return std::hash<std::string>()(name) + static_cast<unsigned>(purpose) +
         1000003 * static_cast<std::uint64_t>(asked("CAIRN_PAIR_SEED", 0));
}

/// Draws operands, `lowest` to `highest` the exponents of x, and gives the 64 of the largest errors.
template <class T>
std::vector<Found<T>> hold(const Bound<T>& each, int count, int lowest, int highest, int apart, bool moderate = false) {
  Operands<T> operands(seed_of(each.name, highest));
  std::vector<Found<T>> worst(64);
  auto least = worst.begin();
  for (int i = 0; i < count; ++i) {
    const int e = lowest + operands.below(highest - lowest + 1);
    Found<T> found;
    found.x = operands.pair_of(e);
    if (each.positive) found.x = pair::abs(found.x);
    found.y = operands.pair_of(operands.below(2 * apart + 1) - apart);
    if (each.sum && each.operands == 2) found.y = operands.beside(found.x, lowest, highest);
    if (each.limb) found.y.lo = T(0);
    if (each.operands == 3) found.z = operands.beside(pair::mul<Level::Mid>(found.x, found.y), lowest, highest);
    found.error = judged(each, found.x, found.y, found.z, moderate);
    if (found.error <= least->error) continue;
    *least = found;
    least = std::ranges::min_element(worst, {}, &Found<T>::error);
  }
  return worst;
}

/// A limb with one bit or a few units of its significand changed.
template <class T>
T nearby(Operands<T>& operands, T limb) {
  if (limb == T(0)) return limb;
  const auto bits = pair::bits_of(limb);
  using Bits = pair::Bits<T>;
  if (operands.below(2) == 0) return pair::limb_of<T>(bits ^ (Bits{1} << operands.below(pair::kPrecision<T> - 1)));
  return pair::limb_of<T>(static_cast<Bits>(bits + static_cast<Bits>(operands.below(17)) - 8));
}

/// Hill climbing from the worst operands (8.4): what is no better is forgotten. Gives the worst.
template <class T>
Found<T> climb(const Bound<T>& each, std::vector<Found<T>> worst, int steps) {
  Operands<T> operands(seed_of(each.name, 77));
  for (int i = 0; i < steps; ++i) {
    Found<T>& from = worst[static_cast<std::size_t>(operands.below(static_cast<int>(worst.size())))];
    Found<T> found = from;
    T* const limbs[] = {&found.x.hi, &found.x.lo, &found.y.hi, &found.y.lo, &found.z.hi, &found.z.lo};
    for (int changes = 1 + operands.below(3); changes > 0; --changes) {
      T& limb = *limbs[operands.below(2 * each.operands)];
      limb = nearby(operands, limb);
    }
    for (Pair<T>* const operand : {&found.x, &found.y, &found.z})
      *operand = pair::fast_two_sum(operand->hi, operand->lo);
    if (each.limb) found.y.lo = T(0);
    if (!pair::is_norm(found.x) || !pair::is_norm(found.y) || !pair::is_norm(found.z)) continue;
    found.error = judged(each, found.x, found.y, found.z, true);
    if (found.error >= from.error) from = found;
  }
  return *std::ranges::max_element(worst, {}, &Found<T>::error);
}

}  // namespace

// CAIRN_PAIR_OPERANDS asks for more operands a kernel, CAIRN_PAIR_STEPS for more of climbing and for what was found,
// CAIRN_PAIR_KERNELS for some kernels, CAIRN_PAIR_SEED for others than the last time.
TEMPLATE_TEST_CASE("every operation stays within its bound and gives a normalized pair", "[pair]", float, double) {
  for (const Bound<TestType>& each : bounds<TestType>()) {
    if (!is_wanted("CAIRN_PAIR_KERNELS", each.name)) continue;
    const auto drawn = hold(each, asked("CAIRN_PAIR_OPERANDS", 200000), -12, 12, 12, true);
    const double random = std::ranges::max_element(drawn, {}, &Found<TestType>::error)->error;
    const auto worst = climb(each, drawn, asked("CAIRN_PAIR_STEPS", 2000));
    CHECK(worst.error >= random);
    if (std::getenv("CAIRN_PAIR_STEPS") == nullptr) continue;
    std::printf("| f%zux2 | `%s` | %.3f | %.3f | %g | (%a, %a) (%a, %a) (%a, %a) |\n", 8 * sizeof(TestType),
                each.name.c_str(), random, worst.error, each.bound, static_cast<double>(worst.x.hi),
                static_cast<double>(worst.x.lo), static_cast<double>(worst.y.hi), static_cast<double>(worst.y.lo),
                static_cast<double>(worst.z.hi), static_cast<double>(worst.z.lo));
    std::fflush(stdout);
  }
}

TEMPLATE_TEST_CASE("errors by expansions are those by exact numbers", "[pair]", float, double) {
  for (const Bound<TestType>& each : bounds<TestType>()) {
    Operands<TestType> operands(seed_of(each.name, 5));
    int sure = 0;
    for (int i = 0; i < 2000; ++i) {
      Pair<TestType> x = operands.pair_of(operands.below(25) - 12);
      if (each.positive) x = pair::abs(x);
      Pair<TestType> y = operands.pair_of(operands.below(25) - 12);
      if (each.sum && each.operands == 2) y = operands.beside(x, -12, 12);
      if (each.limb) y.lo = TestType(0);
      Pair<TestType> z{};
      if (each.operands == 3) z = operands.beside(pair::mul<Level::Mid>(x, y), -12, 12);
      Pair<TestType> r = each.computed(x, y, z);
      // Wrong results too: beyond the bound expansions must not be sure.
      if (i % 4 == 0) r.lo += std::ldexp(r.hi, -2 * pair::kPrecision<TestType> + operands.below(8));
      const auto quick = fast(each, r, x, y, z);
      if (!quick) continue;
      ++sure;
      const Judgement found = exactly(each, r, x, y, z);
      INFO(each.name << " of " << std::hexfloat << x.hi << " + " << x.lo << ", " << y.hi << " + " << y.lo);
      REQUIRE(found.within);
      REQUIRE(std::fabs(quick->error - found.error) <= 1e-8 * each.bound);
    }
    INFO(each.name);
    CHECK(sure >= 800);
  }
}

TEMPLATE_TEST_CASE("the bounds hold at the edges of the safe range", "[pair]", float, double) {
  const int bottom = sizeof(TestType) == 4 ? -96 : -960;
  const int top = sizeof(TestType) == 4 ? 125 : 1021;
  for (const Bound<TestType>& each : bounds<TestType>()) {
    const bool product_of_three = each.operands == 3;
    if (each.name == "rsqrt") {
      hold(each, 1500, bottom, bottom + 20, 0);
      hold(each, 1500, top - 20, top, 0);
      continue;
    }
    if (each.name.starts_with("sqr ") || each.name == "sqr") {
      hold(each, 1500, bottom / 2, bottom / 2 + 6, 0);
      hold(each, 1500, top / 2 - 6, top / 2, 0);
      continue;
    }
    // Products of an operand at the edge with one around 1, quotients likewise.
    const int least = each.cancels ? (sizeof(TestType) == 4 ? -64 : -890) : product_of_three ? bottom + 30 : bottom + 2;
    hold(each, 1500, least, least + 6, 0);
    hold(each, 1500, top - 8, top - 2, 0);
  }
  SUCCEED();
}
