// The program `cairn`.
#include "vm/cli/command_line.hpp"

int main(int argc, char** argv) { return cairn::cli::run_command_line(argc, argv); }
