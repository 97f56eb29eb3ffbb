// In which order the blocks of a function stand in the code, and the blocks made for edges on which phis move.
#pragma once

#include "jit/ssa/backend/nodes.hpp"

namespace cairn::jit::ssa {

/// Fills in the blocks, their edges and the moves along them; the blocks have no nodes yet.
void order_blocks(const Function& function, Nodes& nodes);

}  // namespace cairn::jit::ssa
