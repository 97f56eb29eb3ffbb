// Device work (devices, 4, 5 and 9): regions and collectors as kernels of their own, queued work, wide accesses.
//
// A device lane function has the shape of a host one; its environment holds copies of all it names, made where the
// region starts.
#include "frontend/check/concurrent_ops.hpp"
#include "vm/lower/function_lowering.hpp"

namespace cairn::lower {

using bytecode::RegisterKind;
using checked::ConcurrentExpr;
using checked::ConcurrentOp;

void FunctionLowering::device_parallel(const checked::ParallelStmt& s) {
  const Mark mark = this->mark();
  const Register count = value(*s.extent);
  LaneForm form;
  form.device = true;
  const std::uint32_t lane = lane_function(*s.lane, form);
  const Register environment = environment_for(*s.lane, s.position);
  emit(s.position, Op::DeviceParallel, environment, count, lane);
  release(mark);
}

void FunctionLowering::device_reduce(const checked::ReduceStmt& s) {
  const Type& type = *s.lane->result;
  const Mark mark = this->mark();
  Place to;
  if (s.target != nullptr) to = total_place(*s.target);
  const Register count = value(*s.extent);
  LaneForm form;
  form.kind = LaneForm::Kind::Fold;
  form.device = true;
  form.reducer = s.reducer;
  form.position = s.position;
  const std::uint32_t lane = lane_function(*s.lane, form);
  const Register environment = environment_for(*s.lane, s.position);
  const std::uint64_t fold = fold_of(s.reducer, scalar_register(type));
  if (s.target != nullptr) {
    emit(s.position, Op::DeviceReduceTo, to.reg, environment, count, fold, lane);
  } else {
    const Register total = temporary(type);
    emit(s.position, Op::DeviceReduce, total, environment, count, fold, lane);
    store(declare(*s.result), total, s.position);
  }
  release(mark);
}

void FunctionLowering::device_scan(const checked::ScanStmt& s) {
  const Type& type = *s.lane->result;
  const Mark mark = this->mark();
  const Register count = value(*s.extent);
  LaneForm form;
  form.kind = LaneForm::Kind::Scan;
  form.device = true;
  form.reducer = s.reducer;
  form.exclusive = s.exclusive;
  form.output = s.output;
  form.position = s.position;
  const std::uint32_t lane = lane_function(*s.lane, form);
  const Register environment = environment_for(*s.lane, s.position);
  const std::uint64_t fold = fold_of(s.reducer, scalar_register(type));
  if (s.total == nullptr) {
    emit(s.position, Op::DevicePrefixes, environment, count, fold, view(*s.output), lane);
  } else {
    const Register total = temporary(type);
    emit(s.position, Op::DeviceScan, total, environment, count, fold, view(*s.output), lane);
    store(declare(*s.total), total, s.position);
  }
  release(mark);
}

void FunctionLowering::device_compact(const checked::CompactStmt& s) {
  const Mark mark = this->mark();
  const Register output = view(*s.output);
  const Register count = value(*s.extent);
  LaneForm form;
  form.kind = LaneForm::Kind::Compact;
  form.device = true;
  form.yield = s.yield;
  form.position = s.position;
  const std::uint32_t lane = lane_function(*s.condition, form);
  const Register environment = environment_for(*s.condition, s.position);
  const Register kept = temporary(kIndexRegister);
  emit(s.position, Op::DeviceCompact, kept, environment, count, output, lane);
  if (s.count != nullptr) store(declare(*s.count), kept, s.position);
  release(mark);
}

/// The guards of the arguments run here.
Register FunctionLowering::queued(const checked::SpawnExpr& e, Register into) {
  const Register ticket = target(into, *e.type);
  const Mark mark = this->mark();
  const auto order = [&] {
    for (const Local* earlier : e.after) emit(e.position, Op::QueueAfter, load(home(*earlier), e.position));
  };
  if (e.region != nullptr) {
    const Register count = value(*e.region->extent);
    LaneForm form;
    form.device = true;
    const std::uint32_t lane = lane_function(*e.region->lane, form);
    const Register environment = environment_for(*e.region->lane, e.position);
    order();
    emit(e.position, Op::QueueParallel, ticket, environment, count, lane);
  } else {
    const auto& transfer = e.call->as<checked::TransferExpr>();
    const Register destination = view(*transfer.destination);
    const Register source = view(*transfer.source);
    order();
    emit(e.position, Op::QueueTransfer, ticket, destination, source, transfer_places(transfer),
         types().size(*transfer.destination->type->element));
  }
  release(mark);
  return ticket;
}

/// A foreign kernel over as many threads as its declaration says; its arguments lie in the window.
void FunctionLowering::launch(const checked::CallExpr& e, const Window& window) {
  const auto& declaration = e.callee->declaration->as<syntax::ExternDecl>();
  Register count;
  if (declaration.launch_is_name) {
    std::uint32_t slot = window.base;
    for (const Local* parameter : e.callee->parameters) {
      if (parameter->name == declaration.launch_name.name) count = f_.outgoing(slot);
      slot += types().parameter(*parameter->type).slots();
    }
  } else {
    count = temporary(kIndexRegister);
    at(e.position);
    constant(count, declaration.launch_threads.value);
  }
  emit(e.position, Op::DeviceLaunch, f_.outgoing(window.base), declaration.launch_block.value, count,
       module_.foreign(*e.callee));
}

/// The index, then the value, then both guards. `to`: where the elements that are loaded go.
void FunctionLowering::wide_access(const ConcurrentExpr& e, const Place* to) {
  const bool stores = e.op == ConcurrentOp::StoreWide;
  const Type& pack = stores ? *e.arguments[1]->type : *e.type;
  const Mark mark = this->mark();
  const Register all = elements(*e.receiver);
  const Register index = value(*e.arguments[0]);
  Place stored;
  if (stores) stored = place(*e.arguments[1]);
  const RegisterType form = f_.type_of(all);
  Place found;
  found.kind = Place::Kind::Reference;
  found.type = &pack;
  found.referent = &pack;
  found.writable = form.kind == RegisterKind::Buf || form.writable;
  found.reg = temporary({RegisterKind::Ref, found.writable, types().memory(pack)});
  emit(e.position, Op::RefWide, found.reg, all, index, pack.count, types().size(*pack.element));
  if (stores) {
    copy(found, stored, e.position);
  } else if (to != nullptr) {
    copy(*to, found, e.position);
  }
  release(mark);
}

}  // namespace cairn::lower
