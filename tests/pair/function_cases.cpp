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
  Real square(320);
  mpfr_sqr(square, x, MPFR_RNDN);
  mpfr_exp(square, square, MPFR_RNDN);
  mpfr_erfc(result, x, MPFR_RNDN);
  mpfr_mul(result, result, square, MPFR_RNDN);
}
void normcdf_of(mpfr_ptr result, mpfr_ptr x, mpfr_ptr) {
  Real scaled(320);
  mpfr_sqrt_ui(scaled, 2, MPFR_RNDN);
  mpfr_div(scaled, x, scaled, MPFR_RNDN);
  mpfr_neg(scaled, scaled, MPFR_RNDN);
  mpfr_erfc(result, scaled, MPFR_RNDN);
  mpfr_div_2ui(result, result, 1, MPFR_RNDN);
}
void boys_of(mpfr_ptr result, mpfr_ptr x, mpfr_ptr) {
  Real root(320);
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
  Real slope(320);
  Real value(480);
  mpfr_sqr(slope, z, MPFR_RNDN);
  if (normal) mpfr_div_2ui(slope, slope, 1, MPFR_RNDN);
  mpfr_neg(slope, slope, MPFR_RNDN);
  mpfr_exp(slope, slope, MPFR_RNDN);
  Real pi(320);
  mpfr_const_pi(pi, MPFR_RNDN);
  if (normal) mpfr_mul_2ui(pi, pi, 1, MPFR_RNDN);
  mpfr_sqrt(pi, pi, MPFR_RNDN);
  mpfr_div(slope, slope, pi, MPFR_RNDN);
  if (!normal) mpfr_mul_2ui(slope, slope, 1, MPFR_RNDN);
  function(value, z, nullptr);
  mpfr_sub(value, value, x, MPFR_RNDN);
  mpfr_div(value, value, slope, MPFR_RNDN);
  mpfr_div(result, value, z, MPFR_RNDN);
}

constexpr Range kSmall{"small", Spread::Logarithmic, 0x1p-90, 1, 0x1p-900, 1, true};

}  // namespace

