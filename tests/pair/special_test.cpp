// Special values: the grid of operands for the arithmetic (pair floats, 4.6), and what the functions promise (5.2).
#include <catch2/catch.hpp>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "runtime/semantics/pair/conversions.hpp"
#include "runtime/semantics/pair/functions.hpp"
#include "tests/pair/operands.hpp"

using namespace cairn::tests;
using pair::Level;
using pair::Pair;

namespace {

template <class T>
T named(const std::string& name) {
  const T sign = name.front() == '-' ? T(-1) : T(1);
  const std::string size = name.front() == '-' || name.front() == '+' ? name.substr(1) : name;
  static const std::map<std::string, T> kNames = {{"0", T(0)},
                                                  {"dmin", pair::power_of_two<T>(pair::kLeastExponent<T>)},
                                                  {"dmax", pair::limb_of<T>(pair::bits_of(pair::kLeastNormal<T>) - 1)},
                                                  {"min", pair::kLeastNormal<T>},
                                                  {"1", T(1)},
                                                  {"max", pair::kLargest<T>},
                                                  {"inf", pair::kInfinity<T>},
                                                  {"nan", pair::kNan<T>}};
  const auto found = kNames.find(size);
  if (found == kNames.end()) FAIL("no operand is called " << name);
  return sign * found->second;
}

template <Level level, class T>
Pair<T> computed(const std::string& operation, T x, T y) {
  const Pair<T> p = pair::of(x);
  const Pair<T> q = pair::of(y);
  if (operation == "add") return pair::add<level>(p, q);
  if (operation == "sub") return pair::sub<level>(p, q);
  if (operation == "mul") return pair::mul<level>(p, q);
  if (operation == "div") return pair::div<level>(p, q);
  if (operation == "add_limb") return pair::add_limb<level>(p, y);
  if (operation == "sub_limb") return pair::sub_limb<level>(p, y);
  if (operation == "rsub_limb") return pair::rsub_limb<level>(p, y);
  if (operation == "mul_limb") return pair::mul_limb<level>(p, y);
  if (operation == "div_limb") return pair::div_limb<level>(p, y);
  if (operation == "rdiv_limb") return pair::rdiv_limb<level>(p, y);
  FAIL("no operation is called " << operation);
  return p;
}

template <class T>
bool is_cell(T limb, const std::string& bits) {
  if (bits == "nan") return limb != limb;
  return pair::bits_of(limb) == std::stoull(bits, nullptr, 16);
}

template <class T>
struct Named {
  const char* name;
  Pair<T> (*function)(Pair<T>);
};
#define CAIRN_NAMED(name)                          \
  Named<T> {                                       \
    #name, [](Pair<T> x) { return pair::name(x); } \
  }

/// f(x) is the limb, its low limb +0.
template <class T>
struct Value {
  Named<T> function;
  T x;
  T result;
};

template <class T>
bool is_exactly(Pair<T> x, T limb) {
  return same_limb(x.hi, limb) && pair::bits_of(x.lo) == 0;
}

template <class T>
std::vector<Value<T>> values() {
  const T inf = pair::kInfinity<T>;
  const T nan = pair::kNan<T>;
  return {
      {CAIRN_NAMED(exp), T(0), T(1)},
      {CAIRN_NAMED(exp), T(-0.0), T(1)},
      {CAIRN_NAMED(exp), inf, inf},
      {CAIRN_NAMED(exp), -inf, T(0)},
      {CAIRN_NAMED(exp2), T(-0.0), T(1)},
      {CAIRN_NAMED(exp2), inf, inf},
      {CAIRN_NAMED(exp2), -inf, T(0)},
      {CAIRN_NAMED(exp2), T(10), T(1024)},
      {CAIRN_NAMED(exp10), T(-0.0), T(1)},
      {CAIRN_NAMED(exp10), inf, inf},
      {CAIRN_NAMED(exp10), -inf, T(0)},
      {CAIRN_NAMED(expm1), T(0), T(0)},
      {CAIRN_NAMED(expm1), T(-0.0), T(-0.0)},
      {CAIRN_NAMED(expm1), inf, inf},
      {CAIRN_NAMED(expm1), -inf, T(-1)},
      {CAIRN_NAMED(log), T(0), -inf},
      {CAIRN_NAMED(log), T(-0.0), -inf},
      {CAIRN_NAMED(log), T(-1), nan},
      {CAIRN_NAMED(log), T(1), T(0)},
      {CAIRN_NAMED(log), inf, inf},
      {CAIRN_NAMED(log), -inf, nan},
      {CAIRN_NAMED(log2), T(0), -inf},
      {CAIRN_NAMED(log2), T(1), T(0)},
      {CAIRN_NAMED(log2), T(1024), T(10)},
      {CAIRN_NAMED(log2), T(0.125), T(-3)},
      {CAIRN_NAMED(log2), inf, inf},
      {CAIRN_NAMED(log10), T(-0.0), -inf},
      {CAIRN_NAMED(log10), T(1), T(0)},
      {CAIRN_NAMED(log10), inf, inf},
      {CAIRN_NAMED(log1p), T(0), T(0)},
      {CAIRN_NAMED(log1p), T(-0.0), T(-0.0)},
      {CAIRN_NAMED(log1p), T(-1), -inf},
      {CAIRN_NAMED(log1p), T(-2), nan},
      {CAIRN_NAMED(log1p), inf, inf},
      {CAIRN_NAMED(log1p), -inf, nan},
      {CAIRN_NAMED(cbrt), T(-0.0), T(-0.0)},
      {CAIRN_NAMED(cbrt), -inf, -inf},
      {CAIRN_NAMED(rcbrt), T(-0.0), -inf},
      {CAIRN_NAMED(rcbrt), -inf, T(-0.0)},
      {CAIRN_NAMED(sin), T(-0.0), T(-0.0)},
      {CAIRN_NAMED(sin), inf, nan},
      {CAIRN_NAMED(tan), T(-0.0), T(-0.0)},
      {CAIRN_NAMED(tan), -inf, nan},
      {CAIRN_NAMED(cos), T(-0.0), T(1)},
      {CAIRN_NAMED(cos), inf, nan},
      {CAIRN_NAMED(sinpi), T(-0.0), T(-0.0)},
      {CAIRN_NAMED(sinpi), T(-7), T(-0.0)},
      {CAIRN_NAMED(sinpi), T(8), T(0)},
      {CAIRN_NAMED(sinpi), T(0.5), T(1)},
      {CAIRN_NAMED(sinpi), T(-0.5), T(-1)},
      {CAIRN_NAMED(sinpi), T(1.5), T(-1)},
      {CAIRN_NAMED(sinpi), inf, nan},
      {CAIRN_NAMED(cospi), T(2.5), T(0)},
      {CAIRN_NAMED(cospi), T(-3), T(-1)},
      {CAIRN_NAMED(cospi), T(4), T(1)},
      {CAIRN_NAMED(cospi), -inf, nan},
      {CAIRN_NAMED(asin), T(-0.0), T(-0.0)},
      {CAIRN_NAMED(asin), T(2), nan},
      {CAIRN_NAMED(acos), T(1), T(0)},
      {CAIRN_NAMED(acos), T(-2), nan},
      {CAIRN_NAMED(atan), T(-0.0), T(-0.0)},
      {CAIRN_NAMED(sinh), T(-0.0), T(-0.0)},
      {CAIRN_NAMED(sinh), -inf, -inf},
      {CAIRN_NAMED(cosh), T(-0.0), T(1)},
      {CAIRN_NAMED(cosh), -inf, inf},
      {CAIRN_NAMED(tanh), T(-0.0), T(-0.0)},
      {CAIRN_NAMED(tanh), -inf, T(-1)},
      {CAIRN_NAMED(tanh), inf, T(1)},
      {CAIRN_NAMED(asinh), T(-0.0), T(-0.0)},
      {CAIRN_NAMED(asinh), -inf, -inf},
      {CAIRN_NAMED(acosh), T(1), T(0)},
      {CAIRN_NAMED(acosh), T(0.5), nan},
      {CAIRN_NAMED(acosh), inf, inf},
      {CAIRN_NAMED(acosh), -inf, nan},
      {CAIRN_NAMED(atanh), T(-0.0), T(-0.0)},
      {CAIRN_NAMED(atanh), T(1), inf},
      {CAIRN_NAMED(atanh), T(-1), -inf},
      {CAIRN_NAMED(atanh), T(2), nan},
      {CAIRN_NAMED(atanh), inf, nan},
      {CAIRN_NAMED(erf), T(-0.0), T(-0.0)},
      {CAIRN_NAMED(erf), -inf, T(-1)},
      {CAIRN_NAMED(erfc), T(0), T(1)},
      {CAIRN_NAMED(erfc), -inf, T(2)},
      {CAIRN_NAMED(erfc), inf, T(0)},
      {CAIRN_NAMED(erfcx), inf, T(0)},
      {CAIRN_NAMED(erfcx), -inf, inf},
      {CAIRN_NAMED(erfcx), T(0), T(1)},
      {CAIRN_NAMED(erfinv), T(-0.0), T(-0.0)},
      {CAIRN_NAMED(erfinv), T(-1), -inf},
      {CAIRN_NAMED(erfinv), T(2), nan},
      {CAIRN_NAMED(erfinv), inf, nan},
      {CAIRN_NAMED(erfcinv), T(0), inf},
      {CAIRN_NAMED(erfcinv), T(-0.0), inf},
      {CAIRN_NAMED(erfcinv), T(1), T(0)},
      {CAIRN_NAMED(erfcinv), T(2), -inf},
      {CAIRN_NAMED(erfcinv), T(-1), nan},
      {CAIRN_NAMED(erfcinv), T(3), nan},
      {CAIRN_NAMED(erfcinv), inf, nan},
      {CAIRN_NAMED(normcdf), -inf, T(0)},
      {CAIRN_NAMED(normcdf), inf, T(1)},
      {CAIRN_NAMED(normcdf), T(0), T(0.5)},
      {CAIRN_NAMED(normcdf), T(-0.0), T(0.5)},
      {CAIRN_NAMED(normcdfinv), T(0), -inf},
      {CAIRN_NAMED(normcdfinv), T(1), inf},
      {CAIRN_NAMED(normcdfinv), T(0.5), T(0)},
      {CAIRN_NAMED(normcdfinv), T(-1), nan},
      {CAIRN_NAMED(normcdfinv), T(2), nan},
      {CAIRN_NAMED(normcdfinv), inf, nan},
      {CAIRN_NAMED(boys_f0), T(0), T(1)},
      {CAIRN_NAMED(boys_f0), T(-0.0), T(1)},
      {CAIRN_NAMED(boys_f0), inf, T(0)},
      {CAIRN_NAMED(boys_f0), T(-1), nan},
      {CAIRN_NAMED(sqrt), T(-0.0), T(-0.0)},
      {CAIRN_NAMED(sqrt), T(-1), nan},
      {CAIRN_NAMED(rsqrt), T(-0.0), -inf},
      {CAIRN_NAMED(rsqrt), inf, T(0)},
  };
}

template <class T>
std::vector<Named<T>> functions() {
  return {CAIRN_NAMED(exp),        CAIRN_NAMED(exp2),   CAIRN_NAMED(exp10),  CAIRN_NAMED(expm1),   CAIRN_NAMED(log),
          CAIRN_NAMED(log2),       CAIRN_NAMED(log10),  CAIRN_NAMED(log1p),  CAIRN_NAMED(cbrt),    CAIRN_NAMED(rcbrt),
          CAIRN_NAMED(sin),        CAIRN_NAMED(cos),    CAIRN_NAMED(tan),    CAIRN_NAMED(sinpi),   CAIRN_NAMED(cospi),
          CAIRN_NAMED(asin),       CAIRN_NAMED(acos),   CAIRN_NAMED(atan),   CAIRN_NAMED(sinh),    CAIRN_NAMED(cosh),
          CAIRN_NAMED(tanh),       CAIRN_NAMED(asinh),  CAIRN_NAMED(acosh),  CAIRN_NAMED(atanh),   CAIRN_NAMED(erf),
          CAIRN_NAMED(erfc),       CAIRN_NAMED(erfcx),  CAIRN_NAMED(erfinv), CAIRN_NAMED(erfcinv), CAIRN_NAMED(normcdf),
          CAIRN_NAMED(normcdfinv), CAIRN_NAMED(boys_f0)};
}

}  // namespace

