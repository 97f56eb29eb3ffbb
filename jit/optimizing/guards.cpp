#include "jit/optimizing/plan.hpp"

namespace cairn::jit {

void find_decided_guards(const bytecode::Function&, Plan&) {}

}  // namespace cairn::jit
