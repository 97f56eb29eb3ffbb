// Compiled for AVX2 (cmake/parts.cmake); called only where the processor has it.
#include <immintrin.h>

#include "runtime/sums/grid_kernel.hpp"

namespace cairn::runtime {
namespace {

struct Avx2 {
  using Wide = __m256d;
  static constexpr std::size_t kWidth = 4;
  static Wide splat(double value) { return _mm256_set1_pd(value); }
  static Wide add(Wide a, Wide b) { return _mm256_add_pd(a, b); }
  static Wide sub(Wide a, Wide b) { return _mm256_sub_pd(a, b); }
  static bool unordered(Wide a) { return _mm256_movemask_pd(_mm256_cmp_pd(a, a, _CMP_UNORD_Q)) != 0; }
  static void add_units(std::int64_t* units, Wide sum, Wide magic) {
    const __m256i count = _mm256_sub_epi64(_mm256_castpd_si256(_mm256_add_pd(sum, magic)), _mm256_castpd_si256(magic));
    auto* const lanes = reinterpret_cast<__m256i*>(units);
    _mm256_storeu_si256(lanes, _mm256_add_epi64(_mm256_loadu_si256(lanes), count));
  }
};

struct F64 : Avx2 {
  using Raw = __m256d;
  static constexpr std::size_t kRawWidth = 4;
  static Wide load(const double* from) { return _mm256_loadu_pd(from); }
  static Raw load_raw(const double* from) { return _mm256_andnot_pd(_mm256_set1_pd(-0.0), _mm256_loadu_pd(from)); }
  static Raw raw_zero() { return _mm256_setzero_pd(); }
  static Raw raw_infinity() { return _mm256_set1_pd(std::numeric_limits<double>::infinity()); }
  // The second operand is given when one is a NaN, so the running value stays a number.
  static Raw greater(Raw a, Raw raw) { return _mm256_max_pd(raw, a); }
  static Raw lesser(Raw a, Raw raw) { return _mm256_min_pd(raw, a); }
  static Raw lesser_nonzero(Raw a, Raw raw) {
    const Raw zero = _mm256_cmp_pd(raw, _mm256_setzero_pd(), _CMP_EQ_OQ);
    return lesser(a, _mm256_blendv_pd(raw, raw_infinity(), zero));
  }
  static double greatest(Raw raw) {
    alignas(32) double lanes[4];
    _mm256_store_pd(lanes, raw);
    return std::fmax(std::fmax(lanes[0], lanes[1]), std::fmax(lanes[2], lanes[3]));
  }
  static double least(Raw raw) {
    alignas(32) double lanes[4];
    _mm256_store_pd(lanes, raw);
    return std::fmin(std::fmin(lanes[0], lanes[1]), std::fmin(lanes[2], lanes[3]));
  }
};

struct F32 : Avx2 {
  using Raw = __m256;
  static constexpr std::size_t kRawWidth = 8;
  static Wide load(const float* from) { return _mm256_cvtps_pd(_mm_loadu_ps(from)); }
  static Raw load_raw(const float* from) { return _mm256_andnot_ps(_mm256_set1_ps(-0.0F), _mm256_loadu_ps(from)); }
  static Raw raw_zero() { return _mm256_setzero_ps(); }
  static Raw raw_infinity() { return _mm256_set1_ps(std::numeric_limits<float>::infinity()); }
  static Raw greater(Raw a, Raw raw) { return _mm256_max_ps(raw, a); }
  static Raw lesser(Raw a, Raw raw) { return _mm256_min_ps(raw, a); }
  static Raw lesser_nonzero(Raw a, Raw raw) {
    const Raw zero = _mm256_cmp_ps(raw, _mm256_setzero_ps(), _CMP_EQ_OQ);
    return lesser(a, _mm256_blendv_ps(raw, raw_infinity(), zero));
  }
  static double greatest(Raw raw) {
    alignas(32) float lanes[8];
    _mm256_store_ps(lanes, raw);
    float most = 0;
    for (const float lane : lanes) most = std::fmax(most, lane);
    return static_cast<double>(most);
  }
  static double least(Raw raw) {
    alignas(32) float lanes[8];
    _mm256_store_ps(lanes, raw);
    float fewest = std::numeric_limits<float>::infinity();
    for (const float lane : lanes) fewest = std::fmin(fewest, lane);
    return static_cast<double>(fewest);
  }
};

}  // namespace

GridEngine<double> grid_engine_f64_avx2() { return {grid_sum_of<F64, double>, nonzero_magnitudes<F64, double>}; }
GridEngine<float> grid_engine_f32_avx2() { return {grid_sum_of<F32, float>, nonzero_magnitudes<F32, float>}; }

}  // namespace cairn::runtime
