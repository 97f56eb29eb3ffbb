// What an implementation may do (abstractions, 11.4): no effect beyond its ceiling, no way back to its reference, no
// rounding its reference does not write. Rows are those without the implementations' own.
#include <algorithm>
#include <string>
#include <unordered_set>

#include "frontend/check/checker.hpp"
#include "frontend/check/effect_ceilings.hpp"
#include "frontend/check/judgement_state.hpp"
#include "frontend/report/numerics.hpp"

namespace cairn {

namespace {

class ImplementationRows {
 public:
  ImplementationRows(const ProgramJudgement::State& state, const Implementation& implementation)
      : state_(state),
        checker_(state.checker),
        implementation_(implementation),
        reference_(*implementation.reference) {}

  std::optional<Diagnostic> judge() {
    for (const ImplementationInstance& instance : implementation_.instances) {
      auto refused = effects(*instance.function);
      if (!refused) refused = way_back(*instance.function);
      if (!refused) refused = roundings(*instance.function);
      if (refused) {
        const bool is_tuned = !instance.function->arguments.empty();
        if (is_tuned) refused->message = std::string(instance.function->name) + ": " + refused->message;
        return refused;
      }
    }
    return std::nullopt;
  }

 private:
  Diagnostic refusal(Code code, std::string message) const {
    Diagnostic diagnostic;
    diagnostic.code = code;
    diagnostic.message = std::move(message);
    diagnostic.position = implementation_.declaration->position;
    return diagnostic;
  }

  std::optional<Diagnostic> effects(const checked::Function& instance) const {
    const NameTable& names = checker_.names();
    std::vector<std::string> extra;
    if (reference_.ceiling != nullptr && reference_.ceiling->present) {
      extra = labels_beyond(*instance.row, instance, *reference_.ceiling, names);
    } else {
      const auto allowed = checked::texts(*reference_.row, reference_, names);
      for (std::string& label : checked::texts(*instance.row, instance, names)) {
        if (!std::ranges::binary_search(allowed, label)) extra.push_back(std::move(label));
      }
    }
    if (extra.empty()) return std::nullopt;
    std::string list;
    for (const std::string& label : extra) list += (list.empty() ? "" : ", ") + label;
    const bool is_declared = reference_.ceiling != nullptr && reference_.ceiling->present;
    Diagnostic refused =
        refusal(Code::ImplEffect, "This implementation adds " + list + " to what " +
                                      (is_declared ? "the ceiling of its reference " : "its reference ") +
                                      std::string(reference_.name) + (is_declared ? " allows." : " does."));
    refused.detail("added_effects", std::move(extra));
    return refused;
  }

  std::optional<Diagnostic> way_back(const checked::Function& instance) const {
    if (!reaches_reference(instance)) return std::nullopt;
    return refusal(Code::ImplCall, std::string(instance.name) + " reaches its reference " +
                                       std::string(reference_.name) +
                                       ", which may run it again; let both call a shared helper.");
  }

  /// Calls, and from every reference met its implementations as well.
  bool reaches_reference(const checked::Function& start) const {
    std::vector<const checked::Function*> work{&start};
    std::unordered_set<const checked::Function*> seen{&start};
    while (!work.empty()) {
      const checked::Function& at = *work.back();
      work.pop_back();
      const auto visit = [&](const checked::Function* next) {
        if (seen.insert(next).second) work.push_back(next);
      };
      for (const checked::Function* callee : state_.graph->callees(at)) {
        if (callee == &reference_) return true;
        visit(callee);
        for (const Implementation& other : state_.implementations) {
          if (other.reference != callee) continue;
          for (const ImplementationInstance& instance : other.instances) visit(instance.function);
        }
      }
    }
    return false;
  }

  std::optional<Diagnostic> roundings(const checked::Function& instance) const {
    std::unordered_set<std::string> allowed;
    for (const NumericsEntry& entry : entries_of(reference_, false)) allowed.insert(entry.key());
    for (const NumericsEntry& entry : entries_of(reference_, true)) allowed.insert(entry.key());
    for (const bool on_device : {false, true}) {
      for (const NumericsEntry& entry : entries_of(instance, on_device)) {
        if (allowed.contains(entry.key())) continue;
        const std::string line = std::to_string(checker_.compilation().sources.locate(entry.position).line);
        return refusal(Code::ImplNumerics, "This implementation rounds where its reference " +
                                               std::string(reference_.name) + " does not: " + described(entry) +
                                               " at line " + line + ".");
      }
    }
    return std::nullopt;
  }

  static std::string described(const NumericsEntry& entry) {
    std::string text;
    for (const auto& [name, value] : entry.fields) {
      if (name == "op") text = value;
      if (name == "from") text += " from " + value;
      if (name == "to") text += " to " + value;
    }
    return text;
  }

  /// The entries of a function and of all it calls.
  std::vector<NumericsEntry> entries_of(const checked::Function& start, bool on_device) const {
    std::vector<bool> reached = state_.graph->reached_from(start);
    reached[start.index] = true;
    std::vector<NumericsEntry> all;
    for (const auto& function : checker_.program().functions) {
      // Closures and lane bodies are walked with the function they stand in.
      if (!reached[function->index] || function->parent != nullptr) continue;
      auto own = on_device ? device_folds_of(*function) : numerics_of(*function, checker_.names());
      std::ranges::move(own, std::back_inserter(all));
    }
    return all;
  }

  const ProgramJudgement::State& state_;
  Checker& checker_;
  const Implementation& implementation_;
  const checked::Function& reference_;
};

}  // namespace

std::optional<Diagnostic> judge_implementation_rows(const ProgramJudgement::State& state,
                                                    const Implementation& implementation) {
  return ImplementationRows(state, implementation).judge();
}

}  // namespace cairn
