// Jumps, calls, returns and failures, and what only the host does.
#include "cuda/writer/function_writer.hpp"

namespace cairn::cuda::writer {

using bytecode::kNone;

namespace {

/// Whether a register of that kind may hold these bits of a slot.
bool holds(RegisterKind kind, std::uint64_t slot) {
  const auto value = static_cast<std::int64_t>(slot);
  switch (kind) {
    case RegisterKind::Bool:
      return slot <= 1;
    case RegisterKind::U8:
      return slot <= 0xff;
    case RegisterKind::U16:
      return slot <= 0xffff;
    case RegisterKind::U32:
      return slot <= 0xffffffff;
    case RegisterKind::I8:
      return value >= -0x80 && value <= 0x7f;
    case RegisterKind::I16:
      return value >= -0x8000 && value <= 0x7fff;
    case RegisterKind::I32:
      return value >= -0x80000000LL && value <= 0x7fffffff;
    default:
      return true;
  }
}

}  // namespace

bool FunctionWriter::write_jump() {
  const auto label = [&](std::uint64_t offset) { return cat("L", at_ + static_cast<std::uint32_t>(offset)); };
  const auto jump_when = [&](const std::string& condition) {
    line(cat("if (", condition, ") goto ", label(operand(Place::T)), ";"));
    return true;
  };
  switch (op_) {
    case Op::Jump:
      line(cat("goto ", label(operand(Place::N)), ";"));
      return true;
    case Op::JumpIf:
      line(cat("if (", value(Place::A, RegisterKind::Bool), ") goto ", label(operand(Place::N)), ";"));
      return true;
    case Op::JumpIfNot:
      line(cat("if (!", value(Place::A, RegisterKind::Bool), ") goto ", label(operand(Place::N)), ";"));
      return true;
    case Op::Switch: {
      std::string cases;
      for (std::uint32_t k = 0; k < operand(Place::N); ++k) {
        cases += cat(" case ", k, ": goto ", label(code()[1 + k / 2] >> (k % 2 * 32) & 0xffffffff), ";");
      }
      line(cat("switch (", value(Place::A, RegisterKind::U64), ") {", cases, " default: break; }"));
      return true;
    }
    case Op::LoopNext:
      assign(Place::A, RegisterKind::U64, cat(value(Place::A, RegisterKind::U64), " + 1"));
      return jump_when(cat(value(Place::A, RegisterKind::U64), " < ", value(Place::B, RegisterKind::U64)));
    default:
      break;
  }
  if (!op_name_.verb.starts_with("jump.")) return false;
  std::string_view test = op_name_.verb.substr(5);
  const bool is_negated = test.starts_with("not.");
  if (is_negated) test.remove_prefix(4);
  const bool is_signed = !test.ends_with(".u");
  const std::string_view sign = test.starts_with("eq")   ? "=="
                                : test.starts_with("ne") ? "!="
                                : test.starts_with("lt") ? "<"
                                : test.starts_with("le") ? "<="
                                : test.starts_with("gt") ? ">"
                                                         : ">=";
  RegisterKind kind = kind_named(op_name_.type);
  std::string right;
  if (op_name_.immediate) {
    // Compared as slots are: 64 bits, of the immediate's sign. A register of less is compared as itself where it holds
    // the immediate.
    const auto bits = static_cast<std::uint32_t>(operand(Place::M));
    const std::uint64_t slot =
        is_signed ? static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(bits)}) : std::uint64_t{bits};
    kind = common_kind(operand(Place::A), operand(Place::A), order_of(test));
    if (!holds(kind, slot)) kind = is_signed ? RegisterKind::I64 : RegisterKind::U64;
    right = literal(kind, slot);
  } else {
    if (kind == RegisterKind::None) kind = common_kind(operand(Place::A), operand(Place::B), order_of(test));
    right = value(Place::B, kind);
  }
  const std::string condition = cat(value(Place::A, kind), " ", sign, " ", right);
  return jump_when(is_negated ? cat("!(", condition, ")") : condition);
}

