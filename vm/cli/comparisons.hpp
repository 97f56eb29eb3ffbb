// Comparisons of the solver, each in a process of its own that is stopped when it overstays: a query at its time limit,
// all of them together at their budget.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "vm/verify/equivalence.hpp"

namespace cairn::cli {

struct ComparisonLimits {
  unsigned timeout_ms = verify::kDefaultTimeoutMs;  // of a query
  double budget_seconds = 0;                        // of all; 0: none
};

/// A comparison still to be made. It puts `before_query` into its question.
using ComparisonJob = std::function<verify::Answer(const std::function<void(std::string_view)>& before_query)>;

/// Runs the jobs on the machine's cores, at most 8 at a time, and gives their answers in order. `done(index)` is called
/// as each ends. Called before any thread exists.
[[nodiscard]] std::vector<verify::Answer> run_comparisons(const std::vector<ComparisonJob>& jobs,
                                                          const ComparisonLimits& limits,
                                                          const std::function<void(std::size_t)>& done);

/// How a human reads an answer's witness: "at x = 40: the reference returns 80, the candidate returns 120".
[[nodiscard]] std::string witness_text(const verify::Answer& answer, std::string_view before, std::string_view after);
/// "km = 12, xs = [1, 2]".
[[nodiscard]] std::string inputs_text(const nlohmann::ordered_json& inputs);

}  // namespace cairn::cli
