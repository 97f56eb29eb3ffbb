// transfer between views, and the machine itself.
#include "vm/lower/function_lowering.hpp"

namespace cairn::lower {

using checked::MachineExpr;
using checked::MachineOp;

namespace {

bool is_device(const checked::Expr& view) { return view.type->placement == Placement::Device; }

}  // namespace

/// Both ends are views of one element type; different lengths trap. Between memory that the host reaches it is a copy
/// of the host's own.
void FunctionLowering::transfer_views(const checked::TransferExpr& e) {
  const Register destination = view(*e.destination);
  const Register source = view(*e.source);
  const std::uint64_t size = types().size(*e.destination->type->element);
  if (!is_device(*e.destination) && !is_device(*e.source)) {
    return emit(e.position, Op::ViewCopy, destination, source, size);
  }
  emit(e.position, Op::Transfer, destination, source, transfer_places(e), size);
}

/// The places of both ends, as bytecode says them.
std::uint64_t FunctionLowering::transfer_places(const checked::TransferExpr& e) {
  return place_number(e.destination->type->placement) + 4 * place_number(e.source->type->placement);
}

std::uint64_t FunctionLowering::place_number(Placement placement) {
  switch (placement) {
    case Placement::Host:
      return 0;
    case Placement::Device:
      return 1;
    case Placement::Pinned:
      return 2;
    case Placement::Unified:
      return 3;
  }
  return 0;
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
