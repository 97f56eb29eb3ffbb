// `cairn graph` (tools, 3.11): files, modules and who imports whom.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "frontend/frontend.hpp"

namespace cairn {

/// `{files, modules, order}` of the program's own modules and those of its dependencies; `order` has a module after
/// those it imports, where imports make no circle. `interfaces` adds each module's interface digest; the program is
/// accepted then.
[[nodiscard]] nlohmann::ordered_json module_graph(const Compilation& compilation, bool interfaces);

}  // namespace cairn
