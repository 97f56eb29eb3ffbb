// Rules of calls, regions, tasks and kernels: windows and what they hold, environments, results.
#include "vm/bytecode/code_verifier.hpp"
#include "vm/bytecode/memory_parts.hpp"

namespace cairn::bytecode {
namespace {

const RegisterType kWord{RegisterKind::U64, false, kNone};

}  // namespace

/// The arguments of a call lie in its window. `filled`: the slot the operation itself fills; `skips_result`: the
/// reference for the result is the callee's own business.
void CodeVerifier::check_window(std::uint64_t window, const Signature& signature, const Passing& passing) {
  const std::uint64_t first = self_.registers.size() + kLinkSlots;
  if (window < first) return fail("a call window over registers");
  std::uint64_t slot = window;
  for (const RegisterType& parameter : signature.parameters) {
    const bool given_elsewhere =
        slot == window + passing.filled || (passing.skips_result && signature.result_reference && slot == window);
    if (!given_elsewhere) {
      if (slot + parameter.slots() > self_.slots) return fail("an argument past the frame");
      const FlowType& given = now_.outgoing(slot - first);
      if (given.kind == FlowType::Kind::Unknown) return fail("an argument that is not there");
      if (!fits(parameter, given)) return fail("an argument of another type");
    }
    slot += parameter.slots();
  }
}

/// The window is the callee's: nothing there, or in the link slots below, is known any more but the result.
void CodeVerifier::finish_call(std::uint64_t window, const Signature& signature) {
  const std::uint64_t first = self_.registers.size() + kLinkSlots;
  const std::uint64_t link = window - kLinkSlots;
  now_.forget_from(link < first ? 0 : link - first);
  if (signature.result.kind != RegisterKind::None) {
    write_slot(window, {FlowType::Kind::Typed, signature.result, 0});
  }
}

void CodeVerifier::check_environment(const Function& callee, Place place) {
  const Spot at = spot(place);
  require(callee.environment != kNone && at.writable && has_part(module_, at.whole, at.offset, callee.environment),
          "an environment of another type");
}

void CodeVerifier::rule_call() {
  const std::uint64_t window = operand(Place::A);
  const auto run = [&](std::uint32_t index, const Passing& passing) {
    const Signature& signature = module_.signatures[index];
    check_window(window, signature, passing);
    if (!failed()) finish_call(window, signature);
  };
  switch (op_) {
    case Op::Call: {
      const Function& callee = module_.functions[operand(Place::N)];
      require(callee.environment == kNone && callee.kind != FunctionKind::Kernel, "a function that is not called so");
      return run(callee.signature, {});
    }
    case Op::CallClosure: {
      const Function& callee = module_.functions[operand(Place::M)];
      require(callee.kind != FunctionKind::Kernel, "a function that is not called so");
      check_environment(callee, Place::B);
      return run(callee.signature, {});
    }
    case Op::CallValue:
    case Op::CallCallable:
      require(read(Place::B).type.type == operand(Place::M), "a callee of another signature");
      return run(static_cast<std::uint32_t>(operand(Place::M)), {});
    case Op::CallDyn: {
      const RegisterType object = read(Place::B).type;
      const std::vector<TraitMember>& members = module_.traits[object.type].members;
      const std::uint64_t index = operand(Place::C);
      if (index >= members.size() || members[index].signature != operand(Place::M)) return fail("no such member");
      const Signature& signature = module_.signatures[members[index].signature];
      std::uint32_t slot = 0;
      for (std::uint32_t i = 0; i < members[index].receiver; ++i) slot += signature.parameters[i].slots();
      require(operand(Place::D) == slot, "the object in another slot than the receiver's");
      require(object.writable || !signature.parameters[members[index].receiver].writable,
              "an object that is only read");
      return run(members[index].signature, {slot, false});
    }
    case Op::CallNative:
      return run(module_.natives[operand(Place::N)].signature, {});
    default: {
      const Foreign& callee = module_.foreigns[operand(Place::N)];
      require(!callee.launched, "a kernel that is called");
      return run(callee.signature, {});
    }
  }
}

void CodeVerifier::rule_callable() {
  switch (op_) {
    case Op::CallableFunction: {
      const Function& callee = module_.functions[operand(Place::N)];
      require(callee.environment == kNone && callee.kind == FunctionKind::Plain, "no plain function");
      result_ = FlowType::typed(RegisterKind::Callable, false, callee.signature);
      break;
    }
    case Op::CallableClosure: {
      const Function& callee = module_.functions[operand(Place::M)];
      require(callee.kind == FunctionKind::Closure, "no closure");
      check_environment(callee, Place::B);
      result_ = FlowType::typed(RegisterKind::Callable, false, callee.signature);
      break;
    }
    default:
      result_ = FlowType::typed(RegisterKind::Callable, false, read(Place::B).type.type);
      break;
  }
}

/// A fold (kind + 256 * ScalarKind) that exists, of values of that type.
bool CodeVerifier::fold_fits(std::uint64_t fold, const RegisterType& type) const {
  const std::uint64_t kind = fold & 0xff;
  const std::uint64_t scalar = fold >> 8;
  if (kind > static_cast<std::uint64_t>(ReduceKind::Mul) || scalar > static_cast<std::uint64_t>(ScalarKind::F64))
    return false;
  if (register_kind(static_cast<ScalarKind>(scalar)) != type.kind) return false;
  const auto reduce = static_cast<ReduceKind>(kind);
  if (type.kind == RegisterKind::F32 || type.kind == RegisterKind::F64) {
    return reduce == ReduceKind::Add || reduce == ReduceKind::Mul;
  }
  if (reduce == ReduceKind::Mul) return false;
  if (reduce == ReduceKind::Min || reduce == ReduceKind::Max) return type.is_unsigned() || type.is_signed();
  return type.is_unsigned();
}

void CodeVerifier::rule_region() {
  require(self_.kind != FunctionKind::Kernel && self_.kind != FunctionKind::DeviceLane, "a region inside a kernel");
  const Function& lane = module_.functions[operand(Place::M)];
  const Signature& signature = module_.signatures[lane.signature];
  require(lane.kind == FunctionKind::Lane, "no lane function");
  check_environment(lane, op_ == Op::Parallel ? Place::A : Place::B);
  if (failed()) return;
  const RegisterKind summed = op_ == Op::SumExactF32 ? RegisterKind::F32 : RegisterKind::F64;
  switch (op_) {
    case Op::Parallel:
      return require(signature == Signature{{kWord, kWord}, {}, false}, "a lane of another signature");
    case Op::SumExactF32:
    case Op::SumExactF64: {
      const bool fits_out = signature.parameters.size() == 3 && signature.parameters[0] == kWord &&
                            signature.parameters[1] == kWord && signature.parameters[2].kind == RegisterKind::View &&
                            signature.parameters[2].writable &&
                            register_type(module_, signature.parameters[2].type).kind == summed &&
                            signature.result.kind == RegisterKind::None;
      return require(fits_out, "a lane of another signature");
    }
    default: {
      rule_collector(signature);
      if (failed()) return;
      result_ = {FlowType::Kind::Typed, signature.result, 0};
      if (op_ != Op::Scan) return;
      const std::uint32_t element = read(Place::E).type.type;
      const auto scalar = static_cast<ScalarKind>(operand(Place::D) >> 8);
      require(module_.types[element].size == scalar_size(scalar) &&
                  has_scalar(module_, element, 0, register_kind(scalar), scalar_size(scalar)),
              "elements of another type");
    }
  }
}

void CodeVerifier::check_spawned(std::uint32_t handle_signature) {
  const Function& callee = module_.functions[operand(Place::M)];
  require(callee.environment == kNone && callee.kind != FunctionKind::Kernel, "a function that is not spawned so");
  if (failed()) return;
  const Signature& signature = module_.signatures[callee.signature];
  const Signature& handle = module_.signatures[handle_signature];
  const bool same_result = signature.result == handle.result && signature.result_reference == handle.result_reference &&
                           (!signature.result_reference || signature.parameters[0] == handle.parameters[0]);
  require(same_result, "a task of another result");
  check_window(operand(Place::B), signature, {kNone, true});
  const Word* list = code_ + at_ + row_->words;
  for (std::uint32_t k = 0; k < list_items(code_ + at_) && !failed(); ++k) {
    const auto copied = static_cast<std::uint32_t>(list[k / 2] >> (k % 2 * 32));
    std::uint32_t slot = 0;
    bool found = false;
    for (const RegisterType& parameter : signature.parameters) {
      found |= slot == copied && parameter.kind == RegisterKind::Ref;
      slot += parameter.slots();
    }
    require(found && !(copied == 0 && signature.result_reference), "no reference to carry");
  }
}

void CodeVerifier::rule_task() {
  const auto joined = [&](std::uint32_t handle) {
    const Signature& signature = module_.signatures[handle];
    check_window(operand(Place::A), signature, {});
    if (!failed()) finish_call(operand(Place::A), signature);
  };
  switch (op_) {
    case Op::Spawn: {
      const RegisterType ticket = declared(operand(Place::A));
      if (ticket.kind != RegisterKind::Ticket) return fail("a ticket in no register of its own");
      result_ = {FlowType::Kind::Typed, ticket, 0};
      return check_spawned(ticket.type);
    }
    case Op::SpawnInto:
      return check_spawned(read(Place::A).type.type);
    case Op::Wait:
    case Op::Collect: {
      const FlowType handle = read(Place::B);
      // A ticket is read and written (it ends): write it back before the window is the callee's.
      if (op_ == Op::Wait) result_ = handle;
      return joined(handle.type.type);
    }
    case Op::GroupNew: {
      const RegisterType group = declared(operand(Place::A));
      if (group.kind != RegisterKind::Group) return fail("a group in no register of its own");
      result_ = {FlowType::Kind::Typed, group, 0};
      return;
    }
    case Op::MutexLock:
    case Op::MutexUnlock: {
      const Spot at = spot(Place::A);
      return require(has_mutex(module_, at.whole, at.offset), "no Mutex lies there");
    }
    default:
      return;  // wait.group
  }
}

/// A lane function that folds: its result, and what a scan's output holds.
void CodeVerifier::rule_collector(const Signature& lane) {
  const RegisterType result = lane.result;
  require(lane == Signature{{kWord, kWord}, result, false}, "a lane of another signature");
  require(fold_fits(operand(Place::D), result), "no such fold");
}

void CodeVerifier::rule_device() {
  require(self_.kind != FunctionKind::Kernel && self_.kind != FunctionKind::DeviceLane, "device work inside a kernel");
  const auto begin_ticket = [&] {
    const RegisterType ticket = declared(operand(Place::A));
    if (ticket.kind != RegisterKind::Ticket) return fail("a ticket in no register of its own");
    require(module_.signatures[ticket.type] == Signature{}, "a ticket of work that gives something");
    result_ = {FlowType::Kind::Typed, ticket, 0};
  };
  if (op_ == Op::QueueAfter || op_ == Op::QueueWait) {
    require(module_.signatures[read(Place::A).type.type] == Signature{}, "a ticket of work that gives something");
    return;
  }
  if (op_ == Op::DeviceLaunch) {
    const Foreign& kernel = module_.foreigns[operand(Place::M)];
    const Signature& signature = module_.signatures[kernel.signature];
    require(kernel.launched && signature.result.kind == RegisterKind::None && !signature.result_reference,
            "no kernel that is launched");
    require(operand(Place::D) >= 32 && operand(Place::D) <= 1024 && operand(Place::D) % 32 == 0,
            "a launch of odd threads");
    if (failed()) return;
    check_window(operand(Place::A), signature, {});
    return failed() ? void() : finish_call(operand(Place::A), signature);
  }
  if (op_ == Op::QueueTransfer) {
    begin_ticket();
    return failed() ? void() : require_copy(Place::B, Place::C);
  }
  const Function& lane = module_.functions[operand(Place::M)];
  const Signature& signature = module_.signatures[lane.signature];
  require(lane.kind == FunctionKind::DeviceLane, "no device lane function");
  check_environment(lane, op_ == Op::DeviceParallel ? Place::A : Place::B);
  if (failed()) return;
  const auto has_elements = [&](std::uint32_t type, ScalarKind scalar) {
    return module_.types[type].size == scalar_size(scalar) &&
           has_scalar(module_, type, 0, register_kind(scalar), scalar_size(scalar));
  };
  const auto folded = static_cast<ScalarKind>(operand(Place::D) >> 8);
  switch (op_) {
    case Op::QueueParallel:
      begin_ticket();
      [[fallthrough]];
    case Op::DeviceParallel:
      return require(signature == Signature{{kWord, kWord}, {}, false}, "a lane of another signature");
    case Op::DeviceCompact: {
      const bool fits = signature.parameters.size() == 3 && signature.parameters[0] == kWord &&
                        signature.parameters[1] == kWord && signature.parameters[2].kind == RegisterKind::View &&
                        signature.parameters[2].writable && signature.result == kWord;
      require(fits, "a lane of another signature");
      if (!failed()) require(read(Place::E).type.type == signature.parameters[2].type, "elements of another type");
      return;
    }
    case Op::DeviceReduceTo: {
      rule_collector(signature);
      if (failed()) return;
      const Spot at = spot(Place::A);
      return require(has_scalar(module_, at.whole, at.offset, register_kind(folded), scalar_size(folded)),
                     "no such scalar lies there");
    }
    default:
      rule_collector(signature);
      if (failed()) return;
      if (op_ != Op::DevicePrefixes) result_ = {FlowType::Kind::Typed, signature.result, 0};
      if (op_ != Op::DeviceReduce) require(has_elements(read(Place::E).type.type, folded), "elements of another type");
      return;
  }
}

void CodeVerifier::rule_kernel() {
  if (op_ == Op::Cooperative) {
    require(self_.kind != FunctionKind::Kernel && self_.kind != FunctionKind::DeviceLane, "a region inside a kernel");
    const Function& kernel = module_.functions[operand(Place::M)];
    require(kernel.kind == FunctionKind::Kernel, "no kernel");
    return check_environment(kernel, Place::A);
  }
  if (self_.kind != FunctionKind::Kernel) return fail("an operation of kernels");
  const KernelInfo& kernel = self_.kernel;
  const auto pipeline = [&](Place place) -> const Pipeline* {
    const std::uint64_t index = operand(place);
    if (index < kernel.pipelines.size()) return &kernel.pipelines[index];
    fail("no such pipeline");
    return nullptr;
  };
  const auto is_scalar_view = [&](const RegisterType& view, ScalarKind scalar) {
    return view.kind == RegisterKind::View && module_.types[view.type].kind == TypeKind::Scalar &&
           module_.types[view.type].scalar == scalar;
  };
  const RegisterType to = declared(operand(Place::A));
  switch (op_) {
    case Op::SharedView:
      for (const SharedArray& array : kernel.arrays) {
        if (array.offset != operand(Place::N) || array.count != operand(Place::M)) continue;
        require(is_scalar_view(to, array.element), "a shared array of another type");
        if (!failed()) result_ = FlowType::typed(RegisterKind::View, true, to.type);
        return;
      }
      return fail("no such shared array");
    case Op::PipelineView:
      if (const Pipeline* of = pipeline(Place::N)) {
        require(is_scalar_view(to, of->element), "a pipeline of another type");
        if (!failed()) result_ = FlowType::typed(RegisterKind::View, false, to.type);
      }
      return;
    case Op::PipelineFill:
      if (const Pipeline* of = pipeline(Place::M)) {
        const RegisterType from = read(Place::A).type;
        require(module_.types[from.type].kind == TypeKind::Scalar && module_.types[from.type].scalar == of->element,
                "a pipeline of another type");
      }
      return;
    case Op::PipelineWait:
    case Op::PipelineRelease:
      static_cast<void>(pipeline(Place::N));
      return;
    case Op::WarpReduce: {
      const FlowType given = read(Place::B);
      require(given.kind == FlowType::Kind::Typed && fold_fits(operand(Place::C), given.type), "no such fold");
      result_ = given;
      return;
    }
    case Op::WarpShuffle:
    case Op::WarpShuffleXor:
    case Op::WarpShuffleDown:
    case Op::WarpShuffleUp:
    case Op::WarpMatch: {
      const FlowType given = read(Place::B);
      require(given.kind == FlowType::Kind::Typed && given.type.is_scalar(), "no scalar to exchange");
      if (op_ != Op::WarpMatch) result_ = given;
      return;
    }
    default:
      return;
  }
}

}  // namespace cairn::bytecode