const std::vector<FunctionCase>& function_cases() {
  using enum Spread;
  static const std::vector<FunctionCase> cases = {
      {"exp", 8, CAIRN_ONE(exp), of_mpfr<mpfr_exp>, nullptr, {{"main", Uniform, 0, 66, 0, 664, true}, kSmall}},
      {"exp2", 8, CAIRN_ONE(exp2), of_mpfr<mpfr_exp2>, nullptr, {{"main", Uniform, 0, 95, 0, 959, true}, kSmall}},
      {"exp10", 8, CAIRN_ONE(exp10), exp10_of, nullptr, {{"main", Uniform, 0, 28, 0, 288, true}, kSmall}},
      {"expm1", 8, CAIRN_ONE(expm1), of_mpfr<mpfr_expm1>, nullptr, {{"main", Uniform, 0, 87, 0, 708, true}, kSmall}},
      {"log",
       8,
       CAIRN_ONE(log),
       of_mpfr<mpfr_log>,
       nullptr,
       {{"all", Logarithmic, 0x1p-126, 0x1p126, 0x1p-1022, 0x1p1022, false}, {"near 1", NearOne, 0, 0, 0, 0, false}}},
      {"log2",
       8,
       CAIRN_ONE(log2),
       of_mpfr<mpfr_log2>,
       nullptr,
       {{"all", Logarithmic, 0x1p-126, 0x1p126, 0x1p-1022, 0x1p1022, false}, {"near 1", NearOne, 0, 0, 0, 0, false}}},
      {"log10",
       8,
       CAIRN_ONE(log10),
       of_mpfr<mpfr_log10>,
       nullptr,
       {{"all", Logarithmic, 0x1p-126, 0x1p126, 0x1p-1022, 0x1p1022, false}, {"near 1", NearOne, 0, 0, 0, 0, false}}},
      {"log1p",
       8,
       CAIRN_ONE(log1p),
       of_mpfr<mpfr_log1p>,
       nullptr,
       {{"large", Logarithmic, 1, 0x1p126, 1, 0x1p1022, false}, kSmall}},
      {"cbrt",
       8,
       CAIRN_ONE(cbrt),
       of_mpfr<mpfr_cbrt>,
       nullptr,
       {{"all", Logarithmic, 0x1p-126, 0x1p126, 0x1p-1022, 0x1p1022, true}}},
      {"rcbrt",
       8,
       CAIRN_ONE(rcbrt),
       rcbrt_of,
       nullptr,
       {{"all", Logarithmic, 0x1p-126, 0x1p126, 0x1p-1022, 0x1p1022, true}}},
      {"sin",
       8,
       CAIRN_ONE(sin),
       of_mpfr<mpfr_sin>,
       nullptr,
       {{"main", Uniform, 0, 100, 0, 100, true},
        {"all", Logarithmic, 0x1p-90, 0x1p127, 0x1p-900, 0x1p1023, true},
        {"near k pi/2", NearQuarterTurns, 0, 0, 0, 0, true}}},
      {"cos",
       8,
       CAIRN_ONE(cos),
       of_mpfr<mpfr_cos>,
       nullptr,
       {{"main", Uniform, 0, 100, 0, 100, true},
        {"all", Logarithmic, 0x1p-90, 0x1p127, 0x1p-900, 0x1p1023, true},
        {"near k pi/2", NearQuarterTurns, 0, 0, 0, 0, true}}},
      {"tan",
       12,
       CAIRN_ONE(tan),
       of_mpfr<mpfr_tan>,
       nullptr,
       {{"main", Uniform, 0, 100, 0, 100, true},
        {"all", Logarithmic, 0x1p-90, 0x1p127, 0x1p-900, 0x1p1023, true},
        {"near k pi/2", NearQuarterTurns, 0, 0, 0, 0, true}}},
      {"sinpi", 8, CAIRN_ONE(sinpi), of_mpfr<mpfr_sinpi>, nullptr, {{"main", Uniform, 0, 20, 0, 20, true}, kSmall}},
      {"cospi", 8, CAIRN_ONE(cospi), of_mpfr<mpfr_cospi>, nullptr, {{"main", Uniform, 0, 20, 0, 20, true}, kSmall}},
      {"asin",
       9.9,
       CAIRN_ONE(asin),
       of_mpfr<mpfr_asin>,
       nullptr,
       {{"main", Uniform, 0, 1, 0, 1, true}, kSmall, {"near 1", NearOne, -1, 0, -1, 0, true}}},
      {"acos",
       9.1,
       CAIRN_ONE(acos),
       of_mpfr<mpfr_acos>,
       nullptr,
       {{"main", Uniform, 0, 1, 0, 1, true}, kSmall, {"near 1", NearOne, -1, 0, -1, 0, true}}},
      {"atan",
       8,
       CAIRN_ONE(atan),
       of_mpfr<mpfr_atan>,
       nullptr,
       {{"main", Uniform, 0, 5, 0, 5, true}, {"all", Logarithmic, 0x1p-90, 0x1p126, 0x1p-900, 0x1p1022, true}}},
      {"sinh", 8, CAIRN_ONE(sinh), of_mpfr<mpfr_sinh>, nullptr, {{"main", Uniform, 0, 87, 0, 708, true}, kSmall}},
      {"cosh", 8, CAIRN_ONE(cosh), of_mpfr<mpfr_cosh>, nullptr, {{"main", Uniform, 0, 87, 0, 708, true}, kSmall}},
      {"tanh", 12, CAIRN_ONE(tanh), of_mpfr<mpfr_tanh>, nullptr, {{"main", Uniform, 0, 30, 0, 60, true}, kSmall}},
      {"asinh",
       8,
       CAIRN_ONE(asinh),
       of_mpfr<mpfr_asinh>,
       nullptr,
       {{"all", Logarithmic, 0x1p-90, 0x1p126, 0x1p-900, 0x1p1022, true}, {"main", Uniform, 0, 5, 0, 5, true}}},
      {"acosh",
       12,
       CAIRN_ONE(acosh),
       of_mpfr<mpfr_acosh>,
       nullptr,
       {{"all", Logarithmic, 1, 0x1p126, 1, 0x1p1022, false}, {"near 1", NearOne, 1, 0, 1, 0, false}}},
      {"atanh",
       12,
       CAIRN_ONE(atanh),
       of_mpfr<mpfr_atanh>,
       nullptr,
       {{"main", Uniform, 0, 1, 0, 1, true}, kSmall, {"near 1", NearOne, -1, 0, -1, 0, true}}},
      {"erf", 16, CAIRN_ONE(erf), of_mpfr<mpfr_erf>, nullptr, {{"main", Uniform, 0, 5, 0, 9, true}, kSmall}},
      {"erfc", 71.1, CAIRN_ONE(erfc), of_mpfr<mpfr_erfc>, nullptr, {{"main", Uniform, 0, 8, 0, 25.5, true}, kSmall}},
      {"erfcx",
       32,
       CAIRN_ONE(erfcx),
       erfcx_of,
       nullptr,
       {{"main", Uniform, 0, 9, 0, 26, true}, {"positive", Logarithmic, 0x1p-20, 100, 0x1p-50, 100, false}}},
      {"erfinv",
       64,
       CAIRN_ONE(erfinv),
       nullptr,
       inverse_residual<of_mpfr<mpfr_erf>, false>,
       {{"main", Uniform, 0, 1, 0, 1, true}, kSmall, {"near 1", NearOne, -1, 0, -1, 0, true}}},
      {"erfcinv",
       64,
       CAIRN_ONE(erfcinv),
       nullptr,
       inverse_residual<of_mpfr<mpfr_erfc>, false>,
       {{"main", Uniform, 0, 2, 0, 2, false},
        {"small", Logarithmic, 0x1p-96, 1, 0x1p-960, 1, false},
        {"near 1", NearOne, 0, 0, 0, 0, false}}},
      {"normcdf", 72, CAIRN_ONE(normcdf), normcdf_of, nullptr, {{"main", Uniform, 0, 11, 0, 36, true}, kSmall}},
      {"normcdfinv",
       64,
       CAIRN_ONE(normcdfinv),
       nullptr,
       inverse_residual<normcdf_of, true>,
       {{"main", Uniform, 0, 1, 0, 1, false}, {"small", Logarithmic, 0x1p-96, 1, 0x1p-960, 1, false}}},
      {"boys_f0",
       64,
       CAIRN_ONE(boys_f0),
       boys_of,
       nullptr,
       {{"main", Uniform, 0, 30, 0, 60, false}, {"all", Logarithmic, 0x1p-90, 0x1p100, 0x1p-900, 0x1p900, false}}},
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
        {"all", Logarithmic, 0x1p-40, 0x1p40, 0x1p-450, 0x1p450, true}},
       true},
      {"hypot",
       8,
       CAIRN_TWO(hypot),
       hypot_of,
       nullptr,
       {{"main", Logarithmic, 0x1p-10, 0x1p10, 0x1p-10, 0x1p10, true},
        {"all", Logarithmic, 0x1p-96, 0x1p125, 0x1p-960, 0x1p1021, true}},
       true},
      {"rhypot",
       12,
       CAIRN_TWO(rhypot),
       rhypot_of,
       nullptr,
       {{"main", Logarithmic, 0x1p-10, 0x1p10, 0x1p-10, 0x1p10, true},
        {"all", Logarithmic, 0x1p-96, 0x1p95, 0x1p-960, 0x1p959, true}},
       true},
  };
  return cases;
}

}  // namespace cairn::tests
