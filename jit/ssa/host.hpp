// What passes ask of the processor the code is made for.
#pragma once

#include <cstdint>

namespace cairn::jit::ssa {

/// Bytes of its widest vectors: 64 with AVX-512 (F, BW, DQ, VL), 32 with AVX2, else 0.
[[nodiscard]] std::uint32_t host_vector_bytes();

}  // namespace cairn::jit::ssa
