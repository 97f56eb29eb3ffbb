// Test vectors: files of operands and what the library must say of them (reference algorithms, 17.9 and 18).
#pragma once

#include <cstddef>
#include <expected>
#include <functional>
#include <string>
#include <string_view>

#include "runtime/reference/value.hpp"
#include "runtime/reference/work.hpp"

namespace cairn::reference {

inline constexpr std::string_view kVectorSchema = "cairn.algorithm-vectors/1";

struct VectorCounts {
  std::size_t passed = 0;
  std::size_t failed = 0;
};

/// Holds the library to every vector of a file's text. `fail` is told of each that differs: its index, and
/// `KIND ALGORITHM: what differed`. Refused before any is judged when the text is no vector file or holds a kind this
/// library does not know.
[[nodiscard]] std::expected<VectorCounts, Refusal> check_vectors(
    std::string_view text, const std::function<void(std::size_t index, const std::string& what)>& fail,
    const Work* work);

}  // namespace cairn::reference
