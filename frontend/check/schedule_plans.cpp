#include "frontend/check/schedule_plans.hpp"

namespace cairn::checked {

const syntax::PlanDecl* schedule_plan_of(const Function& function, std::span<const syntax::Decl* const> declarations) {
  const Function* owner = &function;
  while (owner->parent != nullptr) owner = owner->parent;
  if (owner->declaration == nullptr) return nullptr;
  for (const syntax::Decl* declaration : declarations) {
    // A plan stands in its function's module, at the top level.
    if (declaration->kind != syntax::DeclKind::Plan || declaration->module != owner->declaration->module) continue;
    const auto& plan = declaration->as<syntax::PlanDecl>();
    const bool is_of_it = !plan.selects && !plan.function.segments.empty() &&
                          plan.function.segments.back().name == owner->declaration->name.name;
    if (is_of_it) return &plan;
  }
  return nullptr;
}

}  // namespace cairn::checked
