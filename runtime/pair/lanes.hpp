// Limbs side by side in a vector register, with the operations of limb.hpp on every lane: so that the functions' main
// ways, which are written over a limb, can be done for several arguments at once with the bits they have for one.
// Vectors are those of GCC and clang; for AVX2 with fused operations, and for AVX-512.
#pragma once

#include <immintrin.h>

#include <cstddef>

#include "runtime/semantics/pair/triple.hpp"

namespace cairn::semantics::pair {
inline namespace CAIRN_PAIR_BUILD {

template <class T, int n>
struct Lanes;

/// n elements in a vector. Written out: GCC takes no vector whose size depends on a template's arguments.
template <class T, int n>
struct VectorOf;
#define CAIRN_VECTOR(T, n)                                \
  template <>                                             \
  struct VectorOf<T, n> {                                 \
    using Type [[gnu::vector_size(sizeof(T) * (n))]] = T; \
  };
CAIRN_VECTOR(float, 8)
CAIRN_VECTOR(float, 16)
CAIRN_VECTOR(double, 4)
CAIRN_VECTOR(double, 8)
CAIRN_VECTOR(I32, 8)
CAIRN_VECTOR(I32, 16)
CAIRN_VECTOR(I64, 4)
CAIRN_VECTOR(I64, 8)
CAIRN_VECTOR(U32, 8)
CAIRN_VECTOR(U32, 16)
CAIRN_VECTOR(U64, 4)
CAIRN_VECTOR(U64, 8)
#undef CAIRN_VECTOR

/// Of each lane whether something holds: all bits set or none.
template <class T, int n>
struct Truths {
  using Int = typename LimbFormat<T>::Int;
  using Vector = typename VectorOf<Int, n>::Type;
  Vector v;

  CAIRN_PAIR_INLINE friend Truths operator&(Truths a, Truths b) { return {a.v & b.v}; }
  CAIRN_PAIR_INLINE friend Truths operator|(Truths a, Truths b) { return {a.v | b.v}; }
  CAIRN_PAIR_INLINE friend Truths operator!(Truths a) { return {~a.v}; }
  CAIRN_PAIR_INLINE friend Truths operator!=(Truths a, Truths b) { return {a.v ^ b.v}; }
};

/// An integer beside each lane.
template <class T, int n>
struct Wholes {
  using Int = typename LimbFormat<T>::Int;
  using Vector = typename VectorOf<Int, n>::Type;
  using Unsigned = typename VectorOf<Bits<T>, n>::Type;
  Vector v;

  CAIRN_PAIR_INLINE friend Wholes operator+(Wholes a, Wholes b) { return {a.v + b.v}; }
  CAIRN_PAIR_INLINE friend Wholes operator+(Wholes a, int b) { return {a.v + Int{b}}; }
  CAIRN_PAIR_INLINE friend Wholes operator-(Wholes a, Wholes b) { return {a.v - b.v}; }
  CAIRN_PAIR_INLINE friend Wholes operator-(Wholes a) { return {-a.v}; }
  CAIRN_PAIR_INLINE friend Wholes operator*(Wholes a, int b) { return {a.v * Int{b}}; }
  CAIRN_PAIR_INLINE friend Truths<T, n> operator>(Wholes a, int b) { return {a.v > Int{b}}; }
  CAIRN_PAIR_INLINE friend Truths<T, n> operator<(Wholes a, int b) { return {a.v < Int{b}}; }
  CAIRN_PAIR_INLINE friend Wholes operator&(Wholes a, int b) { return {a.v & Int{b}}; }
  /// Of numbers of magnitude below 2^20: AVX2 has no arithmetic shift of 64 bits.
  CAIRN_PAIR_INLINE friend Wholes operator>>(Wholes a, int by) {
    constexpr Int kUp = Int{1} << 20;
    return {(Vector)((Unsigned)(a.v + kUp) >> by) - (kUp >> by)};
  }
  CAIRN_PAIR_INLINE friend Truths<T, n> operator==(Wholes a, int b) { return {a.v == Int{b}}; }
  CAIRN_PAIR_INLINE friend Truths<T, n> operator!=(Wholes a, int b) { return {a.v != Int{b}}; }
  CAIRN_PAIR_INLINE friend Truths<T, n> operator>=(Wholes a, int b) { return {a.v >= Int{b}}; }
};

template <class T, int n>
struct Lanes {
  using Vector = typename VectorOf<T, n>::Type;
  Vector v;

  Lanes() = default;
  CAIRN_PAIR_INLINE Lanes(Vector lanes) : v(lanes) {}  // NOLINT: a vector is its lanes
  CAIRN_PAIR_INLINE explicit Lanes(T x) {
    if constexpr (n == 4)
      v = Vector{x, x, x, x};
    else if constexpr (n == 8)
      v = Vector{x, x, x, x, x, x, x, x};
    else
      v = Vector{x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x};
  }

  CAIRN_PAIR_INLINE friend Lanes operator+(Lanes a, Lanes b) { return a.v + b.v; }
  CAIRN_PAIR_INLINE friend Lanes operator-(Lanes a, Lanes b) { return a.v - b.v; }
  CAIRN_PAIR_INLINE friend Lanes operator*(Lanes a, Lanes b) { return a.v * b.v; }
  CAIRN_PAIR_INLINE friend Lanes operator/(Lanes a, Lanes b) { return a.v / b.v; }
  CAIRN_PAIR_INLINE friend Lanes operator-(Lanes a) { return -a.v; }
  CAIRN_PAIR_INLINE friend Truths<T, n> operator<(Lanes a, Lanes b) { return {a.v < b.v}; }
  CAIRN_PAIR_INLINE friend Truths<T, n> operator<=(Lanes a, Lanes b) { return {a.v <= b.v}; }
  CAIRN_PAIR_INLINE friend Truths<T, n> operator>(Lanes a, Lanes b) { return {a.v > b.v}; }
  CAIRN_PAIR_INLINE friend Truths<T, n> operator>=(Lanes a, Lanes b) { return {a.v >= b.v}; }
  CAIRN_PAIR_INLINE friend Truths<T, n> operator==(Lanes a, Lanes b) { return {a.v == b.v}; }
};

template <class T, int n>
struct LimbShape<Lanes<T, n>> {
  using Limb = T;
  using Whole = Wholes<T, n>;
  using Truth = Truths<T, n>;
};
template <class T, int n>
struct LimbFormat<Lanes<T, n>> : LimbFormat<T> {};

template <class T, int n>
CAIRN_PAIR_INLINE Lanes<T, n> either(Truths<T, n> condition, Lanes<T, n> a, Lanes<T, n> b) {
  return condition.v ? a.v : b.v;
}
template <class T, int n>
CAIRN_PAIR_INLINE Wholes<T, n> either(Truths<T, n> condition, Wholes<T, n> a, Wholes<T, n> b) {
  return {condition.v ? a.v : b.v};
}
template <class T, int n>
CAIRN_PAIR_INLINE Pair<Lanes<T, n>> either(Truths<T, n> condition, Pair<Lanes<T, n>> x, Pair<Lanes<T, n>> y) {
  return {either(condition, x.hi, y.hi), either(condition, x.lo, y.lo)};
}
template <class T, int n>
CAIRN_PAIR_INLINE Triple<Lanes<T, n>> either(Truths<T, n> condition, Triple<Lanes<T, n>> x, Triple<Lanes<T, n>> y) {
  return {either(condition, x.a, y.a), either(condition, x.b, y.b), either(condition, x.c, y.c)};
}
template <class T, int n>
CAIRN_PAIR_INLINE Lanes<T, n> magnitude(Lanes<T, n> x) {
  using Vector = typename Wholes<T, n>::Vector;
  return __builtin_bit_cast(Lanes<T, n>, __builtin_bit_cast(Vector, x) & static_cast<Bits<T>>(~kSign<T>));
}
template <class T, int n>
CAIRN_PAIR_INLINE Lanes<T, n> flip(Lanes<T, n> x, Lanes<T, n> by) {
  using Vector = typename Wholes<T, n>::Unsigned;
  return __builtin_bit_cast(Lanes<T, n>, __builtin_bit_cast(Vector, x) ^ (__builtin_bit_cast(Vector, by) & kSign<T>));
}
template <class T, int n>
CAIRN_PAIR_INLINE Lanes<T, n> with_sign(Lanes<T, n> x, Lanes<T, n> of) {
  return flip(magnitude(x), of);
}
template <class T, int n>
CAIRN_PAIR_INLINE Truths<T, n> finite(Lanes<T, n> x) {
  return magnitude(x) <= Lanes<T, n>(kLargest<T>);
}

/// All the lanes in a register, for what GCC has no operator for.
#if defined(__AVX512F__)
// Masked forms: of the others GCC 12 warns in its own header.
inline constexpr int kRegisterBytes = 64;
CAIRN_PAIR_INLINE __m512d fused(__m512d a, __m512d b, __m512d c) { return _mm512_fmadd_pd(a, b, c); }
CAIRN_PAIR_INLINE __m512 fused(__m512 a, __m512 b, __m512 c) { return _mm512_fmadd_ps(a, b, c); }
CAIRN_PAIR_INLINE __m512d square_root(__m512d a) { return _mm512_maskz_sqrt_pd(0xff, a); }
CAIRN_PAIR_INLINE __m512 square_root(__m512 a) { return _mm512_maskz_sqrt_ps(0xffff, a); }
CAIRN_PAIR_INLINE __m512i wholes_of(__m512 a) { return _mm512_maskz_cvttps_epi32(0xffff, a); }
CAIRN_PAIR_INLINE __m512 limbs_of(__m512i a) { return _mm512_maskz_cvtepi32_ps(0xffff, a); }
CAIRN_PAIR_INLINE unsigned signs_of(__m512d a) { return _mm512_movepi64_mask(_mm512_castpd_si512(a)); }
CAIRN_PAIR_INLINE unsigned signs_of(__m512 a) { return _mm512_movepi32_mask(_mm512_castps_si512(a)); }
using FloatRegister = __m512;
using DoubleRegister = __m512d;
using IntegerRegister = __m512i;
#else
inline constexpr int kRegisterBytes = 32;
CAIRN_PAIR_INLINE __m256d fused(__m256d a, __m256d b, __m256d c) { return _mm256_fmadd_pd(a, b, c); }
CAIRN_PAIR_INLINE __m256 fused(__m256 a, __m256 b, __m256 c) { return _mm256_fmadd_ps(a, b, c); }
CAIRN_PAIR_INLINE __m256d square_root(__m256d a) { return _mm256_sqrt_pd(a); }
CAIRN_PAIR_INLINE __m256 square_root(__m256 a) { return _mm256_sqrt_ps(a); }
CAIRN_PAIR_INLINE __m256i wholes_of(__m256 a) { return _mm256_cvttps_epi32(a); }
CAIRN_PAIR_INLINE __m256 limbs_of(__m256i a) { return _mm256_cvtepi32_ps(a); }
CAIRN_PAIR_INLINE unsigned signs_of(__m256d a) { return static_cast<unsigned>(_mm256_movemask_pd(a)); }
CAIRN_PAIR_INLINE unsigned signs_of(__m256 a) { return static_cast<unsigned>(_mm256_movemask_ps(a)); }
using FloatRegister = __m256;
using DoubleRegister = __m256d;
using IntegerRegister = __m256i;
#endif
template <class T>
struct RegisterOf;
template <>
struct RegisterOf<float> {
  using Type = FloatRegister;
};
template <>
struct RegisterOf<double> {
  using Type = DoubleRegister;
};
/// As many lanes of T as a register holds, and the register.
template <class T>
inline constexpr int kLanes = kRegisterBytes / static_cast<int>(sizeof(T));
template <class T, class All>
CAIRN_PAIR_INLINE typename RegisterOf<T>::Type in_register(All all) {
  return __builtin_bit_cast(typename RegisterOf<T>::Type, all);
}

/// Each lane's exact ab + c, rounded once.
template <class T, int n>
CAIRN_PAIR_INLINE Lanes<T, n> fused(Lanes<T, n> a, Lanes<T, n> b, Lanes<T, n> c) {
  return __builtin_bit_cast(Lanes<T, n>, fused(in_register<T>(a), in_register<T>(b), in_register<T>(c)));
}
template <class T, int n>
CAIRN_PAIR_INLINE Lanes<T, n> square_root(Lanes<T, n> a) {
  return __builtin_bit_cast(Lanes<T, n>, square_root(in_register<T>(a)));
}
/// A bit for each lane: whether its truth holds.
template <class T, int n>
CAIRN_PAIR_INLINE unsigned bits_of_truths(Truths<T, n> a) {
  return signs_of(in_register<T>(a));
}
/// The nearest integers of lanes below 2^(p-1) in magnitude.
template <class T, int n>
CAIRN_PAIR_INLINE Lanes<T, n> nearest(Lanes<T, n> x) {
  const Lanes<T, n> shift(power_of_two<T>(kPrecision<T> - 1));
  return with_sign((magnitude(x) + shift) - shift, x);
}
/// Lanes below 2^(p-1) in magnitude without their fractions.
template <class T, int n>
CAIRN_PAIR_INLINE Lanes<T, n> truncated(Lanes<T, n> x) {
  const Lanes<T, n> size = magnitude(x);
  const Lanes<T, n> whole = nearest(size);
  return with_sign(either(whole > size, whole - Lanes<T, n>(T(1)), whole), x);
}
/// Lanes that are integers of magnitude below 2^20, and back.
template <class T, int n>
CAIRN_PAIR_INLINE Wholes<T, n> whole_of(Lanes<T, n> x) {
  if constexpr (sizeof(T) == 4) {
    return __builtin_bit_cast(Wholes<T, n>, wholes_of(in_register<float>(x)));
  } else {
    constexpr double kUp = 0x1.8p52;
    using Vector = typename Wholes<T, n>::Vector;
    return {__builtin_bit_cast(Vector, x + Lanes<T, n>(kUp)) - static_cast<I64>(bits_of(kUp))};
  }
}
template <class T, int n>
CAIRN_PAIR_INLINE Lanes<T, n> limb_of_whole(Wholes<T, n> k) {
  if constexpr (sizeof(T) == 4) {
    return __builtin_bit_cast(Lanes<T, n>, limbs_of(__builtin_bit_cast(IntegerRegister, k)));
  } else {
    constexpr double kUp = 0x1.8p52;
    return __builtin_bit_cast(Lanes<T, n>, k.v + static_cast<I64>(bits_of(kUp))) - Lanes<T, n>(kUp);
  }
}
template <class T, int n>
CAIRN_PAIR_INLINE Wholes<T, n> one_more_where(Truths<T, n> condition, Wholes<T, n> k) {
  return {k.v - condition.v};  // what holds is -1
}
/// 2^k, normal limbs.
template <class T, int n>
CAIRN_PAIR_INLINE Lanes<T, n> normal_power(Wholes<T, n> k) {
  using Unsigned = typename Wholes<T, n>::Unsigned;
  return __builtin_bit_cast(Lanes<T, n>, (Unsigned)(k.v + LimbFormat<T>::bias) << (kPrecision<T> - 1));
}
/// Floor of log2 of positive normal lanes.
template <class T, int n>
CAIRN_PAIR_INLINE Wholes<T, n> normal_exponent(Lanes<T, n> x) {
  using Unsigned = typename Wholes<T, n>::Unsigned;
  using Vector = typename Wholes<T, n>::Vector;
  return {(Vector)(__builtin_bit_cast(Unsigned, x) >> (kPrecision<T> - 1)) - LimbFormat<T>::bias};
}
/// The bits of positive lanes from bit `from` on, as many as `mask` has.
template <class T, int n>
CAIRN_PAIR_INLINE Wholes<T, n> bits_from(Lanes<T, n> x, int from, int mask) {
  using Unsigned = typename Wholes<T, n>::Unsigned;
  using Vector = typename Wholes<T, n>::Vector;
  return Wholes<T, n>{(Vector)(__builtin_bit_cast(Unsigned, x) >> from)} & mask;
}
/// How many last places positive lanes are above a limb of their exponent.
template <class T, int n>
CAIRN_PAIR_INLINE Wholes<T, n> bits_above(Lanes<T, n> x, T from) {
  using Vector = typename Wholes<T, n>::Vector;
  using Int = typename LimbFormat<T>::Int;
  return {__builtin_bit_cast(Vector, x) - static_cast<Int>(bits_of(from))};
}
/// Limb `at` of the row of each lane in a table of rows of `stride` limbs.
template <class T, int n>
CAIRN_PAIR_INLINE Lanes<T, n> looked_up(const T* limbs, Wholes<T, n> row, int stride, int at) {
  Lanes<T, n> result;
  for (int k = 0; k < n; ++k) result.v[k] = limbs[row.v[k] * stride + at];
  return result;
}

}  // namespace CAIRN_PAIR_BUILD
}  // namespace cairn::semantics::pair
