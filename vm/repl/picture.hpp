// Values that are pictures, as PNG files (PNG specification, third edition): 8 bits a channel, red, green, blue, alpha.
#pragma once

#include <cstdint>
#include <vector>

#include "frontend/check/types.hpp"
#include "frontend/support/names.hpp"
#include "vm/bytecode/module.hpp"

namespace cairn::repl {

/// A PNG file of width * height pixels 0xRRGGBBAA, the top row first. Empty when there are none, or more than a PNG
/// holds.
[[nodiscard]] std::vector<std::uint8_t> png_of(std::uint64_t width, std::uint64_t height, const std::uint32_t* pixels);

/// The PNG file of the value at `bytes` when its type is std.image.Image; empty for every other.
[[nodiscard]] std::vector<std::uint8_t> picture_of(const Type& type, const bytecode::Module& module,
                                                   std::uint32_t index, const std::uint8_t* bytes,
                                                   const NameTable& names);

}  // namespace cairn::repl
