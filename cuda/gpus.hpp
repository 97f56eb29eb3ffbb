// The GPUs of this machine, as its CUDA driver reports them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cairn::cuda {

struct Gpu {
  int ordinal = 0;  // as the driver counts
  std::string name;
  int major = 0, minor = 0;  // compute capability
  std::uint64_t memory_bytes = 0;
  /// The device target that is exactly it: "sm_90".
  [[nodiscard]] std::string target() const { return "sm_" + std::to_string(major) + std::to_string(minor); }
};

/// What the CUDA driver of this machine reports. Nothing is started on a device; but a process that asked must not ask
/// again after a fork.
struct Gpus {
  std::vector<Gpu> found;
  std::string driver;   // version of its API: "13.0"; empty: there is none
  std::string library;  // where it was found
  std::string missing;  // why `found` is empty, as a sentence without its full stop
};
[[nodiscard]] Gpus list_gpus();

}  // namespace cairn::cuda
