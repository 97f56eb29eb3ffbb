// cairn emit: the lowered program as text (tools, 3.15).
#include <algorithm>

#include "vm/bytecode/text.hpp"
#include "vm/cli/commands/commands.hpp"
#include "vm/cli/running.hpp"

namespace cairn::cli {

namespace {

/// The text of the functions that are asked for alone; nothing when one of them is not there.
std::expected<std::string, Diagnostic> listing_of(const bytecode::Module& module,
                                                  const std::vector<std::string_view>& symbols) {
  if (symbols.empty()) return bytecode::write_text(module);
  std::string text;
  for (const std::string_view symbol : symbols) {
    const auto found = std::ranges::find(module.functions, symbol, &bytecode::Function::name);
    if (found == module.functions.end()) {
      return std::unexpected(no_verdict("The program has no function " + std::string(symbol) + "."));
    }
    text += bytecode::write_function_text(module, static_cast<std::uint32_t>(found - module.functions.begin()));
  }
  return text;
}

}  // namespace

int emit_command(const Invocation& invocation) {
  const Output output(invocation);
  SessionOptions options = session_options(invocation);
  options.first_only = false;
  const auto session = Session::open(invocation.path(), options);
  if (!session->accepted()) return output.refuse(session->verdict(), session->sources());
  lower::Options lowering;
  lowering.entry = false;
  lowering.keep_guards = invocation.has(Option::KeepGuards);
  lowering.roots = session->own_functions();
  const auto lowered = session->lower(lowering);
  if (!lowered) return output.refuse(lowered.error(), session->sources());
  const auto text = listing_of(lowered->module, invocation.texts(Option::Symbols));
  if (!text) return output.refuse(text.error());
  output.say(*text);
  return kGood;
}

}  // namespace cairn::cli
