// Bytecode to SSA in one pass over a function's blocks: Braun, Buchwald, Hack, Leißa, Mallach and Zwinkau, "Simple and
// efficient construction of static single assignment form" (2013).
#pragma once

#include <optional>

#include "jit/ssa/ir.hpp"

namespace cairn::jit::ssa {

struct BuildOptions {
  std::uint32_t entry_word = 0;  // a loop's start: every live slot is read from the frame
  bool counts = false;           // back edges are polled
};

/// The function's form; nothing for one that threads may stop within (barriers, warps) or whose outgoing slots hold
/// floats on one way and integers on another.
[[nodiscard]] std::optional<Function> build(const bytecode::Module& module, std::uint32_t function,
                                            const BuildOptions& options);

}  // namespace cairn::jit::ssa
