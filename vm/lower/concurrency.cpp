// Tasks, groups, atomics and mutexes (concurrency, 5, 6, 11 and 12). Regions and collectors: regions.cpp.
#include "frontend/check/concurrent_ops.hpp"
#include "frontend/check/fragments.hpp"
#include "vm/bytecode/device_natives.hpp"
#include "vm/lower/function_lowering.hpp"

namespace cairn::lower {

using bytecode::kNone;
using bytecode::RegisterKind;
using checked::ConcurrentExpr;
using checked::ConcurrentOp;
using checked::ExprKind;

namespace {

/// A row of the operations of Atomic values, from that of u8 (bool stands apart).
constexpr Op atomic_operation(Op boolean, Op u8, RegisterKind kind) {
  return kind == RegisterKind::Bool ? boolean : row(u8, 9, kind, RegisterKind::U8);
}
static_assert(atomic_operation(Op::AtomicLoadBool, Op::AtomicLoadU8, RegisterKind::I64) == Op::AtomicLoadI64);
static_assert(atomic_operation(Op::AtomicXorU8, Op::AtomicXorU8, RegisterKind::U32) == Op::AtomicXorU32);

/// A row of the updates of elements of u32, u64, i32 and i64, from that of u32.
constexpr Op element_operation(Op u32, RegisterKind kind) {
  unsigned index = 0;
  if (kind == RegisterKind::U64) index = 1;
  if (kind == RegisterKind::I32) index = 2;
  if (kind == RegisterKind::I64) index = 3;
  return static_cast<Op>(static_cast<unsigned>(u32) + 3 * index);
}
static_assert(element_operation(Op::AtomicCasU32, RegisterKind::I64) == Op::AtomicCasI64);

constexpr RegisterType kU32{RegisterKind::U32, false, kNone};

/// Where the guarded value lies in a Mutex.
std::uint64_t guarded_offset(const bytecode::Type& mutex) { return std::max<std::uint64_t>(8, mutex.align); }

}  // namespace

// ------------------------------------------------------------------------------------------------------------ natives

namespace {

std::string_view ring_native(ConcurrentOp op) {
  switch (op) {
    case ConcurrentOp::WaitRing:
      return "ring.wait";
    case ConcurrentOp::RingNew:
      return "ring.new";
    case ConcurrentOp::RingRead:
      return "ring.read";
    case ConcurrentOp::RingWrite:
      return "ring.write";
    case ConcurrentOp::RingReceive:
      return "ring.recv";
    case ConcurrentOp::RingSend:
      return "ring.send";
    case ConcurrentOp::RingAccept:
      return "ring.accept";
    case ConcurrentOp::RingTimeout:
      return "ring.timeout";
    case ConcurrentOp::RingCancel:
      return "ring.cancel";
    case ConcurrentOp::RingNext:
      return "ring.next";
    case ConcurrentOp::RingStatus:
      return "ring.status";
    case ConcurrentOp::RingRoom:
      return "ring.room";
    default:
      return "ring.pending";
  }
}

std::string multiply_native(const ConcurrentExpr& e) {
  const Type& factor = *e.arguments[4]->type;
  const bool on_device = factor.placement == Placement::Device;
  return std::string(on_device ? bytecode::kDeviceMultiply : "matrix.multiply.") + std::string(factor.element->name);
}

}  // namespace

/// `to`: where a value of Shape::Memory goes.
Register FunctionLowering::concurrent(const Expr& e, const Place* to, Register into) {
  if (e.kind == ExprKind::Spawn) {
    const bool is_queued = e.type->placement == Placement::Device;
    return is_queued ? queued(e.as<checked::SpawnExpr>(), into) : spawn(e.as<checked::SpawnExpr>(), into);
  }
  const auto& node = e.as<ConcurrentExpr>();
  if (checked::is_warp_exchange(node.op)) return exchange(node, into);
  if (checked::is_pipeline_operation(node.op)) {
    pipeline_operation(node);
    return {};
  }
  switch (node.op) {
    case ConcurrentOp::WaitTicket:
      if (node.receiver->type->placement == Placement::Device) {
        emit(e.position, Op::QueueWait, handle(*node.receiver));
        return {};
      }
      return join(node, to, into);
    case ConcurrentOp::Collect:
      return join(node, to, into);
    case ConcurrentOp::LoadWide:
    case ConcurrentOp::StoreWide:
      wide_access(node, to);
      return {};
    case ConcurrentOp::WaitGroup:
      emit(e.position, Op::WaitGroup, handle(*node.receiver));
      return {};
    case ConcurrentOp::GroupNew: {
      const Register group = target(into, *e.type);
      const Mark mark = this->mark();
      const Register room = value(*node.arguments[0]);
      release(mark);
      emit(e.position, Op::GroupNew, group, room);
      return group;
    }
    case ConcurrentOp::AtomicNew: {
      Place cell = *to;
      cell.type = e.type->element;
      evaluate(*node.arguments[0], cell);
      return {};
    }
    case ConcurrentOp::MutexNew: {
      zero(*to, e.position);
      Place guarded = *to;
      guarded.type = e.type->element;
      guarded.offset += guarded_offset(types().layout(*e.type));
      evaluate(*node.arguments[0], guarded);
      return {};
    }
    case ConcurrentOp::MutexWith:
      return with(node, to, into);
    default:
      break;
  }
  if (is_atomic(node.op)) return atomic(node, into);
  if (is_element_update(node.op)) return element_update(node, into);
  if (checked::is_fragment(node.op)) return fragment(e.as<checked::FragmentExpr>(), to, into);
  if (node.op == ConcurrentOp::MatrixMultiply) return call_native(node, multiply_native(node), into);
  return call_native(node, ring_native(node.op), into);
}

// -------------------------------------------------------------------------------------------------------------- tasks

/// The register of a ticket or group.
Register FunctionLowering::handle(const Expr& local) { return load_from(local, local.position, {}); }

/// Places the arguments of a task as those of a call, and says which slots refer to what travels with it.
std::vector<std::uint32_t> FunctionLowering::place_task(const checked::CallExpr& call, Window& window) {
  std::vector<const Type*> parameters;
  std::vector<std::uint32_t> carried;
  std::uint32_t slot = 0;
  if (shape_of(*call.callee->result) == Shape::Memory) {
    // The task keeps its result itself; the slot holds no reference that anything reads.
    placed(window, 1);
    ++slot;
  }
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    const Type& type = *call.callee->parameters[i]->type;
    parameters.push_back(&type);
    const bool is_value = !type.is(TypeKind::Borrow) && !type.is(TypeKind::View);
    const bool is_temporary = call.arguments[i]->kind == ExprKind::LendTemporary;
    const RegisterType form = types().parameter(type);
    if (form.kind == RegisterKind::Ref && (is_value || is_temporary)) carried.push_back(slot);
    slot += form.slots();
  }
  place_arguments(window, call.arguments, parameters, nullptr);
  return carried;
}

