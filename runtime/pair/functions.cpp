#include "runtime/pair/functions.hpp"

#include <vector>

#include "runtime/pair/function_table.hpp"
#include "runtime/processor.hpp"

namespace cairn {

std::span<const PairFunction> pair_functions_portable() { return pair_function_table(); }

std::span<const PairFunction> pair_functions() {
  static const std::vector<PairFunction> table = [] {
    if (!has_fused_avx2()) {
      const auto portable = pair_functions_portable();
      return std::vector(portable.begin(), portable.end());
    }
    const auto avx2 = pair_functions_avx2();
    std::vector made(avx2.begin(), avx2.end());
    if (has_avx512()) {
      const auto wide = pair_functions_avx512();
      for (std::size_t k = 0; k < made.size(); ++k) {
        made[k].f32.lanes_of_64_bytes = wide[k].f32.lanes_of_64_bytes;
        made[k].f64.lanes_of_64_bytes = wide[k].f64.lanes_of_64_bytes;
      }
    }
    return made;
  }();
  return table;
}

}  // namespace cairn
