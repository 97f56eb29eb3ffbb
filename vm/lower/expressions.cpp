// Expressions: what serves each kind, and the plain ones.
#include "vm/lower/function_lowering.hpp"

namespace cairn::lower {

using bytecode::RegisterKind;
using checked::ExprKind;
using checked::LocalExpr;

Register FunctionLowering::value(const Expr& e, Register into) {
  switch (e.kind) {
    case ExprKind::Integer:
    case ExprKind::Float:
    case ExprKind::Bool:
      return literal(e, into);
    case ExprKind::Zero: {
      const Register to = target(into, *e.type);
      at(e.position);
      if (shape_of(*e.type) == Shape::Two) {
        f_.emit(Op::ZeroPair, to);
      } else {
        constant(to, 0);
      }
      return to;
    }
    case ExprKind::FunctionValue: {
      const Register to = target(into, *e.type);
      emit(e.position, Op::FunctionOf, to, module_.function(*e.as<checked::FunctionValueExpr>().function));
      return to;
    }
    case ExprKind::Local:
    case ExprKind::Field:
    case ExprKind::Element:
      return load_from(e, e.position, into);
    case ExprKind::Load:
      return load_value(e.as<checked::LoadExpr>(), into);
    case ExprKind::Take:
      return take_value(e.as<checked::TakeExpr>(), into);
    case ExprKind::Unary:
      return unary(e.as<checked::UnaryExpr>(), into);
    case ExprKind::Binary:
      return binary(e.as<checked::BinaryExpr>(), into);
    case ExprKind::Logical:
      return truth_value(e, into);
    case ExprKind::Convert:
      return convert(e.as<checked::ConvertExpr>(), into);
    case ExprKind::Builtin:
      return builtin(e.as<checked::BuiltinExpr>(), into);
    case ExprKind::Length:
      return length_value(e.as<checked::LengthExpr>(), into);
    case ExprKind::Text:
    case ExprKind::ViewOf:
    case ExprKind::Part:
      return view(e, into);
    case ExprKind::PartExtent:
      return part_extent(e.as<checked::PartExtentExpr>(), into);
    case ExprKind::Call:
    case ExprKind::CallValue:
    case ExprKind::CallDyn:
      return call(e, nullptr, into);
    case ExprKind::BufNew:
      return buf_new(e.as<checked::BufNewExpr>(), into);
    case ExprKind::DynNew:
      return dyn_new(e.as<checked::DynNewExpr>(), into);
    case ExprKind::Closure:
      return closure(e.as<checked::ClosureExpr>(), into);
    case ExprKind::Try: {
      const Register to = target(into, *e.type);
      const Mark mark = this->mark();
      load(try_payload(e.as<checked::TryExpr>()), e.position, to);
      release(mark);
      return to;
    }
    case ExprKind::LendDyn:
      return dyn_reference(e, into);
    case ExprKind::Lend:
      return reference(place(*e.as<checked::LendExpr>().place), e.position, into);
    case ExprKind::LendTemporary:
      return value(*e.as<checked::LendTemporaryExpr>().value, into);
    case ExprKind::Machine:
      return machine(e.as<checked::MachineExpr>(), into);
    case ExprKind::LayoutQuery:
      return layout_query(e.as<checked::LayoutQueryExpr>(), into);
    case ExprKind::Spawn:
    case ExprKind::Concurrent:
      return concurrent(e, nullptr, into);
    case ExprKind::Swap:
    case ExprKind::Record:
    case ExprKind::Variant:
    case ExprKind::Print:
    case ExprKind::Format:
    case ExprKind::Assert:
    case ExprKind::AssertEqual:
    case ExprKind::Transfer:
      break;
  }
  fail(e.position, "an expression without a value in registers");
  return target(into, *e.type);
}

void FunctionLowering::build(const Expr& e, const Place& to) {
  const Mark mark = this->mark();
  switch (e.kind) {
    case ExprKind::Load: {
      const auto& load = e.as<checked::LoadExpr>();
      const Place from = place(*load.place);
      copy(to, from, e.position);
      if (load.moves && moved(*load.place->as<LocalExpr>().local)) zero(from, e.position);
      break;
    }
    case ExprKind::Local:
    case ExprKind::Field:
    case ExprKind::Element:
      copy(to, place(e), e.position);
      break;
    case ExprKind::Take: {
      const Place from = place(*e.as<checked::TakeExpr>().place);
      copy(to, from, e.position);
      zero(from, e.position);
      break;
    }
    case ExprKind::Zero:
      zero(to, e.position);
      break;
    case ExprKind::Record:
      build_record(e.as<checked::RecordExpr>(), to);
      break;
    case ExprKind::Variant:
      build_variant(e.as<checked::VariantExpr>(), to);
      break;
    case ExprKind::Call:
    case ExprKind::CallValue:
    case ExprKind::CallDyn:
      call(e, &to, {});
      break;
    case ExprKind::Try:
      copy(to, try_payload(e.as<checked::TryExpr>()), e.position);
      break;
    case ExprKind::LendTemporary:
      build(*e.as<checked::LendTemporaryExpr>().value, to);
      break;
    case ExprKind::Spawn:
    case ExprKind::Concurrent:
      concurrent(e, &to, {});
      break;
    default:
      fail(e.position, "an expression without a value in memory");
      break;
  }
  release(mark);
}

void FunctionLowering::evaluate(const Expr& e, const Place& to) {
  if (shape_of(*e.type) == Shape::Memory) return build(e, to);
  const Mark mark = this->mark();
  if (to.kind == Place::Kind::Register) {
    value(e, to.reg);
  } else {
    store(to, value(e), e.position);
  }
  release(mark);
}

void FunctionLowering::discard(const Expr& e) {
  const Mark mark = this->mark();
  switch (e.kind) {
    case ExprKind::Print:
      print(e.as<checked::PrintExpr>());
      break;
    case ExprKind::Format:
      format(e.as<checked::FormatExpr>());
      break;
    case ExprKind::Assert:
      assert_(e.as<checked::AssertExpr>());
      break;
    case ExprKind::AssertEqual:
      assert_equal(e.as<checked::AssertEqualExpr>());
      break;
    case ExprKind::Swap:
      swap(e.as<checked::SwapExpr>());
      break;
    case ExprKind::Transfer:
      transfer_views(e.as<checked::TransferExpr>());
      break;
    case ExprKind::Machine:
      machine(e.as<checked::MachineExpr>(), {});
      break;
    case ExprKind::Try: {
      const Place payload = try_payload(e.as<checked::TryExpr>());
      if (payload.type != nullptr && types().owns(*payload.type)) drop(payload);
      break;
    }
    default:
      discard_value(e);
      break;
  }
  release(mark);
}

void FunctionLowering::discard_value(const Expr& e) {
  Place result;
  result.type = e.type;
  switch (shape_of(*e.type)) {
    case Shape::None:
      if (e.kind == ExprKind::Concurrent || e.kind == ExprKind::Spawn) {
        concurrent(e, nullptr, {});
      } else {
        call(e, nullptr, {});
      }
      return;
    case Shape::One:
      value(e);
      return;
    case Shape::Two:
      if (!types().owns(*e.type)) {
        value(e);
        return;
      }
      result.reg = temporary(*e.type);
      value(e, result.reg);
      return drop(result);
    case Shape::Memory:
      result = temporary_object(*e.type);
      build(e, result);
      if (types().owns(*e.type)) drop(result);
      return;
  }
}

Register FunctionLowering::load_from(const Expr& from, Position position, Register into) {
  if (from.kind == ExprKind::Local) {
    const Place local = home(*from.as<LocalExpr>().local);
    if (local.kind == Place::Kind::Register && !into) return local.reg;
  }
  const Register to = target(into, *from.type);
  const Mark mark = this->mark();
  load(place(from), position, to);
  release(mark);
  return to;
}

Register FunctionLowering::load_value(const checked::LoadExpr& e, Register into) {
  if (!e.moves) return load_from(*e.place, e.position, into);
  const Local& local = *e.place->as<LocalExpr>().local;
  const Place from = home(local);
  if (!moved(local)) return load(from, e.position, into);
  const Register to = target(into, *e.type);
  load(from, e.position, to);
  zero(from, e.position);
  return to;
}

Register FunctionLowering::take_value(const checked::TakeExpr& e, Register into) {
  const Register to = target(into, *e.type);
  const Mark mark = this->mark();
  const Place from = place(*e.place);
  load(from, e.position, to);
  zero(from, e.position);
  release(mark);
  return to;
}

Register FunctionLowering::length_value(const checked::LengthExpr& e, Register into) {
  if (!into) {
    // Usually a register that is there already; a temporary it was loaded into lives as long as the length is read.
    return length(*e.of, e.position);
  }
  const Mark mark = this->mark();
  length(*e.of, e.position, into);
  release(mark);
  return into;
}

/// An extent that was left out: its part is found and guarded here, once; the part argument that follows uses it.
Register FunctionLowering::part_extent(const checked::PartExtentExpr& e, Register into) {
  const Type& element = *e.part->base->type->element;
  const bool writable = e.part->type->mode == BorrowMode::Rw;
  const Register reg = temporary({RegisterKind::View, writable, types().memory(element)});
  part(*e.part, {}, reg);
  parts_[e.part] = reg;
  if (!into) return reg.second();
  at(e.position);
  move(into, reg.second(), Shape::One);
  return into;
}

void FunctionLowering::swap(const checked::SwapExpr& e) {
  const Place left = place(*e.left);
  const Place right = place(*e.right);
  if (shape_of(*left.type) == Shape::Memory) {
    const Register a = reference(left, e.position);
    const Register b = reference(right, e.position);
    return emit(e.position, Op::Swap, a, b, types().size(*left.type));
  }
  const Register old_left = load(left, e.position, temporary(*left.type));
  const Register old_right = load(right, e.position, temporary(*right.type));
  store(left, old_right, e.position);
  store(right, old_left, e.position);
}

}  // namespace cairn::lower
