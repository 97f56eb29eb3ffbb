// cairn emit: the lowered program as text (tools, 3.15).
#include <algorithm>
#include <numeric>

#include "cuda/tools.hpp"
#include "jit/jit.hpp"
#include "vm/bytecode/text.hpp"
#include "vm/c_entries/c_entries.hpp"
#include "vm/cli/commands/commands.hpp"
#include "vm/cli/device_listing.hpp"
#include "vm/cli/machine.hpp"
#include "vm/cli/running.hpp"
#include "vm/lower_for_use.hpp"

namespace cairn::cli {

namespace {

/// The functions of these names; a refusal when one of them is not there.
std::expected<std::vector<std::uint32_t>, Diagnostic> functions_of(const bytecode::Module& module,
                                                                   const std::vector<std::string_view>& symbols) {
  std::vector<std::uint32_t> functions;
  for (const std::string_view symbol : symbols) {
    const auto found = std::ranges::find(module.functions, symbol, &bytecode::Function::name);
    if (found == module.functions.end()) {
      return std::unexpected(no_verdict("The program has no function " + std::string(symbol) + "."));
    }
    functions.push_back(static_cast<std::uint32_t>(found - module.functions.begin()));
  }
  return functions;
}

std::string bytecode_of(const bytecode::Module& module, const std::vector<std::uint32_t>& functions) {
  if (functions.empty()) return bytecode::write_text(module);
  std::string text;
  for (const std::uint32_t function : functions) text += bytecode::write_function_text(module, function);
  return text;
}

/// E-TARGET-TOOLKIT when the NVRTC that is here makes no code for the target.
std::optional<Diagnostic> judge_toolkit(const std::string& target) {
  if (target.empty()) return std::nullopt;
  auto why = cuda::toolkit_refusal(target);
  if (!why) return std::nullopt;
  Diagnostic refusal;
  refusal.code = Code::TargetToolkit;
  refusal.message = std::move(*why) + ".";
  return refusal;
}

/// What the optimizing tier makes of the functions, or of all.
std::string assembly_of(bytecode::Module module, const std::vector<std::uint32_t>& functions) {
  ExecutionOptions options;
  options.tier = Tier::Optimizing;
  return Execution(std::move(module), options).assembly(functions);
}

/// The same before machine code is made of it.
std::string ssa_of(const bytecode::Module& module, std::vector<std::uint32_t> functions) {
  if (functions.empty()) {
    functions.resize(module.functions.size());
    std::iota(functions.begin(), functions.end(), 0U);
  }
  std::string text;
  for (const std::uint32_t function : functions) text += jit::ssa_text(module, function, false);
  return text;
}

}  // namespace

int emit_command(const Invocation& invocation) {
  const Output output(invocation);
  SessionOptions options = session_options(invocation);
  options.first_only = false;
  options.gpus = gpus_of_machine;
  const auto session = Session::open(invocation.path(), options);
  if (!session->accepted()) return output.refuse(session->verdict(), session->sources());
  if (invocation.has(Option::Header)) {
    const CLibrary library =
        c_library(session->compilation(), session->project()->manifest.name, session->exported_functions());
    output.say(c_header(library));
    return kGood;
  }
  const std::string_view form = invocation.text(Option::EmitAs);
  if (form == "device") {
    if (const auto refusal = session->judge_device_target()) return output.refuse(*refusal, session->sources());
    if (const auto refusal = judge_toolkit(session->device_target())) return output.refuse(*refusal);
  }
  lower::Options lowering;
  lowering.entry = false;
  lowering.keep_guards = invocation.has(Option::KeepGuards);
  lowering.roots = session->own_functions();
  auto lowered = form == "device" ? lower_for_use(*session, lowering) : session->lower(lowering);
  if (!lowered) return output.refuse(lowered.error(), session->sources());
  const auto functions = functions_of(lowered->module, invocation.texts(Option::Symbols));
  if (!functions) return output.refuse(functions.error());
  if (form == "device") {
    const auto listing = device_listing(lowered->module, *functions, session->device_target());
    if (!listing) return output.refuse(no_verdict(listing.error()));
    output.say(*listing);
    return kGood;
  }
  output.say(form == "asm"   ? assembly_of(std::move(lowered->module), *functions)
             : form == "ssa" ? ssa_of(lowered->module, *functions)
                             : bytecode_of(lowered->module, *functions));
  return kGood;
}

}  // namespace cairn::cli
