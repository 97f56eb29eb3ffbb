// Compiled for AVX-512 (cmake/parts.cmake); called only where the processor has F, DQ, VL and BW.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wuninitialized"  // GCC 12's own <immintrin.h> (GCC bug 105593)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>

#include "runtime/conversions/conversion_kernel.hpp"

namespace cairn::runtime {
namespace {

struct Avx512 {
  using Vector = __m512i;
  using Mask = __mmask16;
  static constexpr std::size_t kLanes = 16;
  static Vector load(const float* from) { return _mm512_loadu_si512(from); }
  static Vector splat(std::uint32_t value) { return _mm512_set1_epi32(static_cast<int>(value)); }
  static Vector add(Vector a, Vector b) { return _mm512_add_epi32(a, b); }
  static Vector sub(Vector a, Vector b) { return _mm512_sub_epi32(a, b); }
  static Vector both(Vector a, Vector b) { return _mm512_and_si512(a, b); }
  static Vector either(Vector a, Vector b) { return _mm512_or_si512(a, b); }
  static Vector sign_and(Vector a, std::uint32_t sign, Vector low) {
    constexpr int kFirstAndSecondOrThird = 0xea;
    return _mm512_ternarylogic_epi32(a, splat(sign), low, kFirstAndSecondOrThird);
  }
  template <unsigned Bits>
  static Vector down(Vector a) {
    return _mm512_srli_epi32(a, Bits);
  }
  static Vector greater_of(Vector a, Vector b) { return _mm512_max_epu32(a, b); }
  static Mask larger(Vector a, Vector b) { return _mm512_cmpgt_epi32_mask(a, b); }
  static Mask unordered(Vector bits) {
    const __m512 floats = _mm512_castsi512_ps(bits);
    return _mm512_cmp_ps_mask(floats, floats, _CMP_UNORD_Q);
  }
  static Mask join(Mask a, Mask b) { return _mm512_kor(a, b); }
  static bool any(Mask a) { return a != 0; }
  static bool any_but(Mask a, Mask not_these) { return _mm512_kandn(not_these, a) != 0; }
  static Vector pick(Mask mask, Vector yes, Vector no) { return _mm512_mask_mov_epi32(no, mask, yes); }
  static Vector add_floats(Vector a, Vector b) {
    return _mm512_castps_si512(_mm512_add_ps(_mm512_castsi512_ps(a), _mm512_castsi512_ps(b)));
  }
  // Packing works within quarters of a vector, so pieces are put in order after it.
  static Vector pack(const Vector (&patterns)[2]) {
    return _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7),
                                    _mm512_packus_epi32(patterns[0], patterns[1]));
  }
  static Vector pack(const Vector (&patterns)[4]) {
    const Vector bytes = _mm512_packus_epi16(_mm512_packus_epi32(patterns[0], patterns[1]),
                                             _mm512_packus_epi32(patterns[2], patterns[3]));
    return _mm512_permutexvar_epi32(_mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15), bytes);
  }
  template <bool Streams>
  static void store(void* to, Vector vector) {
    if constexpr (Streams) {
      _mm512_stream_si512(static_cast<__m512i*>(to), vector);
    } else {
      _mm512_storeu_si512(to, vector);
    }
  }
  static Vector narrow_f16(const Vector (&floats)[2]) {
    const auto half = [](Vector of) { return _mm512_cvtps_ph(_mm512_castsi512_ps(of), _MM_FROUND_TO_NEAREST_INT); };
    return _mm512_inserti64x4(_mm512_castsi256_si512(half(floats[0])), half(floats[1]), 1);
  }
  static Vector widen_f16(const std::uint16_t* from) {
    return _mm512_castps_si512(_mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from))));
  }
  static Vector widen_bf16(const std::uint16_t* from) {
    return _mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from))), 16);
  }
};

}  // namespace

std::size_t convert_vectors_avx512(ElementConversion conversion, void* to, const void* from, std::size_t count,
                                   bool streams) {
  if (!streams) return convert_vectors<Avx512, false>(conversion, to, from, count);
  const std::size_t done = convert_vectors<Avx512, true>(conversion, to, from, count);
  _mm_sfence();
  return done;
}

}  // namespace cairn::runtime
