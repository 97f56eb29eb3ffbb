// Operand pairs for tests (pair floats, 8.4): significands that make roundings hard, low limbs of every size.
#pragma once

#include <cstdlib>
#include <random>
#include <string>
#include <string_view>

#include "runtime/semantics/pair/compare.hpp"

namespace cairn::tests {

namespace pair = semantics::pair;

/// The number that an environment variable asks for.
inline int asked(const char* variable, int otherwise) {
  const char* wanted = std::getenv(variable);
  return wanted == nullptr ? otherwise : std::atoi(wanted);
}
/// Whether an environment variable, names between commas, asks for this one; without it all are.
inline bool is_wanted(const char* variable, std::string_view name) {
  const char* wanted = std::getenv(variable);
  return wanted == nullptr || ("," + std::string(wanted) + ",").contains("," + std::string(name) + ",");
}

template <class T>
class Operands {
 public:
  explicit Operands(std::uint64_t seed) : random_(seed) {}

  std::uint64_t bits() { return random_(); }
  /// In [0, n).
  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  double uniform() { return static_cast<double>(random_() >> 11) * 0x1p-53; }
  T sign() { return (random_() & 1) != 0 ? T(1) : T(-1); }

  /// In [1, 2): uniform, next to a power of two, sparse, dense, next to the root of 2.
  T significand() {
    constexpr int p = pair::kPrecision<T>;
    const std::uint64_t all = (std::uint64_t{1} << (p - 1)) - 1;
    std::uint64_t fraction = 0;
    switch (below(6)) {
      case 0:
        fraction = random_() % 64;
        break;
      case 1:
        fraction = all - random_() % 64;
        break;
      case 2:
        for (int k = 0; k < 3; ++k) fraction |= std::uint64_t{1} << below(p - 1);
        break;
      case 3:
        fraction = all;
        for (int k = 0; k < 3; ++k) fraction &= ~(std::uint64_t{1} << below(p - 1));
        break;
      case 4:
        fraction = static_cast<std::uint64_t>(0.41421356237309504 * static_cast<double>(all)) + random_() % 64;
        break;
      default:
        fraction = random_();
    }
    return pair::limb_of<T>(pair::bits_of(T(1)) | static_cast<pair::Bits<T>>(fraction & all));
  }
  T limb(int exponent) { return sign() * pair::scaled(significand(), exponent); }

  /// Normalized, its high limb of this exponent.
  pair::Pair<T> pair_of(int exponent) {
    constexpr int p = pair::kPrecision<T>;
    const T high = limb(exponent);
    T low = T(0);
    switch (below(8)) {
      case 0:
        break;
      case 1:
        low = sign() * pair::power_of_two<T>(exponent - p);  // half an ulp
        break;
      case 2:
        low = limb(exponent - p - 1 - below(4));
        break;
      case 3:
        low = limb(exponent - p - 1 - below(2 * p));
        break;
      default:
        low = limb(exponent - p - 1);
    }
    return pair::fast_two_sum(high, low);
  }
  /// A second operand of a sum: of near exponent, or the first one's opposite moved by up to one ulp.
  pair::Pair<T> beside(pair::Pair<T> x, int lowest, int highest) {
    const int e = pair::exponent_of(x.hi);
    if (below(3) == 0) {
      const pair::Pair<T> other = pair_of(e);
      const auto moved = static_cast<pair::Bits<T>>(pair::bits_of(-x.hi) + static_cast<unsigned>(below(3)) - 1);
      return pair::fast_two_sum(pair::limb_of<T>(moved), other.lo);
    }
    const int apart = below(2 * pair::kPrecision<T> + 9) - pair::kPrecision<T> - 4;
    const int to = e + (below(2) == 0 ? 0 : apart);
    return pair_of(to < lowest ? lowest : to > highest ? highest : to);
  }

 private:
  std::mt19937_64 random_;
};

template <class T>
inline bool same_limb(T a, T b) {
  return pair::bits_of(a) == pair::bits_of(b) || (a != a && b != b);
}
template <class T>
inline bool same(pair::Pair<T> a, pair::Pair<T> b) {
  return same_limb(a.hi, b.hi) && same_limb(a.lo, b.lo);
}

}  // namespace cairn::tests
