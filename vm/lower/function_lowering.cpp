#include "vm/lower/function_lowering.hpp"

namespace cairn::lower {

using bytecode::RegisterKind;
using checked::LocalKind;

FunctionLowering::FunctionLowering(ModuleLowering& module, const checked::Function& function, std::uint32_t index)
    : module_(module), function_(function), index_(index), f_(module.builder(), index), uses_(uses_of(function)) {}

void FunctionLowering::run() {
  at(function_.position);
  if (function_.kind == checked::FunctionKind::Lane) {
    run_lane();
  } else {
    bind_parameters();
    if (function_.parent != nullptr) bind_captures();
    use_view_lengths();
    block(*function_.body);
    if (!function_.body->leaves) leave_function(function_.position);
  }
  f_.finish();
  if (f_.memory_bytes() > bytecode::FunctionBuilder::kMaxMemoryBytes) return trap_when_called();
  if (!f_.failed().empty()) fail(function_.position, std::string(function_.name) + ": " + f_.failed());
}

/// No stack holds this function's locals: a call of it is one call too deep.
void FunctionLowering::trap_when_called() {
  bytecode::FunctionBuilder f(module_.builder(), index_);
  f.at(module_.position(function_.position));
  f.emit(Op::Fail, TrapKind::Stack, module_.builder().text("the locals of one call take more than 2 GiB"));
  f.finish();
}

/// What a parameter or captured local of a register form stands for: the value in it, or behind it.
Place FunctionLowering::received(const Local& local, Register reg, bool by_reference) {
  Place place;
  place.type = local.type;
  place.reg = reg;
  const Type& type = *local.type;
  if (type.is(TypeKind::Borrow)) {
    const RegisterType form = types().parameter(type);
    if (form.kind != RegisterKind::Callable && form.kind != RegisterKind::DynRef) place.type = type.element;
    if (form.kind != RegisterKind::Ref) return place;
    place.writable = type.mode == BorrowMode::Rw || is_shared_cell(*type.element);
  } else if (by_reference) {
    place.writable = f_.type_of(reg).writable;
  } else if (shape_of(type) == Shape::Memory) {
    place.writable = types().owns(type);
  } else {
    return place;
  }
  place.kind = Place::Kind::Reference;
  place.referent = place.type;
  return place;
}

/// What a local that a device lane has a copy of stands for: the value in the register, or behind it.
Place FunctionLowering::copied(const Local& local, Register reg, bool embedded) {
  Place place;
  place.type = local.type->is(TypeKind::Borrow) ? local.type->element : local.type;
  place.reg = reg;
  place.writable = false;
  if (!embedded) return place;
  place.kind = Place::Kind::Reference;
  place.referent = place.type;
  return place;
}

void FunctionLowering::bind_parameters() {
  std::size_t index = 0;
  if (shape_of(*function_.result) == Shape::Memory) {
    result_ = f_.parameter(index++);
    f_.name(result_, "result");
  }
  for (const Local* local : function_.parameters) {
    const Register reg = f_.parameter(index++);
    f_.name(reg, std::string(module_.text(local->name)));
    Place place = received(*local, reg, false);
    const bool borrowed = local->type->is(TypeKind::Borrow) || local->type->is(TypeKind::View);
    if (!borrowed && place.kind == Place::Kind::Register && use_of(*local).addressed) {
      Place memory = frame_object(*local->type, module_.text(local->name));
      store(memory, reg, function_.position);
      place = memory;
    }
    set_home(*local, place);
    if (!borrowed) own(*local, place);
    view_once(*local);
  }
}

void FunctionLowering::bind_captures() {
  const Environment& environment = module_.environment(function_);
  const Register from = f_.environment();
  f_.name(from, "environment");
  for (const Capture& capture : environment.captures) {
    const Register reg = f_.add_register(capture.form, std::string(module_.text(capture.local->name)));
    if (capture.embedded) {
      emit(function_.position, Op::RefOffset, reg, from, capture.offset);
    } else {
      emit(function_.position, memory_operation(Op::LoadBool, capture.form.kind), reg, from, capture.offset);
    }
    const bool copies = function_.kind == checked::FunctionKind::Lane && module_.lane_form(function_).device;
    set_home(*capture.local, copies ? copied(*capture.local, reg, capture.embedded)
                                    : received(*capture.local, reg, capture.by_reference));
    view_once(*capture.local);
  }
}

/// The extent `n` of a view parameter is read as the view's own length, so that a loop's bound and the guards in it are
/// seen to be one value. Views that share an extent are checked to when there is a loop to profit.
void FunctionLowering::use_view_lengths() {
  std::unordered_map<const Local*, Register> lengths;
  for (const Local* view : function_.parameters) {
    const Local* extent = view->extent;
    if (!view->type->is(TypeKind::View) || extent == nullptr || extent->owner != &function_) continue;
    const Register length = home(*view).reg.second();
    const auto [known, first] = lengths.try_emplace(extent, length);
    if (first) {
      Place place = home(*extent);
      if (place.kind != Place::Kind::Register) continue;
      place.reg = length;
      set_home(*extent, place);
    } else if (uses_.has_loop) {
      emit(function_.position, Op::GuardEqual, known->second, length);
    }
  }
}

void FunctionLowering::move(Register to, Register from, Shape shape) {
  if (to == from) return;
  f_.emit(shape == Shape::Two ? Op::MovePair : Op::Move, to, from);
}

Register FunctionLowering::temporary(RegisterType type) {
  const Register reg = f_.temporary(type);
  registers_.push_back(reg);
  return reg;
}

Place FunctionLowering::frame_place(const Type* type, std::uint64_t offset) {
  Place place;
  place.kind = Place::Kind::Frame;
  place.type = type;
  place.offset = offset;
  return place;
}

Place FunctionLowering::frame_object(const Type& type, std::string_view name) {
  return frame_place(&type, f_.add_object(types().memory(type), std::string(name)));
}

std::uint64_t FunctionLowering::temporary_object(std::uint32_t type) {
  std::vector<std::uint64_t>& free = free_objects_[type];
  std::uint64_t offset = 0;
  if (free.empty()) {
    offset = f_.add_object(type);
  } else {
    offset = free.back();
    free.pop_back();
  }
  objects_.emplace_back(type, offset);
  return offset;
}

Place FunctionLowering::temporary_object(const Type& type) {
  return frame_place(&type, temporary_object(types().memory(type)));
}

void FunctionLowering::release(const Mark& mark) {
  while (drops_.size() > mark.drops) {
    const Place place = drops_.back();
    drops_.pop_back();
    drop(place);
  }
  while (registers_.size() > mark.registers) {
    f_.release(registers_.back());
    registers_.pop_back();
  }
  while (objects_.size() > mark.objects) {
    free_objects_[objects_.back().first].push_back(objects_.back().second);
    objects_.pop_back();
  }
  outgoing_ = mark.outgoing;
}

}  // namespace cairn::lower
