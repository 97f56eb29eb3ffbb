// Every command of `cairn` and every option, once. Parsing, usage errors, `--help`, shell completions and the manual
// page are all made from these tables, so that a new option is one row here and its name in the rows of its commands.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace cairn::cli {

class Invocation;

enum class Option : std::uint8_t {
#define OPTION(Enumerator, ...) Enumerator,
#include "vm/cli/options.def"
#undef OPTION
};

/// What may stand after an option.
enum class Takes : std::uint8_t {
  Nothing,  // a flag
  Text,     // anything
  Path,     // a file or folder (completed as one)
  Word,     // one of `words`: anything else is a usage error
  Words,    // a comma separated list of `words`
  Number,   // a whole number in [least, most]: outside is E-PROJECT-OR-ENVIRONMENT
  Target,   // a device target: a malformed one is E-TARGET
};

struct OptionRow {
  std::string_view name;  // "--format"
  Takes takes;
  std::string_view placeholder;  // how help names the value; empty for a flag
  std::string_view words;        // of Word and Words, separated by spaces
  std::int64_t least, most;      // of Number
  bool repeats;                  // every use counts; else the last one does
  std::string_view about;
};

[[nodiscard]] const OptionRow& row_of(Option option);

struct CommandRow {
  std::string_view name;
  std::string_view operands;  // as usage shows them: "[PATH]", "REF CAND"
  int least_operands, most_operands;
  std::string_view words;  // the operands are of this closed list (completions); else empty
  bool takes_program_arguments;
  std::string_view about;
  std::span<const Option> options;
  /// Does the command and gives the exit status; null while no part of this build answers it.
  int (*run)(const Invocation& invocation);
};

[[nodiscard]] std::span<const CommandRow> commands();
[[nodiscard]] const CommandRow* command_named(std::string_view name);

}  // namespace cairn::cli
