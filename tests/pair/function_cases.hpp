// The functions of pair floats with what a test must know of each: the reference by MPFR, the bound, and ranges to
// sample.
#pragma once

#include <mpfr.h>

#include <span>
#include <string_view>
#include <vector>

#include "tests/pair/operands.hpp"

namespace cairn::tests {

/// A real number of MPFR.
class Real {
 public:
  explicit Real(mpfr_prec_t bits) { mpfr_init2(value_, bits); }
  ~Real() { mpfr_clear(value_); }
  Real(const Real&) = delete;
  Real& operator=(const Real&) = delete;
  operator mpfr_ptr() { return value_; }

 private:
  mpfr_t value_;
};

/// The exact value of a pair.
template <class T>
void set(mpfr_ptr to, pair::Pair<T> x) {
  mpfr_set_d(to, static_cast<double>(x.hi), MPFR_RNDN);
  mpfr_add_d(to, to, static_cast<double>(x.lo), MPFR_RNDN);
}

enum class Spread : std::uint8_t { Uniform, Logarithmic, NearQuarterTurns, NearOne };
/// Where arguments are drawn: high limbs between the ends, their opposites too where `both`.
struct Range {
  std::string_view name;
  Spread spread;
  double low32, high32;  // of f32x2
  double low64, high64;  // of f64x2
  bool both;
};

struct FunctionCase {
  std::string_view name;
  double bound;  // required, in u^2
  pair::Pair<float> (*f32)(pair::Pair<float>, pair::Pair<float>);
  pair::Pair<double> (*f64)(pair::Pair<double>, pair::Pair<double>);
  /// The exact value; for an inverse function null.
  void (*exact)(mpfr_ptr result, mpfr_ptr x, mpfr_ptr y);
  /// For an inverse function g of f: the relative error of z as g(x), by (f(z) - x)/(f'(z) z).
  void (*residual)(mpfr_ptr result, mpfr_ptr z, mpfr_ptr x);
  std::vector<Range> ranges;
  bool two = false;
};

/// Every one- and two-argument function of the chapter's section 5.
const std::vector<FunctionCase>& function_cases();

}  // namespace cairn::tests
