// Calls, returns, and the instructions that the engine does.
#include <algorithm>

#include "jit/ssa/builder.hpp"

namespace cairn::jit::ssa {

using bytecode::Op;
using bytecode::RegisterKind;
using bytecode::Role;

void Builder::results(Value call, const bytecode::Signature& signature, std::uint32_t window) {
  for (std::uint32_t k = 0; k < signature.result.slots(); ++k) {
    Instruction i;
    i.op = Opcode::Result;
    i.kind = signature.result.is_scalar()
                 ? static_cast<Kind>(static_cast<int>(signature.result.kind) - static_cast<int>(RegisterKind::Bool) +
                                     static_cast<int>(Kind::Bool))
                 : Kind::U64;
    i.a = call;
    i.immediate = window + k;
    variable(window + k, at_block_) = add(i);
  }
}

void Builder::call() {
  const Op op = bytecode::op_of(pc_[0]);
  const std::uint32_t window = a();
  Instruction i;
  i.scale = window;
  list_.clear();
  const auto arguments = [&](const bytecode::Signature& signature) {
    for (std::uint32_t k = 0; k < signature.parameter_slots(); ++k) list_.push_back({window + k, read(window + k)});
  };
  const bytecode::Signature* signature = nullptr;
  switch (op) {
    case Op::Call:
      i.op = Opcode::Call;
      i.immediate = n();
      signature = &module_.signatures[module_.functions[n()].signature];
      arguments(*signature);
      break;
    case Op::CallClosure:
      i.op = Opcode::Call;
      i.immediate = m();
      signature = &module_.signatures[module_.functions[m()].signature];
      arguments(*signature);
      list_.push_back({window + signature->parameter_slots(), integer(b())});
      break;
    case Op::CallValue:
    case Op::CallCallable:
      i.op = Opcode::CallValue;
      i.immediate = m();
      i.a = integer(b());
      signature = &module_.signatures[m()];
      arguments(*signature);
      if (op == Op::CallCallable) list_.push_back({window + signature->parameter_slots(), integer(b() + 1)});
      break;
    case Op::CallDyn:
      i.op = Opcode::CallDyn;
      i.immediate = c();
      i.a = integer(b() + 1);
      signature = &module_.signatures[m()];
      for (std::uint32_t k = 0; k < signature->parameter_slots(); ++k) {
        list_.push_back({window + k, k == d() ? integer(b()) : read(window + k)});
      }
      break;
    case Op::CallableFunction:
      define(a(), constant(Kind::U64, std::uint64_t{n()} + 1));
      return define(a() + 1, constant(Kind::U64, 0));
    case Op::CallableClosure: {
      const Value environment = integer(b());
      define(a(), constant(Kind::U64, std::uint64_t{m()} + 1));
      return define(a() + 1, environment);
    }
    case Op::CallableValue: {
      const Value value = integer(b());
      guard(TrapKind::Callable, Relation::Ne, value, constant(Kind::U64, 0));
      define(a(), value);
      return define(a() + 1, constant(Kind::U64, 0));
    }
    default: {
      i = {};
      i.op = Opcode::Return;
      if (op != Op::Return) i.a = read(a());
      if (op == Op::ReturnPair) i.b = read(a() + 1);
      return end(i, {});
    }
  }
  lane_uses();
  f_.set_uses(i, list_);
  results(add(i), *signature, window);
}

void Builder::step() {
  const Op op = bytecode::op_of(pc_[0]);
  const bytecode::OperationInfo& row = bytecode::info(op);
  told_uses();
  const auto reads = [&](std::uint32_t slot) {
    if (std::ranges::find(list_, slot, &Use::slot) == list_.end()) list_.push_back({slot, read(slot)});
  };
  const bytecode::Signature* signature = nullptr;
  std::uint32_t window = kNone;
  for (const bytecode::Operand& operand : row.all()) {
    if (operand.role != Role::Window) continue;
    window = static_cast<std::uint32_t>(bytecode::operand_bits(pc_, operand.place));
  }
  if (op == Op::CallNative || op == Op::CallForeign) {
    signature =
        &module_.signatures[op == Op::CallNative ? module_.natives[n()].signature : module_.foreigns[n()].signature];
    if (op == Op::CallNative && pair_operation(module_.natives[n()].name, *signature, window)) return;
    for (std::uint32_t k = 0; k < signature->parameter_slots(); ++k) reads(window + k);
  } else if (window != kNone) {
    for (std::uint32_t slot = window; slot < slots_; ++slot) {
      const Value value = read(slot);
      if (!is_undefined(value)) reads(slot);
    }
  }
  Instruction i;
  i.op = Opcode::Step;
  if (window != kNone) i.scale = window;
  f_.set_uses(i, list_);
  // Dropping leaves nothing; what is dropped is zero then.
  if (op == Op::DropBuf || op == Op::DropDyn || op == Op::PlacedDrop) {
    const std::uint32_t owner = a();
    add(i);
    define(owner, constant(Kind::U64, 0));
    return define(owner + 1, constant(Kind::U64, 0));
  }
  const Value step = add(i);
  std::vector<Use> written;
  if (op == Op::BufNew || op == Op::PlacedNew) {
    // The length is what was asked for.
    const Value length = integer(b());
    const std::uint32_t made = a();
    Instruction pointer;
    pointer.op = Opcode::Result;
    pointer.kind = Kind::U64;
    pointer.a = step;
    pointer.immediate = made;
    define(made, add(pointer));
    return define(made + 1, length);
  }
  const auto result = [&](std::uint32_t slot, Kind kind) {
    Instruction r;
    r.op = Opcode::Result;
    r.kind = kind;
    r.a = step;
    r.immediate = slot;
    written.push_back({slot, add(r)});
  };
  each_slot(pc_, 0, [&](std::uint32_t slot, bool, bool writes) {
    if (writes) result(slot, kind_of(slot));
  });
  if (signature != nullptr) {
    results(step, *signature, window);
  } else if (op == Op::Wait || op == Op::Collect) {
    for (std::uint32_t k = 0; k < 2 && window + k < slots_; ++k) result(window + k, Kind::U64);
  }
  for (const Use& each : written) define(each.slot, each.value);
}

}  // namespace cairn::jit::ssa
