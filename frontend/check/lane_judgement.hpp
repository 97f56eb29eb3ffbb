// What lanes call, judged by rows (concurrency, 7.4): E-PARALLEL-CALL at a call in a lane, or at what is passed for a
// function parameter that lanes call.
#pragma once

#include <optional>

#include "frontend/check/program.hpp"
#include "frontend/diagnostics/diagnostic.hpp"

namespace cairn {

class Checker;

namespace checked {

class RowGraph;

/// The first fault of a function, its closures and lanes included; rows are known.
[[nodiscard]] std::optional<Diagnostic> judge_lane_calls(Checker& checker, const RowGraph& rows,
                                                         const Function& function);

}  // namespace checked
}  // namespace cairn
