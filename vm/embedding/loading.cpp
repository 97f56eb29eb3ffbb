#include "vm/embedding/loading.hpp"

#include <algorithm>
#include <filesystem>
#include <span>

#include "cuda/gpus.hpp"
#include "frontend/check/rows.hpp"
#include "frontend/project/files.hpp"
#include "frontend/report/receipt.hpp"
#include "vm/bytecode/bundle.hpp"
#include "vm/lower_for_use.hpp"

namespace cairn::embedding {

namespace {

constexpr std::size_t kMostBundleBytes = std::size_t{1} << 30U;
constexpr std::uint64_t kUsualTasks = 64;

/// Whether values of the type can cross at all; the layout is judged once the type is lowered.
bool may_cross(const Type& type) {
  if (type.is_scalar() || type.is_storage_float()) return true;
  return (type.is(TypeKind::Record) || type.is(TypeKind::Sum)) && type.is_copy();
}

bool may_cross(const checked::Function& function) {
  const auto parameter = [](const checked::Local* local) {
    const bool lends = local->type->is(TypeKind::View) || local->type->is(TypeKind::Borrow);
    return may_cross(lends ? *local->type->element : *local->type);
  };
  return std::ranges::all_of(function.parameters, parameter) &&
         (function.result->is(TypeKind::Void) || may_cross(*function.result));
}

/// fn main() of the root module, as `run` takes it.
bool is_entry(const checked::Function& function) {
  return function.name == "main" && function.parameters.empty() &&
         (function.result->is(TypeKind::Void) || function.result->is(TypeKind::I32));
}

std::string joined(const std::vector<std::string>& labels) {
  std::string all;
  for (const std::string& label : labels) all += (all.empty() ? "" : ", ") + label;
  return all;
}

std::string signature_text(const Shape& shape) {
  std::string text = "(";
  for (const Form& form : shape.parameters) {
    text += (text.size() == 1 ? "" : ", ") + (form.name.empty() ? "" : form.name + ":") + form.type;
  }
  return text + ")" + (shape.result.kind == CAIRN_VOID ? "" : " -> " + shape.result.type);
}

std::unique_ptr<cairn_diagnostics> diagnostic_of(Diagnostic diagnostic, const SourceMap& sources = {}) {
  Verdict verdict;
  verdict.refusals.push_back(std::move(diagnostic));
  return diagnostics_of(verdict, sources);
}

/// A module whose program was checked here.
std::unique_ptr<cairn_module> module_of(const Session& session, std::unique_ptr<cairn_diagnostics>& diagnostics) {
  lower::Options options;
  options.entry = false;
  const checked::Function* main = nullptr;
  for (const checked::Function* function : session.own_functions()) {
    if (function->declaration == nullptr) continue;
    if (is_entry(*function)) {
      main = function;
    } else if (is_exported(*function->declaration) && may_cross(*function)) {
      options.roots.push_back(function);
    }
  }
  const std::size_t callable = options.roots.size();
  if (main != nullptr) options.roots.push_back(main);
  auto lowered = lower_for_use(session, options);
  if (!lowered) {
    diagnostics = diagnostic_of(std::move(lowered.error()), session.sources());
    return nullptr;
  }
  auto module = std::make_unique<cairn_module>();
  const NameTable& names = session.compilation().names;
  for (std::size_t k = 0; k < callable; ++k) {
    const checked::Function& declared = *options.roots[k];
    const std::uint32_t index = lowered->roots[k];
    auto shape = shape_of_function(declared, lowered->module, lowered->module.functions[index].signature);
    if (!shape) continue;
    for (std::size_t p = 0; p < shape->parameters.size(); ++p) {
      shape->parameters[p].name = names.text(declared.parameters[p]->name);
    }
    auto function = std::make_unique<cairn_function>();
    function->index = index;
    function->name = declared.name;
    function->signature = signature_text(*shape);
    if (declared.row != nullptr) function->effects = joined(checked::texts(*declared.row, declared, names));
    function->shape = std::move(*shape);
    module->functions.push_back(std::move(function));
  }
  if (main != nullptr) module->main = lowered->roots[callable];
  module->main_has_result = main != nullptr && !main->result->is(TypeKind::Void);
  module->program = std::move(lowered->module);
  return module;
}

/// How a host passes each parameter of a function that is known by its slots alone: what is written through, or is no
/// record, is lent.
std::string passing_of(const bytecode::Module& program, const bytecode::Function& function) {
  const bytecode::Signature& signature = program.signatures[function.signature];
  std::string passing;
  for (std::size_t k = signature.result_reference ? 1 : 0; k < signature.parameters.size(); ++k) {
    const bytecode::RegisterType& type = signature.parameters[k];
    const bool is_scalar = type.kind == bytecode::RegisterKind::Ref && type.type < program.types.size() &&
                           program.types[type.type].kind == bytecode::TypeKind::Scalar;
    passing += type.kind == bytecode::RegisterKind::Ref && (type.writable || is_scalar) ? 'p' : 'v';
  }
  return passing;
}

/// A module from a bundle, which knows its functions by their slots alone.
std::unique_ptr<cairn_module> module_of(bytecode::Module program) {
  auto module = std::make_unique<cairn_module>();
  for (std::uint32_t index = 0; index < program.functions.size(); ++index) {
    const bytecode::Function& declared = program.functions[index];
    if (declared.kind != bytecode::FunctionKind::Plain || index == program.entry) continue;
    auto shape = shape_of_foreign(program, {declared.name, {}, declared.signature, passing_of(program, declared), {}});
    if (!shape) continue;
    auto function = std::make_unique<cairn_function>();
    function->index = index;
    function->name = declared.name;
    function->shape = std::move(*shape);
    module->functions.push_back(std::move(function));
  }
  module->main = program.entry;
  if (program.entry != bytecode::kNone) {
    module->main_has_result = program.signatures[program.functions[program.entry].signature].result.slots() != 0;
  }
  module->program = std::move(program);
  return module;
}

cairn_module* adopted(cairn_vm* vm, std::unique_ptr<cairn_module> module, cairn_diagnostics** diagnostics,
                      std::unique_ptr<cairn_diagnostics> refused) {
  if (module != nullptr) {
    module->vm = vm;
    for (const auto& function : module->functions) {
      function->module = module.get();
      module->by_name.emplace(function->name, function.get());
    }
    const std::string why = start(*module);
    if (why.empty()) {
      vm->modules.push_back(std::move(module));
      return vm->modules.back().get();
    }
    refused = diagnostic_of(no_verdict(why));
  }
  if (diagnostics != nullptr) *diagnostics = refused.release();
  return nullptr;
}

cairn_module* loaded(cairn_vm* vm, const Session& session, cairn_diagnostics** diagnostics) {
  if (!session.accepted()) {
    return adopted(vm, nullptr, diagnostics, diagnostics_of(session.verdict(), session.sources()));
  }
  if (auto refusal = session.judge_device()) {
    return adopted(vm, nullptr, diagnostics, diagnostic_of(std::move(*refusal), session.sources()));
  }
  std::unique_ptr<cairn_diagnostics> refused;
  auto module = module_of(session, refused);
  return adopted(vm, std::move(module), diagnostics, std::move(refused));
}

cairn_module* bundle_refused(cairn_vm* vm, const std::string& why, cairn_diagnostics** diagnostics) {
  return adopted(vm, nullptr, diagnostics, diagnostic_of(no_verdict(why + ".")));
}

cairn_module* loaded_bundle(cairn_vm* vm, const std::string& name, std::span<const std::byte> bytes,
                            cairn_diagnostics** diagnostics) {
  auto bundle = bytecode::read_bundle(bytes);
  if (!bundle) return bundle_refused(vm, name + ": " + bundle.error().message, diagnostics);
  return adopted(vm, module_of(std::move(bundle->module)), diagnostics, nullptr);
}

cairn_module* loaded_bundle(cairn_vm* vm, const std::string& path, cairn_diagnostics** diagnostics) {
  const auto bytes = read_file(path, kMostBundleBytes);
  if (!bytes) return bundle_refused(vm, path + " cannot be read: " + bytes.error(), diagnostics);
  return loaded_bundle(vm, path, std::as_bytes(std::span(*bytes)), diagnostics);
}

}  // namespace

SessionOptions session_options(const cairn_vm& vm) {
  SessionOptions options;
  options.emulate = vm.options.emulate;
  options.device_target = vm.device_target;
  options.host_module = vm.host_module();
  options.gpus = cuda::list_gpus;
  return options;
}

ExecutionOptions execution_options(const cairn_vm& vm) {
  ExecutionOptions options;
  options.tier = static_cast<Tier>(vm.options.tier == CAIRN_TIER_AUTO ? static_cast<int>(Tier::Auto)
                                                                      : static_cast<int>(vm.options.tier) - 1);
  options.memory_bytes = vm.options.memory_bytes;
  options.stack_bytes = vm.options.stack_bytes;
  options.steps = vm.options.steps;
  options.tasks = vm.options.tasks == 0 ? kUsualTasks : vm.options.tasks;
  options.lanes = vm.options.lanes;
  options.watched = true;
  options.output = vm.output.get();
  options.natives = &vm.natives;
  options.shares_the_gpu = vm.options.shares_gpu;
  return options;
}

std::string start(cairn_module& module) {
  ExecutionOptions options = execution_options(*module.vm);
  module.execution.reset();  // on the thread whose heap it has
  module.host = std::make_unique<BoundHostFunctions>(module.vm->host_functions, module.vm->options.capabilities);
  options.host = module.host.get();
  module.stream = nullptr;
  auto execution = std::make_unique<Execution>(module.program, options);
  if (const auto missing = execution->missing()) return *missing;
  const std::lock_guard guard(module.execution_mutex);
  module.execution = std::move(execution);
  module.thread = std::this_thread::get_id();
  module.dead = false;
  return {};
}

}  // namespace cairn::embedding

