// What the gradients of one key head and of its query rows can be (reference algorithms, 13).
#pragma once

#include <vector>

#include "runtime/reference/attention_bounds.hpp"
#include "runtime/reference/attention_reference.hpp"

namespace cairn::reference {

/// Row-major as HeadReference.
struct HeadOutcomes {
  std::vector<Outcome> query, key, value;
};
[[nodiscard]] HeadOutcomes head_outcomes(const AttentionProblem& problem, const AttentionConstants& constants,
                                         std::size_t head, const std::vector<RowLogits>& rows);
/// Nothing is excluded.
[[nodiscard]] HeadOutcomes any_head_outcomes(const AttentionProblem& problem, std::size_t rows);

}  // namespace cairn::reference
