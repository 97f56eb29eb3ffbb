// The text of a call as written, for messages that show it.
#pragma once

#include <string>
#include <string_view>

#include "frontend/source/source_map.hpp"

namespace cairn {

/// The call of `callee` that begins at a position, `a.b(c)` say, when it stands on one line and is short; else empty.
[[nodiscard]] std::string call_text(const SourceMap& sources, Position begin, std::string_view callee);

}  // namespace cairn
