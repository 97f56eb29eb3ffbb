// Which engine runs which function of an instance (architecture, decision 5). The interpreter and compiled code count
// the same things, entries and back edges, on the same fuel; where it runs out, the function that runs there is hot.
//
// In an instance with tiers a call always goes to the function's enter word, whose handler picks: machine code when
// there is some, else the interpreter. Back edges of a hot function go on in its machine code (on-stack replacement):
// frames are the same, so that is a jump.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "jit/jit.hpp"
#include "vm/interpreter/image.hpp"
#include "vm/interpreter/machine.hpp"
#include "vm/interpreter/thread.hpp"
#include "vm/tiers/background_compiler.hpp"
#include "vm/tiers/tier.hpp"

namespace cairn {

class Tiers {
 public:
  /// Which optimized code is made in the background on the automatic tier (CAIRN_BACKGROUND).
  enum class Background : std::uint8_t { Never, Large, Always };

  Tiers(const Image& image, Tier tier, const Limits& limits);

  /// The image's functions, called through their enter words.
  [[nodiscard]] const CodeEntry* functions() const { return functions_.data(); }

  // ---- of the interpreter
  /// A call of the function at an enter word: where it goes on.
  const bytecode::Word* enter(interpreter::Machine& m, const bytecode::Word* pc);
  /// Goes on at a resume point, in machine code.
  const bytecode::Word* resume(interpreter::Machine& m, const bytecode::Word* pc);
  /// The fuel ran out at a back edge to `next`: where to go on there.
  const bytecode::Word* hot_loop(const bytecode::Word* next, Thread& thread);
  /// The fuel ran out in machine code, at a back edge to `next`: the point of better code to go on at, or null.
  const bytecode::Word* hot_code(const bytecode::Word* next, Thread& thread);
  /// A function that begins at `next` and has baseline code is called often: where better code is entered, or null.
  const bytecode::Word* hot_entry(const bytecode::Word* next, Thread& thread);
  /// Whether better code is being made on the thread in the background.
  [[nodiscard]] bool awaits_code() const {
    const BackgroundCompiler* background = background_.load(std::memory_order_acquire);
    return background != nullptr && background->busy();
  }
  /// Where a frame that stopped at `pc` goes on: there, or at the resume point of its machine code.
  [[nodiscard]] const bytecode::Word* resume_at(const bytecode::Word* pc) const;

  /// The machine code of a kernel or device lane that is to run for so many threads, or null: too few to be worth it,
  /// or none is made.
  const jit::KernelCode* kernel_code(std::uint32_t function, std::uint64_t threads);

  [[nodiscard]] bool has_code(std::uint32_t function) const;
  [[nodiscard]] bool has_optimized_code(std::uint32_t function) const;
  /// Whose machine code an address lies in. Safe in signal handlers.
  [[nodiscard]] std::optional<jit::CodePlace> place_of(const void* address) const {
    const jit::MachineCode* code = shown();
    return code == nullptr ? std::nullopt : code->place_of(address);
  }
  /// The level of the function's code that counts fuel.
  [[nodiscard]] jit::Level counted_level(std::uint32_t function) const {
    return always_counts_ && has_optimized_code(function) ? jit::Level::Optimized : jit::Level::Baseline;
  }
  /// jit::MachineCode::guarded_words; nothing without code of that level.
  [[nodiscard]] std::optional<std::vector<std::uint32_t>> guarded_words(std::uint32_t function, jit::Level level) const;
  /// Makes the machine code of every function. Its bytes.
  std::size_t compile_all(Thread& thread);
  /// Listings of these functions, or of every one.
  [[nodiscard]] std::string listing(Thread& thread, std::span<const std::uint32_t> functions = {});

 private:
  const bytecode::Word* go(interpreter::Machine& m, const void* address);
  jit::MachineCode* code(Thread& thread);
  /// The machine code there is, or null: for threads that did not ask for it, and signal handlers.
  [[nodiscard]] const jit::MachineCode* shown() const { return shown_.load(std::memory_order_acquire); }
  [[nodiscard]] jit::Level first_level() const {
    return tier_ == Tier::Optimizing ? jit::Level::Optimized : jit::Level::Baseline;
  }
  [[nodiscard]] const bytecode::Word* interpreted(std::uint32_t function) const;
  /// Has the optimized code of the function at a word made in the background. False when it is to be made at once.
  bool made_in_background(std::uint32_t function, std::uint32_t word, Thread& thread);

  const Image& image_;
  const Tier tier_;
  const Limits limits_;
  std::vector<CodeEntry> functions_;
  std::vector<bytecode::Word> enter_words_;
  std::vector<std::atomic<std::uint32_t>> entries_;  // by function, while it is interpreted
  std::once_flag code_once_;
  std::unique_ptr<jit::MachineCode> code_;
  std::mutex kernels_mutex_;
  std::map<std::uint32_t, std::unique_ptr<jit::KernelCode>> kernels_;  // null: none can be made
  std::size_t kernel_bytes_ = 0;
  std::atomic<const jit::MachineCode*> shown_{nullptr};  // code_
  bool always_counts_ = false;
  const Background in_background_;
  std::atomic<std::uint64_t> made_at_once_{0};  // words of bytecode
  std::mutex background_mutex_;
  std::atomic<BackgroundCompiler*> background_{nullptr};
  std::unique_ptr<BackgroundCompiler> background_owner_;  // ends before the code it makes
};

}  // namespace cairn
