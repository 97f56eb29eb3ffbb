// Calls: arguments are computed straight into the callee's slots, left to right.
#include "vm/lower/function_lowering.hpp"

namespace cairn::lower {

using bytecode::kLinkSlots;
using bytecode::RegisterKind;
using checked::CallDynExpr;
using checked::CallExpr;
using checked::CallValueExpr;
using checked::ExprKind;
using checked::LocalExpr;
using checked::PartExpr;

namespace {

/// The local a place is part of; null for a temporary.
const checked::Local* root_of(const checked::Expr& place) {
  const checked::Expr* e = &place;
  while (true) {
    switch (e->kind) {
      case ExprKind::Local:
        return e->as<LocalExpr>().local;
      case ExprKind::Field:
        e = e->as<checked::FieldExpr>().base;
        break;
      case ExprKind::Element:
        e = e->as<checked::ElementExpr>().base;
        break;
      case ExprKind::ViewOf:
        e = e->as<checked::ViewOfExpr>().place;
        break;
      case ExprKind::Part:
        e = e->as<PartExpr>().base;
        break;
      default:
        return nullptr;
    }
  }
}

/// Whether an argument is the function's own k-th parameter, handed on as it came.
bool hands_on(const checked::Expr& argument, const checked::Local& parameter) {
  const checked::Expr* place = &argument;
  if (place->kind == ExprKind::Load && !place->as<checked::LoadExpr>().moves) {
    place = place->as<checked::LoadExpr>().place;
  } else if (place->kind == ExprKind::Lend) {
    place = place->as<checked::LendExpr>().place;
  }
  return place->kind == ExprKind::Local && place->as<LocalExpr>().local == &parameter;
}

/// The native a packaged function is another name of: its body only hands its parameters on. A call of one is a call of
/// the native, and a trap in it points at the program's call. Views are guarded where the function is entered, so a
/// function that takes one stays a function.
const checked::Function* native_behind(const checked::Function& function) {
  if (!function.library || function.body == nullptr) return nullptr;
  const checked::Block* body = function.body;
  while (body->statements.size() == 1 && body->statements[0]->kind == checked::StmtKind::Block) {
    body = body->statements[0]->as<checked::BlockStmt>().body;
  }
  if (body->statements.size() != 1 || body->statements[0]->kind != checked::StmtKind::Return) return nullptr;
  const checked::Expr* value = body->statements[0]->as<checked::ReturnStmt>().value;
  if (value == nullptr || value->kind != ExprKind::Call) return nullptr;
  const auto& call = value->as<CallExpr>();
  const checked::Function& callee = *call.callee;
  if (callee.kind != checked::FunctionKind::Extern || !callee.library) return nullptr;
  if (callee.parameters.size() != function.parameters.size()) return nullptr;
  for (std::size_t i = 0; i < callee.parameters.size(); ++i) {
    const checked::Local& parameter = *function.parameters[i];
    if (parameter.type->is(TypeKind::View) || parameter.type != callee.parameters[i]->type) return nullptr;
    if (!hands_on(*call.arguments[i], parameter)) return nullptr;
  }
  return &callee;
}

/// Whether nobody can write what a place holds while a call with these arguments runs: what a callee writes was lent to
/// it, and no two arguments that lend overlap when one may be written.
bool keeps_its_value(const checked::Expr& place, std::span<const checked::Expr* const> arguments) {
  const checked::Local* root = root_of(place);
  if (root == nullptr) return false;
  const Type& type = *root->type;
  const bool is_borrow = type.is(TypeKind::Borrow) || type.is(TypeKind::View);
  if (is_borrow ? type.mode == BorrowMode::Ro : !root->is_mutable) return true;
  unsigned times = 0;
  for (const checked::Expr* argument : arguments) times += argument != nullptr && mentions(*argument, *root) ? 1U : 0U;
  return times <= 1;
}

}  // namespace

bool FunctionLowering::calls_machine_native(const Expr& value) {
  if (value.kind != ExprKind::Call) return false;
  const checked::Function& callee = *value.as<CallExpr>().callee;
  const checked::Function* native = callee.kind == checked::FunctionKind::Extern ? &callee : native_behind(callee);
  return native != nullptr && native->library && native->symbol.contains('.');
}

FunctionLowering::Window FunctionLowering::open_window() const {
  const std::uint32_t base = outgoing_ == 0 ? 0 : outgoing_ + kLinkSlots;
  return {base, base};
}

/// The next argument's first slot. It counts as in use once it is `placed`.
Register FunctionLowering::next_slot(const Window& window) { return f_.outgoing(window.next); }

void FunctionLowering::placed(Window& window, std::uint32_t slots) {
  window.next += slots;
  if (slots != 0) outgoing_ = window.next;
}

Register FunctionLowering::call(const Expr& e, const Place* to, Register into) {
  const Mark mark = this->mark();
  const Type& result = *e.type;
  Window window = open_window();
  if (shape_of(result) == Shape::Memory) {
    reference(*to, e.position, next_slot(window));
    placed(window, 1);
  }
  switch (e.kind) {
    case ExprKind::CallValue: {
      const auto& node = e.as<CallValueExpr>();
      const Type& type = function_type(*node.callee);
      const Register callee = node.borrowed ? place(*node.callee).reg : value(*node.callee);
      place_arguments(window, node.arguments, type.parameters, nullptr);
      const std::uint32_t signature = types().signature(type);
      emit(e.position, node.borrowed ? Op::CallCallable : Op::CallValue, f_.outgoing(window.base), callee, signature);
      break;
    }
    case ExprKind::CallDyn: {
      const auto& node = e.as<CallDynExpr>();
      const std::uint32_t trait = types().trait(*node.trait);
      const TraitMember& member = node.trait->members[node.member];
      Receiver receiver{node.receiver_index, node.receiver, {}, 0};
      place_arguments(window, node.arguments, member.dyn_parameters, &receiver);
      const std::uint32_t signature = module_.builder().module().traits[trait].members[node.member].signature;
      emit(e.position, Op::CallDyn, f_.outgoing(window.base), receiver.dyn, node.member, receiver.slot, signature);
      break;
    }
    default: {
      const auto& node = e.as<CallExpr>();
      std::vector<const Type*> parameters;
      parameters.reserve(node.callee->parameters.size());
      for (const Local* parameter : node.callee->parameters) parameters.push_back(parameter->type);
      place_arguments(window, node.arguments, parameters, nullptr);
      const Register base = f_.outgoing(window.base);
      if (const checked::Function* native = native_behind(*node.callee)) {
        emit(e.position, Op::CallNative, base, module_.native(*native));
      } else if (node.callee->kind != checked::FunctionKind::Extern) {
        emit(e.position, Op::Call, base, module_.function(*node.callee));
      } else if (node.callee->library) {
        emit(e.position, Op::CallNative, base, module_.native(*node.callee));
      } else if (node.callee->declaration->as<syntax::ExternDecl>().has_launch) {
        launch(node, window);
      } else {
        emit(e.position, Op::CallForeign, base, module_.foreign(*node.callee));
      }
      break;
    }
  }
  release(mark);
  const Shape shape = shape_of(result);
  if (shape == Shape::None || shape == Shape::Memory) return {};
  const Register outcome = f_.outgoing(window.base);
  if (into) {
    at(e.position);
    move(into, outcome, shape);
    return into;
  }
  outgoing_ = window.base + (shape == Shape::Two ? 2U : 1U);
  return outcome;
}

const Type& FunctionLowering::function_type(const Expr& callee) {
  const Type& type = *callee.type;
  return type.is(TypeKind::Borrow) ? *type.element : type;
}

/// A part whose extent stands later among the arguments (foreign functions only) is guarded once that is known.
void FunctionLowering::place_arguments(Window& window, std::span<const Expr* const> arguments,
                                       std::span<const Type* const> parameters, Receiver* receiver) {
  std::vector<Register> slots(arguments.size());
  std::vector<const PartExpr*> unguarded(arguments.size());
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Register slot = next_slot(window);
    slots[i] = slot;
    if (receiver != nullptr && receiver->index == i) {
      receiver->dyn = dyn_reference(*receiver->value, {});
      receiver->slot = window.next - window.base;
      placed(window, 1);
      continue;
    }
    const Expr& argument = *arguments[i];
    const Type& parameter = *parameters[i];
    if (argument.kind == ExprKind::Part && !parts_.contains(&argument.as<PartExpr>()) &&
        argument.as<PartExpr>().want == PartExpr::Want::Argument) {
      const auto& piece = argument.as<PartExpr>();
      const Register want = piece.want_argument < i ? slots[piece.want_argument] : Register{};
      part(piece, want, slot);
      if (!want) unguarded[i] = &piece;
    } else {
      place_argument(argument, parameter, slot, arguments);
    }
    placed(window, types().parameter(parameter).slots());
  }
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (const PartExpr* piece = unguarded[i]) {
      emit(piece->position, Op::GuardEqual, slots[i].second(), slots[piece->want_argument]);
    }
  }
}

