// Which of the builds for processors of their own (NAME_avx2.cpp,
// NAME_avx512.cpp) this one can run.
#pragma once

namespace cairn {

/// AVX2 with fused operations.
inline bool has_fused_avx2() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
  return false;
#endif
}
/// AVX-512 F, DQ, VL and BW.
inline bool has_avx512() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
#else
  return false;
#endif
}

}  // namespace cairn
