// Machines, modules and calls: the functions of cairn.h that run something.
#include <algorithm>
#include <array>
#include <chrono>
#include <exception>

#include "vm/embedding/loading.hpp"
#include "vm/version.hpp"

using cairn::TrapRecord;
using cairn::embedding::Form;
using cairn::embedding::Shape;

namespace cairn::embedding {

void bury(cairn_module& module, TrapRecord record) {
  module.dead = true;
  module.trap = std::move(record);
  module.trap_kind = trap_kind_name(module.trap.kind);
  module.trap_text = render(module.trap);
}

cairn_trap trap_of(const cairn_module& module) {
  return {module.trap_kind.c_str(), module.trap.message.c_str(), module.trap.file.c_str(),
          module.trap.line,         module.trap.column,          module.trap_text.c_str()};
}

namespace {

cairn_status bad(cairn_module& module, std::string why) {
  module.problem = std::move(why);
  return CAIRN_BAD_ARGUMENT;
}

/// Whether the module may run something now.
cairn_status ready(cairn_module& module) {
  if (module.dead) [[unlikely]]
    return CAIRN_DEAD;
  if (module.thread != std::this_thread::get_id()) [[unlikely]] {
    return bad(module, "a module is used on the thread that loaded it");
  }
  return CAIRN_OK;
}

/// Of the outermost call: one that a host function makes counts towards it.
void set_deadline(cairn_module& module) {
  const std::uint64_t wall = module.vm->options.wall_ms;
  if (wall == 0 || module.running != 0) return;
  const auto end = std::chrono::steady_clock::now().time_since_epoch() + std::chrono::milliseconds(wall);
  module.execution->set_deadline(std::chrono::nanoseconds(end).count());
}

/// Calls a function of the program; false when it trapped, and the module is dead. Nothing is thrown to a C host.
bool invoke(cairn_module& module, std::uint32_t function, std::span<const std::uint64_t> slots,
            std::span<std::uint64_t> result) {
  set_deadline(module);
  ++module.running;
  bool fine = false;
  try {
    fine = module.execution->invoke(function, slots, result);
    if (!fine) bury(module, module.execution->trap());
  } catch (const std::exception& fault) {
    TrapRecord record;
    record.kind = TrapKind::Allocation;
    record.message = "trap: allocation: the machine has none for itself: " + std::string(fault.what());
    bury(module, std::move(record));
  }
  --module.running;
  return fine;
}

std::string named(const Form& form, std::size_t k) {
  return form.name.empty() ? "argument " + std::to_string(k + 1) : form.name;
}

/// The arguments with the lengths that were left out.
std::string complete(const Shape& shape, const cairn_value* given, std::size_t count, std::vector<cairn_value>& all) {
  const std::size_t wanted = shape.parameters.size();
  std::vector<bool> is_extent(wanted);
  for (const Form& form : shape.parameters) {
    if (form.extent_of >= 0) is_extent[static_cast<std::size_t>(form.extent_of)] = true;
  }
  const auto extents = static_cast<std::size_t>(std::ranges::count(is_extent, true));
  if (count != wanted && count != wanted - extents) {
    return "takes " + std::to_string(wanted) + " arguments" +
           (extents == 0 ? "" : ", or " + std::to_string(wanted - extents) + " without the lengths") + ", and has " +
           std::to_string(count);
  }
  all.resize(wanted);
  std::size_t next = 0;
  for (std::size_t k = 0; k < wanted; ++k) {
    if (count == wanted || !is_extent[k]) all[k] = given[next++];
  }
  std::vector<bool> known(wanted, count == wanted);
  for (std::size_t k = 0; k < wanted; ++k) {
    const Form& form = shape.parameters[k];
    if (form.extent_of < 0 || all[k].kind != CAIRN_VIEW) continue;
    const auto extent = static_cast<std::size_t>(form.extent_of);
    cairn_value& length = all[extent];
    if (!known[extent]) {
      length.kind = CAIRN_U64;
      length.as.u64 = all[k].as.memory.count;
      known[extent] = true;
    }
    const bool agrees =
        (length.kind >= CAIRN_U8 && length.kind <= CAIRN_U64 && length.as.u64 == all[k].as.memory.count) ||
        (length.kind >= CAIRN_I8 && length.kind <= CAIRN_I64 && length.as.i64 >= 0 &&
         static_cast<std::uint64_t>(length.as.i64) == all[k].as.memory.count);
    if (!agrees)
      return named(form, k) + " has " + std::to_string(all[k].as.memory.count) +
             " elements, and its length is another number";
  }
  return {};
}

cairn_status run(cairn_function& function, std::span<const std::uint64_t> slots, cairn_value* result,
                 cairn_trap* trap) {
  cairn_module& module = *function.module;
  const Shape& shape = function.shape;
  std::array<std::uint64_t, 2> words{};
  const std::size_t result_slots = shape.result_reference || shape.result.kind == CAIRN_VOID ? 0 : 1;
  if (!invoke(module, function.index, slots, {words.data(), result_slots})) [[unlikely]] {
    if (trap != nullptr) *trap = trap_of(module);
    return CAIRN_TRAPPED;
  }
  if (result != nullptr && !shape.result_reference) {
    if (result_slots == 0) {
      *result = cairn_value{};
    } else if (!get_same(shape.result, words.data(), *result)) {
      *result = get(shape.result, words.data());
    }
  }
  return CAIRN_OK;
}

/// A call that lends something, or leaves lengths out, or returns a record.
cairn_status call_with_guards(cairn_function& function, const cairn_value* arguments, std::size_t count,
                              cairn_value* result, cairn_trap* trap) {
  cairn_module& module = *function.module;
  const Shape& shape = function.shape;
  std::vector<cairn_value> all;
  if (std::string why = complete(shape, arguments, count, all); !why.empty()) {
    return bad(module, function.name + " " + why);
  }
  std::vector<std::uint64_t> slots(shape.slots + 1);
  for (std::size_t k = 0; k < all.size(); ++k) {
    const Form& form = shape.parameters[k];
    if (const std::string why = put(form, all[k], slots.data() + form.slot); !why.empty()) {
      return bad(module, named(form, k) + " " + why);
    }
  }
  std::vector<std::max_align_t> storage;
  if (shape.result_reference) {
    const bool fits = result != nullptr && result->kind == CAIRN_RECORD && result->as.memory.data != nullptr &&
                      result->as.memory.count == shape.result.size;
    if (result != nullptr && !fits) {
      return bad(module, "the result is a record of " + std::to_string(shape.result.size) +
                             " bytes, and needs storage of that size");
    }
    if (fits && reinterpret_cast<std::uint64_t>(result->as.memory.data) % shape.result.alignment != 0) {
      return bad(module, "the storage of the result is not aligned");
    }
    if (!fits) storage.resize(shape.result.size / sizeof(std::max_align_t) + 1);
    slots[0] = reinterpret_cast<std::uint64_t>(fits ? result->as.memory.data : storage.data());
  }
  if (BrokenGuard broken = broken_guard(shape, all.data()); broken.kind != TrapKind::None) {
    TrapRecord record;
    record.kind = broken.kind;
    record.message = "trap: " + std::string(trap_kind_name(broken.kind)) + ": " + broken.detail;
    record.notes = {"calling " + function.name};
    bury(module, std::move(record));
    if (trap != nullptr) *trap = trap_of(module);
    return CAIRN_TRAPPED;
  }
  return run(function, {slots.data(), shape.slots}, result, trap);
}

/// Device work cannot be done: the module ends as a device operation of its own would end it.
cairn_status lacks_device(cairn_module& module, const std::string& why, cairn_trap* trap) {
  TrapRecord record;
  record.kind = TrapKind::Device;
  record.message = "trap: device: " + why;
  bury(module, std::move(record));
  if (trap != nullptr) *trap = trap_of(module);
  return CAIRN_TRAPPED;
}

}  // namespace

}  // namespace cairn::embedding

