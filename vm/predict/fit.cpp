#include "vm/predict/fit.hpp"

#include <algorithm>
#include <cmath>

namespace cairn::predict {

std::map<std::string, double> fitted_costs(const std::vector<TimedLoop>& loops) {
  constexpr int kMostSweeps = 20'000;
  constexpr double kStill = 1e-9;  // ns: no cost moves further in a sweep
  std::map<std::string, double> costs;
  for (const TimedLoop& loop : loops) {
    for (const auto& [kind, times] : loop.ops) {
      if (times > 0) costs.emplace(kind, 0.0);
    }
  }
  std::vector<double> left(loops.size(), 1.0);  // of each loop's time, in parts of it
  for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
    double moved = 0;
    for (auto& [kind, cost] : costs) {
      double along = 0;
      double square = 0;
      for (std::size_t k = 0; k < loops.size(); ++k) {
        const auto times = loops[k].ops.find(kind);
        if (times == loops[k].ops.end()) continue;
        const double part = times->second / loops[k].ns;
        along += part * left[k];
        square += part * part;
      }
      const double next = std::max(0.0, cost + along / square);
      for (std::size_t k = 0; k < loops.size(); ++k) {
        const auto times = loops[k].ops.find(kind);
        if (times != loops[k].ops.end()) left[k] -= times->second / loops[k].ns * (next - cost);
      }
      moved = std::max(moved, std::abs(next - cost));
      cost = next;
    }
    if (moved < kStill) break;
  }
  return costs;
}

}  // namespace cairn::predict
