// Cooperative regions in the interpreter: the threads of a block are frames that stop at barriers and warp operations
// and are taken up again, phase by phase, by one host thread (devices, 16).
#pragma once

#include "jit/jit.hpp"
#include "vm/interpreter/machine.hpp"

namespace cairn::interpreter {

/// Blocks on the lane pool, then the finish.
[[nodiscard]] const Word* run_cooperative(Machine m, const Word* pc);

/// Leaves the interpreter at `pc`: what is there is done by the block's scheduler.
[[nodiscard]] const Word* suspend(Machine& m, const Word* pc);

/// What a kernel's machine code calls for a warp operation (jit::KernelExchange).
std::uint64_t exchange_words(jit::KernelBlock* block, std::uint64_t first, std::uint64_t point);

[[nodiscard]] const Word* shared_view(Machine& m, const Word* pc);
[[nodiscard]] const Word* pipeline_fill(Machine& m, const Word* pc);
[[nodiscard]] const Word* pipeline_view(Machine& m, const Word* pc);

}  // namespace cairn::interpreter