bool FunctionWriter::write_call() {
  const auto forget = [&](std::uint32_t from) {
    texts_.erase(texts_.lower_bound(from), texts_.end());
    aligns_.erase(aligns_.lower_bound(from), aligns_.end());
  };
  switch (op_) {
    case Op::Call: {
      const bytecode::Function& callee = module_.functions[operand(Place::N)];
      const bytecode::Signature& signature = module_.signatures[callee.signature];
      const std::uint32_t window = operand(Place::A);
      const CallFrames::Calls& calls = unit_.frames().of(operand(Place::N));
      if (calls.is_recursive) {
        guard(cat("at.stack + ", calls.frame + calls.below, "U > ", unit_.stack_limit(), "U"), TrapKind::Stack,
              "the call depth is spent", {"0ULL"});
      }
      std::string arguments = calls.reaches_recursive ? cat("deeper(at, ", calls.frame, ")") : "at";
      std::uint32_t slot = window;
      for (const bytecode::RegisterType& parameter : signature.parameters) {
        const bool is_pointer = type_of(parameter.kind) == "Bytes";
        arguments += cat(", ", is_pointer ? pointer(slot) : value(slot, parameter.kind));
        if (parameter.is_pair()) arguments += cat(", ", length(slot));
        slot += parameter.slots();
      }
      if (callee.environment != kNone || callee.kind != bytecode::FunctionKind::Plain) {
        host_only("call a closure");
        return true;
      }
      const std::string call = cat(unit_.function(operand(Place::N)), "(", arguments, ")");
      const RegisterKind result = signature.result.kind;
      forget(window);
      if (result == RegisterKind::None) {
        line(cat(call, ";"));
      } else if (signature.result.is_pair()) {
        line(cat("{ const Pair pair = ", call, ";"));
        assign_pointer(window, "pair.first");
        assign(window + 1, RegisterKind::U64, "pair.second");
        line("}");
      } else if (type_of(result) == "Bytes") {
        assign_pointer(window, call);
      } else {
        assign(window, result, call);
      }
      return true;
    }
    case Op::CallNative: {
      const bytecode::Native& native = module_.natives[operand(Place::N)];
      const bytecode::Signature& signature = module_.signatures[native.signature];
      const std::uint32_t window = operand(Place::A);
      if (!write_fragment(native.name, window) && !write_pair(native.name, window, signature)) {
        host_only(cat("call ", native.name));
      }
      forget(window);
      return true;
    }
    case Op::Return:
      line("return;");
      return true;
    case Op::ReturnValue: {
      const RegisterKind kind = module_.signatures[function_.signature].result.kind;
      const bool is_pointer = type_of(kind) == "Bytes";
      line(cat("return ", is_pointer ? pointer(Place::A) : value(Place::A, kind), ";"));
      return true;
    }
    case Op::ReturnPair:
      line(cat("return Pair{", pointer(Place::A), ", ", length(Place::A), "};"));
      return true;
    default:
      return false;
  }
}

bool FunctionWriter::write_failure() {
  switch (op_) {
    case Op::GuardLayout:
      guard(cat(value(Place::A, RegisterKind::U64), " >= ", code()[1], "ULL"), TrapKind::Layout);
      return true;
    case Op::FailAssert:
    case Op::FailEqual:
      line(cat(fail_call(TrapKind::Assert, {}, {}), ";"));
      return true;
    case Op::Fail:
      line(cat(fail_call(static_cast<TrapKind>(operand(Place::A)), {}, {}), ";"));
      return true;
    default:
      return false;
  }
}

/// Every operation that the checker keeps out of device code, by what a program would call it.
std::string_view FunctionWriter::why_host_only(Op op) {
  switch (op) {
    case Op::FunctionOf:
      return "make a function value";
    case Op::BufNew:
    case Op::DynNew:
    case Op::PlacedNew:
      return "allocate";
    case Op::DropBuf:
    case Op::DropDyn:
    case Op::Drop:
    case Op::FrameDrop:
    case Op::PlacedDrop:
      return "own storage";
    case Op::DynLend:
    case Op::DynOf:
    case Op::CallDyn:
      return "dispatch";
    case Op::CallValue:
    case Op::CallCallable:
    case Op::CallClosure:
    case Op::CallableFunction:
    case Op::CallableClosure:
    case Op::CallableValue:
      return "call through a value";
    case Op::CallForeign:
      return "call foreign functions";
    case Op::Print:
    case Op::Format:
      return "print";
    case Op::Parallel:
    case Op::Reduce:
    case Op::SumExactF32:
    case Op::SumExactF64:
    case Op::Scan:
    case Op::DeviceParallel:
    case Op::DeviceReduce:
    case Op::DeviceReduceTo:
    case Op::DeviceScan:
    case Op::DevicePrefixes:
    case Op::DeviceCompact:
    case Op::DeviceLaunch:
    case Op::Cooperative:
    case Op::Transfer:
      return "start a region";
    case Op::QueueAfter:
    case Op::QueueParallel:
    case Op::QueueTransfer:
    case Op::QueueWait:
    case Op::Spawn:
    case Op::Wait:
    case Op::GroupNew:
    case Op::SpawnInto:
    case Op::Collect:
    case Op::WaitGroup:
      return "start tasks";
    case Op::MutexLock:
    case Op::MutexUnlock:
      return "lock";
    default:
      break;
  }
  const std::string_view verb = bytecode::split_name(bytecode::info(op).text).verb;
  if (verb.starts_with("mmio.")) return "reach the machine's registers";
  if (verb == "atomic.load" || verb == "atomic.store" || verb == "atomic.compare" || verb == "atomic.sub")
    return "use an Atomic object";
  const std::string_view type = bytecode::split_name(bytecode::info(op).text).type;
  const bool is_word =
      type == "u32" || type == "u64" || type == "i32" || type == "i64" || type == "f32" || type == "f64";
  if (verb.starts_with("atomic.") && !is_word) return "use an Atomic object";
  if ((verb == "atomic.add" || verb == "atomic.and" || verb == "atomic.or" || verb == "atomic.xor" ||
       verb == "atomic.swap") &&
      type.starts_with('i'))
    return "use an Atomic object";
  return {};
}

}  // namespace cairn::cuda::writer