void FunctionLowering::place_argument(const Expr& argument, const Type& parameter, Register slot,
                                      std::span<const Expr* const> all) {
  if (parameter.is(TypeKind::View)) {
    view(argument, slot);
  } else if (parameter.is(TypeKind::Borrow)) {
    lend_argument(argument, parameter, slot);
  } else if (shape_of(parameter) == Shape::Memory) {
    memory_argument(argument, slot, all);
  } else {
    value(argument, slot);
  }
}

void FunctionLowering::lend_argument(const Expr& argument, const Type& parameter, Register slot) {
  const Type& lent = *parameter.element;
  if (parameter.is_borrowed_callable()) {
    callable_argument(argument, slot);
    return;
  }
  if (lent.is(TypeKind::DynRef)) {
    dyn_reference(argument, slot);
    return;
  }
  const bool by_value = parameter.mode == BorrowMode::Ro && lent_by_value(lent);
  if (argument.kind == ExprKind::LendTemporary) {
    const Expr& temporary = *argument.as<checked::LendTemporaryExpr>().value;
    if (by_value) {
      value(temporary, slot);
      return;
    }
    const Place object = temporary_object(lent);
    evaluate(temporary, object);
    if (types().owns(lent)) drop_later(object);
    reference(object, argument.position, slot);
    return;
  }
  const Expr& lender = argument.kind == ExprKind::Lend ? *argument.as<checked::LendExpr>().place : argument;
  if (by_value) {
    load_from(lender, argument.position, slot);
  } else {
    reference(place(lender), argument.position, slot);
  }
}

