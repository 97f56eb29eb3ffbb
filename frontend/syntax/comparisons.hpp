// Comparisons of comparisons.
#pragma once

#include "frontend/syntax/ast.hpp"

namespace cairn::syntax {

/// The comparison that holds exactly when `op` does not. Not for < and the like of floats.
[[nodiscard]] constexpr BinaryOp negated(BinaryOp op) {
  switch (op) {
    case BinaryOp::Equal:
      return BinaryOp::NotEqual;
    case BinaryOp::NotEqual:
      return BinaryOp::Equal;
    case BinaryOp::Less:
      return BinaryOp::GreaterEqual;
    case BinaryOp::LessEqual:
      return BinaryOp::Greater;
    case BinaryOp::Greater:
      return BinaryOp::LessEqual;
    default:
      return BinaryOp::Less;
  }
}

}  // namespace cairn::syntax
