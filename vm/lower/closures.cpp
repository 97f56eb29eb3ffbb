// Closures: a body is a function of its own whose environment, made in the frame of the function it stands in, holds
// copies of what cannot change and references to the rest.
#include "vm/lower/function_lowering.hpp"

namespace cairn::lower {

using bytecode::RegisterKind;

Register FunctionLowering::environment_for(const checked::Function& body, Position position) {
  const Environment& environment = module_.environment(body);
  const std::uint64_t object = temporary_object(environment.type);
  for (const Capture& capture : environment.captures) {
    const Place from = home(*capture.local);
    if (capture.embedded) {
      copy(frame_place(from.type, object + capture.offset), from, position);
      continue;
    }
    Register held = from.reg;
    if (from.kind != Place::Kind::Register) {
      held = capture.by_reference || capture.form.kind == RegisterKind::Ref ? reference(from, position)
                                                                            : load(from, position);
    }
    emit(position, memory_operation(Op::FrameStoreBool, capture.form.kind), held, object + capture.offset);
  }
  const Register reg = temporary({RegisterKind::Ref, true, environment.type});
  emit(position, Op::FrameRef, reg, object);
  return reg;
}

Register FunctionLowering::closure(const checked::ClosureExpr& e, Register into) {
  const std::uint32_t function = module_.inner_function(*e.body, index_);
  const Register environment = environment_for(*e.body, e.position);
  const Register to =
      into ? into
           : temporary({RegisterKind::Callable, false, module_.builder().module().functions[function].signature});
  emit(e.position, Op::CallableClosure, to, environment, function);
  return to;
}

}  // namespace cairn::lower
