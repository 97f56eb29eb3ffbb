// Storage floats in kernels (numerics, 2): the integer routines of runtime/semantics, and the device's own instructions
// where they give the same bits. Those round an f32 to nearest even; a NaN's bits are the routine's (rule 1 of 2.3).
#pragma once

#include "cuda/kernel/guards.hpp"
#include "runtime/semantics/quantize.hpp"
#include "runtime/semantics/storage_floats.hpp"

namespace cairn::kernel {

__forceinline__ bool narrow_f16(double x, U16& out) { return sem::narrow<sem::F16>(x, out); }
__forceinline__ bool narrow_bf16(double x, U16& out) { return sem::narrow<sem::BF16>(x, out); }
__forceinline__ bool narrow_f8e4m3(double x, U8& out) { return sem::narrow<sem::F8E4M3>(x, out); }
__forceinline__ bool narrow_f8e5m2(double x, U8& out) { return sem::narrow<sem::F8E5M2>(x, out); }
__forceinline__ bool narrow_f8e4m3(float x, U8& out) { return narrow_f8e4m3(static_cast<double>(x), out); }
__forceinline__ bool narrow_f8e5m2(float x, U8& out) { return narrow_f8e5m2(static_cast<double>(x), out); }

/// The bits of a NaN of 16 bits: its sign and the quiet NaN.
__forceinline__ U16 quiet_nan(float x, U32 pattern) {
  return static_cast<U16>(((bit_cast<U32>(x) >> 16) & 0x8000U) | pattern);
}

__forceinline__ bool narrow_f16(float x, U16& out) {
#if defined(__CUDA_ARCH__)
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(out) : "f"(x));
  if (x != x) out = quiet_nan(x, sem::F16::kQuietNan);
  return true;
#else
  return narrow_f16(static_cast<double>(x), out);
#endif
}

__forceinline__ bool narrow_bf16(float x, U16& out) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(out) : "f"(x));
  if (x != x) out = quiet_nan(x, sem::BF16::kQuietNan);
  return true;
#else
  return narrow_bf16(static_cast<double>(x), out);
#endif
}

template <class F>
__forceinline__ F widen_f8e4m3(U8 pattern) {
  return sem::widen<sem::F8E4M3, F>(pattern);
}
template <class F>
__forceinline__ F widen_f8e5m2(U8 pattern) {
  return sem::widen<sem::F8E5M2, F>(pattern);
}
/// Exact but for a NaN, whose sign the instruction need not keep.
template <class F>
__forceinline__ F widen_f16(U16 pattern) {
#if defined(__CUDA_ARCH__)
  if ((pattern & 0x7fffU) <= 0x7c00U) {
    float wide;
    asm("cvt.f32.f16 %0, %1;" : "=f"(wide) : "h"(pattern));
    return static_cast<F>(wide);
  }
#endif
  return sem::widen<sem::F16, F>(pattern);
}
template <class F>
__forceinline__ F widen_bf16(U16 pattern) {
  return sem::widen<sem::BF16, F>(pattern);
}

}  // namespace cairn::kernel
