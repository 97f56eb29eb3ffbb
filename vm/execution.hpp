// A lowered program made ready and run: bytecode in, an exit status or a trap out. Every command that runs a program
// does so through an Execution; which tier does the work changes no result (tools, 1.4).
//
// An execution is used by one thread at a time. After a trap nothing of the program was released, and only destroying
// the execution is allowed.
#pragma once

#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "runtime/trap/trap_record.hpp"
#include "vm/bytecode/module.hpp"
#include "vm/tiers/tier.hpp"

namespace cairn {

class HostSymbols;
class NativeTable;
class OutputSink;
namespace profile {
struct Report;
}

struct ExecutionOptions {
  Tier tier = Tier::Auto;
  std::uint64_t memory_bytes = 0;                    // most the heap and thread stacks may hold; 0: no cap
  std::string_view program = "cairn";                // the program's own path: argument 0
  std::span<const std::string_view> arguments = {};  // of the program, its own path not among them

  // What an embedding host sets; the command line leaves these be.
  std::uint64_t stack_bytes = 0;         // of each thread's call stack; 0: the usual
  std::uint64_t steps = 0;               // back edges and calls of all threads together; 0: no limit
  std::uint64_t tasks = 0;               // at one time; 0: no limit
  std::size_t lanes = 0;                 // 0: CAIRN_LANES, else the cores
  bool watched = false;                  // interrupts and deadlines are heeded, and a trap stops every thread
  OutputSink* output = nullptr;          // null: descriptors 1 and 2. Outlives the execution, like the next two
  const NativeTable* natives = nullptr;  // null: all there are
  HostSymbols* host = nullptr;
  bool shares_the_gpu = false;  // with other code of the process, whose streams and device memory it is lent
};

class Execution {
 public:
  /// The module is trusted: it was lowered here, or the verifier accepted it. Device work of a module built for
  /// emulation runs on host threads; of one built for a device on the first GPU that runs its target.
  Execution(bytecode::Module module, const ExecutionOptions& options);
  ~Execution();
  Execution(const Execution&) = delete;
  Execution& operator=(const Execution&) = delete;

  [[nodiscard]] const bytecode::Module& module() const;

  /// From now on the first trap, on whatever thread, ends the process there and then (concurrency, 5.3), as `die_of`
  /// does.
  void die_of_traps();

  /// From now on what runs is sampled until `end_profile`. Before anything runs, on the thread that will.
  void begin_profile();
  /// What was seen since; null when nothing was asked for or it was told before.
  [[nodiscard]] std::unique_ptr<profile::Report> end_profile();
  /// The same as die_of_traps, with `last` called between the trap's words and the end.
  void die_of_traps(std::function<void()> last);

  /// What stands in the way of running: a foreign symbol nobody has, or one that cannot be called; else nothing. Asked
  /// before the program starts.
  [[nodiscard]] std::optional<std::string> missing() const;

  /// Opens the GPU that the module's device work needs, which else happens when it first has some: what is missing, or
  /// nothing. A process that forks afterwards has no GPU in its children.
  [[nodiscard]] std::optional<std::string> open_device();

  /// Where the calling thread's device work runs from now on, and whether it is waited for there (cuda/device.hpp,
  /// Context::use_stream); everything it needs is made first. What is missing, or nothing. Without device work nothing
  /// is done.
  [[nodiscard]] std::optional<std::string> use_stream(void* stream, bool waits);

  /// The machine code of these functions, or of every one, with the bytecode it is made from (docs/jit.md).
  [[nodiscard]] std::string assembly(std::span<const std::uint32_t> functions = {});

  /// What ended the call: nothing, or the guard that failed. Arguments and result are slots, as bytecode passes them.
  [[nodiscard]] std::optional<TrapRecord> call(std::uint32_t function, std::span<const std::uint64_t> arguments,
                                               std::span<std::uint64_t> result);

  /// The same call; false when it trapped, and `trap` tells how: the first trap of the program, on whatever thread.
  [[nodiscard]] bool invoke(std::uint32_t function, std::span<const std::uint64_t> arguments,
                            std::span<std::uint64_t> result);
  [[nodiscard]] TrapRecord trap() const;

  /// Ends every thread of the program: before anything goes that they may borrow, or another instance's thread uses.
  /// After it only destroying the execution is allowed.
  void stop();
  /// Stops whatever runs, from any thread; heeded when watched.
  void interrupt();
  /// When a call is to stop, on the monotonic clock in nanoseconds; 0: never. Heeded when watched.
  void set_deadline(std::int64_t nanoseconds);
  [[nodiscard]] std::uint64_t memory_used() const;

  /// Runs the entry. Its value, or the trap it ended with.
  [[nodiscard]] std::expected<std::int32_t, TrapRecord> run_main();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Writes the trap to stderr in one piece and ends the process as abort does. Only the first thread that calls it
/// writes. `last` is called between the two.
[[noreturn]] void die_of(const TrapRecord& trap, const std::function<void()>& last = {});

}  // namespace cairn
