#include "tests/pair/function_cases.hpp"

#include "runtime/semantics/pair/functions.hpp"

namespace cairn::tests {

namespace {

#define CAIRN_ONE(name)                                                 \
  [](pair::Pair<float> x, pair::Pair<float>) { return pair::name(x); }, \
      [](pair::Pair<double> x, pair::Pair<double>) { return pair::name(x); }
#define CAIRN_TWO(name)                                                      \
  [](pair::Pair<float> x, pair::Pair<float> y) { return pair::name(x, y); }, \
      [](pair::Pair<double> x, pair::Pair<double> y) { return pair::name(x, y); }

/// A function of MPFR as it is.
template <int (*function)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t)>
void of_mpfr(mpfr_ptr result, mpfr_ptr x, mpfr_ptr) {
  function(result, x, MPFR_RNDN);
}
void exp10_of(mpfr_ptr result, mpfr_ptr x, mpfr_ptr) { mpfr_exp10(result, x, MPFR_RNDN); }
void rcbrt_of(mpfr_ptr result, mpfr_ptr x, mpfr_ptr) {
  mpfr_cbrt(result, x, MPFR_RNDN);
  mpfr_ui_div(result, 1, result, MPFR_RNDN);
}
void pow_of(mpfr_ptr result, mpfr_ptr x, mpfr_ptr y) { mpfr_pow(result, x, y, MPFR_RNDN); }
void atan2_of(mpfr_ptr result, mpfr_ptr y, mpfr_ptr x) { mpfr_atan2(result, y, x, MPFR_RNDN); }
void hypot_of(mpfr_ptr result, mpfr_ptr x, mpfr_ptr y) { mpfr_hypot(result, x, y, MPFR_RNDN); }
void rhypot_of(mpfr_ptr result, mpfr_ptr x, mpfr_ptr y) {
  mpfr_hypot(result, x, y, MPFR_RNDN);
  mpfr_ui_div(result, 1, result, MPFR_RNDN);
}
void erfcx_of(mpfr_ptr result, mpfr_ptr x, mpfr_ptr) {
  if (mpfr_sgn(x) > 0 && mpfr_get_exp(x) > 100) {  // 1/(x sqrt(pi)), to within 2^-200; the product would be 0 inf
    mpfr_const_pi(result, MPFR_RNDN);
    mpfr_rec_sqrt(result, result, MPFR_RNDN);
    mpfr_div(result, result, x, MPFR_RNDN);
    return;
  }
  Real square(mpfr_get_prec(result) + 64);
  mpfr_sqr(square, x, MPFR_RNDN);
  mpfr_exp(square, square, MPFR_RNDN);
  mpfr_erfc(result, x, MPFR_RNDN);
  mpfr_mul(result, result, square, MPFR_RNDN);
}
void normcdf_of(mpfr_ptr result, mpfr_ptr x, mpfr_ptr) {
  Real scaled(mpfr_get_prec(result) + 64);
  mpfr_sqrt_ui(scaled, 2, MPFR_RNDN);
  mpfr_div(scaled, x, scaled, MPFR_RNDN);
  mpfr_neg(scaled, scaled, MPFR_RNDN);
  mpfr_erfc(result, scaled, MPFR_RNDN);
  mpfr_div_2ui(result, result, 1, MPFR_RNDN);
}
void boys_of(mpfr_ptr result, mpfr_ptr x, mpfr_ptr) {
  Real root(mpfr_get_prec(result) + 64);
  mpfr_sqrt(root, x, MPFR_RNDN);
  mpfr_erf(result, root, MPFR_RNDN);
  mpfr_div(result, result, root, MPFR_RNDN);
  mpfr_const_pi(root, MPFR_RNDN);
  mpfr_sqrt(root, root, MPFR_RNDN);
  mpfr_mul(result, result, root, MPFR_RNDN);
  mpfr_div_2ui(result, result, 1, MPFR_RNDN);
}

/// (f(z) - x)/(f'(z) z) where f is erf, erfc or the normal distribution.
template <void (*function)(mpfr_ptr, mpfr_ptr, mpfr_ptr), bool normal>
void inverse_residual(mpfr_ptr result, mpfr_ptr z, mpfr_ptr x) {
  const mpfr_prec_t bits = mpfr_get_prec(result) + 32;
  Real slope(bits);
  mpfr_sqr(slope, z, MPFR_RNDN);
  if (normal) mpfr_div_2ui(slope, slope, 1, MPFR_RNDN);
  mpfr_neg(slope, slope, MPFR_RNDN);
  mpfr_exp(slope, slope, MPFR_RNDN);
  Real pi(bits);
  mpfr_const_pi(pi, MPFR_RNDN);
  if (normal) mpfr_mul_2ui(pi, pi, 1, MPFR_RNDN);
  mpfr_sqrt(pi, pi, MPFR_RNDN);
  mpfr_div(slope, slope, pi, MPFR_RNDN);
  if (!normal) mpfr_mul_2ui(slope, slope, 1, MPFR_RNDN);
  // Where f is flat beside x, f(z) - x is small beside x.
  const mpfr_exp_t lost = mpfr_get_exp(x) - mpfr_get_exp(slope) - mpfr_get_exp(z);
  Real value(bits + (lost > 0 ? lost : 0));
  function(value, z, nullptr);
  mpfr_sub(value, value, x, MPFR_RNDN);
  mpfr_div(value, value, slope, MPFR_RNDN);
  mpfr_div(result, value, z, MPFR_RNDN);
}

constexpr Range kSmall{"small", Spread::Logarithmic, 0x1p-90, 1, 0x1p-900, 1, true};
constexpr Range kSubnormal{"subnormal", Spread::Logarithmic, 0x1p-149, 0x1p-126, 0x1p-1074, 0x1p-1022, true};
constexpr Range kSubnormalPositive{"subnormal", Spread::Logarithmic, 0x1p-149, 0x1p-126, 0x1p-1074, 0x1p-1022, false};
constexpr Range kLargest{"largest", Spread::Logarithmic, 0x1p120, 0x1p127, 0x1p1016, 0x1p1023, true};
constexpr Range kLargestPositive{"largest", Spread::Logarithmic, 0x1p120, 0x1p127, 0x1p1016, 0x1p1023, false};

}  // namespace

