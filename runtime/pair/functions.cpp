#include "runtime/pair/functions.hpp"

#include <vector>

#include "runtime/pair/function_table.hpp"

namespace cairn {

std::span<const PairFunction> pair_functions_portable() { return pair_function_table(); }

std::span<const PairFunction> pair_functions() {
  static const std::vector<PairFunction> table = [] {
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) {
      const auto portable = pair_functions_portable();
      return std::vector(portable.begin(), portable.end());
    }
    const auto avx2 = pair_functions_avx2();
    std::vector made(avx2.begin(), avx2.end());
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512bw")) {
      const auto wide = pair_functions_avx512();
      for (std::size_t k = 0; k < made.size(); ++k) {
        made[k].f32.lanes64 = wide[k].f32.lanes64;
        made[k].f64.lanes64 = wide[k].f64.lanes64;
      }
    }
    return made;
  }();
  return table;
}

}  // namespace cairn
