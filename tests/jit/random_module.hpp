// Random well-typed modules: arithmetic on every scalar type, branches, bounded loops, records and arrays in the frame,
// views, calls of every kind, output, and guards that sometimes fail. Equal seeds give equal modules.
#pragma once

#include "vm/bytecode/module.hpp"

namespace cairn::tests {

/// Function 0 takes a view mut of kHostWords u64, which the program reads and writes, and gives a u64.
[[nodiscard]] bytecode::Module random_module(std::uint64_t seed);
inline constexpr std::uint64_t kHostWords = 40;

}  // namespace cairn::tests
