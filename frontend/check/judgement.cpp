// Judging rows over the whole program (abstractions, section 1, phase 11; tools, 4.3 and 4.4): ceilings, the rows of
// implementations and operand order, each in declaration order, at most one refusal a body.
#include "frontend/check/judgement.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>

#include "frontend/check/checker.hpp"
#include "frontend/check/device_reach.hpp"
#include "frontend/check/effect_ceilings.hpp"
#include "frontend/check/judgement_state.hpp"
#include "frontend/check/lane_judgement.hpp"
#include "frontend/check/order_audit.hpp"

namespace cairn {

void ProgramJudgement::judge_uninstantiated() {
  Checker& checker = state_->checker;
  for (const FunctionInfo* info : checker.functions()) {
    const bool is_candidate = !info->module && info->impl == nullptr && info->is_template() && !info->instantiated;
    if (!is_candidate || info->is_implementation()) continue;
    const auto is_natural = [](const syntax::GenericParameter& parameter) {
      return parameter.bound == syntax::BoundKind::Nat;
    };
    if (!std::ranges::all_of(info->generics, is_natural)) continue;
    const bool has_copy = std::ranges::any_of(checker.functions(), [&](const FunctionInfo* other) {
      return other->function() != nullptr && other->function()->copy_of == info->declaration;
    });
    if (has_copy) continue;
    refuse(Code::Uninstantiated, info->declaration->position,
           "Nothing instantiates the template " + std::string(info->full_name) +
               ", so its body was never checked; call it with its numbers written or copy it with a family.");
  }
}

namespace {

/// One pass over the functions of a program in declaration order.
class RowPass {
 public:
  RowPass(ProgramJudgement::State& state, bool refused_before) : state_(state), checker_(state.checker) {
    put_in_order();
    if (refused_before) find_tainted();
  }

  RowJudgement run(bool refused_before) {
    const bool has_implementations = !refused_before && !state_.implementations.empty();
    checked::RowGraph& graph = *state_.graph;
    graph.solve();
    judge_ceilings();
    if (has_implementations) {
      judge_implementations();
      for (const Implementation& each : state_.implementations) {
        for (const ImplementationInstance& instance : each.instances) {
          graph.add_implementation(*each.reference, *instance.function);
        }
      }
      graph.solve();
      judge_ceilings();  // of callers: a reference's row now holds what its ceiling allows and an implementation does
    }
    judge_order();
    // What follows is judged only when nothing was refused so far, and reported alone (tools, 4.3).
    if (!refused_before && result_.refusals.empty()) judge_lanes();
    if (!refused_before && result_.refusals.empty()) judge_reach();
    if (!refused_before && result_.refusals.empty()) judge_plans();
    return std::move(result_);
  }

 private:
  /// Declaration order; closures and lane bodies belong to the function they stand in.
  void put_in_order() {
    std::unordered_map<const syntax::Decl*, std::size_t> rank;
    for (const syntax::Decl* declaration : checker_.declarations()) {
      rank.emplace(declaration, rank.size());
      if (declaration->kind != syntax::DeclKind::Impl) continue;
      for (const syntax::FunctionDecl* member : declaration->as<syntax::ImplDecl>().members)
        rank.emplace(member, rank.size());
    }
    std::vector<std::pair<std::size_t, checked::Function*>> ranked;
    for (const auto& function : checker_.program().functions) {
      if (function->parent != nullptr || function->kind == checked::FunctionKind::Extern) continue;
      const auto found = rank.find(function->declaration);
      ranked.emplace_back(found == rank.end() ? rank.size() : found->second, function.get());
    }
    std::ranges::sort(ranked, {}, [](const auto& each) { return std::pair(each.first, each.second->index); });
    for (const auto& [at, function] : ranked) order_.push_back(function);
  }

  /// Functions from which a refused body can be reached, or a reference whose implementations were not judged.
  void find_tainted() {
    for (const checked::Function* function : order_) {
      if (function->body == nullptr) state_.graph->mark_reaching(*function, tainted_);
    }
    for (const FunctionInfo* info : checker_.functions()) {
      if (!info->is_implementation()) continue;
      const auto& path = info->function()->implements.reference;
      std::vector<Name> names;
      for (const syntax::Identifier& segment : path.segments) names.push_back(segment.name);
      const Symbol symbol = checker_.peek(names, info->module, kWantFunction);
      if (symbol.function == nullptr || symbol.function->concrete == nullptr) continue;
      state_.graph->mark_reaching(*symbol.function->concrete, tainted_);
    }
  }

