#include "vm/repl/repl.hpp"

#include <algorithm>
#include <csignal>
#include <iostream>

#include <unistd.h>

#include "vm/repl/entry.hpp"
#include "vm/repl/line_editor.hpp"
#include "vm/repl/shell.hpp"
#include "vm/version.hpp"

namespace cairn::repl {

namespace {

ReplSession* current = nullptr;  // what Ctrl-C stops

constexpr std::string_view kPrompt = "> ";
constexpr std::string_view kColouredPrompt = "\1\033[1;36m\1> \1\033[0m\1";

/// Makes Ctrl-C stop what runs for as long as it lives.
class Interrupts {
 public:
  explicit Interrupts(ReplSession& session) {
    current = &session;
    struct sigaction action{};
    action.sa_handler = [](int) {
      LineEditor::interrupt();
      if (current != nullptr) current->interrupt();
    };
    ::sigaction(SIGINT, &action, &before_);  // a read that waits is ended
  }
  ~Interrupts() {
    ::sigaction(SIGINT, &before_, nullptr);
    current = nullptr;
  }
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

 private:
  struct sigaction before_{};
};

/// Entries of several lines are remembered as one line, so that one step back brings all of it.
void remember(LineEditor& editor, std::string_view entry) {
  std::string line(entry);
  if (line.contains("//")) {
    for (std::size_t at = 0; at < line.size();) editor.remember(std::string(next_line(line, at)));
    return;
  }
  for (std::size_t at = line.find('\n'); at != std::string::npos; at = line.find('\n', at)) {
    const std::size_t next = std::min(line.find_first_not_of(" \t\n", at), line.size());
    line.replace(at, next - at, " ");
  }
  editor.remember(line);
}

/// `pending` holds the lines of an entry that is not complete yet: the editor completes names with them in view.
void read_terminal(Shell& shell, LineEditor& editor, EntryReader& pending, bool coloured) {
  std::string line;
  while (true) {
    const std::string prompt =
        pending.is_empty()
            ? std::string(coloured ? kColouredPrompt : kPrompt)
            : std::string(2 + 2 * static_cast<std::size_t>(std::clamp(pending.open_brackets(), 0, 20)), ' ');
    switch (editor.read(prompt, line)) {
      case LineEditor::Read::Interrupted:
        pending = EntryReader();
        continue;
      case LineEditor::Read::End:
        if (pending.is_empty()) return;
        pending = EntryReader();
        continue;
      case LineEditor::Read::Line:
        break;
    }
    if (trimmed(line).empty()) {
      pending = EntryReader();
      continue;
    }
    std::string entry;
    if (pending.is_empty() && Shell::is_command(line)) {
      entry = line;
    } else {
      pending.add(line);
      if (!pending.is_complete()) continue;
      entry = pending.take();
    }
    remember(editor, entry);
    shell.session().calm();
    if (shell.submit(entry) == Outcome::Quit) return;
  }
}

/// A pipe, or a terminal nothing edits lines on.
void read_stream(Shell& shell, bool prompts) {
  EntryReader pending;
  std::string line;
  while (true) {
    if (prompts) std::cout << (pending.is_empty() ? kPrompt : "  ") << std::flush;
    if (!std::getline(std::cin, line)) break;
    shell.session().calm();
    if (trimmed(line).empty()) {
      pending = EntryReader();
      continue;
    }
    if (pending.is_empty() && Shell::is_command(line)) {
      if (shell.submit(line) == Outcome::Quit) return;
      continue;
    }
    pending.add(line);
    if (pending.is_complete() && shell.submit(pending.take()) == Outcome::Quit) return;
  }
  if (!pending.is_empty()) shell.submit(pending.take());  // the end of input ends an entry as well
}

}  // namespace

int run_repl(ReplOptions options) {
  const bool is_terminal = ::isatty(STDIN_FILENO) == 1 && ::isatty(STDOUT_FILENO) == 1;
  const bool coloured = options.coloured;
  Shell shell(std::move(options));
  if (const int status = shell.session().open(); status != 0) return status;
  const Interrupts interrupts(shell.session());
  if (!is_terminal) {
    read_stream(shell, false);
    return 0;
  }
  std::cout << "cairn " << kVersion << "; :help lists the commands\n" << std::flush;
  EntryReader pending;
  const auto editor =
      LineEditor::open(history_path(), [&](const std::string& line, std::size_t at, std::size_t& begin) {
        const std::string& before = pending.text();
        auto all = shell.completions(before + line, before.size() + at, begin);
        begin -= std::min(begin, before.size());
        return all;
      });
  if (editor == nullptr) {
    read_stream(shell, true);
  } else {
    read_terminal(shell, *editor, pending, coloured);
  }
  return 0;
}

}  // namespace cairn::repl
