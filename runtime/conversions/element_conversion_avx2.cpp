// Compiled for AVX2 with F16C (cmake/parts.cmake); called only where the processor has both.
#include <immintrin.h>

#include "runtime/conversions/conversion_kernel.hpp"

namespace cairn::runtime {
namespace {

struct Avx2 {
  using Vector = __m256i;
  using Mask = __m256i;
  static constexpr std::size_t kLanes = 8;
  static Vector load(const float* from) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)); }
  static Vector splat(std::uint32_t value) { return _mm256_set1_epi32(static_cast<int>(value)); }
  static Vector add(Vector a, Vector b) { return _mm256_add_epi32(a, b); }
  static Vector sub(Vector a, Vector b) { return _mm256_sub_epi32(a, b); }
  static Vector both(Vector a, Vector b) { return _mm256_and_si256(a, b); }
  static Vector either(Vector a, Vector b) { return _mm256_or_si256(a, b); }
  static Vector sign_and(Vector a, std::uint32_t sign, Vector low) { return either(both(a, splat(sign)), low); }
  template <unsigned Bits>
  static Vector down(Vector a) {
    return _mm256_srli_epi32(a, Bits);
  }
  static Vector greater_of(Vector a, Vector b) { return _mm256_max_epu32(a, b); }
  static Mask larger(Vector a, Vector b) { return _mm256_cmpgt_epi32(a, b); }
  static Mask unordered(Vector bits) {
    const __m256 floats = _mm256_castsi256_ps(bits);
    return _mm256_castps_si256(_mm256_cmp_ps(floats, floats, _CMP_UNORD_Q));
  }
  static Mask join(Mask a, Mask b) { return either(a, b); }
  static bool any(Mask a) { return _mm256_testz_si256(a, a) == 0; }
  static bool any_but(Mask a, Mask not_these) { return _mm256_testc_si256(not_these, a) == 0; }
  static Vector pick(Mask mask, Vector yes, Vector no) { return _mm256_blendv_epi8(no, yes, mask); }
  static Vector add_floats(Vector a, Vector b) {
    return _mm256_castps_si256(_mm256_add_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b)));
  }
  // Packing works within halves of a vector, so quarters are put in order after it.
  static Vector pack(const Vector (&patterns)[2]) {
    return _mm256_permute4x64_epi64(_mm256_packus_epi32(patterns[0], patterns[1]), 0b11011000);
  }
  static Vector pack(const Vector (&patterns)[4]) {
    const Vector bytes = _mm256_packus_epi16(_mm256_packus_epi32(patterns[0], patterns[1]),
                                             _mm256_packus_epi32(patterns[2], patterns[3]));
    return _mm256_permutevar8x32_epi32(bytes, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
  }
  template <bool Streams>
  static void store(void* to, Vector vector) {
    auto* const place = static_cast<__m256i*>(to);
    if constexpr (Streams) {
      _mm256_stream_si256(place, vector);
    } else {
      _mm256_storeu_si256(place, vector);
    }
  }
  static Vector narrow_f16(const Vector (&floats)[2]) {
    const auto half = [](Vector of) { return _mm256_cvtps_ph(_mm256_castsi256_ps(of), _MM_FROUND_TO_NEAREST_INT); };
    return _mm256_set_m128i(half(floats[1]), half(floats[0]));
  }
  static Vector widen_f16(const std::uint16_t* from) {
    return _mm256_castps_si256(_mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from))));
  }
  static Vector widen_bf16(const std::uint16_t* from) {
    return _mm256_slli_epi32(_mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from))), 16);
  }
};

}  // namespace

std::size_t convert_vectors_avx2(ElementConversion conversion, void* to, const void* from, std::size_t count,
                                 bool streams) {
  if (!streams) return convert_vectors<Avx2, false>(conversion, to, from, count);
  const std::size_t done = convert_vectors<Avx2, true>(conversion, to, from, count);
  _mm_sfence();
  return done;
}

}  // namespace cairn::runtime
