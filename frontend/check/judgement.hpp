// What is judged over whole programs, after every body (abstractions, section 1, phases 10 and 11). The driver calls
// the members in the order they are declared: implementations and plans only when nothing was refused before, layouts
// and dispatch only when nothing was refused at all. Members that throw a Refusal end the check with it alone;
// `judge_rows` reports every independent refusal itself (tools, 4.4).
#pragma once

#include <memory>
#include <unordered_set>
#include <vector>

#include "frontend/check/program.hpp"
#include "frontend/check/types.hpp"
#include "frontend/diagnostics/diagnostic.hpp"

namespace cairn {

class Checker;

/// What `judge_rows` found.
struct RowJudgement {
  std::vector<Diagnostic> refusals;                         // in the order met: the first one first
  std::vector<const checked::Function*> about;              // whom each of them is about
  std::unordered_set<const checked::Function*> refused;     // functions a refusal of this pass is about
  std::unordered_set<const checked::Function*> not_judged;  // functions whose rows a refused body may change
};

class ProgramJudgement {
 public:
  explicit ProgramJudgement(Checker& checker);
  ~ProgramJudgement();
  ProgramJudgement(const ProgramJudgement&) = delete;
  ProgramJudgement& operator=(const ProgramJudgement&) = delete;

  /// Phase 10: every `implements` clause (11.1, 11.2, 11.6: all listed instances are made), then the plan selections
  /// (11.3), then schedule plans (12), each in declaration order. Throws.
  void judge_implementations();

  /// Phase 11: root templates of naturals alone that nothing instantiates (E-UNINSTANTIATED). Throws.
  void judge_uninstantiated();

  /// Phase 11: the effect fixed point (every Function gets its `row`), then ceilings in declaration order, the rows of
  /// implementations (11.4), then operand order in declaration order. Functions whose `body` is null, externs aside,
  /// count as refused. `refused_before`: whether earlier phases refused anything. Throws E-EFFECT-LIMIT alone.
  RowJudgement judge_rows(bool refused_before);

  /// Phase 11, last: every declared layout, used or not. Throws.
  void judge_layouts();

  /// Phase 11, after layouts: what the device target lacks and what emulation cannot run, when a target is to be judged
  /// (devices, 18 and 19). Throws.
  void judge_target();

  /// Makes references that a plan selected for begin with `if when { return g(args); }` in their checked body.
  void dispatch_selected();

  struct State;  // judgement_state.hpp

 private:
  std::unique_ptr<State> state_;
};

/// Whether an implementation's tune clause lists these values (11.6): a call of another instance is E-IMPL-PARAM, which
/// the call part refuses.
[[nodiscard]] bool is_listed_instance(const syntax::FunctionDecl& implementation,
                                      std::span<const StaticArgument> arguments);

}  // namespace cairn
