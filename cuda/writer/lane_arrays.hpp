// The arrays of a device lane that a plan may treat in its own way, read off the lane's bytecode (concurrency, 13.1).
#pragma once

#include <cstdint>
#include <vector>

#include "vm/bytecode/module.hpp"

namespace cairn::cuda::writer {

/// A view of a lane's environment that one register pair holds throughout, used by nothing but loads and stores of
/// scalars of one kind.
struct LaneArray {
  std::uint32_t slot = 0;    // of the pair
  std::uint32_t offset = 0;  // in the environment
  bytecode::RegisterKind element{};
  std::uint32_t size = 0;  // bytes of an element
  bool is_stored = false;
  bool at_own_index = true;  // every access is at the lane's own index
};
[[nodiscard]] std::vector<LaneArray> lane_arrays(const bytecode::Function& lane);

/// How a lane is written for a plan: arrays whose element of the lane's own index is a variable of the caller's, or
/// whose elements the block has staged.
struct PlannedArrays {
  bool staged = false;
  std::vector<LaneArray> arrays;
};

}  // namespace cairn::cuda::writer