TEMPLATE_TEST_CASE("the grid of special operands is the chapter's, bit for bit", "[pair]", float, double) {
  std::ifstream file(std::string(CAIRN_SOURCE_DIR) + "/tests/conformance/pairs/data/special_f" +
                     std::to_string(sizeof(TestType) * 8) + "x2.tsv");
  REQUIRE(file);
  int cells = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.front() == '#') continue;
    std::istringstream stream(line);
    std::string operation, level, left, right, high, low;
    stream >> operation >> level >> left >> right >> high >> low;
    const TestType x = named<TestType>(left);
    const TestType y = named<TestType>(right);
    const Pair<TestType> r = level == "low"   ? computed<Level::Low>(operation, x, y)
                             : level == "mid" ? computed<Level::Mid>(operation, x, y)
                                              : computed<Level::High>(operation, x, y);
    INFO(line << " gives " << std::hexfloat << r.hi << " " << r.lo);
    CHECK(is_cell(r.hi, high));
    if (pair::finite(r.hi)) CHECK(is_cell(r.lo, low));
    ++cells;
  }
  CHECK(cells == 6750);
}

TEMPLATE_TEST_CASE("functions have the special and exact values the chapter names", "[pair]", float, double) {
  for (const Value<TestType>& each : values<TestType>()) {
    const Pair<TestType> r = each.function.function(pair::of(each.x));
    INFO(each.function.name << "(" << each.x << ") gives " << r.hi << " + " << r.lo << ", wanted " << each.result);
    CHECK(same_limb(r.hi, each.result));
    CHECK(pair::bits_of(r.lo) == 0);
  }
  for (int n = pair::kLeastExponent<TestType>; n <= pair::kMaxExponent<TestType>; ++n) {
    INFO(n);
    const TestType power = pair::power_of_two<TestType>(n);
    CHECK(is_exactly(pair::exp2(pair::of(static_cast<TestType>(n))), power));
    CHECK(is_exactly(pair::log2(pair::of(power)), static_cast<TestType>(n)));
  }
  const auto is_pair = [](Pair<TestType> x, Pair<TestType> y) { return same(x, y); };
  const Pair<TestType> one = pair::of(TestType(1));
  CHECK(is_pair(pair::asin(one), pair::half_pi<TestType>()));
  CHECK(is_pair(pair::acos(pair::neg(one)), pair::pi<TestType>()));
  CHECK(is_pair(pair::atan(pair::infinity<TestType>()), pair::half_pi<TestType>()));
}

