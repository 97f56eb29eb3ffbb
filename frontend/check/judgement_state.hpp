// What the judgement of a whole program keeps between its phases: implementations with their instances and conditions,
// the selections plans made, and the call graph with its rows.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "frontend/check/judgement.hpp"
#include "frontend/check/row_graph.hpp"

namespace cairn {

/// One listed instance of an implementation (abstractions, 11.6); the only one when it has no parameters.
struct ImplementationInstance {
  checked::Function* function = nullptr;
  const checked::Expr* when = nullptr;  // over the reference's own parameters; null: always
};

struct Implementation {
  const syntax::FunctionDecl* declaration = nullptr;
  checked::Function* reference = nullptr;
  std::vector<ImplementationInstance> instances;
};

struct ProgramJudgement::State {
  explicit State(Checker& program_checker) : checker(program_checker) {}

  Checker& checker;
  std::vector<Implementation> implementations;                                     // in declaration order
  std::unordered_map<checked::Function*, const ImplementationInstance*> selected;  // by reference
  std::unique_ptr<checked::RowGraph> graph;
};

/// implementations.cpp: one `implements` clause, its instances made.
[[nodiscard]] Implementation judge_implementation(Checker& checker, const syntax::FunctionDecl& declaration);
/// The natural of each parameter of a tuned instance, for messages: `g[2, 4]`.
[[nodiscard]] std::vector<std::vector<StaticArgument>> listed_instances(Checker& checker,
                                                                        const syntax::FunctionDecl& declaration);

/// implementation_conditions.cpp: the `when` of an instance, judged and put over the reference's parameters.
[[nodiscard]] const checked::Expr* judge_condition(Checker& checker, const syntax::FunctionDecl& implementation,
                                                   const checked::Function& instance,
                                                   const checked::Function& reference);

/// plans.cpp: `plan f { ... }` (concurrency, 13.2, rules 2 to 4).
void judge_schedule_plans(Checker& checker);
/// The last of its rules, rows known: `fuse` needs two regions that may join. Functions that may not be judged are left
/// alone.
[[nodiscard]] std::optional<Diagnostic> judge_fusion(Checker& checker, const syntax::PlanDecl& plan,
                                                     const std::function<bool(const checked::Function&)>& may_judge);

/// device_needs.cpp: the target rules of devices, 18 and 19, when options name a target or ask for emulation.
void judge_device_target(const ProgramJudgement::State& state);

/// implementation_rows.cpp (11.4): the first broken rule of an implementation, its row known.
[[nodiscard]] std::optional<Diagnostic> judge_implementation_rows(const ProgramJudgement::State& state,
                                                                  const Implementation& implementation);

}  // namespace cairn
