// Loops whose branches become selections, for the vectorizer.
#pragma once

#include "jit/ssa/flow.hpp"
#include "jit/ssa/passes.hpp"

namespace cairn::jit::ssa {

/// The ends of the latches of loops of several blocks that hold nothing but numbers, loads, stores and branches.
[[nodiscard]] std::vector<Value> loops_to_flatten(Function& function);

/// Makes the loop that the instruction ends one block. False when some branch has to stay; the function is then in
/// between, and of no use.
[[nodiscard]] bool flatten_loop(Function& function, const Context& context, Value end);

}  // namespace cairn::jit::ssa