TEMPLATE_TEST_CASE("functions give NaN of NaN, normalized pairs, and their symmetry, for the seventeen inputs",
                   "[pair]", float, double) {
  using T = TestType;
  const std::vector<T> sizes = {T(0),
                                pair::power_of_two<T>(pair::kLeastExponent<T>),
                                pair::limb_of<T>(pair::bits_of(pair::kLeastNormal<T>) - 1),
                                pair::kLeastNormal<T>,
                                T(0.5),
                                T(1),
                                pair::kLargest<T>,
                                pair::kInfinity<T>};
  const std::string odd = " sin tan sinpi asin atan sinh tanh asinh atanh erf erfinv cbrt rcbrt ";
  const std::string even = " cos cospi cosh ";
  for (const Named<T>& each : functions<T>()) {
    INFO(each.name);
    CHECK(pair::is_nan(each.function(pair::of(pair::kNan<T>))));
    const bool is_odd = odd.find(std::string(" ") + each.name + " ") != std::string::npos;
    const bool is_even = even.find(std::string(" ") + each.name + " ") != std::string::npos;
    for (const T size : sizes) {
      for (const T x : {size, -size}) {
        const Pair<T> r = each.function(pair::of(x));
        INFO(x << " gives " << r.hi << " + " << r.lo);
        if (!pair::is_finite(r) || pair::is_zero(r)) CHECK(pair::bits_of(r.lo) == 0);
        if (pair::is_finite(r)) CHECK(pair::is_norm(r));
      }
      const Pair<T> plus = each.function(pair::of(size));
      const Pair<T> minus = each.function(pair::neg(pair::of(size)));
      if (is_odd && !pair::is_nan(plus)) CHECK(same_limb(minus.hi, -plus.hi));
      if (is_even) CHECK(same(minus, plus));
    }
    Operands<T> operands(3);
    for (int i = 0; i < 300; ++i) {
      const Pair<T> x = operands.pair_of(operands.below(20) - 15);
      const Pair<T> plus = each.function(x);
      const Pair<T> minus = each.function(pair::neg(x));
      INFO(std::hexfloat << x.hi << " + " << x.lo);
      if (is_odd && plus.lo != T(0)) CHECK(same(minus, pair::neg(plus)));
      if (is_even) CHECK(same(minus, plus));
    }
  }
}

