// A device whose code is what the writer makes of a kernel, compiled for the host with the stand-ins of host_grid.hpp.
// It launches entries as cuda/compiler.hpp says, with small grids, so that blocks, tiles and strides all have work.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cuda/compiler.hpp"
#include "cuda/device.hpp"

namespace cairn::test {

/// What the device met that ends a program.
struct HostDeviceEnd {
  std::string unsupported;               // a kernel that the host does not compile, and why
  std::optional<cuda::DeviceTrap> trap;  // of the guard that failed
};

/// The C++ compiler that compiles texts; empty when there is none.
[[nodiscard]] std::string host_compiler();

/// A library of the C++ text, which stays for the process; null with what the compiler said.
[[nodiscard]] void* host_library(const std::string& text, std::string& said);

/// `end` outlives the device.
[[nodiscard]] std::unique_ptr<cuda::Device> host_device(const bytecode::Module& module, HostDeviceEnd& end);

}  // namespace cairn::test