  bool may_judge(const checked::Function& function) {
    if (function.body == nullptr) return false;
    const bool is_reachable = tainted_[function] || reaches_refused_[function];
    if (is_reachable && !result_.refused.contains(&function)) result_.not_judged.insert(&function);
    return !is_reachable;
  }

  void refuse_function(const checked::Function& function, Diagnostic diagnostic) {
    if (!function.declaration->derived.empty()) {
      diagnostic.detail("derived", std::string(function.declaration->derived));
    }
    result_.refusals.push_back(std::move(diagnostic));
    result_.about.push_back(&function);
    result_.refused.insert(&function);
    // What reaches a refused function is not refused for the same row again.
    state_.graph->mark_reaching(function, reaches_refused_);
  }

  void judge_ceilings() {
    for (const checked::Function* function : order_) {
      const bool has_ceiling = function->ceiling != nullptr && function->ceiling->present;
      if (result_.refused.contains(function) || !may_judge(*function) || !has_ceiling) continue;
      std::vector<std::string> extra = labels_beyond(*function->row, *function, *function->ceiling, checker_.names());
      if (extra.empty()) continue;
      std::string list;
      for (const std::string& label : extra) list += (list.empty() ? "" : ", ") + label;
      Diagnostic diagnostic;
      diagnostic.code = Code::EffectCeiling;
      diagnostic.position = function->declaration->position;
      diagnostic.message = std::string(function->name) + " has effects its ceiling does not allow: " + list + ".";
      diagnostic.detail("function", std::string(function->name));
      diagnostic.detail("added_effects", std::move(extra));
      refuse_function(*function, std::move(diagnostic));
    }
  }

  void judge_implementations() {
    for (const Implementation& implementation : state_.implementations) {
      const bool may = std::ranges::all_of(implementation.instances, [&](const ImplementationInstance& instance) {
        return !result_.refused.contains(instance.function) && may_judge(*instance.function);
      });
      if (!may || !may_judge(*implementation.reference)) continue;
      if (auto refused = judge_implementation_rows(state_, implementation)) {
        refuse_function(*implementation.instances.front().function, std::move(*refused));
      }
    }
  }

  void judge_order() {
    for (const checked::Function* function : order_) {
      if (result_.refused.contains(function) || !may_judge(*function)) continue;
      if (auto refused = checked::audit_operand_order(checker_, *state_.graph, *function)) {
        refuse_function(*function, std::move(*refused));
      }
    }
  }

  void judge_lanes() {
    for (const checked::Function* function : order_) {
      if (result_.refused.contains(function) || !may_judge(*function)) continue;
      if (auto refused = checked::judge_lane_calls(checker_, *state_.graph, *function)) {
        return refuse_function(*function, std::move(*refused));
      }
    }
  }

  void judge_reach() {
    checked::DeviceReach reach(checker_, *state_.graph);
    for (const checked::Function* function : order_) {
      if (!may_judge(*function)) continue;
      if (auto refused = reach.judge(*function)) return refuse_function(*function, std::move(*refused));
    }
  }

  void judge_plans() {
    const auto may = [&](const checked::Function& function) {
      return !result_.refused.contains(&function) && may_judge(function);
    };
    for (const syntax::Decl* declaration : checker_.declarations()) {
      if (declaration->kind != syntax::DeclKind::Plan) continue;
      if (auto refused = judge_fusion(checker_, declaration->as<syntax::PlanDecl>(), may)) {
        return result_.refusals.push_back(std::move(*refused));
      }
    }
  }

  ProgramJudgement::State& state_;
  Checker& checker_;
  std::vector<checked::Function*> order_;
  checked::RowGraph::Reach tainted_;
  checked::RowGraph::Reach reaches_refused_;
  RowJudgement result_;
};

}  // namespace

RowJudgement ProgramJudgement::judge_rows(bool refused_before) {
  state_->graph = std::make_unique<checked::RowGraph>(state_->checker);
  return RowPass(*state_, refused_before).run(refused_before);
}

}  // namespace cairn
