// `cairn explain`, its static part (tools, 3.10): what each function needs guarded, where it allocates, which calls
// cost and where it waits; and what every declared layout comes to. What the lowered code kept is added by who lowers.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "frontend/frontend.hpp"

namespace cairn {

/// `{functions: {NAME: {...}}, layouts: {...}}` of an accepted program: its own functions, library ones left out.
[[nodiscard]] nlohmann::ordered_json explanation(const Compilation& compilation);

}  // namespace cairn
