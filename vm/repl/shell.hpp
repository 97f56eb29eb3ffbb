// A session and its commands: what the loop on a terminal, a script and the cells of a notebook have in common.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "vm/repl/session_state.hpp"

namespace cairn::repl {

enum class Outcome : std::uint8_t { Good, Failed, Quit };

/// A row of the command table. `takes`: what stands behind it; empty: nothing may.
struct CommandHelp {
  std::string_view name;
  std::string_view takes;
  std::string_view about;
};
[[nodiscard]] std::span<const CommandHelp> session_commands();

class Shell {
 public:
  explicit Shell(ReplOptions options) : options_(options), session_(std::move(options)) {}

  [[nodiscard]] ReplSession& session() { return session_; }

  /// One complete entry, or a line that is a command (it begins with `:`).
  Outcome submit(const std::string& text);
  /// Entries and, where `commands`, commands, one after another, up to the first that fails. `before` is called before
  /// each.
  Outcome run(std::string_view text, bool commands, const std::function<void()>& before = [] {});
  [[nodiscard]] static bool is_command(std::string_view line);

  /// As of the session; the names of commands too.
  [[nodiscard]] std::vector<Completion> completions(const std::string& entry, std::size_t at, std::size_t& begin) const;

 private:
  Outcome command(std::string_view line);
  Outcome load(const std::string& path);
  bool rules(const std::string& code);
  bool complain(const std::string& why) const;

  ReplOptions options_;
  ReplSession session_;
};

}  // namespace cairn::repl
