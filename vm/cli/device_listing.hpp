// `cairn emit --as device`: of every kernel the source NVRTC is given, the PTX it returns, and what ptxas says the
// kernel takes (tools, 3.15). What is missing is named where its part would stand.
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

}  // namespace cairn::cli
