// Lines from a terminal, edited: history on disk, completion, Ctrl-C. libedit does the work and is opened when a
// session starts on a terminal, so that no other command pays for it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "vm/repl/session_state.hpp"

namespace cairn::repl {

class LineEditor {
 public:
  /// What may stand at a byte of a line, and where the word it takes the place of begins.
  using Completer = std::function<std::vector<Completion>(const std::string& line, std::size_t at, std::size_t& begin)>;

  enum class Read : std::uint8_t { Line, End, Interrupted };

  /// Null where libedit is not installed. `history` is the file lines are remembered in; empty: none.
  static std::unique_ptr<LineEditor> open(const std::string& history, Completer completer);
  ~LineEditor();
  LineEditor(const LineEditor&) = delete;
  LineEditor& operator=(const LineEditor&) = delete;

  /// Reads a line without its newline. `prompt` may hold escapes for colours, each between two bytes 1.
  Read read(const std::string& prompt, std::string& line);
  /// Keeps an entry in the history and on disk.
  void remember(const std::string& entry);
  /// From a signal handler: the read that is going on gives Interrupted.
  static void interrupt();

 private:
  struct Library;
  explicit LineEditor(std::unique_ptr<Library> library);
  std::unique_ptr<Library> library_;
};

/// Where a session remembers its lines: cairn/repl_history in XDG_STATE_HOME, else in ~/.local/state. The folder is
/// made, readable by its owner alone; empty when it cannot be.
[[nodiscard]] std::string history_path();

}  // namespace cairn::repl
