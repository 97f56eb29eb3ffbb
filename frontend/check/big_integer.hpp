// Exact integers without bound, as constants are folded in (syntax and values, 1.8). Over GMP.
#pragma once

#include <gmp.h>

#include <cstdint>
#include <utility>

namespace cairn {

class BigInteger {
 public:
  BigInteger() { mpz_init(value_); }
  explicit BigInteger(std::uint64_t value) {
    mpz_init(value_);
    mpz_import(value_, 1, 1, sizeof value, 0, 0, &value);
  }
  explicit BigInteger(std::int64_t value) : BigInteger(magnitude(value)) {
    if (value < 0) mpz_neg(value_, value_);
  }
  /// The integer part of a finite double.
  explicit BigInteger(double value) { mpz_init_set_d(value_, value); }
  BigInteger(const BigInteger& other) { mpz_init_set(value_, other.value_); }
  BigInteger(BigInteger&& other) noexcept {
    mpz_init(value_);
    mpz_swap(value_, other.value_);
  }
  BigInteger& operator=(BigInteger other) noexcept {
    mpz_swap(value_, other.value_);
    return *this;
  }
  ~BigInteger() { mpz_clear(value_); }

  /// Of digits in a base; they are known to be digits.
  static BigInteger parse(const char* digits, int base) {
    BigInteger made;
    mpz_set_str(made.value_, digits, base);
    return made;
  }

  [[nodiscard]] int sign() const { return mpz_sgn(value_); }
  [[nodiscard]] int compare(const BigInteger& other) const { return mpz_cmp(value_, other.value_); }
  [[nodiscard]] bool fits_unsigned(unsigned bits) const { return sign() >= 0 && mpz_sizeinbase(value_, 2) <= bits; }
  [[nodiscard]] bool fits_signed(unsigned bits) const {
    if (sign() >= 0) return mpz_sizeinbase(value_, 2) < bits || sign() == 0;
    const BigInteger above = *this + BigInteger(std::uint64_t{1});  // -2^(bits-1) fits, and one more has a bit less
    return mpz_sizeinbase(above.value_, 2) < bits || above.sign() == 0;
  }
  /// The low 64 bits of its two's complement form.
  [[nodiscard]] std::uint64_t bits() const {
    mpz_t low;
    mpz_init(low);
    mpz_fdiv_r_2exp(low, value_, 64);
    std::uint64_t made = 0;
    mpz_export(&made, nullptr, 1, sizeof made, 0, 0, low);
    mpz_clear(low);
    return made;
  }
  [[nodiscard]] const __mpz_struct* get() const { return value_; }

  friend BigInteger operator+(const BigInteger& a, const BigInteger& b) { return apply(mpz_add, a, b); }
  friend BigInteger operator-(const BigInteger& a, const BigInteger& b) { return apply(mpz_sub, a, b); }
  friend BigInteger operator*(const BigInteger& a, const BigInteger& b) { return apply(mpz_mul, a, b); }
  friend BigInteger operator/(const BigInteger& a, const BigInteger& b) { return apply(mpz_tdiv_q, a, b); }
  friend BigInteger operator%(const BigInteger& a, const BigInteger& b) { return apply(mpz_tdiv_r, a, b); }
  friend BigInteger operator&(const BigInteger& a, const BigInteger& b) { return apply(mpz_and, a, b); }
  friend BigInteger operator|(const BigInteger& a, const BigInteger& b) { return apply(mpz_ior, a, b); }
  friend BigInteger operator^(const BigInteger& a, const BigInteger& b) { return apply(mpz_xor, a, b); }
  friend BigInteger operator-(BigInteger a) {
    mpz_neg(a.value_, a.value_);
    return a;
  }

 private:
  using Operation = void (*)(mpz_ptr, mpz_srcptr, mpz_srcptr);
  static BigInteger apply(Operation operation, const BigInteger& a, const BigInteger& b) {
    BigInteger made;
    operation(made.value_, a.value_, b.value_);
    return made;
  }
  static std::uint64_t magnitude(std::int64_t value) {
    return value < 0 ? ~static_cast<std::uint64_t>(value) + 1 : static_cast<std::uint64_t>(value);
  }

  mpz_t value_;
};

}  // namespace cairn
