#include <algorithm>

#include "vm/predict/body_counter.hpp"

namespace cairn::predict {

Counter::Counter(const Compilation& compilation) : compilation_(compilation), written_(compilation.tree.declarations) {
  for (const syntax::Decl* declaration : compilation.tree.declarations) {
    if (declaration->kind != syntax::DeclKind::Plan) continue;
    const auto& plan = declaration->as<syntax::PlanDecl>();
    for (const syntax::PlanItem& item : plan.items) {
      plans_[&plan].items[std::string(compilation.names.text(item.name.name))] = item.value.value;
    }
  }
}

const Plan& Counter::plan_of(const Function& function) const {
  const auto found = plans_.find(written_.of(function));
  return found == plans_.end() ? none_ : found->second;
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
