// cairn lsp: the language server over stdin and stdout (tools, 15).
#include <csignal>

#include <unistd.h>

#include "vm/cli/commands/commands.hpp"
#include "vm/language_server/server.hpp"

namespace cairn::cli {

int lsp_command(const Invocation&) {
  std::signal(SIGPIPE, SIG_IGN);  // an editor that went away is the end of input
  return lsp::Server(lsp::Connection(STDIN_FILENO, STDOUT_FILENO)).serve();
}

}  // namespace cairn::cli
