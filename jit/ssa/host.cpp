#include "jit/ssa/host.hpp"

#include <asmjit/x86.h>

namespace cairn::jit::ssa {

std::uint32_t host_vector_bytes() {
  using Features = asmjit::CpuFeatures::X86;
  const asmjit::CpuInfo& cpu = asmjit::CpuInfo::host();
  const bool is_avx512 = cpu.hasFeature(Features::kAVX512_F) && cpu.hasFeature(Features::kAVX512_BW) &&
                         cpu.hasFeature(Features::kAVX512_DQ) && cpu.hasFeature(Features::kAVX512_VL);
  if (is_avx512) return 64;
  return cpu.hasFeature(Features::kAVX2) ? 32 : 0;
}

}  // namespace cairn::jit::ssa
