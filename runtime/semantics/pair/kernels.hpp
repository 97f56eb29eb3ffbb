// Pairs and their arithmetic kernels as C++ templates, expanded from pair_kernels.def (pair floats, 3 and 4). T is a
// limb or a vector of limbs: a kernel is a straight line of rounded operations either way. Compiled without
// contraction.
#pragma once

#include "runtime/semantics/pair/limb.hpp"

namespace cairn::semantics::pair {
inline namespace CAIRN_PAIR_BUILD {

/// hi + lo, unevaluated. Normalized: hi is the float nearest to the sum, ties to even.
template <class T>
struct Pair {
  T hi;
  T lo;
};

/// A kernel's result and its leading rounded term, which a guard takes where the sum of the two limbs is no number.
template <class T>
struct Kernel {
  T hi;
  T lo;
  T lead;
};

/// A constant in every lane of a vector of limbs, or the limb itself.
template <class T>
CAIRN_PAIR_INLINE constexpr T constant_limb(float value) {
  if constexpr (requires(T vector) { vector[0]; }) {
    return T{} + static_cast<decltype(T{}[0] + 0)>(value);
  } else {
    return static_cast<T>(value);
  }
}

#if !defined(__CUDACC_RTC__)
template <class T>
  requires requires(T vector) { vector[0]; }
CAIRN_PAIR_INLINE T fused(T a, T b, T c) {
#if defined(__clang__)
  return __builtin_elementwise_fma(a, b, c);
#else
  T result{};
  for (unsigned k = 0; k < sizeof(T) / sizeof(a[0]); ++k) result[k] = fused(a[k], b[k], c[k]);
  return result;
#endif
}
template <class T>
  requires requires(T vector) { vector[0]; }
CAIRN_PAIR_INLINE T square_root(T a) {
  T result{};
  for (unsigned k = 0; k < sizeof(T) / sizeof(a[0]); ++k) result[k] = square_root(a[k]);
  return result;
}
#endif

namespace kernel {

#define PAIR T xh, T xl
#define PAIR_LIMB T xh, T xl, T c
#define PAIR_PAIR T xh, T xl, T yh, T yl
#define PAIR_PAIR_PAIR T xh, T xl, T yh, T yl, T zh, T zl
#define NEG(a) (-(a))
#define ONE constant_limb<T>(1.0F)
#define HALF constant_limb<T>(0.5F)
#define THREE_QUARTERS constant_limb<T>(0.75F)
#define ADD(r, a, b) const T r = (a) + (b);
#define SUB(r, a, b) const T r = (a) - (b);
#define MUL(r, a, b) const T r = (a) * (b);
#define DIV(r, a, b) const T r = (a) / (b);
#define FMA(r, a, b, c) const T r = fused(a, b, c);
#define SQRT(r, a) const T r = square_root(a);
#define KERNEL(name, parameters, high, low, lead, ...) \
  template <class T>                                   \
  CAIRN_PAIR_INLINE Kernel<T> name(parameters) {       \
    __VA_ARGS__ return Kernel<T>{high, low, lead};     \
  }
#include "runtime/semantics/pair/pair_kernels.def"
#undef PAIR
#undef PAIR_LIMB
#undef PAIR_PAIR
#undef PAIR_PAIR_PAIR
#undef NEG
#undef ONE
#undef HALF
#undef THREE_QUARTERS
#undef ADD
#undef SUB
#undef MUL
#undef DIV
#undef FMA
#undef SQRT

}  // namespace kernel

/// (RN(a + b), the error), exact whichever is larger.
template <class T>
CAIRN_PAIR_INLINE Pair<T> two_sum(T a, T b) {
  const T s = a + b;
  const T a1 = s - b;
  const T b1 = s - a1;
  const T da = a - a1;
  const T db = b - b1;
  return {s, da + db};
}
/// The same for a = 0 or an exponent of a not below b's.
template <class T>
CAIRN_PAIR_INLINE Pair<T> fast_two_sum(T a, T b) {
  const T s = a + b;
  const T z = s - a;
  return {s, b - z};
}
/// (RN(ab), the error), exact while the error is a limb.
template <class T>
CAIRN_PAIR_INLINE Pair<T> two_prod(T a, T b) {
  const T q = a * b;
  return {q, fused(a, b, -q)};
}

}  // namespace CAIRN_PAIR_BUILD
}  // namespace cairn::semantics::pair
