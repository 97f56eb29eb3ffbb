// What the lanes of one region access (concurrency, 7.2): recorded while the body is judged, compared when it is
// complete. Only arrays from outside the region count, by the local their place starts from.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "frontend/check/program.hpp"

namespace cairn {

struct LaneAccess {
  const checked::Local* root = nullptr;
  std::optional<std::uint64_t> stride;  // none: the element cannot be told to be the lane's own
  bool writes = false;
  Position at;
};

struct LaneRecord {
  bool device = false;
  const checked::Function* function = nullptr;
  const checked::Local* binder = nullptr;  // null: a thread of a cooperative region, whose accesses are judged apart
  std::vector<LaneAccess> accesses;        // plain ones, in the order they are judged
  std::vector<LaneAccess> atomics;         // atomic updates of elements
};

}  // namespace cairn
