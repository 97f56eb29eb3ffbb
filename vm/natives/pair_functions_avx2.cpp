// Compiled for AVX2 and fused operations (cmake/parts.cmake); called only where the processor has them.
#define CAIRN_PAIR_BUILD with_avx2

#include "vm/natives/pair_function_table.hpp"
#include "vm/natives/pair_natives.hpp"

namespace cairn {

void add_pair_functions_avx2(NativeTable& table) { add_pair_functions(table); }

}  // namespace cairn
