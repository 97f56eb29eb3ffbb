// Which GPU runs a program's device work, and why none does (devices, 18 and 19).
#pragma once

#include <optional>
#include <string>

#include "cuda/gpus.hpp"

namespace cairn {

/// The first GPU that runs code for the target; null when none does, or the target is misspelled.
[[nodiscard]] const cuda::Gpu* gpu_for(const cuda::Gpus& gpus, const std::string& target);
/// Why device work for a target does not run here, as a sentence without its full stop: nothing when it does. The GPUs
/// are asked for first, then the compiler of kernels.
[[nodiscard]] std::optional<std::string> why_not_run_on_device(const cuda::Gpus& gpus, const std::string& target);

}  // namespace cairn