Register FunctionLowering::spawn(const checked::SpawnExpr& e, Register into) {
  const auto& call = e.call->as<checked::CallExpr>();
  const Register ticket = target(into, *e.type);
  const Mark mark = this->mark();
  Window window = open_window();
  const auto carried = place_task(call, window);
  at(e.position);
  f_.emit_spawn(Op::Spawn, ticket, f_.outgoing(window.base), module_.function(module_.task_body(*call.callee)),
                carried);
  end_spawn(mark);
  return ticket;
}

void FunctionLowering::into_group(const checked::IntoStmt& s) {
  const auto& call = s.spawn->call->as<checked::CallExpr>();
  const Mark mark = this->mark();
  const Place group = home(*s.group);
  Window window = open_window();
  const auto carried = place_task(call, window);
  at(s.spawn->position);
  f_.emit_spawn(Op::SpawnInto, load(group, s.position), f_.outgoing(window.base),
                module_.function(module_.task_body(*call.callee)), carried);
  end_spawn(mark);
}

/// What a temporary lent to a task owns is the task's to release: it travels with it.
void FunctionLowering::end_spawn(const Mark& mark) {
  drops_.resize(mark.drops);
  release(mark);
}

/// wait(t) and collect(g).
Register FunctionLowering::join(const ConcurrentExpr& e, const Place* to, Register into) {
  const Mark mark = this->mark();
  const Shape shape = shape_of(*e.type);
  const Register from = handle(*e.receiver);
  Window window = open_window();
  if (shape == Shape::Memory) {
    reference(*to, e.position, next_slot(window));
    placed(window, 1);
  }
  if (e.op == ConcurrentOp::Collect) {
    emit(e.position, Op::Collect, f_.outgoing(window.base), from);
  } else {
    emit(e.position, Op::Wait, f_.outgoing(window.base), from);
  }
  release(mark);
  return outcome(window, shape, e.position, into);
}

