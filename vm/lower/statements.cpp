// Statements that declare, assign and leave.
#include "vm/lower/function_lowering.hpp"

namespace cairn::lower {

using bytecode::kNone;
using bytecode::RegisterKind;
using checked::ExprKind;
using checked::LocalExpr;
using checked::StmtKind;

void FunctionLowering::block(const checked::Block& b) {
  const std::size_t floor = cleanups_.size();
  Position last = function_.position;
  for (const checked::Stmt* s : b.statements) {
    last = s->position;
    statement(*s);
  }
  close_scope(floor, !b.leaves, last);
}

void FunctionLowering::statement(const checked::Stmt& s) {
  const Mark mark = this->mark();
  switch (s.kind) {
    case StmtKind::Let:
      let(s.as<checked::LetStmt>());
      break;
    case StmtKind::Unpack:
      unpack(s.as<checked::UnpackStmt>());
      break;
    case StmtKind::Assign:
      assign(s.as<checked::AssignStmt>());
      break;
    case StmtKind::Compound:
      compound(s.as<checked::CompoundStmt>());
      break;
    case StmtKind::If:
      if_(s.as<checked::IfStmt>());
      break;
    case StmtKind::While:
      while_(s.as<checked::WhileStmt>());
      break;
    case StmtKind::For:
      for_(s.as<checked::ForStmt>());
      break;
    case StmtKind::Match:
      match(s.as<checked::MatchStmt>());
      break;
    case StmtKind::Return:
      return_(s.as<checked::ReturnStmt>());
      break;
    case StmtKind::Break:
      leave_loop(loops_.back().exit, true, s.position);
      break;
    case StmtKind::Continue:
      leave_loop(loops_.back().next, false, s.position);
      break;
    case StmtKind::Defer:
      cleanups_.push_back({nullptr, &s.as<checked::DeferStmt>(), {}, kNone, Life::Live, depth_});
      has_defer_ = true;
      break;
    case StmtKind::Block:
      block(*s.as<checked::BlockStmt>().body);
      break;
    case StmtKind::Expression:
      discard(*s.as<checked::ExpressionStmt>().value);
      break;
    case StmtKind::Storage:
      storage(s.as<checked::StorageStmt>());
      break;
    case StmtKind::Asm:
      assembly(s.as<checked::AsmStmt>());
      break;
    default:
      concurrent_statement(s);
      break;
  }
  release(mark);
}

void FunctionLowering::let(const checked::LetStmt& s) {
  const Local& local = *s.local;
  if (!local.name) return discard(*s.value);
  if (!local.is_mutable && shape_of(*local.type) == Shape::One) {
    if (const auto bits = literal_bits(*s.value)) constants_.emplace(&local, *bits);
  }
  if (!local.is_mutable && !types().owns(*local.type) && lives_in_register(local)) {
    // A second name of a value that does not change is no second register.
    if (s.value->kind == ExprKind::Load) {
      const Expr& from = *s.value->as<checked::LoadExpr>().place;
      if (from.kind == ExprKind::Local && is_stable(*from.as<LocalExpr>().local)) {
        return set_home(local, home(*from.as<LocalExpr>().local));
      }
    }
  }
  const Place place = declare(local);
  evaluate(*s.value, place);
  own(local, place);
  view_once(local);
}

/// Gives a local a part of something that was moved (or copied) here: its own home, or that place itself when it is
/// kept.
void FunctionLowering::bind_part(const Local& local, const Place& part, bool owned, Position position) {
  const bool in_place =
      owned && !lives_in_register(local) && (part.kind == Place::Kind::Frame || part.kind == Place::Kind::Reference);
  Place place = part;
  if (in_place) {
    set_home(local, part);
  } else {
    place = declare(local);
    copy(place, part, position);
  }
  own(local, place);
  view_once(local);
}

void FunctionLowering::unpack(const checked::UnpackStmt& s) {
  bool owned = false;
  const Type& record = *s.value->type;
  const Place from = subject(*s.value, true, owned);
  for (std::uint32_t i = 0; i < s.locals.size(); ++i) {
    const Place field = field_of(from, record, i);
    if (s.locals[i] != nullptr) {
      bind_part(*s.locals[i], field, owned, s.position);
    } else if (owned && types().owns(*field.type)) {
      drop_later(field);
    }
  }
}

/// Whether computing a value straight into `place` cannot be told from computing it first: the value neither reads what
/// it overwrites nor leaves half of it behind.
bool FunctionLowering::may_build_in_place(const Expr& place, const Expr& value) {
  const Expr* root = &place;
  while (root->kind == ExprKind::Field) root = root->as<checked::FieldExpr>().base;
  if (root->kind != ExprKind::Local) return false;
  // A native of the machine writes its result after it has read every argument, whatever they share.
  if (calls_machine_native(value)) return true;
  const Local& local = *root->as<LocalExpr>().local;
  const bool plain = local.owner == &function_ && !local.captured && !local.type->is(TypeKind::Borrow);
  return plain && !mentions(value, local) && !may_leave(value);
}

void FunctionLowering::assign(const checked::AssignStmt& s) {
  const Type& type = *s.place->type;
  const Local* whole = s.place->kind == ExprKind::Local ? s.place->as<LocalExpr>().local : nullptr;
  const Shape shape = shape_of(type);
  if (types().owns(type)) return assign_owner(s, whole);
  if (shape == Shape::Memory) {
    if (may_build_in_place(*s.place, *s.value)) return build(*s.value, place(*s.place));
    const Place fresh = temporary_object(type);
    build(*s.value, fresh);
    return copy(place(*s.place), fresh, s.position);
  }
  if (whole != nullptr) {
    const Place to = home(*whole);
    if (to.kind == Place::Kind::Register && writes_last(*s.value)) {
      value(*s.value, to.reg);
      return;
    }
  }
  const Register fresh = value(*s.value);
  store(place(*s.place), fresh, s.position);
}

/// Whether `value` writes its destination after it has read all its operands.
bool FunctionLowering::writes_last(const Expr& e) {
  switch (e.kind) {
    case ExprKind::Integer:
    case ExprKind::Float:
    case ExprKind::Bool:
    case ExprKind::Load:
    case ExprKind::Unary:
    case ExprKind::Binary:
    case ExprKind::Convert:
    case ExprKind::Builtin:
    case ExprKind::Length:
    case ExprKind::Call:
    case ExprKind::CallValue:
    case ExprKind::CallDyn:
      return true;
    default:
      return false;
  }
}

/// The value first, then the place with its guards; what the place held is released at the store.
void FunctionLowering::assign_owner(const checked::AssignStmt& s, const Local* whole) {
  const Type& type = *s.place->type;
  const Local* const before = std::exchange(reviving_, whole);
  Place fresh;
  fresh.type = &type;
  if (shape_of(type) == Shape::Memory) {
    fresh = temporary_object(type);
    build(*s.value, fresh);
  } else {
    fresh.reg = value(*s.value);
  }
  reviving_ = before;
  Place to = place(*s.place);
  if (to.kind == Place::Kind::Element) {
    to.reg = reference(to, s.position);
    to.kind = Place::Kind::Reference;
    to.referent = &type;
  }
  const Cleanup* cleanup = whole == nullptr ? nullptr : cleanup_of(*whole);
  at(s.position);
  if (cleanup == nullptr || cleanup->life != Life::Dead) drop(to);
  copy(to, fresh, s.position);
  if (whole != nullptr) revive(*whole);
}

/// The place with its guards first, once, then the value.
void FunctionLowering::compound(const checked::CompoundStmt& s) {
  const Type& type = *s.place->type;
  const Place to = place(*s.place);
  const Register old = load(to, s.position);
  const Register fresh = to.kind == Place::Kind::Register ? to.reg : temporary(type);
  arithmetic(s.op, type, fresh, old, *s.value, s.position, mark(), module_.discharged().contains(s));
  if (to.kind != Place::Kind::Register) store(to, fresh, s.position);
}

void FunctionLowering::return_(const checked::ReturnStmt& s) {
  const Lives before = lives();
  const std::optional<unsigned> outer = std::exchange(leaving_at_, depth_);
  Register outcome;
  const Shape shape = s.value == nullptr ? Shape::None : shape_of(*s.value->type);
  if (shape == Shape::Memory) {
    Place to;
    to.kind = Place::Kind::Reference;
    to.reg = result_;
    to.referent = to.type = s.value->type;
    build(*s.value, to);
  } else if (shape != Shape::None) {
    outcome = value(*s.value);
    // A deferred call may still write the local that the value was read from; an owner's length goes with the owner.
    const bool read_in_place =
        !outcome.is_outgoing() && (has_defer_ || f_.type_of(outcome).kind == RegisterKind::Second);
    if (read_in_place && !cleanups_.empty()) {
      const Register copied = temporary(*s.value->type);
      at(s.position);
      move(copied, outcome, shape);
      outcome = copied;
    }
  } else if (s.value != nullptr) {
    discard(*s.value);
  }
  leaving_at_ = outer;
  run_cleanups(0, s.position);
  at(s.position);
  if (outcome) {
    f_.emit(shape == Shape::Two ? Op::ReturnPair : Op::ReturnValue, outcome);
  } else {
    f_.emit(Op::Return);
  }
  restore(before);
}

/// Past the last statement of a function without a result.
void FunctionLowering::leave_function(Position position) {
  run_cleanups(0, position);
  emit(position, Op::Return);
}

void FunctionLowering::storage(const checked::StorageStmt& s) {
  const Local& local = *s.local;
  const Type& element = *local.type->element;
  const std::uint32_t entry = types().memory(element);
  const std::string name(module_.text(local.name));
  Place place;
  place.type = local.type;
  if (local.kind == checked::LocalKind::Buffer) {
    place.reg = f_.add_register({RegisterKind::Buf, false, entry}, name);
    const Mark mark = this->mark();
    const Register count = value(*s.count);
    release(mark);
    set_home(local, place);
    if (local.type->placement == Placement::Host) {
      emit(s.position, Op::BufNew, place.reg, count, entry);
      return own_storage(place, kNone);
    }
    emit(s.position, Op::PlacedNew, place.reg, count, place_number(local.type->placement), entry);
    return own_storage(place, entry);
  }
  const std::uint64_t count = literal_bits(*s.count).value_or(0);
  const std::uint32_t array = module_.builder().array(entry, count);
  const std::uint64_t object = f_.add_object(array, name);
  emit(s.position, Op::FrameZero, object, module_.builder().type(array).size);
  place.reg = f_.add_register({RegisterKind::View, true, entry}, name);
  emit(s.position, Op::FrameView, place.reg, object, count);
  set_home(local, place);
  if (types().owns(element)) own_storage(frame_place(nullptr, object), array);
}

/// Releases storage that no checked type describes: a stack array, a buffer off the heap.
void FunctionLowering::drop_storage(const Place& place, std::uint32_t type) {
  if (place.kind == Place::Kind::Register) {
    return f_.emit(Op::PlacedDrop, place.reg, place_number(place.type->placement), type);
  }
  f_.emit(Op::FrameDrop, place.offset, type);
}

}  // namespace cairn::lower
