// When the guard of one operation cannot fail: by its operands' widths and literals, and by the facts where it stands
// (concurrency, 7.3 and 13.3).
#pragma once

#include "frontend/check/facts.hpp"

namespace cairn {

/// Integer + - * on usize (* on any unsigned type) that the facts or the operands' largest values bound; / and % of
/// unsigned values by a literal; whatever has no guard.
[[nodiscard]] bool arithmetic_cannot_fail(checked::BinaryOp op, const checked::Expr& left, const checked::Expr& right,
                                          Facts& facts);
/// A shift whose count is known to be below the width.
[[nodiscard]] bool shift_cannot_fail(const checked::BuiltinExpr& shift);
/// A conversion that no value of its operand leaves.
[[nodiscard]] bool conversion_cannot_fail(const checked::ConvertExpr& conversion);

}  // namespace cairn