using cairn::embedding::allowed_natives;
using cairn::embedding::bad;
using cairn::embedding::call_with_guards;
using cairn::embedding::guarded;
using cairn::embedding::HostOutput;
using cairn::embedding::invoke;
using cairn::embedding::lacks_device;
using cairn::embedding::named;
using cairn::embedding::put;
using cairn::embedding::put_same;
using cairn::embedding::ready;
using cairn::embedding::run;
using cairn::embedding::start;
using cairn::embedding::trap_of;

cairn_options cairn_default_options(void) {
  cairn_options options{};
  options.size = sizeof(options);
  return options;
}

const char* cairn_version(void) { return cairn::kVersion.data(); }

cairn_vm* cairn_vm_new(const cairn_options* options) {
  const cairn_options chosen = options == nullptr ? cairn_default_options() : *options;
  if (chosen.size != sizeof(cairn_options) || chosen.lanes > 1024 || chosen.tier > CAIRN_TIER_OPTIMIZING ||
      (chosen.capabilities & ~static_cast<std::uint32_t>(CAIRN_EVERYTHING)) != 0) {
    return nullptr;
  }
  return guarded(static_cast<cairn_vm*>(nullptr), [&] {
    auto vm = std::make_unique<cairn_vm>();
    vm->options = chosen;
    if (chosen.device_target != nullptr) vm->device_target = chosen.device_target;
    vm->options.device_target = nullptr;
    if (chosen.output != nullptr) vm->output = std::make_unique<HostOutput>(chosen.output, chosen.output_context);
    vm->natives = allowed_natives(chosen.capabilities);
    return vm.release();
  });
}

