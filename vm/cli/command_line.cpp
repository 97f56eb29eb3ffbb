#include "vm/cli/command_line.hpp"

#include <unistd.h>

#include <span>
#include <string>
#include <string_view>

#include "frontend/project/manifest.hpp"
#include "vm/cli/arguments.hpp"
#include "vm/cli/help.hpp"
#include "vm/cli/output.hpp"

namespace cairn::cli {

namespace {

/// Options, or single words of an option, whose engine this build does not have yet: their command refuses them rather
/// than ignore them.
struct Awaited {
  std::string_view command;
  Option option;
  std::string_view word;  // empty: the option as a whole
};
constexpr Awaited kAwaited[] = {
    {"run", Option::Sanitize, ""},
    {"build", Option::Sanitize, ""},
};

/// What of the command line this build cannot do; empty when it can do all of it.
std::string awaited(const Invocation& invocation) {
  std::string command = "cairn " + std::string(invocation.command().name);
  if (invocation.command().run == nullptr) return command;
  for (const Awaited& each : kAwaited) {
    if (each.command != invocation.command().name || !invocation.has(each.option)) continue;
    if (!invocation.text(each.option).contains(each.word)) continue;
    return command + " " + std::string(row_of(each.option).name) + (each.word.empty() ? "" : " ") +
           std::string(each.word);
  }
  return {};
}

int usage_error(const CommandRow* command, std::string_view what) {
  write_error(usage_line(command) + "cairn: " + std::string(what) + "\n");
  return kNoVerdict;
}

}  // namespace

int run_command_line(int argc, const char* const* argv) {
  const std::span<const char* const> words(argv, static_cast<std::size_t>(argc));
  // On a terminal the program alone is the session; a script that forgot its command is told so.
  const bool is_terminal = ::isatty(STDIN_FILENO) == 1 && ::isatty(STDOUT_FILENO) == 1;
  if (argc < 2 && !is_terminal) return usage_error(nullptr, "which command? `cairn --help` lists them.");
  const std::string_view first = argc < 2 ? std::string_view("repl") : std::string_view(words[1]);
  if (first == "--version" || first == "--help" || first == "--man") {
    if (argc > 2) return usage_error(nullptr, std::string(first) + " stands alone.");
    write_out(first == "--version" ? "cairn " + std::string(kVersion) + "\n"
              : first == "--help"  ? help_text()
                                   : manual_page());
    return checked_output(kGood);
  }
  const CommandRow* command = command_named(first);
  if (command == nullptr) {
    return usage_error(nullptr, "there is no command " + std::string(first) + "; `cairn --help` lists them.");
  }
  const auto invocation = parse_arguments(*command, words.subspan(std::min<std::size_t>(2, words.size())));
  if (!invocation) return usage_error(command, invocation.error().message);
  if (invocation->has(Option::Help)) {
    write_out(help_text(*command));
    return checked_output(kGood);
  }
  const Output output(*invocation);
  if (auto fault = value_out_of_range(*invocation)) return output.refuse(std::move(*fault));
  if (const std::string what = awaited(*invocation); !what.empty()) {
    return output.refuse(no_verdict(what + " is not available in this build."));
  }
  return checked_output(command->run(*invocation));
}

}  // namespace cairn::cli
