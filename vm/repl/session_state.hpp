// One session of the read-evaluate-print loop (tools, 14).
//
// What was entered is one program: its declarations, and one function that grows by every statement. Each entry is
// checked as the next part of that function, so every rule of the language holds across entries; then only the new
// statements run, one after another, each as a function whose parameters are the session's bindings, lent rw. The
// bindings' storage is the session's own; what they own lives in the heaps of the instances that made it, which are
// kept as long as the session.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "vm/execution.hpp"
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
  explicit ReplSession(ReplOptions options);
  ~ReplSession();
  ReplSession(const ReplSession&) = delete;
  ReplSession& operator=(const ReplSession&) = delete;

  /// One complete entry that is no command. False when it was refused or trapped; the session is as it was then.
  bool enter(const std::string& text);
  /// The type of an expression, on `out`; evaluates nothing.
  bool show_type(const std::string& text);
  bool show_effects(const std::string& name);
  bool forget(const std::string& name);
  void reset();
  /// Every name of the session, for completion.
  [[nodiscard]] std::vector<std::string> names() const;
  /// Stops what runs, from a signal handler.
  void interrupt();

 private:
  struct Binding {
    std::string name;
    std::string type;  // as the language writes it
    bool is_mutable = false;
    bool is_view = false;  // buffer and stack: `memory` holds pointer and length
    bool copyable = false;
    std::vector<std::uint64_t> memory;  // of 64 bytes more than needed, for alignment
    std::size_t size = 0;
    [[nodiscard]] std::uint8_t* bytes();
  };
  struct Declaration {
    std::string name;
    std::string text;
  };
  struct Checked;  // one check of the whole program with an entry at its end

  bool declare(const std::string& text);
  bool run_statements(const std::string& text);
  bool evaluate(const std::string& text);

  [[nodiscard]] std::string prelude() const;
  std::unique_ptr<Checked> check(const std::string& before, const std::string& entry, const std::string& after) const;
  std::unique_ptr<Checked> check_once(const std::string& before, const std::string& entry,
                                      const std::string& after) const;
  std::unique_ptr<Checked> check_declaration(const std::string& text) const;
  void show_refusal(const Checked& checked) const;
  bool run_new_statements(Checked& checked);
  bool run_statement(Checked& checked, const checked::Stmt& statement, std::vector<Binding>& fresh);
  Binding* known(std::vector<Binding>& fresh, std::string_view name);
  void show_trap(const Checked& checked, const TrapRecord& trap) const;

  ReplOptions options_;
  std::vector<Declaration> imports_;
  std::vector<Declaration> declarations_;
  std::string history_;  // the statements of the growing function
  std::vector<Binding> bindings_;
  std::vector<std::unique_ptr<Execution>> executions_;
  Execution* running_ = nullptr;
};

}  // namespace cairn::repl
