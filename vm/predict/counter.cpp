#include <algorithm>

#include "frontend/check/schedule_plans.hpp"
#include "vm/predict/body_counter.hpp"

namespace cairn::predict {

Counter::Counter(const Compilation& compilation) : compilation_(compilation) {}

const Plan& Counter::plan_of(const Function& function) const {
  const syntax::PlanDecl* written = checked::schedule_plan_of(function, compilation_.tree.declarations);
  if (written == nullptr) return none_;
  const auto [known, is_new] = plans_.try_emplace(written);
  if (is_new) {
    for (const syntax::PlanItem& item : written->items) {
      known->second.items[std::string(compilation_.names.text(item.name.name))] = item.value.value;
    }
  }
  return known->second;
}

const Cost& Counter::cost_of(const Function& function) {
  if (const auto known = costs_.find(&function); known != costs_.end()) return known->second;
  active_.insert(&function);
  Cost cost;
  cost.line = compilation_.sources.locate(function.position).line;
  BodyCounter(*this, function, cost).run();
  active_.erase(&function);
  std::set<std::string> used;
  const auto note = [&](const Polynomial& of) {
    for (const std::string& variable : of.variables()) used.insert(variable);
  };
  const auto note_work = [&](const Work& work) {
    for (const auto& [kind, times] : work.ops) note(times);
    for (const auto& [array, bytes] : work.traffic) {
      note(bytes.read);
      note(bytes.written);
      note(bytes.irregular);
    }
    note(work.allocations);
    note(work.zeroed_bytes);
  };
  note_work(cost.sequential.total());
  for (const Region& region : cost.regions) {
    note(region.count);
    note(region.runs);
    note_work(region.per_index.total());
    note(region.multiply_adds);
    if (!region.cooperation) continue;
    note(region.cooperation->wavefronts);
    note(region.cooperation->copied_bytes);
    note(region.cooperation->multiply_adds);
  }
  for (const Transfer& each : cost.transfers) note(each.bytes);
  note(cost.tasks);
  for (const Local* parameter : function.parameters) {
    const std::string name(compilation_.names.text(parameter->name));
    if (!used.contains(name)) continue;
    if (parameter->type->is(TypeKind::Usize)) {
      cost.extents.push_back(name);
    } else {
      cost.numbers.insert(name);
    }
  }
  return costs_.emplace(&function, std::move(cost)).first->second;
}

}  // namespace cairn::predict