void cairn_vm_free(cairn_vm* vm) { delete vm; }

void cairn_module_free(cairn_module* module) {
  if (module == nullptr || module->running != 0) return;
  std::erase_if(module->vm->modules, [&](const auto& each) { return each.get() == module; });
}

cairn_status cairn_restart(cairn_module* module) {
  if (module == nullptr) return CAIRN_BAD_ARGUMENT;
  if (module->thread != std::this_thread::get_id())
    return bad(*module, "a module is used on the thread that loaded it");
  if (module->running != 0) return bad(*module, "a module does not restart inside a call of its own");
  return guarded(CAIRN_BAD_ARGUMENT, [&] {
    const std::string why = start(*module);
    return why.empty() ? CAIRN_OK : bad(*module, why);
  });
}

void cairn_interrupt(cairn_module* module) {
  if (module == nullptr) return;
  const std::lock_guard guard(module->execution_mutex);
  if (module->execution != nullptr) module->execution->interrupt();
}

const char* cairn_problem(const cairn_module* module) { return module == nullptr ? "" : module->problem.c_str(); }

uint64_t cairn_memory_used(const cairn_module* module) {
  return module == nullptr || module->execution == nullptr ? 0 : module->execution->memory_used();
}

cairn_status cairn_run_main(cairn_module* module, int32_t* result) {
  if (module == nullptr) return CAIRN_BAD_ARGUMENT;
  if (const cairn_status state = ready(*module); state != CAIRN_OK) return state;
  if (module->main == cairn::bytecode::kNone) return bad(*module, "the program has no main");
  std::uint64_t value = 0;
  if (!invoke(*module, module->main, {}, {&value, module->main_has_result ? 1U : 0U})) return CAIRN_TRAPPED;
  if (result != nullptr) *result = static_cast<std::int32_t>(value);
  return CAIRN_OK;
}

size_t cairn_function_count(const cairn_module* module) { return module == nullptr ? 0 : module->functions.size(); }

cairn_function* cairn_function_at(cairn_module* module, size_t index) {
  return module == nullptr || index >= module->functions.size() ? nullptr : module->functions[index].get();
}

cairn_function* cairn_find(cairn_module* module, const char* name) {
  if (module == nullptr || name == nullptr) return nullptr;
  const auto found = module->by_name.find(name);
  return found == module->by_name.end() ? nullptr : found->second;
}

