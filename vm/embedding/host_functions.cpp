// Functions of the host that programs call, and what capabilities allow.
#include <algorithm>
#include <array>

#include "frontend/frontend.hpp"
#include "vm/embedding/loading.hpp"
#include "vm/natives/c_library.hpp"

namespace cairn::embedding {

namespace {

/// Which of the host's capabilities a native needs.
std::uint32_t needed(Capability capability) {
  switch (capability) {
    case Capability::None:
      return 0;
    case Capability::Output:
      return CAIRN_OUTPUT;
    case Capability::Input:
      return CAIRN_INPUT;
    case Capability::Files:
      return CAIRN_FILES;
    case Capability::Network:
      return CAIRN_SOCKETS;
    case Capability::Environment:
      return CAIRN_ENVIRONMENT;
    case Capability::Time:
      return CAIRN_TIME;
    case Capability::Process:
      return CAIRN_PROCESSES;
    case Capability::Memory:
      return CAIRN_MACHINE;
    case Capability::Rings:
      return CAIRN_RINGS;
  }
  return CAIRN_EVERYTHING;
}

}  // namespace

NativeTable allowed_natives(std::uint32_t capabilities) {
  NativeTable table;
  for (const NativeEntry& entry : c_library_natives().entries()) {
    if ((needed(entry.capability) & ~capabilities) == 0) table.add(std::span(&entry, 1));
  }
  return table;
}

std::expected<std::optional<std::uint32_t>, std::string> BoundHostFunctions::find(const bytecode::Module& module,
                                                                                  const bytecode::Foreign& foreign) {
  const auto known = std::ranges::find(functions_, foreign.symbol, &HostFunction::name);
  if (known == functions_.end()) return std::optional<std::uint32_t>();
  auto shape = shape_of_foreign(module, foreign);
  if (!shape) return std::unexpected("is the host's, and " + shape.error() + " cannot cross to it.");
  bound_.push_back({&*known, std::move(*shape)});
  return static_cast<std::uint32_t>(bound_.size() - 1);
}

void BoundHostFunctions::call(Thread& thread, std::uint32_t number, std::uint64_t* window) {
  const Bound& bound = bound_[number];
  const std::size_t count = bound.shape.parameters.size();
  std::array<cairn_value, 16> few;
  std::vector<cairn_value> many;
  if (count > few.size()) many.resize(count);
  cairn_value* values = many.empty() ? few.data() : many.data();
  for (std::size_t k = 0; k < count; ++k) {
    const Form& form = bound.shape.parameters[k];
    values[k] = get(form, window + form.slot);
  }
  cairn_value result{};
  result.kind = bound.shape.result.kind;
  if (bound.shape.result_reference) {
    result.as.memory = {reinterpret_cast<void*>(window[0]), bound.shape.result.size};
  }
  if (const char* why = bound.function->function(bound.function->context, values, count, &result)) {
    thread.pending = {TrapKind::Foreign, bound.function->name + ": " + why};
    return;
  }
  if (bound.shape.result_reference || bound.shape.result.kind == CAIRN_VOID) return;
  if (const std::string why = put(bound.shape.result, result, window); !why.empty()) {
    thread.pending = {TrapKind::Foreign, "the result of " + bound.function->name + " " + why};
  }
}

}  // namespace cairn::embedding

std::string cairn_vm::host_module() const {
  if (host_functions.empty()) return {};
  std::string text = "module host;\n";
  for (const auto& function : host_functions) text += "pub extern " + function.declaration + ";\n";
  return text;
}

cairn_status cairn_register(cairn_vm* vm, const char* declaration, cairn_host_function function, void* context) {
  if (vm == nullptr || declaration == nullptr || function == nullptr) return CAIRN_BAD_ARGUMENT;
  return cairn::embedding::guarded(CAIRN_REFUSED, [&] {
    // One declaration and nothing else: judged alone, by the language's own rules.
    cairn::Compilation compilation;
    compilation.sources.add("host.cairn", "module host;\npub extern " + std::string(declaration) + ";\n");
    check_program(compilation, {});
    const auto& functions = compilation.program.functions;
    // The module's header and the function.
    if (!compilation.verdict.accepted() || compilation.tree.declarations.size() != 2 || functions.size() != 1 ||
        functions.front()->kind != cairn::checked::FunctionKind::Extern) {
      return CAIRN_REFUSED;
    }
    std::string name(functions.front()->symbol);
    if (std::ranges::find(vm->host_functions, name, &cairn::embedding::HostFunction::name) !=
        vm->host_functions.end()) {
      return CAIRN_REFUSED;
    }
    vm->host_functions.push_back({std::move(name), declaration, function, context});
    return CAIRN_OK;
  });
}
