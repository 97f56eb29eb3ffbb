// Costs of operation kinds out of times of loops: what `cairn doctor --calibrate` measures, told apart.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace cairn::predict {

/// A loop that was timed: how often each kind stands in a turn, and the nanoseconds of a turn.
struct TimedLoop {
  std::map<std::string, double> ops;
  double ns = 0;
};

/// Nanoseconds of each kind that stands in some loop, none below 0, so that the sum of squares of the loops' relative
/// errors is least: non-negative least squares by cyclic coordinate descent (Franc, Hlavac, Navara: Sequential
/// coordinate-wise algorithm for the non-negative least squares problem, CAIP 2005). Times are more than 0.
[[nodiscard]] std::map<std::string, double> fitted_costs(const std::vector<TimedLoop>& loops);

}  // namespace cairn::predict
