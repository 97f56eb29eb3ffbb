// The natives behind std.reference (reference algorithms, 16): what its CAIRN text hands over is read back into the
// library's own types, judged there, and given back as numbers. A refused argument is a trap of the kind `reference`.
#pragma once

#include <span>

#include "vm/interpreter/native.hpp"

namespace cairn {

[[nodiscard]] std::span<const NativeEntry> reference_natives();

}  // namespace cairn