cairn_module* cairn_load(cairn_vm* vm, const char* path, cairn_diagnostics** diagnostics) {
  namespace embedding = cairn::embedding;
  using cairn::Session;
  if (diagnostics != nullptr) *diagnostics = nullptr;
  if (vm == nullptr || path == nullptr) return nullptr;
  return embedding::guarded(static_cast<cairn_module*>(nullptr), [&] {
    if (std::filesystem::path(path).extension() == ".cbc") return embedding::loaded_bundle(vm, path, diagnostics);
    return embedding::loaded(vm, *Session::open(path, embedding::session_options(*vm)), diagnostics);
  });
}

cairn_module* cairn_load_source(cairn_vm* vm, const char* name, const char* source, size_t count,
                                cairn_diagnostics** diagnostics) {
  namespace embedding = cairn::embedding;
  using cairn::no_verdict;
  using cairn::Session;
  if (diagnostics != nullptr) *diagnostics = nullptr;
  if (vm == nullptr || name == nullptr || (source == nullptr && count != 0)) return nullptr;
  return embedding::guarded(static_cast<cairn_module*>(nullptr), [&] {
    std::string text(source == nullptr ? "" : source, count);
    if (count > cairn::kMostSourceBytes || !cairn::is_utf8(text)) {
      const std::string why =
          count > cairn::kMostSourceBytes ? " is longer than 16,000,000 bytes." : " is not UTF-8 text.";
      return embedding::adopted(vm, nullptr, diagnostics, embedding::diagnostic_of(no_verdict(name + why)));
    }
    return embedding::loaded(vm, *Session::open_text(name, std::move(text), embedding::session_options(*vm)),
                             diagnostics);
  });
}

cairn_module* cairn_load_bundle(cairn_vm* vm, const void* bundle, size_t count, cairn_diagnostics** diagnostics) {
  namespace embedding = cairn::embedding;
  if (diagnostics != nullptr) *diagnostics = nullptr;
  if (vm == nullptr || (bundle == nullptr && count != 0)) return nullptr;
  return embedding::guarded(static_cast<cairn_module*>(nullptr), [&] {
    return embedding::loaded_bundle(vm, "the bundle", {static_cast<const std::byte*>(bundle), count}, diagnostics);
  });
}
