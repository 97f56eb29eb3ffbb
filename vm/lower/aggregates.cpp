// Records, sums, arrays, owners: making, copying, clearing and releasing them, and `try`.
#include "vm/lower/function_lowering.hpp"

namespace cairn::lower {

using bytecode::RegisterKind;
using checked::ExprKind;
using checked::LocalExpr;

void FunctionLowering::build_record(const checked::RecordExpr& e, const Place& to) {
  for (std::uint32_t i = 0; i < e.fields.size(); ++i) evaluate(*e.fields[i], field_of(to, *e.type, i));
}

void FunctionLowering::build_variant(const checked::VariantExpr& e, const Place& to) {
  const Type& sum = *e.type;
  // Members that are not active are zero, so that releasing a sum need not look at its tag.
  bool has_other_owner = false;
  for (std::uint32_t i = 0; i < sum.sum->variants.size(); ++i) {
    const Type* payload = sum.sum->variants[i].payload;
    if (i != e.variant && payload != nullptr && types().owns(*payload)) has_other_owner = true;
  }
  if (has_other_owner) zero(to, e.position);
  set_tag(to, e.variant, e.position);
  if (sum.sum->variants[e.variant].payload == nullptr) return;
  const Place payload = payload_of(to, sum, e.variant);
  if (e.payload != nullptr) {
    evaluate(*e.payload, payload);
  } else {
    zero(payload, e.position);
  }
}

void FunctionLowering::set_tag(const Place& sum, std::uint32_t variant, Position position) {
  const Mark mark = this->mark();
  const Register tag = temporary({RegisterKind::U32, false, bytecode::kNone});
  at(position);
  constant(tag, variant);
  const Place place = reachable(sum, position);
  if (place.kind == Place::Kind::Frame) {
    f_.emit(Op::FrameStoreU32, tag, place.offset);
  } else {
    f_.emit(Op::StoreU32, place.reg, tag, place.offset);
  }
  release(mark);
}

Register FunctionLowering::tag_of(const Place& sum, Position position) {
  const Register tag = temporary({RegisterKind::U32, false, bytecode::kNone});
  const Place place = reachable(sum, position);
  if (place.kind == Place::Kind::Frame) {
    emit(position, Op::FrameLoadU32, tag, place.offset);
  } else {
    emit(position, Op::LoadU32, tag, place.reg, place.offset);
  }
  return tag;
}

void FunctionLowering::copy(const Place& to, const Place& from, Position position) {
  const Mark mark = this->mark();
  if (to.kind == Place::Kind::Register) {
    load(from, position, to.reg);
  } else if (shape_of(*to.type) != Shape::Memory) {
    store(to, load(from, position), position);
  } else {
    const Register target = reference(to, position);
    emit(position, Op::Copy, target, reference(from, position), types().size(*to.type));
  }
  release(mark);
}

/// Leaves the zero value at a place.
void FunctionLowering::zero(const Place& place, Position position) {
  const Shape shape = shape_of(*place.type);
  if (place.kind == Place::Kind::Register) {
    at(position);
    if (shape == Shape::Two) return f_.emit(Op::ZeroPair, place.reg);
    return constant(place.reg, 0);
  }
  if (place.kind == Place::Kind::Frame) return emit(position, Op::FrameZero, place.offset, types().size(*place.type));
  const Mark mark = this->mark();
  if (shape == Shape::Memory) {
    emit(position, Op::Zero, reference(place, position), types().size(*place.type));
  } else {
    const Register empty = temporary(*place.type);
    at(position);
    if (shape == Shape::Two) {
      f_.emit(Op::ZeroPair, empty);
    } else {
      constant(empty, 0);
    }
    store(place, empty, position);
  }
  release(mark);
}

/// Releases what the owner at a place holds. Instructions for it have the position of those around them.
void FunctionLowering::drop(const Place& place) {
  const Type& type = *place.type;
  if (place.kind == Place::Kind::Register) {
    const RegisterType form = f_.type_of(place.reg);
    if (form.kind == RegisterKind::Dyn) return f_.emit(Op::DropDyn, place.reg);
    return f_.emit(Op::DropBuf, place.reg, form.type);
  }
  const std::uint32_t entry = types().memory(type);
  if (place.kind == Place::Kind::Frame) return f_.emit(Op::FrameDrop, place.offset, entry);
  const Mark mark = this->mark();
  f_.emit(Op::Drop, reference(place, {}), entry);
  release(mark);
}

Register FunctionLowering::buf_new(const checked::BufNewExpr& e, Register into) {
  const Register to = target(into, *e.type);
  const Mark mark = this->mark();
  const Register count = value(*e.count);
  release(mark);
  emit(e.position, Op::BufNew, to, count, types().memory(*e.type->element));
  return to;
}

/// The value's bytes move into the box: it is made in the frame's memory first.
Register FunctionLowering::dyn_new(const checked::DynNewExpr& e, Register into) {
  const Register to = target(into, *e.type);
  const Mark mark = this->mark();
  const Place object = temporary_object(*e.value->type);
  evaluate(*e.value, object);
  emit(e.position, Op::DynNew, to, reference(object, e.position), module_.table(*e.table));
  release(mark);
  return to;
}

/// A record, sum or array that is looked into. `owned`: it is moved here, so its parts may be moved on. `kept`: its
/// place outlives the statement.
Place FunctionLowering::subject(const Expr& e, bool kept, bool& owned) {
  owned = true;
  if (e.kind == ExprKind::Load) {
    const auto& load = e.as<checked::LoadExpr>();
    if (!load.moves) {
      owned = false;
      return place(*load.place);
    }
    const Local& local = *load.place->as<LocalExpr>().local;
    if (!must_zero_when_moved(local)) {
      moved(local);
      return home(local);
    }
  }
  if (e.is_place()) {
    owned = false;
    return place(e);
  }
  const Place object = kept ? frame_object(*e.type, {}) : temporary_object(*e.type);
  build(e, object);
  return object;
}

Place FunctionLowering::try_payload(const checked::TryExpr& e) {
  bool owned = false;
  const Type& sum = *e.operand->type;
  const Place operand = subject(*e.operand, false, owned);
  const Mark mark = this->mark();
  const Register tag = tag_of(operand, e.position);
  release(mark);
  const Label success = f_.label();
  emit(e.position, Op::JumpEqImm, tag, 0, success);
  const Lives before = lives();
  ++depth_;
  return_failure(operand, *e.result, e.position);
  --depth_;
  restore(before);
  f_.bind(success);
  return payload_of(operand, sum, 0);
}

/// Leaves the function with the failure that `operand` holds.
void FunctionLowering::return_failure(const Place& operand, const Type& result, Position position) {
  const Type& sum = *operand.type;
  Place to;
  to.kind = Place::Kind::Reference;
  to.reg = result_;
  to.referent = to.type = &result;
  if (&sum == &result) {
    copy(to, operand, position);
  } else {
    const Type* success = result.sum->variants[0].payload;
    if (success != nullptr && types().owns(*success)) zero(to, position);
    set_tag(to, 1, position);
    if (sum.sum->variants[1].payload != nullptr) {
      copy(payload_of(to, result, 1), payload_of(operand, sum, 1), position);
    }
  }
  run_cleanups(0, position);
  emit(position, Op::Return);
}

}  // namespace cairn::lower
