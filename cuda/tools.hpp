// What the command line shows of the device's tools: where they are, what a kernel takes of a device, what the cache
// holds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cuda/compiler.hpp"

namespace cairn::cuda {

struct Toolchain {
  std::optional<std::string> nvrtc;  // their paths
  std::optional<std::string> ptxas;
};
[[nodiscard]] Toolchain find_toolchain();

/// Why the NVRTC that is found cannot build the target (E-TARGET-TOOLKIT); nothing when it can, or when none is found.
[[nodiscard]] std::optional<std::string> toolkit_refusal(std::string_view target);

/// What one entry takes, as ptxas says.
struct Resources {
  std::string entry;
  std::uint32_t registers = 0;
  std::uint32_t shared_bytes = 0;
  std::uint32_t stack_bytes = 0;
  std::uint32_t spill_stores = 0;  // bytes
  std::uint32_t spill_loads = 0;
};
/// Assembles the PTX for the target with ptxas; an error when there is none, or it refuses.
[[nodiscard]] std::expected<std::vector<Resources>, std::string> resources_of(const std::string& ptx,
                                                                              std::string_view target);
/// What ptxas printed, taken apart.
[[nodiscard]] std::vector<Resources> read_resources(std::string_view printed);

struct CodeCacheState {
  std::string folder;  // empty: there is none
  std::uint64_t entries = 0;
  std::uint64_t bytes = 0;
  std::uint64_t limit = 0;
  std::string problem;  // why no kernel is kept; empty when one can be
};
[[nodiscard]] CodeCacheState code_cache_state();
struct ClearedCodeCache {
  std::uint64_t removed = 0;
  std::uint64_t left = 0;  // entries that could not be removed
  std::string why;         // the system's reason
};
ClearedCodeCache clear_code_cache();

}  // namespace cairn::cuda
