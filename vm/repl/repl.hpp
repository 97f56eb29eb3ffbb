// The read-evaluate-print loop on a terminal or a pipe (tools, 14).
#pragma once

#include <string>

#include "vm/repl/session_state.hpp"

namespace cairn::repl {

/// Reads entries and commands from descriptor 0 until `:quit` or the end of input. The exit status: 0, also after
/// refusals and traps; 1 or 2 when the program of `options.path` is refused or cannot be loaded.
int run_repl(ReplOptions options);

}  // namespace cairn::repl
