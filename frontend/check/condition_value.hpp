// The value of a condition that mentions no parameter (abstractions, 11.2).
#pragma once

#include <optional>

#include "frontend/check/program.hpp"

namespace cairn::checked {

/// A bool expression of literals and the operators a `when` may have; none when it holds anything else.
[[nodiscard]] std::optional<bool> condition_value(const Expr& condition);

}  // namespace cairn::checked
