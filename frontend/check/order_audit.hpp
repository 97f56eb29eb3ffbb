// The operand-order audit (syntax and values, 1.11.9; abstractions, 9.4): a native compiler may evaluate operands in
// another order than a VM does, so every expression in which that could be seen is refused.
#pragma once

#include <optional>

#include "frontend/check/program.hpp"
#include "frontend/diagnostics/diagnostic.hpp"

namespace cairn {

class Checker;

namespace checked {

class RowGraph;

/// The first expression of the body, closures and lane bodies included, whose operand order could be told; rows are
/// known.
[[nodiscard]] std::optional<Diagnostic> audit_operand_order(Checker& checker, const RowGraph& rows,
                                                            const Function& function);

}  // namespace checked
}  // namespace cairn
