#include "jit/ssa/host.hpp"

#include "jit/ssa/backend/select.hpp"

namespace cairn::jit::ssa {

std::uint32_t host_vector_bytes() {
  const Cpu cpu = Cpu::host();
  return cpu.avx512 ? 64 : cpu.avx2 ? 32 : 0;
}

bool host_has_fused() { return Cpu::host().fma; }

const PairCode& pair_code(const Instruction& function) {
  const PairFunction& found = pair_functions()[static_cast<std::size_t>(function.immediate)];
  return function.kind == Kind::F32 ? found.f32 : found.f64;
}

}  // namespace cairn::jit::ssa
