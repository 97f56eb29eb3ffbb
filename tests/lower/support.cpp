#include "tests/lower/support.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <span>

#include "cuda/device.hpp"
#include "frontend/diagnostics/render.hpp"
#include "frontend/frontend.hpp"
#include "stdlib/embedded.hpp"
#include "tests/tier.hpp"
#include "vm/bytecode/text.hpp"
#include "vm/bytecode/verifier.hpp"
#include "vm/foreign/foreign_library.hpp"
#include "vm/interpreter/image.hpp"
#include "vm/interpreter/thread.hpp"
#include "vm/lower/lower.hpp"
#include "vm/natives/c_library.hpp"

namespace cairn::test {

const std::string* packaged(std::string_view name) {
  static std::map<std::string_view, std::string> texts;
  if (const auto known = texts.find(name); known != texts.end()) return &known->second;
  const auto modules = embedded_modules();
  const auto found = std::ranges::find(modules, name, &EmbeddedModule::name);
  return found == modules.end() ? nullptr : &texts.emplace(found->name, found->text).first->second;
}

namespace {

class Collected final : public OutputSink {
 public:
  bool write(bool, std::span<const char> bytes) override {
    text.append(bytes.begin(), bytes.end());
    return true;
  }
  std::string text;
};

}  // namespace

bytecode::Module lowered(std::string_view program, bool keep_guards) {
  std::string refusal;
  auto module = lowered_if_accepted(program, refusal, keep_guards);
  if (!module) FAIL(refusal);
  return std::move(*module);
}

std::optional<bytecode::Module> lowered_if_accepted(std::string_view program, std::string& refusal, bool keep_guards) {
  std::string fault;
  auto module = lowered_if_accepted(program, refusal, keep_guards, fault);
  if (!fault.empty()) FAIL(fault);
  return module;
}

std::optional<bytecode::Module> lowered_if_accepted(std::string_view program, std::string& refusal, bool keep_guards,
                                                    std::string& fault) {
  Compilation compilation;
  compilation.sources.add("p.cairn", std::string(program));
  CheckOptions check;
  check.packaged = packaged;
  check_program(compilation, check);
  if (!compilation.verdict.accepted()) {
    refusal = render_human(compilation.verdict, compilation.sources, false);
    return std::nullopt;
  }
  lower::Options options;
  options.keep_guards = keep_guards;
  for (const auto& function : compilation.program.functions) {
    const bool callable = function->kind == checked::FunctionKind::Function && !function->library;
    if (callable) options.roots.push_back(function.get());
    if (callable && function->name == "main") compilation.program.main = function.get();
  }
  lower::Lowered result = lower::lower_program(compilation, options);
  fault = std::move(result.failure);
  if (!fault.empty()) return std::nullopt;
  if (const auto found = bytecode::verify(result.module)) fault = bytecode::describe(*found, result.module);
  if (!fault.empty()) return std::nullopt;
  return std::move(result.module);
}

std::string code_of(const bytecode::Module& module, std::string_view name) {
  const auto found = std::ranges::find(module.functions, name, &bytecode::Function::name);
  REQUIRE(found != module.functions.end());
  const auto index = static_cast<std::uint32_t>(found - module.functions.begin());
  const std::string text = bytecode::write_function_text(module, index);
  std::string code;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line(text.data() + at, end - at);
    at = end + 1;
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    const bool is_code = line.starts_with(": ") || (line.starts_with('L') && line.ends_with(':'));
    if (!is_code) continue;
    if (line.starts_with(": ")) line.remove_prefix(2);
    for (const std::string_view tail : {std::string_view("#"), std::string_view(" at ")}) {
      line = line.substr(0, line.find(tail));
    }
    line = line.substr(0, line.find_last_not_of(' ') + 1);
    code += line;
    code += '\n';
  }
  return code;
}

Outcome run(std::string_view program) {
  return run(program, [](const bytecode::Module&) { return cuda::emulated_device(); });
}

Outcome run(std::string_view program, const MakeDevice& make_device) {
  const Image image(lowered(program), c_library_natives());
  Collected output;
  Limits limits;
  limits.memory_bytes = std::uint64_t{1} << 30;
  Instance instance(image, output, limits, tests::tier_under_test());
  ForeignLibrary foreigns(image.module());
  if (foreigns.missing()) FAIL(*foreigns.missing());
  instance.set_foreign_caller(&foreigns);
  instance.set_device(make_device(image.module()));
  Thread thread(instance);
  std::uint64_t value = 0;
  Outcome outcome;
  REQUIRE(image.module().entry != bytecode::kNone);
  if (const auto trap = thread.call(image.module().entry, {}, std::span(&value, 1))) {
    outcome.trap = trap->message;
    outcome.line = trap->line;
    outcome.column = trap->column;
  }
  outcome.status = static_cast<std::int32_t>(value);
  outcome.output = output.text;
  outcome.bytes_held = instance.memory().used();
  return outcome;
}

}  // namespace cairn::test
