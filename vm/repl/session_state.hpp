// One session of the read-evaluate-print loop (tools, 14).
//
// What was entered is one program: its declarations, and one function that grows by every entry. Each entry is checked
// as the next part of that function, so every rule of the language holds across entries; then only the new statements
// run, one after another, each as a function whose parameters are the session's bindings. The bindings' storage is the
// session's own; what they own lives in the heaps of the instances that made it, which are kept as long as any may.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "vm/execution.hpp"
#include "vm/repl/checked_entry.hpp"
#include "vm/session.hpp"

namespace cairn::repl {

/// Why an entry was refused, or what it trapped on.
struct Failure {
  std::string name;  // the code of a refusal, the kind of a trap; empty for what is neither
  std::string text;  // as it is shown
  bool trapped = false;
};

/// The value of an expression.
struct Shown {
  std::string text;
  std::string type;
  std::vector<std::uint8_t> png;  // of a std.image.Image, else empty
};

struct ReplOptions {
  ExecutionOptions execution;  // of each statement
  std::uint64_t wall_ms = 0;   // of each statement; 0: no limit
  SessionOptions check;
  std::string path;       // the program whose declarations are in scope; empty: none
  bool coloured = false;  // refusals are
  bool pictures = false;  // values that are images are given as such too
  std::function<void(const Shown&)> value;
  std::function<void(const Failure&)> fail;
  std::function<void(const std::string&)> out;   // what commands print
  std::function<void(const std::string&)> note;  // what happened besides
};

/// A name that may stand at a place.
struct Completion {
  std::string text;
  std::string kind;  // "function", "field", ...
  std::string detail;
};

class ReplSession {
 public:
  explicit ReplSession(ReplOptions options) : options_(std::move(options)) {}
  ~ReplSession() { reset(); }
  ReplSession(const ReplSession&) = delete;
  ReplSession& operator=(const ReplSession&) = delete;

  /// One complete entry that is no command. False when it was refused or trapped.
  bool enter(const std::string& text);
  /// Whether the program of `path` is accepted: 0, else the status a command ends with after saying why.
  int open();
  /// The program of `path` alone, checked.
  [[nodiscard]] CheckedEntry program() const { return check("", "", ""); }
  /// The type of an expression, on `out`; evaluates nothing.
  bool show_type(const std::string& text);
  bool show_effects(const std::string& name);
  /// The bytecode of a function, or the machine code the optimizing tier makes of it.
  bool show_code(const std::string& name, bool as_assembly);
  /// What may stand at a byte of an entry, and where the word it would take the place of begins.
  [[nodiscard]] std::vector<Completion> completions(const std::string& entry, std::size_t at, std::size_t& begin) const;
  /// What the word at a byte of an entry stands for, as Markdown; empty when nobody knows.
  [[nodiscard]] std::string description(const std::string& entry, std::size_t at) const;
  bool forget(const std::string& name);
  void reset();
  /// Stops what runs, or what runs next, from a signal handler or any thread.
  void interrupt();
  /// Forgets an interrupt that stopped nothing: before something new is run.
  void calm() { interrupted_ = false; }
  [[nodiscard]] bool interrupted() const { return interrupted_; }

 private:
  /// Zeroed storage for one value, aligned for any.
  class Storage {
   public:
    explicit Storage(std::size_t size);
    [[nodiscard]] std::uint8_t* bytes() const { return bytes_.get(); }
    [[nodiscard]] std::size_t size() const { return size_; }

   private:
    struct Free {
      void operator()(std::uint8_t* bytes) const;
    };
    std::size_t size_;
    std::unique_ptr<std::uint8_t, Free> bytes_;
  };
  struct Binding {
    std::string name;
    std::string type;    // as the language writes it; of a buffer the elements'
    std::string layout;  // what its bytes hold, records taken apart
    bool is_mutable = false;
    bool is_buffer = false;  // the storage holds pointer and length
    bool copyable = false;
    bool moved = false;            // some entry moved it: then zero bytes are no value of its
    bool waits = false;            // a ticket, group or ring: `wait` consumes it
    bool shared = false;           // an Atomic or Mutex: made of a value, never returned
    bool keeps_functions = false;  // function values and dispatch tables are indices: they need the module they index
    Storage storage;
  };
  using Bindings = std::deque<Binding>;  // whose storage tasks may hold: never moved
  struct Declaration {
    std::string name;
    std::string text;
  };

  /// A statement as an Execution runs it.
  struct Ready {
    bytecode::Module module;
    std::uint32_t function = 0;
    bytecode::Signature signature;  // of the function
  };
  /// How the growing function begins, when something of what it was made from is no more.
  struct Beginning {
    std::vector<Declaration> makers;
    std::string history;
  };

  bool declare(const std::string& text);
  bool accept_declaration(const std::string& name, const std::string& text, bool again);
  [[nodiscard]] std::string held_otherwise(const CheckedEntry& checked) const;
  bool hide_in_program(const std::string& name);
  bool run(CheckedEntry checked, const std::string& grown);
  bool evaluate(const std::string& text);
  [[nodiscard]] std::optional<CheckedEntry> check_bound(const std::string& text) const;

  [[nodiscard]] std::string prelude() const;
  [[nodiscard]] CheckedEntry checked(std::string text, std::size_t begin, std::size_t entry, std::size_t size) const;
  [[nodiscard]] CheckedEntry check(const std::string& before, const std::string& entry, const std::string& after) const;
  [[nodiscard]] CheckedEntry check_declaration(const std::string& entry) const;
  void show_refusal(const CheckedEntry& checked) const;
  void show_trap(const CheckedEntry& checked, const TrapRecord& trap) const;

  bool run_statements(CheckedEntry& checked);
  bool run_statement(CheckedEntry& checked, const checked::Stmt& statement, Bindings& fresh);
  Ready linked(lower::Lowered lowered, bool keeps);
  bool execute(CheckedEntry& checked, const Ready& ready, const std::vector<std::uint64_t>& slots);
  void show_value(const CheckedEntry& checked, const Type& type, const bytecode::Module& module, std::uint32_t index,
                  const std::uint8_t* bytes) const;
  void show_view(const CheckedEntry& checked, const RunnableStatement& statement, const bytecode::Module& module,
                 const bytecode::Signature& signature, const std::vector<std::uint64_t>& slots) const;
  void undo(const CheckedEntry& checked, const std::vector<std::vector<std::uint8_t>>& before);
  void drop_instances();
  /// Ends the tasks of the instances from this one on.
  void stop_tasks(std::size_t first = 0);
  Binding* known(Bindings& fresh, std::string_view name);
  bool complain(const std::string& why) const;
  [[nodiscard]] bool lives(const Binding& binding) const;
  void grow_anew();
  [[nodiscard]] bool any_waits() const;
  [[nodiscard]] Beginning beginning() const;

  ReplOptions options_;
  std::vector<Declaration> imports_;
  std::vector<Declaration> declarations_;
  std::vector<Declaration> makers_;  // functions that stand for how bindings were made, after `forget`
  std::string history_;              // the statements of the growing function
  Bindings bindings_;
  std::vector<Insertion> hidden_;  // declarations of the program that the session declared again
  std::vector<std::unique_ptr<Execution>> executions_;
  bytecode::Module linked_;  // what the function values of the bindings index; no functions: nothing does
  std::atomic<Execution*> running_{nullptr};
  std::atomic<unsigned> interrupting_{0};  // threads between looking at `running_` and having stopped it
  std::atomic<bool> interrupted_{false};
};

}  // namespace cairn::repl
