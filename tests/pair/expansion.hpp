// Exact sums of doubles, unevaluated, and their values to nearly all bits: what the exact numbers of dyadic.hpp say,
// tens of times faster. Products are split without error (two_prod), sums only listed; the value comes of summation in
// fourfold precision (Ogita, Rump and Oishi, Accurate sum and dot product, SIAM Journal on Scientific Computing 26,
// 2005), with a bound of its error.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "tests/pair/operands.hpp"

namespace cairn::tests {

/// A sum of at most 48 doubles. Nothing may overflow, nor a product's error fall below the subnormals.
class Expansion {
 public:
  Expansion() = default;
  explicit Expansion(double x) : terms_{x}, count_(1) {}
  template <class T>
  explicit Expansion(pair::Pair<T> x) : terms_{static_cast<double>(x.hi), static_cast<double>(x.lo)}, count_(2) {}

  // Only what is there is copied.
  Expansion(const Expansion& other) : count_(other.count_) { std::copy_n(other.terms_.data(), count_, terms_.data()); }
  Expansion& operator=(const Expansion&) = delete;
  ~Expansion() = default;

  friend Expansion operator+(const Expansion& a, const Expansion& b) { return a.with(b, 1); }
  friend Expansion operator-(const Expansion& a, const Expansion& b) { return a.with(b, -1); }
  friend Expansion operator*(const Expansion& a, const Expansion& b) {
    Expansion result;
    for (std::size_t i = 0; i < a.count_; ++i) {
      for (std::size_t k = 0; k < b.count_; ++k) {
        const pair::Pair<double> product = pair::two_prod(a.terms_[i], b.terms_[k]);
        result.terms_[result.count_++] = product.hi;
        if (product.lo != 0) result.terms_[result.count_++] = product.lo;
      }
    }
    return result;
  }
  [[nodiscard]] Expansion times_power_of_two(int e) const {
    Expansion result = *this;
    for (std::size_t i = 0; i < count_; ++i) result.terms_[i] = std::ldexp(terms_[i], e);
    return result;
  }
  [[nodiscard]] Expansion magnitude() const { return value().nearest < 0 ? Expansion() - *this : *this; }

  struct Value {
    double nearest;
    double error;  // at most
  };
  [[nodiscard]] Value value() const {
    std::array<double, kMost> t;  // NOLINT: what is read is written first
    double all = 0;
    for (std::size_t i = 0; i < count_; ++i) {
      t[i] = terms_[i];
      all += std::fabs(t[i]);
    }
    for (int pass = 0; pass < 3; ++pass) {
      for (std::size_t i = 1; i < count_; ++i) {
        const pair::Pair<double> sum = pair::two_sum(t[i], t[i - 1]);
        t[i] = sum.hi;
        t[i - 1] = sum.lo;
      }
    }
    double sum = 0;
    for (std::size_t i = 0; i < count_; ++i) sum += t[i];
    // gamma of 2n terms is below 2^-46.
    return {sum, 0x1p-50 * std::fabs(sum) + 0x1p-184 * all};
  }

 private:
  static constexpr std::size_t kMost = 48;

  [[nodiscard]] Expansion with(const Expansion& b, double sign) const {
    Expansion result = *this;
    for (std::size_t i = 0; i < b.count_; ++i) result.terms_[result.count_++] = sign * b.terms_[i];
    return result;
  }

  std::array<double, kMost> terms_;  // NOLINT: `count_` of them are there
  std::size_t count_ = 0;
};

}  // namespace cairn::tests
