// The natives behind mma_unordered on whole matrices (numerics, 4). `device.multiply.*` is given matrices of the
// device's memory; on host threads, which stand in for a device when a run is emulated, it is the same.
#pragma once

#include <span>

#include "vm/interpreter/native.hpp"

namespace cairn {

[[nodiscard]] std::span<const NativeEntry> matrix_natives();

}  // namespace cairn
