// What starting a region costs when the pool is warm: microseconds a region, the median of some runs.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <vector>

#include "runtime/pool/lane_pool.hpp"

int main() {
  using Clock = std::chrono::steady_clock;
  constexpr int kRegions = 20000;
  for (const std::size_t lanes : {1U, 2U, 4U}) {
    cairn::runtime::LanePool pool(lanes);
    std::vector<double> costs;
    for (int round = 0; round < 11; ++round) {
      const auto begin = Clock::now();
      for (int i = 0; i < kRegions; ++i) {
        auto body = [](std::size_t, std::size_t, std::size_t) { return true; };
        pool.run({.count = lanes, .chunk = 1, .max_lanes = 0}, body);
      }
      costs.push_back(std::chrono::duration<double, std::micro>(Clock::now() - begin).count() / kRegions);
    }
    std::ranges::sort(costs);
    std::printf("%zu lanes: %.3f us a region\n", lanes, costs[costs.size() / 2]);
  }
}
