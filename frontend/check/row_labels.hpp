// The labels of rows and their texts.
#pragma once

#include <optional>
#include <string_view>

#include "frontend/check/rows.hpp"
#include "frontend/check/types.hpp"

namespace cairn::checked {

[[nodiscard]] std::optional<Label> label_of(std::string_view text);

/// transfer:h2d and the others; pinned and unified memory count as the host's.
[[nodiscard]] Label transfer_label(Placement from, Placement to);

}  // namespace cairn::checked
