// The phase rule (devices, 12 and 13): between two barriers no two threads of a block may touch one element of a shared
// array where either writes, and nothing is read of an unzeroed array that was not surely written first.
//
// The body is run once for all threads of one block together, thread names as numbers and everything else as symbols.
// docs/phase-rule.md describes the run and its limits.
#pragma once

#include "frontend/check/cooperative.hpp"
#include "frontend/check/cooperative_text.hpp"

namespace cairn {

/// E-COOP-CONFLICT, E-COOP-UNORDERED, E-COOP-REUSE, E-COOP-UNDECIDED, E-ATOMIC-MIXED at the later access of the first
/// pair found; E-COOP-UNWRITTEN at the read; E-COOP-UNDECIDED at `region` when the run takes too many steps.
void require_ordered_phases(const checked::ThreadBody& body, Position region, const CooperativeText& text);

}  // namespace cairn
