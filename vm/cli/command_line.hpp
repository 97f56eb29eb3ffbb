// The command line of `cairn`: finds the command, judges its arguments, runs it.
#pragma once

namespace cairn::cli {

/// The exit status of the process.
[[nodiscard]] int run_command_line(int argc, const char* const* argv);

}  // namespace cairn::cli