void FunctionLowering::callable_argument(const Expr& argument, Register slot) {
  switch (argument.kind) {
    case ExprKind::Closure:
      closure(argument.as<checked::ClosureExpr>(), slot);
      return;
    case ExprKind::FunctionValue:
      return emit(argument.position, Op::CallableFunction, slot,
                  module_.function(*argument.as<checked::FunctionValueExpr>().function));
    case ExprKind::Lend:
      return callable_argument(*argument.as<checked::LendExpr>().place, slot);
    case ExprKind::LendTemporary:
      return callable_argument(*argument.as<checked::LendTemporaryExpr>().value, slot);
    default:
      break;
  }
  if (argument.kind == ExprKind::Local && argument.as<LocalExpr>().local->type->is_borrowed_callable()) {
    known_pair(home(*argument.as<LocalExpr>().local).reg, slot, argument.position);
    return;
  }
  emit(argument.position, Op::CallableValue, slot, value(argument));
}

/// A record, sum or array by value: a reference to what is the callee's alone from then on.
void FunctionLowering::memory_argument(const Expr& argument, Register slot, std::span<const Expr* const> all) {
  if (argument.kind == ExprKind::Load) {
    const auto& load = argument.as<checked::LoadExpr>();
    if (load.moves) {
      const Local& local = *load.place->as<LocalExpr>().local;
      if (!must_zero_when_moved(local)) {
        moved(local);
        reference(home(local), argument.position, slot);
        return;
      }
    } else if (keeps_its_value(*load.place, all)) {
      reference(place(*load.place), argument.position, slot);
      return;
    }
  }
  const Place copy = temporary_object(*argument.type);
  build(argument, copy);
  reference(copy, argument.position, slot);
}

/// A place (or Dyn, or dyn borrow) as a dyn borrow.
Register FunctionLowering::dyn_reference(const Expr& e, Register into) {
  if (e.kind != ExprKind::LendDyn) {
    const Place from = place(e);
    if (from.type->is(TypeKind::Borrow)) return known_pair(from.reg, into, e.position);
    const Register owner = load(from, e.position);
    const Register to = into ? into : temporary({RegisterKind::DynRef, true, types().trait(*from.type->trait)});
    emit(e.position, Op::DynOf, to, owner);
    return to;
  }
  const auto& lend = e.as<checked::LendDynExpr>();
  if (lend.table == nullptr) return dyn_reference(*lend.place, into);
  const Register object = reference(place(*lend.place), e.position);
  const Register to =
      into ? into : temporary({RegisterKind::DynRef, lend.mode == BorrowMode::Rw, types().trait(*lend.trait)});
  emit(e.position, Op::DynLend, to, object, module_.table(*lend.table));
  return to;
}

}  // namespace cairn::lower
