// Which arrays of a device region a plan may read and write in chunks or stage in shared memory (concurrency, 13.2).
#pragma once

#include <cstdint>
#include <vector>

#include "frontend/check/program.hpp"

namespace cairn {

/// What the device regions of a function allow their plan.
struct ChunkedArrays {
  std::vector<std::uint64_t> element_bytes;  // of each array some region touches only at [i], its guards discharged
  std::uint64_t least_reach = 0;             // the smallest R some array could be staged with; 0: none can
};

[[nodiscard]] ChunkedArrays chunked_arrays(const checked::Function& function);

}  // namespace cairn
