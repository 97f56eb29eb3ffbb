// A lowered program made ready and run: bytecode in, an exit status or a trap out. Every command that runs a program
// does so through an Execution; which tier does the work changes no result (tools, 1.4).
//
// An execution is used by one thread at a time. After a trap nothing of the program was released, and only destroying
// the execution is allowed.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "runtime/trap/trap_record.hpp"
#include "vm/bytecode/module.hpp"
#include "vm/tiers/tier.hpp"

namespace cairn {

struct ExecutionOptions {
  Tier tier = Tier::Auto;
  std::uint64_t memory_bytes = 0;                    // most the heap and thread stacks may hold; 0: no cap
  std::string_view program = "cairn";                // the program's own path: argument 0
  std::span<const std::string_view> arguments = {};  // of the program, its own path not among them
};

class Execution {
 public:
  /// The module is trusted: it was lowered here, or the verifier accepted it. Device work of a module built for
  /// emulation runs on host threads; other device work traps.
  Execution(bytecode::Module module, const ExecutionOptions& options);
  ~Execution();
  Execution(const Execution&) = delete;
  Execution& operator=(const Execution&) = delete;

  [[nodiscard]] const bytecode::Module& module() const;

  /// From now on the first trap, on whatever thread, ends the process there and then (concurrency, 5.3), as `die_of`
  /// does.
  void die_of_traps();

  /// What stands in the way of running: a foreign symbol nobody has, or one that cannot be called; else nothing. Asked
  /// before the program starts.
  [[nodiscard]] std::optional<std::string> missing() const;

  /// The machine code of every function, with the bytecode it is made from (docs/jit.md).
  [[nodiscard]] std::string assembly();

  /// What ended the call: nothing, or the guard that failed. Arguments and result are slots, as bytecode passes them.
  [[nodiscard]] std::optional<TrapRecord> call(std::uint32_t function, std::span<const std::uint64_t> arguments,
                                               std::span<std::uint64_t> result);

  /// Runs the entry. Its value, or the trap it ended with.
  [[nodiscard]] std::expected<std::int32_t, TrapRecord> run_main();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Writes the trap to stderr in one piece and ends the process as abort does. Only the first thread that calls it
/// writes.
[[noreturn]] void die_of(const TrapRecord& trap);

}  // namespace cairn
