// The words of a command line, judged against the command table (tools, 1).
#pragma once

#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frontend/diagnostics/diagnostic.hpp"
#include "vm/cli/command_table.hpp"

namespace cairn::cli {

/// What was asked: a command, its options and operands. Every value is of the kind its row admits.
class Invocation {
 public:
  explicit Invocation(const CommandRow& command) : command_(&command) {}

  [[nodiscard]] const CommandRow& command() const { return *command_; }
  [[nodiscard]] bool has(Option option) const;
  /// The last value given, else `otherwise`.
  [[nodiscard]] std::string_view text(Option option, std::string_view otherwise = {}) const;
  [[nodiscard]] std::vector<std::string_view> texts(Option option) const;
  /// The last value given; none when the option was not.
  [[nodiscard]] std::optional<std::int64_t> number(Option option) const;
  [[nodiscard]] std::span<const std::string_view> operands() const { return operands_; }
  /// The path operand of a command that takes a program: `.` when none was given.
  [[nodiscard]] std::string_view path() const { return operands_.empty() ? "." : operands_.front(); }
  /// What stood after the first bare `--`; it belongs to the program.
  [[nodiscard]] std::span<const std::string_view> program_arguments() const { return program_arguments_; }

 private:
  friend class ArgumentParser;
  const CommandRow* command_;
  std::vector<std::pair<Option, std::string_view>> options_;
  std::vector<std::string_view> operands_;
  std::vector<std::string_view> program_arguments_;
};

/// One line saying what is wrong with the command line. It has no diagnostic code; the exit status is 2.
struct UsageError {
  std::string message;
};

/// Judges the words after the command's name.
[[nodiscard]] std::expected<Invocation, UsageError> parse_arguments(const CommandRow& command,
                                                                    std::span<const char* const> words);

/// A value that is spelled well enough and is out of its range (E-PROJECT-OR-ENVIRONMENT), or no device target
/// (E-TARGET). Judged after usage errors, when the output form is known.
[[nodiscard]] std::optional<Diagnostic> value_out_of_range(const Invocation& invocation);

}  // namespace cairn::cli
