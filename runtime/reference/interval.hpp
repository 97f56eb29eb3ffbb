// Real numbers enclosed between two MPFR numbers of one precision, every operation rounded outward. An infinite end
// says only that the number is large. Exponents have no practical limit while an ExponentRange lives on the thread.
#pragma once

#include <mpfr.h>

#include <cstdint>
#include <optional>
#include <utility>

#include "runtime/reference/formats.hpp"
#include "runtime/reference/rounding.hpp"
#include "runtime/reference/value.hpp"

namespace cairn::reference {

/// Gives the calling thread MPFR's widest exponents; puts back what it had.
class ExponentRange {
 public:
  ExponentRange() : least_(mpfr_get_emin()), most_(mpfr_get_emax()) {
    mpfr_set_emin(mpfr_get_emin_min());
    mpfr_set_emax(mpfr_get_emax_max());
  }
  ~ExponentRange() {
    mpfr_set_emin(least_);
    mpfr_set_emax(most_);
  }
  ExponentRange(const ExponentRange&) = delete;
  ExponentRange& operator=(const ExponentRange&) = delete;

 private:
  mpfr_exp_t least_;
  mpfr_exp_t most_;
};

/// MPFR keeps the constants it has computed, for each thread of its own; they go when the thread does.
inline void free_constants_with_thread() {
  struct Constants {
    ~Constants() { mpfr_free_cache(); }
  };
  static thread_local const Constants constants;
  static_cast<void>(&constants);
}

/// One MPFR number that owns its limbs.
class Real {
 public:
  explicit Real(mpfr_prec_t precision) {
    free_constants_with_thread();
    mpfr_init2(number_, precision);
    mpfr_set_zero(number_, 1);
  }
  Real(const Real& other) {
    mpfr_init2(number_, mpfr_get_prec(other.number_));
    mpfr_set(number_, other.number_, MPFR_RNDN);
  }
  Real(Real&& other) noexcept {
    number_[0] = other.number_[0];
    other.number_[0]._mpfr_d = nullptr;
  }
  Real& operator=(Real other) noexcept {
    std::swap(number_[0], other.number_[0]);
    return *this;
  }
  ~Real() {
    if (number_[0]._mpfr_d != nullptr) mpfr_clear(number_);
  }
  [[nodiscard]] mpfr_ptr get() { return number_; }
  [[nodiscard]] mpfr_srcptr get() const { return number_; }

 private:
  mpfr_t number_;
};

class Interval {
 public:
  /// 0.
  explicit Interval(mpfr_prec_t precision) : lo_(precision), hi_(precision) {}
  Interval(const Value& value, mpfr_prec_t precision);
  Interval(const mpq_class& value, mpfr_prec_t precision);
  Interval(unsigned long value, mpfr_prec_t precision);

  [[nodiscard]] mpfr_prec_t precision() const { return mpfr_get_prec(lo_.get()); }
  [[nodiscard]] mpfr_srcptr lo() const { return lo_.get(); }
  [[nodiscard]] mpfr_srcptr hi() const { return hi_.get(); }
  [[nodiscard]] mpfr_ptr lo() { return lo_.get(); }
  [[nodiscard]] mpfr_ptr hi() { return hi_.get(); }

  [[nodiscard]] Interval negated() const;
  [[nodiscard]] Interval magnitude() const;
  [[nodiscard]] Interval power(unsigned long exponent) const;  // of an interval above 0
  Interval& operator+=(const Interval& other);
  /// Adds a * b.
  Interval& add_product(const Interval& a, const Interval& b);

  /// Unless it is certain that the number is below the bound.
  [[nodiscard]] bool may_reach(const Interval& bound) const { return !(mpfr_less_p(hi(), bound.lo()) != 0); }
  /// Unless it is certain that the number is above 0.
  [[nodiscard]] bool may_be_no_more_than_zero() const { return !(mpfr_sgn(lo()) > 0) || mpfr_nan_p(hi()) != 0; }
  [[nodiscard]] bool is_certain_positive() const { return mpfr_nan_p(lo()) == 0 && mpfr_sgn(lo()) > 0; }
  [[nodiscard]] bool is_certain_negative() const { return mpfr_nan_p(hi()) == 0 && mpfr_sgn(hi()) < 0; }
  [[nodiscard]] bool is_number() const;

 private:
  Real lo_;
  Real hi_;
};

[[nodiscard]] Interval operator+(const Interval& a, const Interval& b);
[[nodiscard]] Interval operator-(const Interval& a, const Interval& b);
[[nodiscard]] Interval operator*(const Interval& a, const Interval& b);
/// b is certainly above 0.
[[nodiscard]] Interval operator/(const Interval& a, const Interval& b);
[[nodiscard]] Interval operator+(const Interval& a, unsigned long b);
[[nodiscard]] Interval operator-(const Interval& a, unsigned long b);
[[nodiscard]] Interval operator*(const Interval& a, unsigned long b);
/// Adds a * b to a sum; b is finite. `scratch` has the sum's precision.
void add_scaled(Interval& sum, const Interval& a, double b, Real& scratch);
[[nodiscard]] Interval exp(const Interval& x);
[[nodiscard]] Interval expm1(const Interval& x);
[[nodiscard]] Interval log(const Interval& x);    // of x above 0
[[nodiscard]] Interval log1p(const Interval& x);  // of x above -1
[[nodiscard]] Interval sqrt(const Interval& x);
[[nodiscard]] Interval max(const Interval& a, const Interval& b);
[[nodiscard]] Interval min(const Interval& a, const Interval& b);

/// An end as a value.
[[nodiscard]] Value value_of(mpfr_srcptr number);

/// What the enclosed number rounds to, when that is certain.
[[nodiscard]] std::optional<Value> rounded_if_certain(const Interval& number, Format format, Rounding rounding);

/// The one breakpoint of the format inside the interval: the tie between two neighbours, or the edge. Nothing when
/// there are several.
[[nodiscard]] std::optional<Value> single_breakpoint(const Interval& number, Format format, Rounding rounding);

}  // namespace cairn::reference
