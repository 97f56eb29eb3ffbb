// Which schedule plan a function has (concurrency, 13): asked by whoever lowers, prices, tests or reports it.
#pragma once

#include "frontend/check/program.hpp"

namespace cairn::checked {

/// The schedule plan of a function, of its instances and of what stands in it; null when it has none. The program is an
/// accepted one, whose declarations these are.
[[nodiscard]] const syntax::PlanDecl* schedule_plan_of(const Function& function,
                                                       std::span<const syntax::Decl* const> declarations);

}  // namespace cairn::checked
