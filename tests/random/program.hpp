// Random well-typed programs as text: numbers of every kind with checked and wrapping operators, records, sums and
// matches, arrays, parts, owners that move and are released, growable arrays, function values, closures, dynamic
// dispatch, outcomes and `try`, deferred calls, regions and collectors, tasks, text, asserts, and guards that sometimes
// fail. Equal seeds give equal programs; every loop and recursion ends.
#pragma once

#include <cstdint>
#include <string>

namespace cairn::tests::random {

/// `fn entry(k:usize) -> u64` and what it needs; the number it gives is made of everything the program holds at its
/// end. The checker may refuse a program.
[[nodiscard]] std::string program(std::uint64_t seed);

}  // namespace cairn::tests::random
