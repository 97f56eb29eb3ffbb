#include "vm/device_choice.hpp"

#include <algorithm>

#include "cuda/compiler.hpp"
#include "frontend/project/device_target.hpp"

namespace cairn {

const cuda::Gpu* gpu_for(const cuda::Gpus& gpus, const std::string& target) {
  const auto wanted = device_target(target);
  const auto found = std::ranges::find_if(
      gpus.found, [&](const cuda::Gpu& gpu) { return wanted && wanted->runs_on(10 * gpu.major + gpu.minor); });
  return found == gpus.found.end() ? nullptr : &*found;
}

std::optional<std::string> why_not_run_on_device(const cuda::Gpus& gpus, const std::string& target) {
  if (gpu_for(gpus, target) == nullptr) {
    std::string why = "no device here runs code for " + target;
    for (const cuda::Gpu& gpu : gpus.found) {
      why += (&gpu == gpus.found.data() ? ": there is " : ", ") + gpu.name + " (" + gpu.target() + ")";
    }
    return gpus.missing.empty() ? why : why + ": " + gpus.missing;
  }
  const auto compiler = cuda::Compiler::open(target);
  if (compiler) return std::nullopt;
  return "nothing here compiles its kernels for " + target + ": " + compiler.error();
}

}  // namespace cairn
