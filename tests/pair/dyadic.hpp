// Exact numbers m 2^e on GMP's integers: sums, differences and products of limbs without any rounding.
#pragma once

#include <gmp.h>

#include "tests/pair/operands.hpp"

namespace cairn::tests {

class Dyadic {
 public:
  Dyadic() { mpz_init(m_); }
  Dyadic(const Dyadic& other) : e_(other.e_) { mpz_init_set(m_, other.m_); }
  Dyadic(Dyadic&& other) noexcept : e_(other.e_) {
    mpz_init(m_);
    mpz_swap(m_, other.m_);
  }
  Dyadic& operator=(Dyadic other) {
    mpz_swap(m_, other.m_);
    e_ = other.e_;
    return *this;
  }
  ~Dyadic() { mpz_clear(m_); }

  /// A finite limb.
  template <class T>
    requires std::is_floating_point_v<T>
  explicit Dyadic(T x) {
    mpz_init(m_);
    if (x == T(0)) return;
    const int exponent = pair::exponent_of(x);
    mpz_set_d(m_, static_cast<double>(pair::significand_of(x)) * 0x1p52);
    e_ = exponent - 52;
  }
  template <class T>
  explicit Dyadic(pair::Pair<T> x) : Dyadic(Dyadic(x.hi) + Dyadic(x.lo)) {}

  /// An integer of GMP, or of 64 bits.
  static Dyadic of(mpz_srcptr integer) {
    Dyadic result;
    mpz_set(result.m_, integer);
    return result;
  }
  static Dyadic of_integer(std::int64_t n, bool is_unsigned) {
    Dyadic result;
    if (is_unsigned)
      mpz_set_ui(result.m_, static_cast<unsigned long>(n));
    else
      mpz_set_si(result.m_, n);
    return result;
  }

  friend Dyadic operator+(const Dyadic& a, const Dyadic& b) { return combined(a, b, mpz_add); }
  friend Dyadic operator-(const Dyadic& a, const Dyadic& b) { return combined(a, b, mpz_sub); }
  friend Dyadic operator*(const Dyadic& a, const Dyadic& b) {
    Dyadic result;
    mpz_mul(result.m_, a.m_, b.m_);
    result.e_ = a.e_ + b.e_;
    return result;
  }
  [[nodiscard]] Dyadic magnitude() const {
    Dyadic result = *this;
    mpz_abs(result.m_, result.m_);
    return result;
  }
  [[nodiscard]] Dyadic times_power_of_two(long e) const {
    Dyadic result = *this;
    result.e_ += e;
    return result;
  }
  [[nodiscard]] int sign() const { return mpz_sgn(m_); }
  friend bool operator<=(const Dyadic& a, const Dyadic& b) { return (a - b).sign() <= 0; }
  friend bool operator==(const Dyadic& a, const Dyadic& b) { return (a - b).sign() == 0; }

  /// a/b as a double, for reports; b is not zero.
  friend double ratio(const Dyadic& a, const Dyadic& b) {
    long ea = 0;
    long eb = 0;
    const double fa = mpz_get_d_2exp(&ea, a.m_);
    const double fb = mpz_get_d_2exp(&eb, b.m_);
    const long e = ea - eb + a.e_ - b.e_;
    return e < -1000 ? 0 : std::ldexp(fa / fb, static_cast<int>(e));
  }
  [[nodiscard]] mpz_srcptr significand() const { return m_; }
  [[nodiscard]] long exponent() const { return e_; }

 private:
  template <class Operation>
  static Dyadic combined(const Dyadic& a, const Dyadic& b, Operation operation) {
    Dyadic result;
    if (a.sign() == 0 || b.sign() == 0 || a.e_ == b.e_) {
      operation(result.m_, a.m_, b.m_);
      result.e_ = a.sign() == 0 ? b.e_ : a.e_;
      return result;
    }
    const bool first = a.e_ > b.e_;
    mpz_t shifted;
    mpz_init(shifted);
    mpz_mul_2exp(shifted, first ? a.m_ : b.m_, static_cast<mp_bitcnt_t>(first ? a.e_ - b.e_ : b.e_ - a.e_));
    operation(result.m_, first ? shifted : a.m_, first ? b.m_ : shifted);
    mpz_clear(shifted);
    result.e_ = first ? b.e_ : a.e_;
    return result;
  }

  mpz_t m_;
  long e_ = 0;
};

}  // namespace cairn::tests
