// transfer between views, and the machine itself.
#include "vm/lower/function_lowering.hpp"

namespace cairn::lower {

using checked::MachineExpr;
using checked::MachineOp;

/// Both ends are views of one element type; different lengths trap.
void FunctionLowering::transfer_views(const checked::TransferExpr& e) {
  const Register destination = view(*e.destination);
  const Register source = view(*e.source);
  emit(e.position, Op::ViewCopy, destination, source, types().size(*e.destination->type->element));
}

/// One access of exactly the width of the type, by a native of the machine.
Register FunctionLowering::machine(const MachineExpr& e, Register into) {
  if (e.op == MachineOp::Asm) {
    const Mark mark = this->mark();
    const Window window = open_window();
    AssemblySymbol symbol;
    symbol.text = e.text;
    run_assembly(e.position, std::move(symbol), {}, {}, window);
    release(mark);
    return {};
  }
  const bool reads = e.op == MachineOp::MmioRead;
  const Type& width = reads ? *e.type : *e.arguments.back()->type;
  const Mark mark = this->mark();
  Window window = open_window();
  bytecode::Signature signature;
  for (const Expr* argument : e.arguments) {
    value(*argument, next_slot(window));
    placed(window, 1);
    signature.parameters.push_back(form(*argument->type));
  }
  if (reads) signature.result = form(width);
  const std::string name = std::string(reads ? "machine.read." : "machine.write.") + std::string(width.name);
  const std::uint32_t native = module_.builder().native(name, module_.builder().signature(signature));
  emit(e.position, Op::CallNative, f_.outgoing(window.base), native);
  release(mark);
  if (!reads) return {};
  const Register outcome = f_.outgoing(window.base);
  if (!into) {
    outgoing_ = window.base + 1;
    return outcome;
  }
  move(into, outcome, Shape::One);
  return into;
}

}  // namespace cairn::lower
