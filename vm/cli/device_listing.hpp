// `cairn emit --as device`: of every kernel the source NVRTC is given, the PTX it returns, and what ptxas says the
// kernel takes (tools, 3.15). What is missing is named where its part would stand. And what `predict --inspect` reads.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <vector>

#include "vm/bytecode/module.hpp"

namespace cairn::cli {

/// Of the kernels of these functions and those inside them, or of all; an error is a kernel that cannot be written or
/// compiled. Empty for a module without device work.
[[nodiscard]] std::expected<std::string, std::string> device_listing(const bytecode::Module& module,
                                                                     const std::vector<std::uint32_t>& functions,
                                                                     const std::string& target);

/// A kernel as ptxas makes it: the function it stands in, the line of its region, and the most that an entry of it
/// takes.
struct InspectedKernel {
  std::string function;
  std::uint32_t line = 0;
  std::uint32_t registers = 0;  // a thread
  std::uint32_t shared_bytes = 0;
  std::uint32_t stack_bytes = 0;
};

/// Every kernel of the module, compiled for the target; nothing runs. The error is the tool that is missing, or what it
/// refuses.
[[nodiscard]] std::expected<std::vector<InspectedKernel>, std::string> inspect_kernels(const bytecode::Module& module,
                                                                                       const std::string& target);

}  // namespace cairn::cli
