// Linear scan with splitting of intervals (Wimmer and Mössenböck, "Optimized interval splitting in a linear scan
// register allocator", 2005).
#pragma once

#include "jit/ssa/backend/intervals.hpp"

namespace cairn::jit::ssa {

/// Gives every part of every interval a register or memory. False when a node asks for more registers than there are.
[[nodiscard]] bool allocate(const Nodes& nodes, Intervals& intervals);

}  // namespace cairn::jit::ssa
