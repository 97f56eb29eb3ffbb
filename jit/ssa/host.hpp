// What is asked of the processor the code is made for.
#pragma once

#include <cstdint>

#include "jit/ssa/ir.hpp"
#include "runtime/pair/functions.hpp"

namespace cairn::jit::ssa {

/// Bytes of its widest vectors: 64 with AVX-512 (F, BW, DQ, VL), 32 with AVX2, else 0.
[[nodiscard]] std::uint32_t host_vector_bytes();
/// Whether it rounds a product and a sum once. Without, Opcode::Fma has no machine code.
[[nodiscard]] bool host_has_fused();
/// What it runs for a PairFunction.
[[nodiscard]] const PairCode& pair_code(const Instruction& function);

}  // namespace cairn::jit::ssa
