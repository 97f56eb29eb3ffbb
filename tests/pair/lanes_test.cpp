// The functions side by side in vectors: in every lane the bits of the function itself, whatever its neighbours are.
#include <catch2/catch.hpp>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "runtime/pair/functions.hpp"
#include "runtime/processor.hpp"
#include "tests/pair/operands.hpp"

using namespace cairn;
using namespace cairn::tests;
using pair::Pair;

namespace {

template <class T>
Pair<T> called(const PairFunction& function, Pair<T> x, Pair<T> y) {
  const PairCode& code = sizeof(T) == 4 ? function.f32 : function.f64;
  return function.operands == 1 ? reinterpret_cast<Pair<T> (*)(Pair<T>)>(code.one)(x)
                                : reinterpret_cast<Pair<T> (*)(Pair<T>, Pair<T>)>(code.one)(x, y);
}

/// The chapter's grid (4.6), its neighbours, and where the functions change their ways; of both signs.
template <class T>
std::vector<Pair<T>> special_operands() {
  std::vector<T> high = {
      T(0), pair::limb_of<T>(1), pair::kLeastNormal<T>, pair::kLargest<T>, pair::kInfinity<T>, pair::kNan<T>};
  for (const double each : {0.5,
                            0.785,
                            0.7853981633974483,
                            1.0,
                            1.5707963267948966,
                            2.0,
                            3.0,
                            4.0,
                            16.0,
                            24.0,
                            32.0,
                            48.0,
                            53.0,
                            72.0,
                            85.1,
                            87.0,
                            88.8,
                            104.0,
                            106.0,
                            110.0,
                            128.0,
                            149.0,
                            159.0,
                            256.0,
                            706.2,
                            708.4,
                            709.8,
                            745.2,
                            760.0,
                            1023.0,
                            1074.0,
                            131072.0,
                            0.015625,
                            0.00390625,
                            0.0078125}) {
    high.push_back(static_cast<T>(each));
  }
  for (const int e : {-pair::kPrecision<T>, -pair::kPrecision<T> - 2, -2 * pair::kPrecision<T> - 4,
                      -pair::kPrecision<T> / 3, pair::kPrecision<T> / 3, pair::kPrecision<T> + 4,
                      pair::kMinExponent<T> + 2 * pair::kPrecision<T>, pair::kMaxExponent<T> - 2}) {
    high.push_back(pair::power_of_two<T>(e));
  }
  std::vector<Pair<T>> result;
  for (const T each : high) {
    for (const int step : {-1, 0, 1}) {
      const auto bits = pair::bits_of(each) + static_cast<pair::Bits<T>>(step);
      if (step == -1 && pair::bits_of(each) == 0) continue;
      const T limb = pair::limb_of<T>(static_cast<pair::Bits<T>>(bits));
      for (const T sign : {T(1), T(-1)}) {
        result.push_back({sign * limb, T(0)});
        if (!pair::finite(limb) || limb == T(0)) continue;
        const T half = pair::scaled(limb, -pair::kPrecision<T>) * T(0.5);
        result.push_back({sign * limb, half});
        result.push_back({sign * limb, -half});
        result.push_back({sign * limb, sign * limb});  // not normalized
      }
    }
  }
  return result;
}

template <class T>
class Source {
 public:
  explicit Source(std::uint64_t seed) : operands_(seed) {}
  Pair<T> next() {
    switch (operands_.below(8)) {
      case 0:
        return special_[static_cast<std::size_t>(operands_.below(static_cast<int>(special_.size())))];
      case 1:
        return operands_.pair_of(operands_.below(pair::kMaxExponent<T> - pair::kMinExponent<T>) +
                                 pair::kMinExponent<T>);
      case 2: {
        // A multiple of something simple, or next to it.
        const T whole = static_cast<T>(operands_.below(4096) - 2048) * T(0.03125);
        return pair::fast_two_sum(whole, operands_.below(2) == 0 ? T(0) : operands_.limb(-pair::kPrecision<T> - 6));
      }
      default:
        return operands_.pair_of(operands_.below(20) - 12);
    }
  }

