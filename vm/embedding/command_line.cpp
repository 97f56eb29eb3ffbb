// The program `cairn` as a call.
#include "vm/cli/command_line.hpp"

#include "vm/embedding/cairn.h"

int cairn_command_line(int argc, const char* const* argv) { return cairn::cli::run_command_line(argc, argv); }
