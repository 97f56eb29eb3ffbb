// Which schedule plan a function has (concurrency, 13): asked by whoever lowers, prices, tests or reports it.
#pragma once

#include <map>
#include <span>
#include <utility>

#include "frontend/check/program.hpp"

namespace cairn::checked {

/// The schedule plans of an accepted program, whose declarations these are.
class SchedulePlans {
 public:
  explicit SchedulePlans(std::span<const syntax::Decl* const> declarations);

  /// The plan of a function, of its instances and of what stands in it; null when it has none.
  [[nodiscard]] const syntax::PlanDecl* of(const Function& function) const;

 private:
  std::map<std::pair<Name, Name>, const syntax::PlanDecl*> plans_;  // by module and name
};

}  // namespace cairn::checked