/// A call's result of one or two slots, from its window.
Register FunctionLowering::outcome(const Window& window, Shape shape, Position position, Register into) {
  if (shape == Shape::None || shape == Shape::Memory) return {};
  const Register result = f_.outgoing(window.base);
  if (into) {
    at(position);
    move(into, result, shape);
    return into;
  }
  outgoing_ = window.base + (shape == Shape::Two ? 2U : 1U);
  return result;
}

// ------------------------------------------------------------------------------------------------------------ atomics

Register FunctionLowering::atomic(const ConcurrentExpr& e, Register into) {
  const RegisterKind kind = scalar_register(*e.receiver->type->element);
  const Position position = e.position;
  const bool has_result = e.op != ConcurrentOp::Store;
  const Register to = has_result ? target(into, *e.type) : Register{};
  const Mark mark = this->mark();
  const Register cell = reference(place(*e.receiver), position);
  std::vector<Register> arguments;
  for (const Expr* argument : e.arguments) arguments.push_back(value(*argument));
  Register orders;
  if (e.op == ConcurrentOp::CompareExchange) {
    orders = temporary(kU32);
    emit(position, Op::MulWrapU32Imm, orders, arguments[3], 8);
    emit(position, Op::AddWrapU32, orders, orders, arguments[2]);
  }
  release(mark);
  switch (e.op) {
    case ConcurrentOp::Load:
      emit(position, atomic_operation(Op::AtomicLoadBool, Op::AtomicLoadU8, kind), to, cell, arguments[0]);
      break;
    case ConcurrentOp::Store:
      emit(position, atomic_operation(Op::AtomicStoreBool, Op::AtomicStoreU8, kind), cell, arguments[0], arguments[1]);
      break;
    case ConcurrentOp::Swap:
      emit(position, atomic_operation(Op::AtomicSwapBool, Op::AtomicSwapU8, kind), to, cell, arguments[0],
           arguments[1]);
      break;
    case ConcurrentOp::CompareExchange:
      emit(position, atomic_operation(Op::AtomicCompareBool, Op::AtomicCompareU8, kind), to, cell, arguments[0],
           arguments[1], orders);
      break;
    default: {
      constexpr Op kRows[] = {Op::AtomicAddU8, Op::AtomicSubU8, Op::AtomicAndU8, Op::AtomicOrU8, Op::AtomicXorU8};
      const Op first = kRows[static_cast<unsigned>(e.op) - static_cast<unsigned>(ConcurrentOp::FetchAdd)];
      emit(position, row(first, 9, kind, RegisterKind::U8), to, cell, arguments[0], arguments[1]);
      break;
    }
  }
  return to;
}

