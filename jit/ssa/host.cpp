#include "jit/ssa/host.hpp"

#include "jit/ssa/backend/select.hpp"

namespace cairn::jit::ssa {

std::uint32_t host_vector_bytes() {
  const Cpu cpu = Cpu::host();
  return cpu.avx512 ? 64 : cpu.avx2 ? 32 : 0;
}

bool host_has_fused() { return Cpu::host().fma; }

}  // namespace cairn::jit::ssa
