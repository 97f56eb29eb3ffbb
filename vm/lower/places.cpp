// Places: finding them with their guards, reading and writing what they hold, and the views of what has elements.
#include "vm/lower/function_lowering.hpp"

namespace cairn::lower {

using bytecode::RegisterKind;
using checked::ElementExpr;
using checked::ExprKind;
using checked::FieldExpr;
using checked::IntegerExpr;
using checked::LocalExpr;
using checked::PartExpr;

namespace {

/// Loads and stores carry 16 bits of offset from a reference.
constexpr std::uint64_t kMaxOffset = 0xffff;
/// References into frames and objects are formed with 32 bits; larger objects are reached element by element.
constexpr std::uint64_t kMaxReach = 0x7fffffff;

bool in_memory(const Place& place) { return place.kind == Place::Kind::Frame || place.kind == Place::Kind::Reference; }

}  // namespace

Place FunctionLowering::place(const Expr& e) {
  switch (e.kind) {
    case ExprKind::Local:
      return home(*e.as<LocalExpr>().local);
    case ExprKind::Field: {
      std::vector<const FieldExpr*> path{&e.as<FieldExpr>()};
      while (path.back()->base->kind == ExprKind::Field) path.push_back(&path.back()->base->as<FieldExpr>());
      Place found = place(*path.back()->base);
      for (; !path.empty(); path.pop_back()) found = field_of(found, *path.back()->base->type, path.back()->index);
      return found;
    }
    case ExprKind::Element:
      return element_place(e.as<ElementExpr>());
    default: {
      if (e.kind == ExprKind::Load && !e.as<checked::LoadExpr>().moves) return place(*e.as<checked::LoadExpr>().place);
      const Place temporary = temporary_object(*e.type);
      evaluate(e, temporary);
      if (types().owns(*e.type)) drop_later(temporary);
      return temporary;
    }
  }
}

Place FunctionLowering::field_of(Place base, const Type& record, std::uint32_t field) {
  base.offset += types().field_offset(record, field);
  base.type = record.record->fields[field].type;
  return base;
}

Place FunctionLowering::payload_of(Place base, const Type& sum, std::uint32_t variant) {
  base.offset += types().payload_offset(sum, variant);
  base.type = sum.sum->variants[variant].payload;
  return base;
}

Place FunctionLowering::element_place(const ElementExpr& e) {
  const Expr& base = *e.base;
  const Type& element = *base.type->element;
  const std::uint64_t size = types().size(element);
  if (base.type->is(TypeKind::Array) && base.is_place() && e.index->kind == ExprKind::Integer) {
    const std::uint64_t index = e.index->as<IntegerExpr>().bits;
    if (index < base.type->count && types().size(*base.type) <= kMaxReach) {
      Place array = place(base);
      if (in_memory(array) && array.offset <= kMaxReach) {
        array.offset += index * size;
        array.type = &element;
        return array;
      }
    }
  }
  const Register all = elements(base);
  const Register index = value(*e.index);
  Place found;
  found.type = &element;
  found.proved = module_.discharged().contains(e);
  const RegisterType form = f_.type_of(all);
  found.writable = form.kind == RegisterKind::Buf || form.writable;
  if (shape_of(element) != Shape::Memory) {
    found.kind = Place::Kind::Element;
    found.reg = all;
    found.index = index;
    return found;
  }
  found.kind = Place::Kind::Reference;
  found.referent = &element;
  found.reg = temporary({RegisterKind::Ref, found.writable, types().memory(element)});
  emit_guarded(found.proved, e.position, Op::RefAt, found.reg, all, index, size);
  return found;
}

/// The same place, near enough for a load or store to reach.
Place FunctionLowering::reachable(const Place& place, Position position) {
  if (place.kind != Place::Kind::Reference || place.offset <= kMaxOffset) return place;
  Place near = place;
  near.reg = reference(place, position);
  near.offset = 0;
  near.referent = place.type;
  return near;
}

Register FunctionLowering::load(const Place& from, Position position, Register into) {
  const RegisterType type = form(*from.type);
  const Shape shape = shape_of(*from.type);
  if (from.kind == Place::Kind::Register) {
    if (!into) return from.reg;
    at(position);
    move(into, from.reg, shape);
    return into;
  }
  const Place place = reachable(from, position);
  const Register to = into ? into : temporary(type);
  switch (place.kind) {
    case Place::Kind::Frame:
      emit(position, memory_operation(Op::FrameLoadBool, type.kind), to, place.offset);
      break;
    case Place::Kind::Reference:
      emit(position, memory_operation(Op::LoadBool, type.kind), to, place.reg, place.offset);
      break;
    default:
      emit_guarded(place.proved, position, memory_operation(Op::LoadAtBool, type.kind), to, place.reg, place.index);
      break;
  }
  return to;
}

void FunctionLowering::store(const Place& to, Register value, Position position) {
  if (to.kind == Place::Kind::Register) {
    at(position);
    return move(to.reg, value, shape_of(*to.type));
  }
  const RegisterKind kind = form(*to.type).kind;
  const Place place = reachable(to, position);
  switch (place.kind) {
    case Place::Kind::Frame:
      return emit(position, memory_operation(Op::FrameStoreBool, kind), value, place.offset);
    case Place::Kind::Reference:
      return emit(position, memory_operation(Op::StoreBool, kind), place.reg, value, place.offset);
    default:
      return emit_guarded(place.proved, position, memory_operation(Op::StoreAtBool, kind), place.reg, place.index,
                          value);
  }
}

Register FunctionLowering::reference(const Place& place, Position position, Register into) {
  if (place.kind == Place::Kind::Reference && place.offset == 0 && place.referent == place.type) {
    if (!into) return place.reg;
    at(position);
    move(into, place.reg, Shape::One);
    return into;
  }
  if (place.kind == Place::Kind::Register) {
    // Only borrows that nobody can write through are made of registers: a copy will do.
    const Place copy = temporary_object(*place.type);
    store(copy, place.reg, position);
    return reference(copy, position, into);
  }
  const Register to = into ? into : temporary({RegisterKind::Ref, place.writable, types().memory(*place.type)});
  switch (place.kind) {
    case Place::Kind::Frame:
      emit(position, Op::FrameRef, to, place.offset);
      break;
    case Place::Kind::Reference:
      emit(position, Op::RefOffset, to, place.reg, place.offset);
      break;
    default:
      emit_guarded(place.proved, position, Op::RefAt, to, place.reg, place.index, types().size(*place.type));
      break;
  }
  return to;
}

void FunctionLowering::array_view(const Place& array, Register to, Position position) {
  const std::uint64_t count = array.type->count;
  if (array.kind == Place::Kind::Frame) return emit(position, Op::FrameView, to, array.offset, count);
  emit(position, Op::ViewArray, to, reference(array, position), count);
}

Register FunctionLowering::view_of_place(const Expr& e, Position position, Register into) {
  const Type& type = *e.type;
  const RegisterType form{RegisterKind::View, true, types().memory(*type.element)};
  if (type.is(TypeKind::Array)) {
    if (e.kind == ExprKind::Local) {
      if (const auto known = views_.find(e.as<LocalExpr>().local); known != views_.end()) {
        return known_pair(known->second, into, position);
      }
    }
    const Place array = place(e);
    // An outgoing slot takes the type of what lies there, which an array of arrays leaves open.
    const bool direct = into && !type.element->is(TypeKind::Array);
    const Register reg = direct ? into : temporary({form.kind, array.writable, form.type});
    array_view(array, reg, position);
    return reg == into ? reg : known_pair(reg, into, position);
  }
  const Place from = reachable(place(e), position);
  if (from.kind == Place::Kind::Register) return known_pair(from.reg, into, position);
  const Register reg = into ? into : temporary({form.kind, from.writable, form.type});
  switch (from.kind) {
    case Place::Kind::Frame:
      emit(position, Op::FrameLoadPair, reg, from.offset);
      break;
    case Place::Kind::Reference:
      emit(position, Op::LoadPair, reg, from.reg, from.offset);
      break;
    default:
      emit_guarded(from.proved, position, Op::LoadAtPair, reg, from.reg, from.index);
      break;
  }
  return reg;
}

Register FunctionLowering::known_pair(Register pair, Register into, Position position) {
  if (!into) return pair;
  at(position);
  move(into, pair, Shape::Two);
  return into;
}

Register FunctionLowering::view(const Expr& e, Register into) {
  switch (e.kind) {
    case ExprKind::Local:
      return known_pair(home(*e.as<LocalExpr>().local).reg, into, e.position);
    case ExprKind::Load:
      return view(*e.as<checked::LoadExpr>().place, into);
    case ExprKind::ViewOf:
      return view_of_place(*e.as<checked::ViewOfExpr>().place, e.position, into);
    case ExprKind::Text: {
      const Register to = into ? into : temporary({RegisterKind::View, false, byte_type()});
      emit(e.position, Op::Text, to, module_.builder().text(e.as<checked::TextExpr>().bytes));
      return to;
    }
    case ExprKind::Part: {
      const auto& piece = e.as<PartExpr>();
      if (const auto known = parts_.find(&piece); known != parts_.end()) {
        return known_pair(known->second, into, e.position);
      }
      return part(piece, {}, into);
    }
    default:
      return known_pair(elements(e), into, e.position);
  }
}

/// Parts of parts may be nested to any depth, so they are walked, innermost first.
Register FunctionLowering::part(const PartExpr& e, Register want, Register into) {
  std::vector<const PartExpr*> levels{&e};
  while (levels.back()->base->kind == ExprKind::Part) levels.push_back(&levels.back()->base->as<PartExpr>());
  const Mark mark = this->mark();
  Register base = view(*levels.back()->base);
  const RegisterType form = f_.type_of(base);
  const RegisterType piece{RegisterKind::View, form.kind == RegisterKind::Buf || form.writable, form.type};
  const std::uint64_t stride = types().size(*e.base->type->element);
  Register inner;  // holds the levels so far
  while (levels.size() > 1) {
    const PartExpr& level = *levels.back();
    levels.pop_back();
    const Register to = inner ? inner : temporary(piece);
    const Mark bounds = this->mark();
    const Register lo = value(*level.lo);
    const Register hi = value(*level.hi);
    release(bounds);
    emit(level.position, Op::Part, to, base, lo, hi, stride);
    inner = base = to;
  }
  const Register lo = value(*e.lo);
  const Register hi = value(*e.hi);
  if (e.want == PartExpr::Want::Literal) {
    want = temporary({RegisterKind::U64, false, bytecode::kNone});
    at(e.position);
    constant(want, e.want_literal);
  }
  release(mark);
  const Register to = into ? into : temporary(piece);
  if (want) {
    emit(e.position, Op::PartExact, to, base, lo, hi, want, stride);
  } else {
    emit(e.position, Op::Part, to, base, lo, hi, stride);
  }
  return to;
}

Register FunctionLowering::elements(const Expr& e) {
  if (e.type->is(TypeKind::View)) return view(e);
  if (e.is_place()) return view_of_place(e, e.position);
  if (e.kind == ExprKind::Load && !e.as<checked::LoadExpr>().moves) {
    return view_of_place(*e.as<checked::LoadExpr>().place, e.position);
  }
  if (e.type->is(TypeKind::Buf)) {
    Place owner;
    owner.type = e.type;
    owner.reg = temporary(*e.type);
    value(e, owner.reg);
    drop_later(owner);
    return owner.reg;
  }
  const Place array = temporary_object(*e.type);
  build(e, array);
  if (types().owns(*e.type)) drop_later(array);
  const Register reg = temporary({RegisterKind::View, true, types().memory(*e.type->element)});
  array_view(array, reg, e.position);
  return reg;
}

Register FunctionLowering::length(const Expr& of, Position position, Register into) {
  const auto known = [&](std::uint64_t count) {
    const Register to = into ? into : temporary({RegisterKind::U64, false, bytecode::kNone});
    at(position);
    constant(to, count);
    return to;
  };
  if (of.kind == ExprKind::Text) return known(of.as<checked::TextExpr>().bytes.size());
  if (of.type->is(TypeKind::Array)) return known(of.type->count);
  const Register count = elements(of).second();
  if (!into) return count;
  at(position);
  move(into, count, Shape::One);
  return into;
}

std::uint32_t FunctionLowering::byte_type() { return module_.builder().scalar(bytecode::ScalarKind::U8); }

}  // namespace cairn::lower
