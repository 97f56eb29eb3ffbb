// What is printed about the command line itself, all of it made from the command table.
#pragma once

#include <string>

#include "vm/cli/command_table.hpp"
#include "vm/version.hpp"

namespace cairn::cli {

using cairn::kVersion;

/// The usage line of a command; of the program when there is none.
[[nodiscard]] std::string usage_line(const CommandRow* command);
/// `cairn --help`: every command. `cairn COMMAND --help`: every option of it.
[[nodiscard]] std::string help_text();
[[nodiscard]] std::string help_text(const CommandRow& command);
[[nodiscard]] std::string bash_completions();
[[nodiscard]] std::string zsh_completions();
/// The manual page cairn(1), in troff.
[[nodiscard]] std::string manual_page();

}  // namespace cairn::cli