/// The index first, then the values, the guard, the update.
Register FunctionLowering::element_update(const ConcurrentExpr& e, Register into) {
  const RegisterKind kind = scalar_register(*e.type);
  const Position position = e.position;
  const Register to = target(into, *e.type);
  const Mark mark = this->mark();
  const Place element = place(*e.receiver);
  std::vector<Register> arguments;
  for (const Expr* argument : e.arguments) arguments.push_back(value(*argument));
  const Register cell = reference(element, e.receiver->position);
  const auto relaxed = [&](Op u8) {
    const Register order = temporary(kU32);
    constant(order, 0);
    emit(position, row(u8, 9, kind, RegisterKind::U8), to, cell, arguments[0], order);
  };
  at(position);
  switch (e.op) {
    case ConcurrentOp::ElementAddWrap:
      relaxed(Op::AtomicAddU8);
      break;
    case ConcurrentOp::ElementAnd:
      relaxed(Op::AtomicAndU8);
      break;
    case ConcurrentOp::ElementOr:
      relaxed(Op::AtomicOrU8);
      break;
    case ConcurrentOp::ElementXor:
      relaxed(Op::AtomicXorU8);
      break;
    case ConcurrentOp::ElementMin:
      f_.emit(element_operation(Op::AtomicMinU32, kind), to, cell, arguments[0]);
      break;
    case ConcurrentOp::ElementMax:
      f_.emit(element_operation(Op::AtomicMaxU32, kind), to, cell, arguments[0]);
      break;
    case ConcurrentOp::ElementCas:
      f_.emit(element_operation(Op::AtomicCasU32, kind), to, cell, arguments[0], arguments[1]);
      break;
    default:
      f_.emit(kind == RegisterKind::F32 ? Op::AtomicAddF32 : Op::AtomicAddF64, to, cell, arguments[0]);
      break;
  }
  release(mark);
  return to;
}

// ------------------------------------------------------------------------------------------------------------ mutexes

/// m.with(closure): the closure runs on the value while the calling thread holds the lock.
Register FunctionLowering::with(const ConcurrentExpr& e, const Place* to, Register into) {
  const checked::Function& body = *e.arguments[0]->as<checked::ClosureExpr>().body;
  const Type& mutex = *e.receiver->type;
  const Shape shape = shape_of(*e.type);
  const Mark mark = this->mark();
  Place guarded = place(*e.receiver);
  const Register lock = reference(guarded, e.position);
  guarded.writable = true;
  guarded.type = mutex.element;
  guarded.offset += guarded_offset(types().layout(mutex));
  const std::uint32_t function = module_.inner_function(body, index_);
  const Register environment = environment_for(body, e.position);
  Window window = open_window();
  if (shape == Shape::Memory) {
    reference(*to, e.position, next_slot(window));
    placed(window, 1);
  }
  reference(guarded, e.position, next_slot(window));
  placed(window, 1);
  emit(e.position, Op::MutexLock, lock);
  emit(e.position, Op::CallClosure, f_.outgoing(window.base), environment, function);
  emit(e.position, Op::MutexUnlock, lock);
  release(mark);
  return outcome(window, shape, e.position, into);
}

/// A native: the receiver first, where there is one, then the arguments.
Register FunctionLowering::call_native(const ConcurrentExpr& e, std::string_view name, Register into) {
  const Mark mark = this->mark();
  bytecode::Signature signature;
  signature.result = types().value(*e.type);
  Window window = open_window();
  const auto place_value = [&](const Expr& argument) {
    RegisterType form =
        argument.kind == ExprKind::Lend ? types().parameter(*argument.type) : types().value(*argument.type);
    // An rw view may be lent to be read.
    if (e.op == ConcurrentOp::MatrixMultiply) form.writable = &argument == e.arguments[3];
    value(argument, next_slot(window));
    placed(window, form.slots());
    signature.parameters.push_back(form);
  };
  if (e.receiver != nullptr) place_value(*e.receiver);
  for (const Expr* argument : e.arguments) place_value(*argument);
  const std::uint32_t native = module_.builder().native(name, module_.builder().signature(std::move(signature)));
  emit(e.position, Op::CallNative, f_.outgoing(window.base), native);
  release(mark);
  return outcome(window, shape_of(*e.type), e.position, into);
}

}  // namespace cairn::lower
