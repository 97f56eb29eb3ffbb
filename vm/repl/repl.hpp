// The read-evaluate-print loop on two streams (tools, 14).
#pragma once

#include <string>

#include "vm/repl/session_state.hpp"

namespace cairn::repl {

/// Reads entries and commands from descriptor 0 until `:quit` or the end of input; `path`, when not empty, is loaded
/// first. The exit status: 0, also after refusals and traps; 2 when the path cannot be loaded.
int run_repl(const std::string& path, ReplOptions options);

}  // namespace cairn::repl
