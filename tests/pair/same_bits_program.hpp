// Every operation and function of pair floats over fixed operands, folded into one number for each: two builds agree
// when their numbers do. NaNs count as one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/semantics/pair/arrays.hpp"
#include "runtime/semantics/pair/functions.hpp"
#include "runtime/semantics/pair/remainders.hpp"

namespace cairn::tests::same_bits {

namespace pair = semantics::pair;
using pair::Level;
using pair::Pair;

/// A plain generator of 64 bits (splitmix64: Steele, Lea, Flood, OOPSLA 2014).
struct Numbers {
  std::uint64_t state;
  std::uint64_t next() {
    std::uint64_t z = state += 0x9e3779b97f4a7c15ULL;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
};

template <class T>
inline Pair<T> operand(Numbers& numbers, int spread) {
  const auto limb = [&](int exponent) {
    const auto fraction =
        static_cast<pair::Bits<T>>(numbers.next()) & ((pair::Bits<T>{1} << (pair::kPrecision<T> - 1)) - 1);
    const T size = pair::limb_of<T>(pair::bits_of(T(1)) | fraction);
    return pair::scaled((numbers.next() & 1) != 0 ? size : -size, exponent);
  };
  const int exponent = static_cast<int>(numbers.next() % static_cast<unsigned>(2 * spread)) - spread;
  const T high = limb(exponent);
  return pair::fast_two_sum(high, limb(exponent - pair::kPrecision<T> - 1 - static_cast<int>(numbers.next() % 5)));
}

struct Hash {
  std::uint64_t value = 14695981039346656037ULL;
  void add(std::uint64_t bits) {
    for (int k = 0; k < 8; ++k) value = (value ^ ((bits >> (8 * k)) & 255)) * 1099511628211ULL;
  }
  template <class T>
  void add_limb(T limb) {
    add(limb != limb ? 1 : std::uint64_t{pair::bits_of(limb)} ^ 0x5555);
  }
  template <class T>
  void add(Pair<T> x) {
    add_limb(x.hi);
    add_limb(x.lo);
  }
};

struct Line {
  std::string name;
  std::uint64_t hash;
};

template <class T, class Operation>
inline Line over_operands(const char* name, int count, int spread, Operation operation) {
  Numbers numbers{static_cast<std::uint64_t>(sizeof(T)) * 1000003};
  Hash hash;
  for (int i = 0; i < count; ++i) {
    const Pair<T> x = operand<T>(numbers, spread);
    const Pair<T> y = operand<T>(numbers, spread);
    const Pair<T> z = operand<T>(numbers, spread);
    hash.add(operation(x, y, z));
  }
  return {std::string(name) + (sizeof(T) == 4 ? " f32x2" : " f64x2"), hash.value};
}

template <class T>
inline void lines(std::vector<Line>& all, int arithmetic, int functions) {
#define CAIRN_LINE(count, spread, name, ...)                                                \
  all.push_back(over_operands<T>(name, count, spread, [](Pair<T> x, Pair<T> y, Pair<T> z) { \
    (void)y;                                                                                \
    (void)z;                                                                                \
    return __VA_ARGS__;                                                                     \
  }));
#define CAIRN_LEVELS(name, ...)                                                       \
  {                                                                                   \
    constexpr Level level = Level::Low;                                               \
    CAIRN_LINE(arithmetic, 20, name " low", __VA_ARGS__)                              \
  }                                                                                   \
  {                                                                                   \
    constexpr Level level = Level::Mid;                                               \
    CAIRN_LINE(arithmetic, 20, name " mid", __VA_ARGS__)                              \
  }                                                                                   \
  {                                                                                   \
    constexpr Level level = Level::High;                                              \
    CAIRN_LINE(arithmetic, 20, name " high", __VA_ARGS__)                             \
    CAIRN_LINE(arithmetic, pair::kMaxExponent<T> - 1, name " high, far", __VA_ARGS__) \
  }
  CAIRN_LEVELS("add", pair::add<level>(x, y))
  CAIRN_LEVELS("add_limb", pair::add_limb<level>(x, y.hi))
  CAIRN_LEVELS("mul", pair::mul<level>(x, y))
  CAIRN_LEVELS("mul_limb", pair::mul_limb<level>(x, y.hi))
  CAIRN_LEVELS("sqr", pair::sqr<level>(x))
  CAIRN_LEVELS("div", pair::div<level>(x, y))
  CAIRN_LEVELS("div_limb", pair::div_limb<level>(x, y.hi))
  CAIRN_LEVELS("fma", pair::fma<level>(x, y, z))
  CAIRN_LEVELS("mad", pair::mad<level>(x, y, z))
  CAIRN_LINE(arithmetic, 20, "sqrt", pair::sqrt(x))
  CAIRN_LINE(arithmetic, 20, "rsqrt", pair::rsqrt(x))
  CAIRN_LINE(arithmetic, 20, "floor", pair::floor(x))
  CAIRN_LINE(arithmetic, 20, "rint", pair::rint(x))
  CAIRN_LINE(functions, 20, "fmod", pair::fmod(x, y))
#define CAIRN_FUNCTION(name, spread) CAIRN_LINE(functions, spread, #name, pair::name(x))
  CAIRN_FUNCTION(exp, 8)
  CAIRN_FUNCTION(exp2, 8)
  CAIRN_FUNCTION(exp10, 7)
  CAIRN_FUNCTION(expm1, 8)
  CAIRN_FUNCTION(log, 60)
  CAIRN_FUNCTION(log2, 60)
  CAIRN_FUNCTION(log10, 60)
  CAIRN_FUNCTION(log1p, 30)
  CAIRN_FUNCTION(cbrt, 60)
  CAIRN_FUNCTION(rcbrt, 60)
  CAIRN_FUNCTION(sin, 100)
  CAIRN_FUNCTION(cos, 100)
  CAIRN_FUNCTION(tan, 100)
  CAIRN_FUNCTION(sinpi, 10)
  CAIRN_FUNCTION(cospi, 10)
  CAIRN_FUNCTION(asin, 6)
  CAIRN_FUNCTION(acos, 6)
  CAIRN_FUNCTION(atan, 30)
  CAIRN_FUNCTION(sinh, 8)
  CAIRN_FUNCTION(cosh, 8)
  CAIRN_FUNCTION(tanh, 8)
  CAIRN_FUNCTION(asinh, 60)
  CAIRN_FUNCTION(acosh, 60)
  CAIRN_FUNCTION(atanh, 6)
  CAIRN_FUNCTION(erf, 6)
  CAIRN_FUNCTION(erfc, 6)
  CAIRN_FUNCTION(erfcx, 6)
  CAIRN_FUNCTION(erfinv, 6)
  CAIRN_FUNCTION(erfcinv, 6)
  CAIRN_FUNCTION(normcdf, 6)
  CAIRN_FUNCTION(normcdfinv, 6)
  CAIRN_FUNCTION(boys_f0, 20)
  CAIRN_LINE(functions, 4, "pow", pair::pow(pair::abs(x), y))
  CAIRN_LINE(functions, 30, "atan2", pair::atan2(x, y))
  CAIRN_LINE(functions, 60, "hypot", pair::hypot(x, y))
  CAIRN_LINE(functions, 60, "rnorm4", pair::rnorm4(x, y, z, x))
  // Arrays: sums in order and in lanes, over every length of a tail.
  Numbers numbers{99};
  std::vector<Pair<T>> xs;
  std::vector<Pair<T>> ys;
  for (int i = 0; i < 48; ++i) {
    xs.push_back(operand<T>(numbers, 10));
    ys.push_back(operand<T>(numbers, 10));
  }
  Hash hash;
  for (unsigned n = 0; n <= xs.size(); ++n) {
    hash.add(pair::sum(n, xs.data()));
    hash.add(pair::sum_lanes(n, xs.data()));
    hash.add(pair::dot(n, xs.data(), ys.data()));
    hash.add(pair::dot_lanes(n, xs.data(), ys.data()));
    hash.add(pair::polynomial(n, xs.data(), ys[0]));
  }
  all.push_back({std::string("arrays") + (sizeof(T) == 4 ? " f32x2" : " f64x2"), hash.value});
#undef CAIRN_LINE
#undef CAIRN_LEVELS
#undef CAIRN_FUNCTION
}

/// One line for each operation and limb type.
inline std::vector<Line> all_lines(int arithmetic, int functions) {
  std::vector<Line> all;
  lines<float>(all, arithmetic, functions);
  lines<double>(all, arithmetic, functions);
  return all;
}

}  // namespace cairn::tests::same_bits
