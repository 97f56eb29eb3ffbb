// Arrays from outside a cooperative region (devices, 15): no barrier orders two blocks, so each element is written by
// one thread of the whole region at most, and read only by the thread that writes it; or the array is updated
// atomically alone.
#pragma once

#include <span>

#include "frontend/check/cooperative.hpp"
#include "frontend/check/cooperative_text.hpp"

namespace cairn {

/// E-COOP-GLOBAL at the first write, or at the read; E-ATOMIC-MIXED at the plain access. `grid`: the extents of the
/// block names; none of a finish.
void require_single_writers(const checked::ThreadBody& body, std::span<const checked::LetStmt* const> grid,
                            const CooperativeText& text);

}  // namespace cairn
