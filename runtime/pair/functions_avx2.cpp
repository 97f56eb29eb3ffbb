// Compiled for AVX2 and fused operations (cmake/parts.cmake); called only where the processor has them.
#define CAIRN_PAIR_BUILD with_avx2

#include "runtime/pair/function_table.hpp"

namespace cairn {

std::span<const PairFunction> pair_functions_avx2() { return pair_function_table(); }

}  // namespace cairn