TEMPLATE_TEST_CASE("pow, atan2 and lengths have IEEE's special values", "[pair]", float, double) {
  using T = TestType;
  const T inf = pair::kInfinity<T>;
  const T nan = pair::kNan<T>;
  struct Row {
    T x, y, result;
  };
  for (const Row& row :
       {Row{nan, T(0), T(1)},    Row{T(1), nan, T(1)},        Row{T(-1), inf, T(1)},     Row{T(-1), -inf, T(1)},
        Row{T(-2), T(3), T(-8)}, Row{T(-2), T(2), T(4)},      Row{T(-2), T(0.5), nan},   Row{T(-0.0), T(-3), -inf},
        Row{T(0), T(-2), inf},   Row{T(-0.0), T(3), T(-0.0)}, Row{T(-0.0), T(2), T(0)},  Row{-inf, T(3), -inf},
        Row{-inf, T(2), inf},    Row{-inf, T(-3), T(-0.0)},   Row{inf, T(-1), T(0)},     Row{T(0.5), inf, T(0)},
        Row{T(0.5), -inf, inf},  Row{T(2), inf, inf},         Row{T(2), -inf, T(0)},     Row{nan, T(1), nan},
        Row{T(2), nan, nan},     Row{T(-0.0), T(0.5), T(0)},  Row{T(-0.0), T(-0.5), inf}}) {
    const Pair<T> r = pair::pow(pair::of(row.x), pair::of(row.y));
    INFO("pow(" << row.x << ", " << row.y << ") gives " << r.hi << " + " << r.lo);
    CHECK(same_limb(r.hi, row.result));
    if (row.result == T(0) || !pair::finite(row.result) || row.result == T(1)) CHECK(pair::bits_of(r.lo) == 0);
  }
  // Oddness lies in the low limb too: 2^p + 1 is odd, 2^p is even.
  const T big = pair::power_of_two<T>(pair::kPrecision<T>);
  CHECK(pair::pow(pair::of(T(-1)), Pair<T>{big, T(1)}).hi == T(-1));
  CHECK(pair::pow(pair::of(T(-1)), Pair<T>{big, T(0)}).hi == T(1));
  CHECK(pair::is_nan(pair::pow(pair::of(T(-1)), Pair<T>{T(3), pair::power_of_two<T>(-pair::kPrecision<T>)})));

  const Pair<T> quarter = pair::to_pair(pair::entry(pair::Angles<T>::limbs, 2));
  CHECK(same(pair::atan2(pair::of(T(0)), pair::of(T(1))), pair::of(T(0))));
  CHECK(same(pair::atan2(pair::of(T(-0.0)), pair::of(T(1))), pair::of(T(-0.0))));
  CHECK(same(pair::atan2(pair::of(T(0)), pair::of(T(-0.0))), pair::pi<T>()));
  CHECK(same(pair::atan2(pair::of(T(-0.0)), pair::of(T(-1))), pair::neg(pair::pi<T>())));
  CHECK(same(pair::atan2(pair::of(T(-1)), pair::of(T(0))), pair::neg(pair::half_pi<T>())));
  CHECK(same(pair::atan2(pair::of(inf), pair::of(inf)), quarter));
  CHECK(same(pair::atan2(pair::of(T(2)), pair::of(-inf)), pair::pi<T>()));
  CHECK(pair::is_nan(pair::atan2(pair::of(nan), pair::of(T(1)))));

  CHECK(same(pair::hypot(pair::of(-inf), pair::of(nan)), pair::of(inf)));
  CHECK(same(pair::rhypot(pair::of(inf), pair::of(nan)), pair::of(T(0))));
  CHECK(same(pair::hypot(pair::of(T(-0.0)), pair::of(T(0))), pair::of(T(0))));
  CHECK(same(pair::rnorm3(pair::of(T(0)), pair::of(T(0)), pair::of(T(0))), pair::of(inf)));
  CHECK(same(pair::norm3(pair::of(T(2)), pair::of(T(3)), pair::of(T(6))), pair::of(T(7))));
  CHECK(same(pair::norm4(pair::of(T(1)), pair::of(T(1)), pair::of(T(1)), pair::of(T(1))), pair::of(T(2))));
  CHECK(pair::is_finite(pair::hypot(pair::of(pair::kLargest<T> / 2), pair::of(pair::kLargest<T> / 2))));
  Operands<T> operands(9);
  for (int i = 0; i < 500; ++i) {
    const Pair<T> x = operands.pair_of(operands.below(40) - 20);
    const Pair<T> y = operands.pair_of(operands.below(40) - 20);
    CHECK(same(pair::hypot(x, y), pair::hypot(y, x)));
    CHECK(same(pair::hypot(x, y), pair::hypot(pair::abs(x), y)));
  }
}

