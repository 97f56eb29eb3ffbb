// Which functions of a device library a caller may queue on a stream of its own (devices, 21).
#pragma once

#include <string>

#include "frontend/check/program.hpp"

namespace cairn {

/// Why a function with device work has no form that queues its work and returns without waiting, so that a CUDA graph
/// may capture it: the first reason that applies, as the end of a sentence ("it allocates device memory"). Empty when
/// it has that form. Rows are known.
[[nodiscard]] std::string reason_not_to_enqueue(const checked::Function& function, const NameTable& names);

}  // namespace cairn
