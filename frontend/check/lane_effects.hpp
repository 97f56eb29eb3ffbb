// Which effects lanes may have (concurrency, 7.4; devices, 4.1).
#pragma once

#include <string>
#include <vector>

#include "frontend/check/program.hpp"
#include "frontend/check/rows.hpp"

namespace cairn {

class Checker;

namespace checked {

/// What a lane of that side may not do of a row, as text; empty when it may do all of it.
[[nodiscard]] std::string effects_no_lane_has(const Row& row, const NameTable& names, bool device);

/// The same of what a lane or kernel body does itself, closures in it included, callees left out.
[[nodiscard]] std::string effects_no_lane_has(Checker& checker, const Function& lane, bool device);

}  // namespace checked
}  // namespace cairn
