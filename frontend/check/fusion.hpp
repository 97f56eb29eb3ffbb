// Whether regions may be fused (concurrency, 13.3): what a plan's `fuse` asks for. Running a chain as it is written
// gives the same bits, so nothing but the refusal depends on this.
#pragma once

#include <optional>

#include "frontend/check/program.hpp"
#include "frontend/diagnostics/diagnostic.hpp"

namespace cairn {

class Checker;

/// Whether some two adjacent regions of a function may join; rows are known.
[[nodiscard]] bool has_fusible_regions(const checked::Function& function);

}  // namespace cairn
