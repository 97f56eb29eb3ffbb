#include "vm/repl/shell.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>

#include "frontend/diagnostics/cards.hpp"
#include "frontend/diagnostics/code.hpp"
#include "frontend/project/files.hpp"
#include "frontend/project/project.hpp"
#include "vm/repl/entry.hpp"

namespace cairn::repl {

namespace {

constexpr std::array kCommands = {
    CommandHelp{":type", "EXPR", "the type of an expression, which is not evaluated"},
    CommandHelp{":effects", "NAME", "the effect row of a function"},
    CommandHelp{":bytecode", "NAME", "the bytecode of a function"},
    CommandHelp{":asm", "NAME", "the machine code the optimizing tier makes of a function"},
    CommandHelp{":time", "ENTRY", "runs an entry and says how long it took"},
    CommandHelp{":rules", "CODE", "what a refusal's code stands for"},
    CommandHelp{":load", "PATH", "enters a file"},
    CommandHelp{":forget", "NAME", "removes a binding, and what it owns"},
    CommandHelp{":reset", "", "starts over"},
    CommandHelp{":help", "", "this list"},
    CommandHelp{":quit", "", "ends the session"},
};

std::string help_text() {
  std::string text = "An entry is a declaration, statements, or an expression, whose value is printed.\n";
  for (const CommandHelp& each : kCommands) {
    std::string usage = std::string(each.name) + (each.takes.empty() ? "" : " ") + std::string(each.takes);
    usage.resize(std::max<std::size_t>(usage.size() + 1, 17), ' ');
    text += "  " + usage + std::string(each.about) + "\n";
  }
  return text + "An empty line gives an incomplete entry up.\n";
}

std::string text_of_milliseconds(double milliseconds) {
  char text[64];
  std::snprintf(text, sizeof(text), "%.3f ms\n", milliseconds);
  return text;
}

}  // namespace

std::span<const CommandHelp> session_commands() { return kCommands; }

bool Shell::is_command(std::string_view line) {
  const std::string_view rest = trimmed(line);
  return !rest.empty() && rest.front() == ':';
}

Outcome Shell::submit(const std::string& text) {
  if (text.size() > kMostSourceBytes || !is_utf8(text)) {
    complain(text.size() > kMostSourceBytes ? "an entry of more than 16,000,000 bytes" : "this is no UTF-8 text");
    return Outcome::Failed;
  }
  if (is_command(text)) return command(trimmed(text));
  return session_.enter(text) ? Outcome::Good : Outcome::Failed;
}

Outcome Shell::run(std::string_view text, bool commands, const std::function<void()>& before) {
  EntryReader pending;
  const auto next = [&](const std::string& entry) {
    if (session_.interrupted()) {  // between two entries
      options_.fail({"interrupt", "trap: interrupt: stopped by the host\n", true});
      return Outcome::Failed;
    }
    before();
    return submit(entry);
  };
  std::size_t at = 0;
  while (at < text.size()) {
    const std::string_view line = next_line(text, at);
    if (pending.is_empty() && commands && is_command(line)) {
      if (const Outcome outcome = next(std::string(line)); outcome != Outcome::Good) return outcome;
      continue;
    }
    pending.add(line);
    if (!pending.is_complete()) continue;
    std::size_t ahead = at;
    std::string_view following;
    while (ahead < text.size() && (following = trimmed(next_line(text, ahead))).empty()) continue;
    if (continues_entry(following)) continue;
    if (const Outcome outcome = next(pending.take()); outcome != Outcome::Good) return outcome;
  }
  // The end of the text ends an entry as well.
  return pending.is_empty() ? Outcome::Good : next(pending.take());
}

Outcome Shell::command(std::string_view line) {
  const std::size_t space = std::min(line.find_first_of(" \t\n"), line.size());
  const std::string name(line.substr(0, space));
  const std::string rest(trimmed(line.substr(space)));
  const auto known = std::ranges::find(kCommands, name, &CommandHelp::name);
  const auto outcome = [](bool good) { return good ? Outcome::Good : Outcome::Failed; };
  if (known == kCommands.end()) return outcome(complain(name + " is no command; :help lists them"));
  if (known->takes.empty() != rest.empty()) {
    const std::string wants =
        known->takes.empty() ? " takes nothing" : " " + std::string(known->takes) + " is the form";
    return outcome(complain(name + wants + "; :help lists the commands"));
  }
  if (name == ":quit") return Outcome::Quit;
  if (name == ":load") return load(rest);
  if (name == ":type") return outcome(session_.show_type(rest));
  if (name == ":effects") return outcome(session_.show_effects(rest));
  if (name == ":bytecode") return outcome(session_.show_code(rest, false));
  if (name == ":asm") return outcome(session_.show_code(rest, true));
  if (name == ":forget") return outcome(session_.forget(rest));
  if (name == ":rules") return outcome(rules(rest));
  if (name == ":time") {
    const auto start = std::chrono::steady_clock::now();
    const Outcome ran = submit(rest);
    const auto taken = std::chrono::steady_clock::now() - start;
    options_.note(text_of_milliseconds(std::chrono::duration<double, std::milli>(taken).count()));
    return ran;
  }
  if (name == ":reset") session_.reset();
  if (name == ":help") options_.out(help_text());
  return Outcome::Good;
}

/// Every entry of a file, in order, up to the first that is refused or traps.
Outcome Shell::load(const std::string& path) {
  const auto text = read_file(path, kMostSourceBytes);
  if (!text) {
    complain(path + " cannot be read: " + text.error());
    return Outcome::Failed;
  }
  return run(*text, false);
}

bool Shell::rules(const std::string& code) {
  const auto known = code_of(code);
  const Card* card = card_named(known ? info(*known).card : std::string_view(code));
  if (card == nullptr) return complain(code + " is no code and no card");
  options_.out(std::string(card_text(*card)));
  return true;
}

bool Shell::complain(const std::string& why) const {
  options_.fail({"", "error: " + why + "\n"});
  return false;
}

std::vector<Completion> Shell::completions(const std::string& entry, std::size_t at, std::size_t& begin) const {
  const std::size_t first = entry.find_first_not_of(" \t");
  const bool in_name = first != std::string::npos && entry[first] == ':' &&
                       entry.find_first_of(" \t\n", first) >= std::min(at, entry.size());
  if (!in_name) return session_.completions(entry, at, begin);
  begin = first;
  std::vector<Completion> all;
  for (const CommandHelp& each : kCommands) {
    if (each.name.starts_with(std::string_view(entry).substr(first, at - first))) {
      all.push_back({std::string(each.name), "command", std::string(each.about)});
    }
  }
  return all;
}

}  // namespace cairn::repl
