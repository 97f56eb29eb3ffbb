#include "vm/cli/commands/commands.hpp"
#include "vm/cli/help.hpp"

namespace cairn::cli {

int completions_command(const Invocation& invocation) {
  write_out(invocation.operands().front() == "bash" ? bash_completions() : zsh_completions());
  return kGood;
}

}  // namespace cairn::cli
