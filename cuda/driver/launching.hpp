// From a kernel's code to launches: how many blocks, which arguments, how much scratch (devices, 16 and 20).
#pragma once

#include <cstdint>
#include <expected>
#include <span>
#include <string>

#include "cuda/driver/gpu_device.hpp"

namespace cairn::cuda {

/// What the entries' arguments are.
struct LaunchValues {
  std::uint64_t count = 0;  // indices, or blocks of a cooperative region
  Address output = 0;
  Address staging = 0;
  Address scratch = 0;
  std::uint64_t tiles = 0;
  Address total = 0;
  Address counter = 0;
  bool runs_without_count = false;  // a region with a finish
};

/// The device memory a launch needs of the context's own: scratch first, then a selection's staging.
struct Room {
  std::uint64_t tiles = 0;
  std::uint64_t scratch_bytes = 0;  // a multiple of 256
  std::uint64_t staging_bytes = 0;
  [[nodiscard]] std::uint64_t bytes() const { return scratch_bytes + staging_bytes; }
};

/// Of a launch over `count` indices; why there can be none, when it has more tiles than a grid has blocks.
[[nodiscard]] std::expected<Room, std::string> room_of(const LoadedKernel& kernel, std::uint64_t count);

/// Launches every entry, in order.
[[nodiscard]] Status launch_entries(const Functions& call, const LoadedKernel& kernel,
                                    std::span<const std::uint8_t> environment, const LaunchValues& values,
                                    StreamHandle stream);

}  // namespace cairn::cuda
