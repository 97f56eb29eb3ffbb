// Compiled for AVX2 (cmake/parts.cmake); called only where the processor has it.
#include "runtime/matrices/multiply_kernel.hpp"

namespace cairn::runtime {

MultiplyKernel multiply_kernel_avx2() { return multiply_kernel<8, 4, 2>(); }

}  // namespace cairn::runtime
