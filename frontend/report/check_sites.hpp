// Where a function's source needs a guard (tools, 6.2 and 7.2): what receipts count and `explain` lists by line. The
// sites follow from the checked tree alone, so every build of one program has the same; which of them a tier can leave
// out is another question.
#pragma once

#include <vector>

#include "frontend/check/program.hpp"
#include "runtime/trap/trap.hpp"

namespace cairn {

struct CheckSite {
  TrapKind kind{};
  Position position;
};

/// The guards of a function's entry, its body, and the closures and lane bodies in it.
[[nodiscard]] std::vector<CheckSite> check_sites_of(const checked::Function& function);

}  // namespace cairn
