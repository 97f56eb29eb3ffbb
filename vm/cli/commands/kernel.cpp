// cairn kernel: serves a Jupyter front end, or installs what tells one how (tools, 14.1).
#include "vm/kernel/kernel.hpp"
#include "vm/cli/commands/commands.hpp"
#include "vm/cli/running.hpp"

namespace cairn::cli {

int kernel_command(const Invocation& invocation) {
  const bool installs = invocation.has(Option::Install);
  if (installs == invocation.has(Option::Connection) || (!installs && invocation.has(Option::Prefix))) {
    write_error("cairn: kernel takes either --connection FILE or --install, and --prefix DIR with the latter.\n");
    return kNoVerdict;
  }
  const Output output(invocation);
  if (installs) {
    const kernel::Installed done = kernel::install(std::string(invocation.text(Option::Prefix)));
    if (!done.fault.empty()) return output.refuse(no_verdict("The kernel is not installed: " + done.fault + "."));
    write_out("installed: " + done.folder + "\n");
    return kGood;
  }
  kernel::take_frames_from_the_start();
  repl::ReplOptions options;
  options.check = session_options(invocation);
  options.execution = execution_options(invocation, 0);
  const std::string why = kernel::serve(std::string(invocation.text(Option::Connection)), std::move(options));
  kernel::forget_frames();
  return why.empty() ? kGood : output.refuse(no_verdict("The kernel cannot serve: " + why + "."));
}

}  // namespace cairn::cli
