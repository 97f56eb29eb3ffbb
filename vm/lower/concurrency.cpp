// Tasks, regions, atomics, mutexes, rings and device statements.
#include "vm/lower/function_lowering.hpp"

namespace cairn::lower {

/// `to`: where a value of Shape::Memory goes.
Register FunctionLowering::concurrent(const Expr& e, const Place* to, Register into) {
  static_cast<void>(to);
  fail(e.position, "this engine does not run tasks and shared values");
  return into ? into : shape_of(*e.type) == Shape::None ? Register{} : temporary(*e.type);
}

void FunctionLowering::concurrent_statement(const checked::Stmt& s) {
  fail(s.position, "this engine does not run regions");
}

}  // namespace cairn::lower
