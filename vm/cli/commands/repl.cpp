// cairn repl: evaluates interactively, or from a script on stdin (tools, 14).
#include "vm/repl/repl.hpp"

#include <cstdlib>

#include <unistd.h>

#include "vm/cli/commands/commands.hpp"
#include "vm/cli/running.hpp"

namespace cairn::cli {

int repl_command(const Invocation& invocation) {
  repl::ReplOptions options;
  options.check = session_options(invocation);
  options.execution = execution_options(invocation, 0);
  const bool plain = std::getenv("NO_COLOR") != nullptr;
  const bool coloured_values = !plain && ::isatty(STDOUT_FILENO) == 1;
  options.coloured = !plain && ::isatty(STDERR_FILENO) == 1;
  options.value = [coloured_values](const repl::Shown& shown) {
    write_out(coloured_values ? shown.text + "\033[2m : " + shown.type + "\033[0m\n"
                              : shown.text + " : " + shown.type + "\n");
  };
  options.fail = [](const repl::Failure& failure) { write_error(failure.text); };
  options.out = [](const std::string& text) { write_out(text); };
  options.note = [](const std::string& text) { write_error(text); };
  // Without a path operand the session starts empty, whatever lies in the folder.
  const auto operands = invocation.operands();
  if (!operands.empty()) options.path = operands[0];
  return repl::run_repl(std::move(options));
}

}  // namespace cairn::cli
