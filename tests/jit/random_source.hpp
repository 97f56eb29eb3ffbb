// Random programs as text, made against the proofs that leave guards out: accesses, sums, differences, quotients,
// shifts and conversions stand behind conditions, early exits, loops and derived names that nearly prove them, with
// assignments, shorter buffers, closures, regions and deferred calls between a proof and its use. Equal seeds give
// equal texts.
#pragma once

#include <cstdint>
#include <string>

namespace cairn::tests {

/// `fn entry(p:usize, q:usize, x:u64, y:i64) -> u64` and what it calls. The checker may refuse a text.
[[nodiscard]] std::string random_source(std::uint64_t seed);

}  // namespace cairn::tests
