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
#include <string>
#include <vector>

#include "vm/execution.hpp"
#include "vm/repl/checked_entry.hpp"
#include "vm/session.hpp"

namespace cairn::repl {

struct ReplOptions {
  ExecutionOptions execution;
  SessionOptions check;
  std::function<void(const std::string&)> out;    // values
  std::function<void(const std::string&)> error;  // refusals, traps, notes
};

class ReplSession {
 public:
  explicit ReplSession(ReplOptions options) : options_(std::move(options)) {}
  ReplSession(const ReplSession&) = delete;
  ReplSession& operator=(const ReplSession&) = delete;

  /// One complete entry that is no command. False when it was refused or trapped.
  bool enter(const std::string& text);
  /// The type of an expression, on `out`; evaluates nothing.
  bool show_type(const std::string& text);
  bool show_effects(const std::string& name);
  bool forget(const std::string& name);
  void reset();
  /// Stops what runs, from a signal handler.
  void interrupt();

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
    std::string type;  // as the language writes it; of a buffer the elements'
    bool is_mutable = false;
    bool is_buffer = false;  // the storage holds pointer and length
    bool copyable = false;
    bool moved = false;   // some entry moved it: then zero bytes are no value of its
    bool waits = false;   // a ticket, group or ring: `wait` consumes it
    bool shared = false;  // an Atomic or Mutex: made of a value, never returned
    Storage storage;
  };
  using Bindings = std::deque<Binding>;  // whose storage tasks may hold: never moved
  struct Declaration {
    std::string name;
    std::string text;
  };

  bool declare(const std::string& text);
  bool run(CheckedEntry checked, const std::string& grown);
  bool evaluate(const std::string& text);

  [[nodiscard]] std::string prelude() const;
  [[nodiscard]] CheckedEntry check(const std::string& before, const std::string& entry, const std::string& after) const;
  [[nodiscard]] CheckedEntry check_declaration(const std::string& entry) const;
  void show_refusal(const CheckedEntry& checked) const;
  void show_trap(const CheckedEntry& checked, const TrapRecord& trap) const;

  bool run_statements(CheckedEntry& checked);
  bool run_statement(CheckedEntry& checked, const checked::Stmt& statement, Bindings& fresh);
  bool execute(CheckedEntry& checked, const lower::Lowered& lowered, const std::vector<std::uint64_t>& slots);
  void show_view(const CheckedEntry& checked, const RunnableStatement& statement, const bytecode::Module& module,
                 const bytecode::Signature& signature, const std::vector<std::uint64_t>& slots) const;
  void undo(const CheckedEntry& checked, const std::vector<std::vector<std::uint8_t>>& before);
  void drop_instances();
  Binding* known(Bindings& fresh, std::string_view name);
  bool complain(const std::string& why) const;
  [[nodiscard]] bool lives(const Binding& binding) const;
  void grow_anew();

  ReplOptions options_;
  std::vector<Declaration> imports_;
  std::vector<Declaration> declarations_;
  std::vector<Declaration> makers_;  // functions that stand for how bindings were made, after `forget`
  std::string history_;              // the statements of the growing function
  Bindings bindings_;
  std::vector<std::unique_ptr<Execution>> executions_;
  std::atomic<Execution*> running_{nullptr};
};

}  // namespace cairn::repl
