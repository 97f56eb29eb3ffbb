// Where locals live: scalars and owners in registers unless something needs their address, the rest in the frame's
// memory.
#include "vm/lower/function_lowering.hpp"

namespace cairn::lower {

const LocalUse& FunctionLowering::use_of(const Local& local) const {
  static constexpr LocalUse kOuter{.addressed = true, .rewritten = true, .walked = 0};
  return local.owner == &function_ ? uses_.locals[local.index] : kOuter;
}

namespace {

/// A frame has 65,535 slots. A function with more locals than this many fill keeps the rest in memory.
constexpr std::size_t kMaxLocalSlots = 40'000;

}  // namespace

bool FunctionLowering::lives_in_register(const Local& local) const {
  const Shape shape = shape_of(*local.type);
  if ((shape != Shape::One && shape != Shape::Two) || use_of(local).addressed) return false;
  // Views, and what the runtime hands out, cannot lie in a frame's memory.
  const bool owner = shape == Shape::Two && !local.type->is(TypeKind::View);
  const bool has_memory_form = owner || lent_by_value(*local.type) || local.type->is(TypeKind::Function);
  return !has_memory_form || f_.register_slots() < kMaxLocalSlots;
}

bool FunctionLowering::is_stable(const Local& local) {
  if (home(local).kind != Place::Kind::Register) return false;
  if (!local.is_mutable || local.owner != &function_) return true;
  return !use_of(local).rewritten && !use_of(local).addressed;
}

Place FunctionLowering::declare(const Local& local) {
  const std::string_view name = module_.text(local.name);
  Place place;
  if (lives_in_register(local)) {
    place.type = local.type;
    place.reg = f_.add_register(form(*local.type), std::string(name));
  } else {
    place = frame_object(*local.type, name);
  }
  set_home(local, place);
  return place;
}

/// A loop's binder never changes within an iteration, so it has no address: where registers are scarce a temporary
/// serves it.
Place FunctionLowering::declare_counter(const Local& binder) {
  if (lives_in_register(binder)) return declare(binder);
  Place counter;
  counter.type = binder.type;
  counter.reg = temporary(*binder.type);
  set_home(binder, counter);
  return counter;
}

Place FunctionLowering::home(const Local& local) {
  if (const auto known = homes_.find(&local); known != homes_.end()) return known->second;
  if (local.kind == checked::LocalKind::Pipeline) return readable_stage(local);
  fail(local.position,
       std::string(function_.name) + ": " + std::string(module_.text(local.name)) + " is used before it is declared");
  return declare(local);
}

/// An Array local that is indexed more than now and then keeps its view in registers.
void FunctionLowering::view_once(const Local& local) {
  const Type& type = local.type->is(TypeKind::Borrow) ? *local.type->element : *local.type;
  if (!type.is(TypeKind::Array)) return;
  const unsigned walked = use_of(local).walked;
  if (local.owner == &function_ && walked < (uses_.has_loop ? 1U : 2U)) return;
  const Place place = home(local);
  const RegisterType form{RegisterKind::View, place.writable, types().memory(*type.element)};
  const Register reg = f_.add_register(form);
  array_view(place, reg, local.position);
  views_[&local] = reg;
}

}  // namespace cairn::lower
