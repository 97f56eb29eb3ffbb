// Effect ceilings (abstractions, 9.3): which labels of a row a declared ceiling does not allow.
#pragma once

#include <string>
#include <vector>

#include "frontend/check/program.hpp"
#include "frontend/check/rows.hpp"

namespace cairn {

/// The labels of a row outside a ceiling, sorted. `function` gives the names of the row's places.
[[nodiscard]] std::vector<std::string> labels_beyond(const checked::Row& row, const checked::Function& function,
                                                     const syntax::Ceiling& ceiling, const NameTable& names);

}  // namespace cairn
