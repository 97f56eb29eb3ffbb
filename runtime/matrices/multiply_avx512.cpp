// Compiled for AVX-512 (cmake/parts.cmake); called only where the processor has it.
#include "runtime/matrices/multiply_kernel.hpp"

namespace cairn::runtime {

MultiplyKernel multiply_kernel_avx512() { return multiply_kernel<16, 8, 2>(); }

}  // namespace cairn::runtime