TEMPLATE_TEST_CASE("quantiles of parts mirror each other", "[pair]", float, double) {
  using T = TestType;
  Operands<T> operands(5);
  for (int i = 0; i < 200; ++i) {
    const auto k = static_cast<std::uint32_t>(operands.bits());
    CHECK(same(pair::icdf_u32<T>(~k), pair::neg(pair::icdf_u32<T>(k))));
    const std::uint64_t wide = operands.bits();
    CHECK(same(pair::icdf_u64<T>(~wide), pair::neg(pair::icdf_u64<T>(wide))));
    // The middle of a part, which a pair holds exactly.
    const Pair<T> middle = pair::ldexp(pair::from_int<T>(2 * std::uint64_t{k >> 1} + 1), -33);
    CHECK(same(pair::icdf_u32<T>(k >> 1), pair::normcdfinv(middle)));
  }
  const Pair<T> first = pair::normcdfinv(pair::of(pair::power_of_two<T>(-33)));
  CHECK(same(pair::icdf_u32<T>(0), first));
}

TEMPLATE_TEST_CASE("sincos and sincospi have the bits of the separate functions", "[pair]", float, double) {
  using T = TestType;
  Operands<T> operands(6);
  for (int i = 0; i < 2000; ++i) {
    const Pair<T> x = operands.pair_of(operands.below(160) - 80);
    CHECK(same(pair::sincos(x).sin, pair::sin(x)));
    CHECK(same(pair::sincos(x).cos, pair::cos(x)));
    CHECK(same(pair::sincospi(x).sin, pair::sinpi(x)));
    CHECK(same(pair::sincospi(x).cos, pair::cospi(x)));
  }
  for (const T x : {T(0), T(-0.0), pair::kInfinity<T>, pair::kNan<T>}) {
    CHECK(same(pair::sincos(pair::of(x)).sin, pair::sin(pair::of(x))));
    CHECK(same(pair::sincos(pair::of(x)).cos, pair::cos(pair::of(x))));
  }
}