const char* cairn_function_name(const cairn_function* function) {
  return function == nullptr ? "" : function->name.c_str();
}
const char* cairn_function_signature(const cairn_function* function) {
  return function == nullptr ? "" : function->signature.c_str();
}
const char* cairn_function_effects(const cairn_function* function) {
  return function == nullptr ? "" : function->effects.c_str();
}

size_t cairn_parameter_count(const cairn_function* function) {
  return function == nullptr ? 0 : function->shape.parameters.size();
}

static cairn_parameter parameter_of(const Form& form) {
  return {form.name.c_str(),
          form.type.c_str(),
          form.kind,
          form.element,
          form.writable && (form.kind == CAIRN_VIEW || form.kind == CAIRN_BORROW),
          form.size,
          form.alignment,
          form.extent_of};
}

cairn_parameter cairn_parameter_at(const cairn_function* function, size_t index) {
  static const Form kNothing;
  return parameter_of(
      function == nullptr || index >= function->shape.parameters.size() ? kNothing : function->shape.parameters[index]);
}

cairn_parameter cairn_result_of(const cairn_function* function) {
  static const Form kNothing;
  return parameter_of(function == nullptr ? kNothing : function->shape.result);
}

cairn_status cairn_call(cairn_function* function, const cairn_value* arguments, size_t count, cairn_value* result,
                        cairn_trap* trap) {
  if (function == nullptr || (arguments == nullptr && count != 0)) return CAIRN_BAD_ARGUMENT;
  cairn_module& module = *function->module;
  if (const cairn_status state = ready(module); state != CAIRN_OK) {
    if (state == CAIRN_DEAD && trap != nullptr) *trap = trap_of(module);
    return state;
  }
  const Shape& shape = function->shape;
  std::array<std::uint64_t, 16> slots;
  if (!shape.plain || count != shape.parameters.size() || count > slots.size()) {
    return guarded(CAIRN_BAD_ARGUMENT, [&] { return call_with_guards(*function, arguments, count, result, trap); });
  }
  for (std::size_t k = 0; k < count; ++k) {
    if (put_same(shape.parameters[k], arguments[k], slots.data() + k)) continue;
    if (const std::string why = put(shape.parameters[k], arguments[k], slots.data() + k); !why.empty()) {
      return bad(module, named(shape.parameters[k], k) + " " + why);
    }
  }
  return run(*function, {slots.data(), count}, result, trap);
}

bool cairn_last_trap(const cairn_module* module, cairn_trap* trap) {
  if (module == nullptr || !module->dead) return false;
  if (trap != nullptr) *trap = trap_of(*module);
  return true;
}

cairn_status cairn_enqueue(cairn_function* function, void* stream, const cairn_value* arguments, size_t count,
                           cairn_value* result, cairn_trap* trap) {
  if (function == nullptr) return CAIRN_BAD_ARGUMENT;
  cairn_module& module = *function->module;
  if (const cairn_status state = ready(module); state != CAIRN_OK) {
    if (state == CAIRN_DEAD && trap != nullptr) *trap = trap_of(module);
    return state;
  }
  if (const auto why = module.execution->use_stream(stream, false)) return lacks_device(module, *why, trap);
  const cairn_status status = cairn_call(function, arguments, count, result, trap);
  if (!module.dead) static_cast<void>(module.execution->use_stream(module.stream, true));
  return status;
}

cairn_status cairn_device_stream(cairn_module* module, void* stream, cairn_trap* trap) {
  if (module == nullptr) return CAIRN_BAD_ARGUMENT;
  if (const cairn_status state = ready(*module); state != CAIRN_OK) {
    if (state == CAIRN_DEAD && trap != nullptr) *trap = trap_of(*module);
    return state;
  }
  module->stream = stream;
  if (const auto why = module->execution->use_stream(stream, true)) return lacks_device(*module, *why, trap);
  return CAIRN_OK;
}
