// cairn expand: the source that derivations, recipes and families generated (tools, 3.7).
#include "frontend/expand/expand.hpp"

#include "vm/cli/commands/commands.hpp"
#include "vm/cli/running.hpp"

namespace cairn::cli {

int expand_command(const Invocation& invocation) {
  const Output output(invocation);
  const auto session = Session::open(invocation.path(), session_options(invocation));
  if (!session->accepted()) return output.refuse(session->verdict(), session->sources());
  output.say(expansion_text(session->compilation()));
  return kGood;
}

}  // namespace cairn::cli