TEMPLATE_TEST_CASE("a function takes any limbs for their sum, and gives a normalized pair or no number", "[pair]",
                   float, double) {
  using T = TestType;
  Operands<T> operands(12);
  const auto any = [&] { return pair::limb_of<T>(static_cast<pair::Bits<T>>(operands.bits())); };
  for (int i = 0; i < 3000; ++i) {
    const Pair<T> x = i % 3 == 0 ? Pair<T>{any(), any()}
                      : i % 3 == 1
                          ? Pair<T>{operands.limb(operands.below(20) - 10), operands.limb(operands.below(20) - 10)}
                          : Pair<T>{any(), operands.below(2) == 0 ? pair::kNan<T> : pair::kInfinity<T>};
    const Pair<T> sum = pair::ordinary(x);
    for (const Named<T>& each : functions<T>()) {
      const Pair<T> r = each.function(x);
      INFO(each.name << " of " << std::hexfloat << x.hi << " + " << x.lo << " gives " << r.hi << " + " << r.lo);
      CHECK((pair::is_nan(r) || pair::is_norm(r)));
      CHECK(same(r, each.function(sum)));
    }
    const Pair<T> y{any(), any()};
    for (const Pair<T> r : {pair::pow(x, y), pair::atan2(x, y), pair::hypot(x, y), pair::rnorm3(x, y, x)}) {
      CHECK((pair::is_nan(r) || pair::is_norm(r)));
    }
  }
}
