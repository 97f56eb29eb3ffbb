// Compiled for AVX-512 (cmake/parts.cmake); called only where the processor has F, DQ, VL and BW.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wuninitialized"  // GCC 12's own <immintrin.h> (GCC bug 105593)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>

#include "runtime/sums/grid_kernel.hpp"

namespace cairn::runtime {
namespace {

constexpr int kAbsoluteMax = 0b0011 | 0b1000;  // of vrange: maximum of absolute values, sign bit cleared
constexpr int kAbsoluteMin = 0b0010 | 0b1000;

struct Avx512 {
  using Wide = __m512d;
  static constexpr std::size_t kWidth = 8;
  static Wide splat(double value) { return _mm512_set1_pd(value); }
  static Wide add(Wide a, Wide b) { return _mm512_add_pd(a, b); }
  static Wide sub(Wide a, Wide b) { return _mm512_sub_pd(a, b); }
  static bool unordered(Wide a) { return _mm512_cmp_pd_mask(a, a, _CMP_UNORD_Q) != 0; }
  static void add_units(std::int64_t* units, Wide sum, Wide magic) {
    const __m512i count = _mm512_sub_epi64(_mm512_castpd_si512(_mm512_add_pd(sum, magic)), _mm512_castpd_si512(magic));
    _mm512_storeu_si512(units, _mm512_add_epi64(_mm512_loadu_si512(units), count));
  }
};

struct F64 : Avx512 {
  using Raw = __m512d;
  static constexpr std::size_t kRawWidth = 8;
  static Wide load(const double* from) { return _mm512_loadu_pd(from); }
  static Raw load_raw(const double* from) { return _mm512_loadu_pd(from); }
  static Raw raw_zero() { return _mm512_setzero_pd(); }
  static Raw raw_infinity() { return _mm512_set1_pd(std::numeric_limits<double>::infinity()); }
  static Raw greater(Raw a, Raw raw) { return _mm512_range_pd(a, raw, kAbsoluteMax); }
  static Raw lesser(Raw a, Raw raw) { return _mm512_range_pd(a, raw, kAbsoluteMin); }
  static Raw lesser_nonzero(Raw a, Raw raw) {
    const __mmask8 nonzero = _mm512_cmp_pd_mask(raw, _mm512_setzero_pd(), _CMP_NEQ_OQ);
    return _mm512_mask_range_pd(a, nonzero, a, raw, kAbsoluteMin);
  }
  static double greatest(Raw raw) { return _mm512_reduce_max_pd(raw); }
  static double least(Raw raw) { return _mm512_reduce_min_pd(raw); }
};

struct F32 : Avx512 {
  using Raw = __m512;
  static constexpr std::size_t kRawWidth = 16;
  static Wide load(const float* from) { return _mm512_cvtps_pd(_mm256_loadu_ps(from)); }
  static Raw load_raw(const float* from) { return _mm512_loadu_ps(from); }
  static Raw raw_zero() { return _mm512_setzero_ps(); }
  static Raw raw_infinity() { return _mm512_set1_ps(std::numeric_limits<float>::infinity()); }
  static Raw greater(Raw a, Raw raw) { return _mm512_range_ps(a, raw, kAbsoluteMax); }
  static Raw lesser(Raw a, Raw raw) { return _mm512_range_ps(a, raw, kAbsoluteMin); }
  static Raw lesser_nonzero(Raw a, Raw raw) {
    const __mmask16 nonzero = _mm512_cmp_ps_mask(raw, _mm512_setzero_ps(), _CMP_NEQ_OQ);
    return _mm512_mask_range_ps(a, nonzero, a, raw, kAbsoluteMin);
  }
  static double greatest(Raw raw) { return static_cast<double>(_mm512_reduce_max_ps(raw)); }
  static double least(Raw raw) { return static_cast<double>(_mm512_reduce_min_ps(raw)); }
};

}  // namespace

GridEngine<double> grid_engine_f64_avx512() { return {grid_sum_of<F64, double>, nonzero_magnitudes<F64, double>}; }
GridEngine<float> grid_engine_f32_avx512() { return {grid_sum_of<F32, float>, nonzero_magnitudes<F32, float>}; }

}  // namespace cairn::runtime
