// How a line that is too long is broken (tools, 3.5, rule 7).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "frontend/format/spacing.hpp"

namespace cairn::format {

/// One line of output: its indent in columns and the tokens on it.
struct Line {
  std::size_t indent = 0;
  std::vector<std::uint32_t> tokens;
};

/// Code points of the tokens on one line.
[[nodiscard]] std::size_t width_of(const std::vector<Piece>& pieces, std::span<const std::uint32_t> tokens);

/// The line as it is when it fits, else broken by the first rule that applies, its parts again.
[[nodiscard]] std::vector<Line> broken(const std::vector<Piece>& pieces, Line line);

}  // namespace cairn::format