const std::vector<FunctionCase>& function_cases() {
  using enum Spread;
  static const std::vector<FunctionCase> cases = {
      {"exp",
       8,
       CAIRN_ONE(exp),
       of_mpfr<mpfr_exp>,
       nullptr,
       {{"main", Uniform, 0, 66, 0, 664, true},
        kSmall,
        kSubnormal,
        {"to 0", Uniform, -104.5, -66, -746, -664, false},
        {"to infinity", Uniform, 66, 90, 664, 711, false}}},
      {"exp2",
       8,
       CAIRN_ONE(exp2),
       of_mpfr<mpfr_exp2>,
       nullptr,
       {{"main", Uniform, 0, 95, 0, 959, true},
        kSmall,
        kSubnormal,
        {"to 0", Uniform, -151, -96, -1076, -960, false},
        {"to infinity", Uniform, 95, 129, 959, 1025, false}}},
      {"exp10",
       8,
       CAIRN_ONE(exp10),
       exp10_of,
       nullptr,
       {{"main", Uniform, 0, 28, 0, 288, true},
        kSmall,
        kSubnormal,
        {"to 0", Uniform, -46, -28, -324.5, -288, false},
        {"to infinity", Uniform, 28, 39, 288, 309, false}}},
      {"expm1",
       8,
       CAIRN_ONE(expm1),
       of_mpfr<mpfr_expm1>,
       nullptr,
       {{"main", Uniform, 0, 87, 0, 708, true}, kSmall, kSubnormal, {"to infinity", Uniform, 87, 90, 708, 711, false}}},
      {"log",
       8,
       CAIRN_ONE(log),
       of_mpfr<mpfr_log>,
       nullptr,
       {{"all", Logarithmic, 0x1p-126, 0x1p126, 0x1p-1022, 0x1p1022, false},
        {"near 1", NearOne, 0, 0, 0, 0, false},
        kSubnormalPositive,
        kLargestPositive}},
      {"log2",
       8,
       CAIRN_ONE(log2),
       of_mpfr<mpfr_log2>,
       nullptr,
       {{"all", Logarithmic, 0x1p-126, 0x1p126, 0x1p-1022, 0x1p1022, false},
        {"near 1", NearOne, 0, 0, 0, 0, false},
        kSubnormalPositive,
        kLargestPositive}},
      {"log10",
       8,
       CAIRN_ONE(log10),
       of_mpfr<mpfr_log10>,
       nullptr,
       {{"all", Logarithmic, 0x1p-126, 0x1p126, 0x1p-1022, 0x1p1022, false},
        {"near 1", NearOne, 0, 0, 0, 0, false},
        kSubnormalPositive,
        kLargestPositive}},
      {"log1p",
       8,
       CAIRN_ONE(log1p),
       of_mpfr<mpfr_log1p>,
       nullptr,
       {{"large", Logarithmic, 1, 0x1p126, 1, 0x1p1022, false}, kSmall, kSubnormal, kLargestPositive}},
      {"cbrt",
       8,
       CAIRN_ONE(cbrt),
       of_mpfr<mpfr_cbrt>,
       nullptr,
       {{"all", Logarithmic, 0x1p-126, 0x1p126, 0x1p-1022, 0x1p1022, true}, kSubnormal, kLargest}},
      {"rcbrt",
       8,
       CAIRN_ONE(rcbrt),
       rcbrt_of,
       nullptr,
       {{"all", Logarithmic, 0x1p-126, 0x1p126, 0x1p-1022, 0x1p1022, true}, kSubnormal, kLargest}},
      {"sin",
       8,
       CAIRN_ONE(sin),
       of_mpfr<mpfr_sin>,
       nullptr,
       {{"main", Uniform, 0, 100, 0, 100, true},
        {"all", Logarithmic, 0x1p-90, 0x1p127, 0x1p-900, 0x1p1023, true},
        {"near k pi/2", NearQuarterTurns, 0, 0, 0, 0, true},
        kLargest,
        kSubnormal}},
      {"cos",
       8,
       CAIRN_ONE(cos),
       of_mpfr<mpfr_cos>,
       nullptr,
       {{"main", Uniform, 0, 100, 0, 100, true},
        {"all", Logarithmic, 0x1p-90, 0x1p127, 0x1p-900, 0x1p1023, true},
        {"near k pi/2", NearQuarterTurns, 0, 0, 0, 0, true},
        kLargest,
        kSubnormal}},
      {"tan",
       12,
       CAIRN_ONE(tan),
       of_mpfr<mpfr_tan>,
       nullptr,
       {{"main", Uniform, 0, 100, 0, 100, true},
        {"all", Logarithmic, 0x1p-90, 0x1p127, 0x1p-900, 0x1p1023, true},
        {"near k pi/2", NearQuarterTurns, 0, 0, 0, 0, true},
        kLargest,
        kSubnormal}},
      {"sinpi",
       8,
       CAIRN_ONE(sinpi),
       of_mpfr<mpfr_sinpi>,
       nullptr,
       {{"main", Uniform, 0, 20, 0, 20, true}, kSmall, kSubnormal}},
      {"cospi",
       8,
       CAIRN_ONE(cospi),
       of_mpfr<mpfr_cospi>,
       nullptr,
       {{"main", Uniform, 0, 20, 0, 20, true}, kSmall, kSubnormal}},
      {"asin",
       9.9,
       CAIRN_ONE(asin),
       of_mpfr<mpfr_asin>,
       nullptr,
       {{"main", Uniform, 0, 1, 0, 1, true}, kSmall, {"near 1", NearOne, -1, 0, -1, 0, true}, kSubnormal}},
      {"acos",
       9.1,
       CAIRN_ONE(acos),
       of_mpfr<mpfr_acos>,
       nullptr,
       {{"main", Uniform, 0, 1, 0, 1, true}, kSmall, {"near 1", NearOne, -1, 0, -1, 0, true}, kSubnormal}},
      {"atan",
       8,
       CAIRN_ONE(atan),
       of_mpfr<mpfr_atan>,
       nullptr,
       {{"main", Uniform, 0, 5, 0, 5, true},
        {"all", Logarithmic, 0x1p-90, 0x1p126, 0x1p-900, 0x1p1022, true},
        kLargest,
        kSubnormal}},
      {"sinh",
       8,
       CAIRN_ONE(sinh),
       of_mpfr<mpfr_sinh>,
       nullptr,
       {{"main", Uniform, 0, 87, 0, 708, true}, kSmall, kSubnormal, {"to infinity", Uniform, 87, 90, 708, 711, true}}},
      {"cosh",
       8,
       CAIRN_ONE(cosh),
       of_mpfr<mpfr_cosh>,
       nullptr,
       {{"main", Uniform, 0, 87, 0, 708, true}, kSmall, kSubnormal, {"to infinity", Uniform, 87, 90, 708, 711, true}}},
      {"tanh",
       12,
       CAIRN_ONE(tanh),
       of_mpfr<mpfr_tanh>,
       nullptr,
       {{"main", Uniform, 0, 30, 0, 60, true}, kSmall, kSubnormal}},
      {"asinh",
       8,
       CAIRN_ONE(asinh),
       of_mpfr<mpfr_asinh>,
       nullptr,
       {{"all", Logarithmic, 0x1p-90, 0x1p126, 0x1p-900, 0x1p1022, true},
        {"main", Uniform, 0, 5, 0, 5, true},
        kLargest,
        kSubnormal}},
      {"acosh",
       12,
       CAIRN_ONE(acosh),
       of_mpfr<mpfr_acosh>,
       nullptr,
       {{"all", Logarithmic, 1, 0x1p126, 1, 0x1p1022, false},
        {"near 1", NearOne, 1, 0, 1, 0, false},
        kLargestPositive}},
      {"atanh",
       12,
       CAIRN_ONE(atanh),
       of_mpfr<mpfr_atanh>,
       nullptr,
       {{"main", Uniform, 0, 1, 0, 1, true}, kSmall, {"near 1", NearOne, -1, 0, -1, 0, true}, kSubnormal}},
      {"erf",
       16,
       CAIRN_ONE(erf),
       of_mpfr<mpfr_erf>,
       nullptr,
       {{"main", Uniform, 0, 5, 0, 9, true}, kSmall, kSubnormal}},
      {"erfc",
       71.1,
       CAIRN_ONE(erfc),
       of_mpfr<mpfr_erfc>,
       nullptr,
       {{"main", Uniform, 0, 8, 0, 25.5, true}, kSmall, {"to 0", Uniform, 8, 10.3, 25.5, 27.3, false}, kSubnormal}},
      {"erfcx",
       32,
       CAIRN_ONE(erfcx),
       erfcx_of,
       nullptr,
       {{"main", Uniform, 0, 9, 0, 26, true},
        {"positive", Logarithmic, 0x1p-20, 100, 0x1p-50, 100, false},
        kSubnormal,
        {"to infinity", Uniform, -9.5, -9, -26.7, -26, false},
        kLargestPositive}},
      {"erfinv",
       64,
       CAIRN_ONE(erfinv),
       nullptr,
       inverse_residual<of_mpfr<mpfr_erf>, false>,
       {{"main", Uniform, 0, 1, 0, 1, true}, kSmall, {"near 1", NearOne, -1, 0, -1, 0, true}, kSubnormal}},
      {"erfcinv",
       64,
       CAIRN_ONE(erfcinv),
       nullptr,
       inverse_residual<of_mpfr<mpfr_erfc>, false>,
       {{"main", Uniform, 0, 2, 0, 2, false},
        {"small", Logarithmic, 0x1p-96, 1, 0x1p-960, 1, false},
        {"near 1", NearOne, 0, 0, 0, 0, false},
        kSubnormalPositive}},
      {"normcdf",
       72,
       CAIRN_ONE(normcdf),
       normcdf_of,
       nullptr,
       {{"main", Uniform, 0, 11, 0, 36, true}, kSmall, {"to 0", Uniform, -14.5, -11, -38.7, -36, false}, kSubnormal}},
      {"normcdfinv",
       64,
       CAIRN_ONE(normcdfinv),
       nullptr,
       inverse_residual<normcdf_of, true>,
       {{"main", Uniform, 0, 1, 0, 1, false},
        {"small", Logarithmic, 0x1p-96, 1, 0x1p-960, 1, false},
        kSubnormalPositive}},
      {"boys_f0",
       64,
       CAIRN_ONE(boys_f0),
       boys_of,
       nullptr,
       {{"main", Uniform, 0, 30, 0, 60, false},
        {"all", Logarithmic, 0x1p-90, 0x1p100, 0x1p-900, 0x1p900, false},
        kSubnormalPositive,
        kLargestPositive}},
      {"pow",
       16,
       CAIRN_TWO(pow),
       pow_of,
       nullptr,
       {{"main", Logarithmic, 0x1p-3, 8, 0x1p-3, 8, false}, {"near 1", NearOne, 0, 0, 0, 0, false}},
       true},
      {"atan2",
       10,
       CAIRN_TWO(atan2),
       atan2_of,
       nullptr,
       {{"main", Logarithmic, 0x1p-10, 0x1p10, 0x1p-10, 0x1p10, true},
        {"all", Logarithmic, 0x1p-40, 0x1p40, 0x1p-450, 0x1p450, true},
        kSubnormal,
        kLargest},
       true},
      {"hypot",
       8,
       CAIRN_TWO(hypot),
       hypot_of,
       nullptr,
       {{"main", Logarithmic, 0x1p-10, 0x1p10, 0x1p-10, 0x1p10, true},
        {"all", Logarithmic, 0x1p-96, 0x1p125, 0x1p-960, 0x1p1021, true},
        kSubnormal,
        kLargest},
       true},
      {"rhypot",
       12,
       CAIRN_TWO(rhypot),
       rhypot_of,
       nullptr,
       {{"main", Logarithmic, 0x1p-10, 0x1p10, 0x1p-10, 0x1p10, true},
        {"all", Logarithmic, 0x1p-96, 0x1p95, 0x1p-960, 0x1p959, true},
        kSubnormal,
        kLargest},
       true},
  };
  return cases;
}

}  // namespace cairn::tests
