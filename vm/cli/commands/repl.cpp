// cairn repl: evaluates interactively, or from a script on stdin (tools, 14).
#include "vm/repl/repl.hpp"
#include "vm/cli/commands/commands.hpp"
#include "vm/cli/running.hpp"

namespace cairn::cli {

int repl_command(const Invocation& invocation) {
  repl::ReplOptions options;
  options.check = session_options(invocation);
  options.execution = execution_options(invocation, 0);
  options.out = [](const std::string& text) { write_out(text); };
  options.error = [](const std::string& text) { write_error(text); };
  // Without a path operand the session starts empty, whatever lies in the folder.
  const auto operands = invocation.operands();
  return repl::run_repl(operands.empty() ? std::string() : std::string(operands[0]), std::move(options));
}

}  // namespace cairn::cli