 private:
  Operands<T> operands_;
  std::vector<Pair<T>> special_ = special_operands<T>();
};

/// Every lane against the function, `vectors` times.
template <class T>
void hold(const PairFunction& function, PairCode::Lanes code, std::size_t bytes, int vectors, std::uint64_t seed) {
  const std::size_t lanes = bytes / sizeof(T);
  Source<T> source(seed);
  std::vector<T> operands(4 * lanes);
  std::vector<T> result(2 * lanes);
  for (int v = 0; v < vectors; ++v) {
    std::vector<Pair<T>> x(lanes), y(lanes);
    // A special one among ordinary ones is in each place in turn.
    for (std::size_t k = 0; k < lanes; ++k) {
      x[k] = source.next();
      y[k] = source.next();
    }
    for (std::size_t k = 0; k < lanes; ++k) {
      operands[k] = x[k].hi;
      operands[lanes + k] = x[k].lo;
      operands[2 * lanes + k] = y[k].hi;
      operands[3 * lanes + k] = y[k].lo;
    }
    code(operands.data(), result.data());
    for (std::size_t k = 0; k < lanes; ++k) {
      const Pair<T> expected = called(function, x[k], y[k]);
      const Pair<T> found{result[k], result[lanes + k]};
      if (same(expected, found)) continue;
      INFO(function.name << " lane " << k << " of " << lanes << " of " << std::hexfloat << x[k].hi << " + " << x[k].lo
                         << ", " << y[k].hi << " + " << y[k].lo << " gives " << found.hi << " + " << found.lo
                         << ", not " << expected.hi << " + " << expected.lo);
      REQUIRE(false);
    }
  }
}

}  // namespace

// CAIRN_PAIR_VECTORS asks for more vectors a function.
TEST_CASE("every lane of a function over vectors has the bits of the function", "[pair]") {
  const int vectors = asked("CAIRN_PAIR_VECTORS", 2000);
  const auto functions = pair_functions();
  const auto portable = pair_functions_portable();
  REQUIRE(functions.size() == portable.size());
  int held = 0;
  for (std::size_t k = 0; k < functions.size(); ++k) {
    REQUIRE(functions[k].name == portable[k].name);
    REQUIRE(functions[k].operands == portable[k].operands);
    for (const std::size_t bytes : {std::size_t{32}, std::size_t{64}}) {
      if (const auto code = functions[k].f32.lanes(bytes)) {
        hold<float>(portable[k], code, bytes, vectors, 11 + k);
        ++held;
      }
      if (const auto code = functions[k].f64.lanes(bytes)) {
        hold<double>(portable[k], code, bytes, vectors, 12 + k);
        ++held;
      }
    }
  }
  if (held == 0) WARN("this processor has no vectors with fused operations");
}

TEST_CASE("all functions but the error functions, their inverses and the Boys function have forms for lanes",
          "[pair]") {
  const std::vector<std::string_view> without = {"erf",     "erfc",    "erfcx",      "erfinv",
                                                 "erfcinv", "normcdf", "normcdfinv", "boys_f0"};
  const auto lacking = [](std::span<const PairFunction> functions, auto has) {
    std::vector<std::string_view> names;
    for (const PairFunction& function : functions) {
      CHECK(has(function.f32) == has(function.f64));
      if (!has(function.f32)) names.push_back(function.name);
    }
    return names;
  };
  const auto has_any = [](const PairCode& code) { return code.lanes(32) != nullptr || code.lanes(64) != nullptr; };
  CHECK(lacking(pair_functions_portable(), has_any).size() == pair_functions_portable().size());
  CHECK(pair_functions().size() == 36);
  if (has_fused_avx2()) {
    CHECK(lacking(pair_functions(), [](const PairCode& code) { return code.lanes(32) != nullptr; }) == without);
  }
  if (has_avx512()) {
    CHECK(lacking(pair_functions(), [](const PairCode& code) { return code.lanes(64) != nullptr; }) == without);
  }
}

TEST_CASE("the functions for this processor have the bits of the portable ones", "[pair]") {
  const auto functions = pair_functions();
  const auto portable = pair_functions_portable();
  const auto compare = [&]<class T>(T) {
    for (std::size_t k = 0; k < functions.size(); ++k) {
      Source<T> source(21 + k);
      for (int i = 0; i < 2000; ++i) {
        const Pair<T> x = source.next();
        const Pair<T> y = source.next();
        INFO(functions[k].name << " of " << std::hexfloat << x.hi << " + " << x.lo << ", " << y.hi << " + " << y.lo);
        REQUIRE(same(called(functions[k], x, y), called(portable[k], x, y)));
      }
    }
  };
  compare(1.0F);
  compare(1.0);
}
