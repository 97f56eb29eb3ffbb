#include "frontend/check/schedule_plans.hpp"

namespace cairn::checked {

SchedulePlans::SchedulePlans(std::span<const syntax::Decl* const> declarations) {
  for (const syntax::Decl* declaration : declarations) {
    // A plan stands in its function's module, at the top level.
    if (declaration->kind != syntax::DeclKind::Plan) continue;
    const auto& plan = declaration->as<syntax::PlanDecl>();
    if (plan.selects || plan.function.segments.empty()) continue;
    plans_.try_emplace({declaration->module, plan.function.segments.back().name}, &plan);
  }
}

const syntax::PlanDecl* SchedulePlans::of(const Function& function) const {
  const Function* owner = &function;
  while (owner->parent != nullptr) owner = owner->parent;
  if (owner->declaration == nullptr) return nullptr;
  const auto found = plans_.find({owner->declaration->module, owner->declaration->name.name});
  return found == plans_.end() ? nullptr : found->second;
}

}  // namespace cairn::checked
