// Comments that document: the run of `//` lines directly above a declaration (tools, section 3.9).
#pragma once

#include <string_view>
#include <vector>

#include "frontend/source/source_map.hpp"

namespace cairn::syntax {

/// The lines of the comment directly above the line a declaration stands on, top first, each without `//`, the one
/// space that may follow it, and white space at its end. Empty when no comment touches it.
[[nodiscard]] std::vector<std::string_view> comment_above(const SourceMap& sources, Position declaration);

}  // namespace cairn::syntax
