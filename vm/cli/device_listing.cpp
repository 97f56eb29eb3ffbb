#include "vm/cli/device_listing.hpp"

#include <algorithm>

#include "cuda/compiler.hpp"
#include "cuda/tools.hpp"
#include "vm/bytecode/owners.hpp"

namespace cairn::cli {

namespace {

/// Whether a kernel stands in one of the functions, at any depth.
bool stands_in(const bytecode::Module& module, std::uint32_t kernel, const std::vector<std::uint32_t>& functions) {
  return std::ranges::any_of(functions, [&](std::uint32_t each) { return bytecode::is_within(module, kernel, each); });
}

std::string resources_text(const std::vector<cuda::Resources>& all) {
  std::string text;
  for (const cuda::Resources& each : all) {
    text += "// " + each.entry + ": " + std::to_string(each.registers) + " registers, " +
            std::to_string(each.shared_bytes) + " shared bytes, " + std::to_string(each.stack_bytes) +
            " stack bytes, " + std::to_string(each.spill_stores) + " bytes of spill stores and " +
            std::to_string(each.spill_loads) + " of spill loads\n";
  }
  return text;
}

}  // namespace

std::expected<std::string, std::string> device_listing(const bytecode::Module& module,
                                                       const std::vector<std::uint32_t>& functions,
                                                       const std::string& target) {
  std::string text;
  std::unique_ptr<cuda::Compiler> compiler;
  std::string missing;
  const auto opens = [&] {
    if (compiler == nullptr && missing.empty()) {
      auto opened = cuda::Compiler::open(target);
      if (opened) {
        compiler = std::move(*opened);
      } else {
        missing = opened.error();
      }
    }
    if (compiler == nullptr) text += "\n// no PTX: " + missing + "\n";
    return compiler != nullptr;
  };
  const auto begin = [&](std::string_view what, const std::string& name, const std::string& written) {
    text += (text.empty() ? "// " : "\n// ") + std::string(what) + name + ", for " + target + "\n" + written;
  };
  const auto list = [&](const std::string& name, const std::string& ptx) {
    text += "\n// PTX of " + name + "\n" + ptx;
    const auto resources = cuda::resources_of(ptx, target);
    text += resources ? resources_text(*resources) : "// " + resources.error() + "\n";
  };
  for (const cuda::KernelUse& use : cuda::kernels_of(module)) {
    if (!functions.empty() && !stands_in(module, use.function, functions)) continue;
    const auto written = cuda::write_kernel(module, use);
    if (!written) return std::unexpected(written.error());
    begin("kernel ", written->name, written->text);
    if (!opens()) continue;
    const auto code = compiler->compile(module, use);
    if (!code) return std::unexpected(code.error());
    list(written->name, code->ptx);
  }
  if (!functions.empty()) return text;
  for (const bytecode::VendoredSource& source : bytecode::vendored_sources(module)) {
    begin("vendored ", source.path, source.text);
    if (!opens()) continue;
    const auto code = compiler->compile_vendored(module, source);
    if (!code) return std::unexpected(code.error());
    list(source.path, code->ptx);
  }
  return text;
}

std::expected<std::vector<InspectedKernel>, std::string> inspect_kernels(const bytecode::Module& module,
                                                                         const std::string& target) {
  std::vector<InspectedKernel> found;
  const std::vector<cuda::KernelUse> uses = cuda::kernels_of(module);
  if (uses.empty()) return found;
  const auto compiler = cuda::Compiler::open(target);
  if (!compiler) return std::unexpected(compiler.error());
  for (const cuda::KernelUse& use : uses) {
    if (use.function >= module.functions.size()) continue;  // the machine's own multiply
    const auto code = (*compiler)->compile(module, use);
    if (!code) return std::unexpected(code.error());
    const auto resources = cuda::resources_of(code->ptx, target);
    if (!resources) return std::unexpected(resources.error());
    InspectedKernel kernel;
    kernel.function = module.functions[bytecode::owner_of(module, use.function)].name;
    kernel.line = module.functions[use.function].position.line;
    for (const cuda::Resources& each : *resources) {
      kernel.registers = std::max(kernel.registers, each.registers);
      kernel.shared_bytes = std::max(kernel.shared_bytes, each.shared_bytes);
      kernel.stack_bytes = std::max(kernel.stack_bytes, each.stack_bytes);
    }
    found.push_back(std::move(kernel));
  }
  return found;
}

}  // namespace cairn::cli
