// What one query row's output and logsumexp can be (reference algorithms, 12.3 to 12.6).
#pragma once

#include <vector>

#include "runtime/reference/attention_bounds.hpp"

namespace cairn::reference {

struct RowOutcomes {
  std::vector<Outcome> output;
  Outcome logsumexp;
};
/// Elements that something spoils are not looked at here.
[[nodiscard]] RowOutcomes row_outcomes(const AttentionProblem& problem, const AttentionConstants& constants,
                                       const RowLogits& row);

}  // namespace cairn::reference
