// What is judged over whole programs, after every body (abstractions, section 1, phases 10 and 11). The driver calls
// these in this order, the first two only when nothing was refused before, the last two likewise. Each part that throws
// a Refusal ends the check with that refusal alone; `judge_rows` reports every independent refusal itself (tools, 4.4).
#pragma once

#include <unordered_set>
#include <vector>

#include "frontend/check/program.hpp"
#include "frontend/diagnostics/diagnostic.hpp"

namespace cairn {

class Checker;

/// Phase 10: every `implements` clause (11.1, 11.2, 11.6: all listed instances are made), then the plan selections
/// (11.3), then schedule plans, in declaration order. On success references that are selected dispatch in their checked
/// body.
void judge_implementations(Checker& checker);

/// `family` over an implementation and calls of unlisted instances are E-IMPL-PARAM; the call part asks this.
[[nodiscard]] bool is_listed_instance(const syntax::FunctionDecl& implementation,
                                      std::span<const StaticArgument> arguments);

/// Phase 11, first: root templates of naturals alone that nothing instantiates (E-UNINSTANTIATED).
void judge_uninstantiated(Checker& checker);

/// What `judge_rows` found beyond refusals.
struct RowJudgement {
  std::vector<Diagnostic> refusals;                         // in the order met: the first one first
  std::unordered_set<const checked::Function*> refused;     // functions a refusal of this pass is about
  std::unordered_set<const checked::Function*> not_judged;  // functions whose rows a refused body may change
};

/// Phase 11: the effect fixed point (every Function gets its `row`), then ceilings in declaration order, the rows of
/// implementations (11.4), then operand order in declaration order. Functions whose `body` is null (externs aside)
/// count as refused bodies. `refused_before`: whether earlier phases refused anything.
RowJudgement judge_rows(Checker& checker, bool refused_before);

/// Phase 11, last: every declared layout, used or not. Throws.
void judge_layouts(Checker& checker);

}  // namespace cairn
