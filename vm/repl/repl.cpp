#include "vm/repl/repl.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <iostream>

#include <unistd.h>

#include "frontend/diagnostics/cards.hpp"
#include "frontend/diagnostics/code.hpp"
#include "frontend/project/files.hpp"
#include "frontend/project/project.hpp"
#include "vm/repl/entry.hpp"
#include "vm/version.hpp"

namespace cairn::repl {

namespace {

ReplSession* current = nullptr;  // what Ctrl-C stops

constexpr std::string_view kHelp =
    "An entry is a declaration, statements, or an expression, whose value is printed.\n"
    "  :type EXPR      the type of an expression, which is not evaluated\n"
    "  :effects NAME   the effect row of a function\n"
    "  :time ENTRY     runs an entry and says how long it took\n"
    "  :rules CODE     what a refusal's code stands for\n"
    "  :load PATH      enters a file\n"
    "  :forget NAME    removes a binding\n"
    "  :reset          starts over\n"
    "  :help  :quit\n"
    "An empty line gives an incomplete entry up.\n";

class Loop {
 public:
  explicit Loop(ReplOptions options) : options_(std::move(options)), session_(options_) { current = &session_; }
  ~Loop() { current = nullptr; }
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  /// Every entry of a file, in order; false at the first that is refused or traps.
  bool load(const std::string& path) {
    const auto text = read_file(path, kMostSourceBytes);
    if (!text) {
      options_.error(path + " cannot be read: " + text.error() + "\n");
      return false;
    }
    std::string pending;
    std::size_t at = 0;
    while (at < text->size()) {
      const std::size_t end = std::min(text->find('\n', at), text->size());
      pending += text->substr(at, end - at) + "\n";
      at = end + 1;
      if (!is_complete(pending)) continue;
      if (!session_.enter(pending)) return false;
      pending.clear();
    }
    return trimmed(pending).empty() || session_.enter(pending);
  }

  void read() {
    const bool is_terminal = ::isatty(STDIN_FILENO) == 1;
    if (is_terminal) std::cout << "cairn " << kVersion << "; :help lists the commands\n" << std::flush;
    std::string pending;
    std::string line;
    while (true) {
      if (is_terminal) std::cout << (pending.empty() ? "> " : "  ") << std::flush;
      if (!std::getline(std::cin, line)) break;
      if (pending.empty() && trimmed(line).empty()) continue;
      if (trimmed(line).empty()) {
        pending.clear();
        continue;
      }
      if (pending.empty() && trimmed(line).front() == ':') {
        if (!command(std::string(trimmed(line)))) return;
        continue;
      }
      pending += line + "\n";
      if (!is_complete(pending)) continue;
      while (pending.ends_with('\n')) pending.pop_back();
      session_.enter(pending);
      pending.clear();
    }
    if (!trimmed(pending).empty()) session_.enter(pending);  // the end of input ends an entry as well
  }

 private:
  /// False at :quit.
  bool command(const std::string& line) {
    const std::size_t space = line.find(' ');
    const std::string name = line.substr(0, space);
    const std::string rest(space == std::string::npos ? std::string_view()
                                                      : trimmed(std::string_view(line).substr(space)));
    if (name == ":quit") return false;
    if (name == ":help") {
      options_.out(std::string(kHelp));
    } else if (name == ":reset") {
      session_.reset();
    } else if (name == ":load") {
      load(rest);
    } else if (rest.empty()) {
      options_.error(name + " is no command, or needs something to work on; :help lists them\n");
    } else if (name == ":type") {
      session_.show_type(rest);
    } else if (name == ":effects") {
      session_.show_effects(rest);
    } else if (name == ":forget") {
      session_.forget(rest);
    } else if (name == ":rules") {
      rules(rest);
    } else if (name == ":time") {
      const auto start = std::chrono::steady_clock::now();
      session_.enter(rest);
      const auto taken = std::chrono::steady_clock::now() - start;
      options_.error(std::to_string(std::chrono::duration<double, std::milli>(taken).count()) + " ms\n");
    } else {
      options_.error(name + " is no command; :help lists them\n");
    }
    return true;
  }

  void rules(const std::string& code) {
    const auto known = code_of(code);
    const Card* card = card_named(known ? info(*known).card : std::string_view(code));
    if (card == nullptr) {
      options_.error(code + " is no code and no card\n");
      return;
    }
    options_.out(std::string(card_text(*card)));
  }

  ReplOptions options_;
  ReplSession session_;
};

}  // namespace

int run_repl(const std::string& path, ReplOptions options) {
  Loop loop(std::move(options));
  struct sigaction action{};
  action.sa_handler = [](int) {
    if (current != nullptr) current->interrupt();
  };
  ::sigaction(SIGINT, &action, nullptr);
  if (!path.empty() && !loop.load(path)) return 2;
  loop.read();
  return 0;
}

}  // namespace cairn::repl
