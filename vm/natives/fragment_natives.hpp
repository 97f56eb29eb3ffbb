// The natives behind tensor-core fragments on host threads (numerics, 9.6): what one thread of an emulated warp does. A
// fragment is an Array of f32 in the thread's frame; the number of the thread tells its lane.
#pragma once

#include <span>

#include "vm/interpreter/native.hpp"

namespace cairn {

[[nodiscard]] std::span<const NativeEntry> fragment_natives();

}  // namespace cairn
