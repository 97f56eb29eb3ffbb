#include "vm/lower/module_lowering.hpp"

#include <algorithm>

#include "vm/bytecode/device_plans.hpp"
#include "vm/lower/function_lowering.hpp"
#include "vm/lower/local_uses.hpp"
#include "vm/lower/operation_choice.hpp"

namespace cairn::lower {

using bytecode::FunctionKind;
using bytecode::kNone;
using bytecode::Op;
using bytecode::Register;
using bytecode::RegisterKind;
using checked::Local;

Lowered lower_program(const Compilation& compilation, const Options& options) {
  return ModuleLowering(compilation, options).run();
}

ModuleLowering::ModuleLowering(const Compilation& compilation, const Options& options)
    : compilation_(compilation),
      options_(options),
      builder_(compilation.sources.size() > 0 ? compilation.sources.file(0).path : std::string()),
      types_(builder_, compilation.names) {}

Lowered ModuleLowering::run() {
  Lowered lowered;
  const checked::Program& program = compilation_.program;
  if (options_.entry && program.main != nullptr) builder_.module().entry = function(*program.main);
  if (options_.tests) {
    for (const checked::Function* test : program.tests) builder_.module().tests.push_back(function(*test));
  }
  for (const checked::Function* root : options_.roots) lowered.roots.push_back(function(*root));
  while (!queue_.empty() && failure_.empty()) {
    const checked::Function& next = *queue_.front();
    queue_.pop_front();
    if (next.parent == nullptr && !options_.keep_guards) discharged_.add(next);
    FunctionLowering(*this, next, functions_.at(&next)).run();
  }
  lowered.module = builder_.take();
  lowered.failure = std::move(failure_);
  lowered.assembly_failed = assembly_failed_;
  lowered.failed_at = failed_at_;
  return lowered;
}

void ModuleLowering::fail(Position position, std::string why) {
  if (!failure_.empty()) return;
  failure_ = std::move(why);
  failed_at_ = position;
}

void ModuleLowering::fail_assembly(Position position, std::string why) {
  if (!failure_.empty()) return;
  fail(position, std::move(why));
  assembly_failed_ = true;
}

std::uint32_t ModuleLowering::foreign(bytecode::Foreign foreign) { return builder_.foreign(std::move(foreign)); }

bytecode::SourcePosition ModuleLowering::position(Position position) {
  if (!position) return {};
  if (position == last_asked_) return last_position_;
  const Location at = compilation_.sources.locate(position);
  if (at.file == nullptr) return {};
  const auto [known, added] = files_.try_emplace(at.file, 0);
  if (added) known->second = builder_.file(at.file->path);
  last_asked_ = position;
  last_position_ = {known->second, at.line, at.column};
  return last_position_;
}

std::uint32_t ModuleLowering::signature(const checked::Function& function) {
  if (function.kind == checked::FunctionKind::Lane) return lane_signature(function);
  std::vector<const Type*> parameters;
  parameters.reserve(function.parameters.size());
  for (const Local* parameter : function.parameters) parameters.push_back(parameter->type);
  return types_.signature(parameters, *function.result);
}

/// Of a lane body: (lo, hi), and where its terms go; its result is the total of those indices.
std::uint32_t ModuleLowering::lane_signature(const checked::Function& lane) {
  const LaneForm& form = lanes_[&lane];
  bytecode::Signature signature;
  const bytecode::RegisterType index{RegisterKind::U64, false, kNone};
  signature.parameters = {index, index};
  if (form.kind == LaneForm::Kind::Terms) {
    signature.parameters.push_back({RegisterKind::View, true, types_.memory(*lane.result)});
  } else if (form.kind == LaneForm::Kind::Compact) {
    signature.parameters.push_back({RegisterKind::View, true, types_.memory(*form.yield->result)});
    signature.result = index;
  } else if (form.kind != LaneForm::Kind::Region && form.kind != LaneForm::Kind::Kernel) {
    signature.result = types_.value(*lane.result);
  }
  return builder_.signature(signature);
}

std::uint32_t ModuleLowering::enqueue(const checked::Function& function, FunctionKind kind, std::uint32_t environment,
                                      std::uint32_t parent) {
  const std::uint32_t index =
      builder_.declare(std::string(function.name), signature(function), kind, environment, parent);
  builder_.module().functions[index].position = position(function.position);
  if (kind == FunctionKind::DeviceLane) keep_plan(function);
  functions_.emplace(&function, index);
  queue_.push_back(&function);
  return index;
}

void ModuleLowering::keep_plan(const checked::Function& lane) {
  if (!plans_) plans_.emplace(compilation_.tree.declarations);
  const syntax::PlanDecl* written = plans_->of(lane);
  if (written == nullptr) return;
  bytecode::LanePlan plan;
  for (const syntax::PlanItem& item : written->items) {
    const auto value = static_cast<std::uint32_t>(item.value.value);
    const std::string_view name = text(item.name.name);
    if (name == "block") plan.block = value;
    if (name == "per_lane") plan.per_lane = value;
    if (name == "unroll") plan.unroll = value;
    if (name == "vector") plan.vector = value;
    if (name == "stage") plan.stage = value;
  }
  if (plan == bytecode::LanePlan{}) return;
  const checked::Function* owner = &lane;
  while (owner->parent != nullptr) owner = owner->parent;
  const std::string_view name = bytecode::planned_name(owner->name);
  const auto is_kept = [&](const bytecode::Foreign& row) { return row.name == name && bytecode::lane_plan(row); };
  if (std::ranges::any_of(builder_.module().foreigns, is_kept)) return;
  builder_.foreign(bytecode::foreign_of(name, plan, builder_.signature({})));
}

std::uint32_t ModuleLowering::function(const checked::Function& function) {
  if (const auto known = functions_.find(&function); known != functions_.end()) return known->second;
  const bool is_test = function.kind == checked::FunctionKind::Test;
  return enqueue(function, is_test ? FunctionKind::Test : FunctionKind::Plain, kNone, kNone);
}

std::uint32_t ModuleLowering::inner_function(const checked::Function& body, std::uint32_t parent) {
  if (const auto known = functions_.find(&body); known != functions_.end()) return known->second;
  FunctionKind kind = FunctionKind::Closure;
  if (body.kind == checked::FunctionKind::Lane && lane_form(body).kind == LaneForm::Kind::Kernel) {
    kind = FunctionKind::Kernel;
  } else if (body.kind == checked::FunctionKind::Lane) {
    kind = lane_form(body).device ? FunctionKind::DeviceLane : FunctionKind::Lane;
  }
  return enqueue(body, kind, environment(body).type, parent);
}

const Environment& ModuleLowering::environment(const checked::Function& body) {
  if (const auto owner = owners_.find(&body); owner != owners_.end()) return environment(*owner->second);
  const auto [at, added] = environments_.try_emplace(&body);
  Environment& environment = at->second;
  if (!added) return environment;
  std::vector<bytecode::Field> fields;
  const bool copies = body.kind == checked::FunctionKind::Lane && lane_form(body).device;
  for (const Local* local : body.captures) {
    Capture capture;
    capture.local = local;
    capture.by_reference = !copies && captured_by_reference(*local);
    std::uint32_t field = kNone;
    if (copies) {
      const Type& held = local->type->is(TypeKind::Borrow) ? *local->type->element : *local->type;
      capture.embedded = shape_of(held) == Shape::Memory;
      capture.form =
          capture.embedded ? bytecode::RegisterType{RegisterKind::Ref, true, types_.memory(held)} : types_.value(held);
      field = held.is(TypeKind::View) ? types_.environment_field(held) : types_.memory(held);
    } else if (capture.by_reference) {
      const std::uint32_t type = types_.memory(*local->type);
      // Of a value that nothing writes there may be a reference alone that does not write: the caller's.
      // An Atomic or Mutex changes where it is only read.
      const bool writable = is_shared_cell(*local->type) || local->is_mutable || types_.owns(*local->type) ||
                            shape_of(*local->type) != Shape::Memory;
      capture.form = {RegisterKind::Ref, writable, type};
      field = builder_.reference(type, writable);
    } else {
      capture.form = types_.parameter(*local->type);
      field = types_.environment_field(*local->type);
    }
    fields.push_back({std::string(text(local->name)), field, 0});
    environment.captures.push_back(capture);
  }
  environment.type = builder_.environment(std::string(body.name), std::move(fields));
  const bytecode::Type& type = builder_.type(environment.type);
  for (std::size_t i = 0; i < environment.captures.size(); ++i) environment.captures[i].offset = type.fields[i].offset;
  return environment;
}

std::uint32_t ModuleLowering::foreign(const checked::Function& function) {
  if (const auto known = foreigns_.find(&function); known != foreigns_.end()) return known->second;
  std::string passing;
  for (const Local* parameter : function.parameters) {
    passing += parameter->type->is(TypeKind::View) || parameter->type->is(TypeKind::Borrow) ? 'p' : 'v';
  }
  const bool launched = function.declaration->as<syntax::ExternDecl>().has_launch;
  const std::uint32_t index =
      builder_.foreign({std::string(function.name), std::string(function.symbol), signature(function),
                        std::move(passing), position(function.position), launched});
  foreigns_.emplace(&function, index);
  return index;
}

std::uint32_t ModuleLowering::native(const checked::Function& function) {
  return builder_.native(function.symbol, signature(function));
}

std::uint32_t ModuleLowering::table(const DispatchTable& table) {
  if (const auto known = tables_.find(&table); known != tables_.end()) return known->second;
  bytecode::DispatchTable lowered;
  lowered.trait = types_.trait(*table.trait);
  lowered.type = types_.memory(*table.self);
  for (std::size_t i = 0; i < table.members.size(); ++i) {
    const TraitMember& declared = table.trait->members[i];
    const checked::Function& member = *table.members[i];
    const bool takes_value = declared.receiver_mode == BorrowMode::Ro && lent_by_value(*table.self);
    const std::uint32_t signature = builder_.module().traits[lowered.trait].members[i].signature;
    lowered.functions.push_back(takes_value ? receiver_thunk(member, declared, signature) : function(member));
  }
  const std::uint32_t index = builder_.table(std::move(lowered));
  tables_.emplace(&table, index);
  return index;
}

/// A dynamic call hands over a reference to the object; a member of a scalar type takes the value itself.
std::uint32_t ModuleLowering::receiver_thunk(const checked::Function& member, const TraitMember& declared,
                                             std::uint32_t signature) {
  const auto receiver = static_cast<std::size_t>(declared.receiver);
  const Type& self = *member.parameters[receiver]->type->element;
  const bool through_reference = shape_of(*member.result) == Shape::Memory;
  const std::size_t at = receiver + (through_reference ? 1 : 0);
  bytecode::Signature form = builder_.module().signatures[signature];
  form.parameters[at].type = types_.memory(self);
  const std::uint32_t callee = function(member);
  const std::uint32_t index = builder_.declare(std::string(member.name), builder_.signature(form));
  builder_.module().functions[index].position = position(member.position);
  bytecode::FunctionBuilder f(builder_, index);
  f.at(position(member.position));
  std::uint32_t slot = 0;
  for (std::size_t i = 0; i < form.parameters.size(); ++i) {
    const Register to = f.outgoing(slot);
    if (i == at) {
      f.emit(memory_operation(Op::LoadBool, scalar_register(self)), to, f.parameter(i), 0);
      ++slot;
    } else {
      f.move(to, f.parameter(i));
      slot += form.parameters[i].slots();
    }
  }
  f.emit(Op::Call, f.outgoing(0), callee);
  if (form.result.slots() == 0) {
    f.emit(Op::Return);
  } else {
    f.emit(form.result.is_pair() ? Op::ReturnPair : Op::ReturnValue, f.outgoing(0));
  }
  f.finish();
  return index;
}

}  // namespace cairn::lower
