// What expressions add to the row.
#include "frontend/check/concurrent_ops.hpp"
#include "frontend/check/row_collector.hpp"
#include "frontend/check/tree_walk.hpp"

namespace cairn::checked {

namespace {

/// Whether an integer value of `from` can lie outside `to`.
bool narrows(const Type* from, const Type* to) {
  const unsigned wide = bit_width(from->kind);
  const unsigned target = bit_width(to->kind);
  if (from->is_unsigned()) return target < wide || (target == wide && to->is_signed());
  return to->is_unsigned() || target < wide;
}

bool conversion_may_trap(const Type* from, const Type* to) {
  if (from->is_integer()) return to->is_integer() && narrows(from, to);
  return (from->is_float() && to->is_integer()) || to->is(TypeKind::F8E4M3);
}

}  // namespace

void RowCollector::operands(const Expr& root) {
  for_each_operand(root, [&](const Expr& operand) { expression(operand); });
}

void RowCollector::expression(const Expr& root) {
  if (root.kind == ExprKind::Binary) {
    // A chain of left operands may be of any length.
    const Expr* at = &root;
    for (; at->kind == ExprKind::Binary; at = at->as<BinaryExpr>().left) {
      const auto& binary = at->as<BinaryExpr>();
      if (is_checked_arithmetic(binary.op, binary.left->type)) add(Label::Trap);
      expression(*binary.right);
    }
    return expression(*at);
  }
  own_labels(root);
  operands(root);
}

void RowCollector::own_labels(const Expr& root) {
  switch (root.kind) {
    case ExprKind::FunctionValue:
      row_.taken.push_back(root.as<FunctionValueExpr>().function);
      break;
    case ExprKind::Element:
      add(Label::Trap);
      break;
    case ExprKind::Part:
      add(Label::Trap);
      break;
    case ExprKind::Load:
      read(*root.as<LoadExpr>().place);
      break;
    case ExprKind::Take:
      read(*root.as<TakeExpr>().place);
      write(*root.as<TakeExpr>().place);
      break;
    case ExprKind::Swap:
      for (const Expr* place : {root.as<SwapExpr>().left, root.as<SwapExpr>().right}) {
        read(*place);
        write(*place);
      }
      break;
    case ExprKind::Length:
      length(*root.as<LengthExpr>().of);
      break;
    case ExprKind::Unary:
      if (root.as<UnaryExpr>().op == UnaryOp::Negate && root.type->is_integer()) add(Label::Trap);
      break;
    case ExprKind::Convert:
      if (conversion_may_trap(root.as<ConvertExpr>().operand->type, root.type)) add(Label::Trap);
      break;
    case ExprKind::Builtin:
      builtin(root.as<BuiltinExpr>());
      break;
    case ExprKind::Zero:
      if (root.type->is(TypeKind::Array)) add(Label::ZeroInit);
      break;
    case ExprKind::Field:
      // The rest of a temporary record is dropped.
      if (!root.as<FieldExpr>().base->is_place()) drop(*root.as<FieldExpr>().base);
      break;
    case ExprKind::LendTemporary:
      drop(*root.as<LendTemporaryExpr>().value);
      break;
    case ExprKind::LendDyn:
      if (root.as<LendDynExpr>().place->type->is(TypeKind::Dyn)) add(Label::Trap);
      break;
    case ExprKind::Call:
      call(*root.as<CallExpr>().callee, root.as<CallExpr>().arguments);
      break;
    case ExprKind::CallValue:
      call_value(root.as<CallValueExpr>());
      break;
    case ExprKind::CallDyn:
      call_dynamic(root.as<CallDynExpr>());
      break;
    case ExprKind::BufNew:
      add(Label::ZeroInit, Label::Trap, Label::Alloc, Label::Free);
      break;
    case ExprKind::DynNew:
      add(Label::Trap, Label::Alloc, Label::Free);
      break;
    case ExprKind::Closure:
      inner(*root.as<ClosureExpr>().body);
      break;
    case ExprKind::Print:
      print(root.as<PrintExpr>().arguments, true);
      break;
    case ExprKind::Format:
      print(root.as<FormatExpr>().arguments, false);
      add(Label::Alloc, Label::Free, Label::Trap);
      read_whole(*root.as<FormatExpr>().target);
      write_whole(*root.as<FormatExpr>().target);
      break;
    case ExprKind::Assert:
    case ExprKind::AssertEqual:
    case ExprKind::LayoutQuery:
      add(Label::Trap);
      break;
    case ExprKind::Transfer:
      transfer(root.as<TransferExpr>());
      break;
    case ExprKind::Machine:
      add(root.as<MachineExpr>().op == MachineOp::Asm ? Label::Asm : Label::Mmio);
      break;
    case ExprKind::Spawn:
      spawn(root.as<SpawnExpr>());
      break;
    case ExprKind::Concurrent:
      concurrent(root.as<ConcurrentExpr>());
      break;
    default:
      break;
  }
}

void RowCollector::length(const Expr& of) {
  if (of.is_place() && (of.type->is(TypeKind::Buf) || of.type->is(TypeKind::Array))) read(of);
}

void RowCollector::builtin(const BuiltinExpr& expression) {
  switch (expression.builtin) {
    case Builtin::ShlWrap:
    case Builtin::Shr:
    case Builtin::Quantize:
    case Builtin::QuantizeStochastic:
      add(Label::Trap);
      break;
    case Builtin::Abs:
      if (expression.type->is_signed()) add(Label::Trap);
      break;
    default:
      break;
  }
}

void RowCollector::print(List<const PrintArgument> arguments, bool writes_out) {
  if (writes_out) {
    add(Label::Io);
    row_.others.push_back(checker_.names().intern("ffi:write"));
  }
  for (const PrintArgument& argument : arguments) {
    if (argument.as == PrintAs::Bytes) read_whole(*argument.value);
  }
}

void RowCollector::transfer(const TransferExpr& expression) {
  read_whole(*expression.source);
  write_whole(*expression.destination);
  add(transfer_label(expression.source->type->placement, expression.destination->type->placement));
}

void RowCollector::matrix_multiply(const ConcurrentExpr& expression) {
  add(Label::Trap);
  write_whole(*expression.arguments[3]);
  read_whole(*expression.arguments[4]);
  read_whole(*expression.arguments[5]);
  if (expression.arguments[3]->type->placement == Placement::Device) add(Label::ParDevice);
}

void RowCollector::spawn(const SpawnExpr& expression) {
  add(Label::Spawn);
  if (expression.region != nullptr) parallel(*expression.region);
}

void RowCollector::concurrent(const ConcurrentExpr& expression) {
  switch (expression.op) {
    case ConcurrentOp::WaitTicket:
    case ConcurrentOp::WaitGroup:
      return add(Label::Join);
    case ConcurrentOp::WaitRing:
      return add(Label::Io, Label::Free);
    case ConcurrentOp::Collect:
      return add(Label::Join, Label::Trap);
    case ConcurrentOp::GroupNew:
      return add(Label::Alloc, Label::Free, Label::Trap);
    case ConcurrentOp::RingNew:
      return add(Label::Alloc, Label::Free, Label::Io, Label::Trap);
    case ConcurrentOp::AtomicNew:
    case ConcurrentOp::MutexNew:
      return;
    case ConcurrentOp::MutexWith:
      add(Label::Lock);
      return read(*expression.receiver);
    case ConcurrentOp::MatrixMultiply:
      return matrix_multiply(expression);
    case ConcurrentOp::FragmentFill:
    case ConcurrentOp::FragmentMultiply:
      return;
    case ConcurrentOp::FragmentGet:
    case ConcurrentOp::FragmentSet:
      return add(Label::Trap);
    case ConcurrentOp::FragmentLoad:
      add(Label::Trap);
      return read_whole(*expression.receiver);
    case ConcurrentOp::FragmentStore:
      add(Label::Trap);
      return write_whole(*expression.receiver);
    case ConcurrentOp::CompareExchange:
      write(*expression.arguments.front()->as<LendExpr>().place);
      break;
    case ConcurrentOp::RingNext:
      for (const Expr* result : expression.arguments) write(*result->as<LendExpr>().place);
      break;
    default:
      break;
  }
  if (is_warp_exchange(expression.op)) {
    if (is_shuffle(expression.op)) add(Label::Trap);
  } else if (is_pipeline_operation(expression.op)) {
    if (expression.op != ConcurrentOp::PipelineFill) return;
    add(Label::Trap);
    read_whole(*expression.arguments.front());
  } else if (is_atomic(expression.op)) {
    add(Label::Atomic);
    read(*expression.receiver);
  } else if (is_element_update(expression.op)) {
    add(Label::Atomic, Label::Trap);
    read(*expression.receiver);
    write(*expression.receiver);
  } else if (is_wide_access(expression.op)) {
    add(Label::Trap);
    expression.op == ConcurrentOp::StoreWide ? write_whole(*expression.receiver) : read_whole(*expression.receiver);
  } else if (is_ring_request(expression.op)) {
    add(Label::Io);
    if (expression.op != ConcurrentOp::RingCancel) add(Label::Trap);
    write_whole(*expression.receiver);
  } else {
    read_whole(*expression.receiver);
  }
}

void RowCollector::drop(const Expr& value) {
  if (value.type != nullptr && types_.holds_heap(value.type)) add(Label::Free);
}

}  // namespace cairn::checked
