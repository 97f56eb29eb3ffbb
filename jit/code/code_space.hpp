// The machine code of a module: its memory, its table, the stubs between it and the interpreter.
#pragma once

#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <set>
#include <span>
#include <vector>

#include "jit/baseline/compiler.hpp"
#include "jit/code/code_memory.hpp"
#include "jit/code/machine.hpp"
#include "jit/code/registration.hpp"
#include "jit/ssa/backend/generate.hpp"

namespace cairn::jit {

class CodeSpace final : public MachineCode {
 public:
  CodeSpace(const bytecode::Module& module, const Engine& engine, const CodeOptions& options);
  ~CodeSpace() override;
  CodeSpace(const CodeSpace&) = delete;
  CodeSpace& operator=(const CodeSpace&) = delete;

  /// False when the stubs could not be made: there is no executable memory.
  [[nodiscard]] bool usable() const { return enter_ != nullptr; }

  [[nodiscard]] const void* entry(std::uint32_t function) const override;
  bool compile(std::uint32_t function, Level level) override;
  [[nodiscard]] bool has(std::uint32_t function, Level level) const override;
  [[nodiscard]] const ResumePoint* resume_point(std::uint32_t function, std::uint32_t word) const override;
  [[nodiscard]] const ResumePoint* loop_point(std::uint32_t function, std::uint32_t word) override;
  [[nodiscard]] std::optional<const ResumePoint*> known_loop_point(std::uint32_t function,
                                                                   std::uint32_t word) const override;
  void count_no_entries(std::uint32_t function) override;
  void give_up() override { given_up_.store(true, std::memory_order_relaxed); }
  const bytecode::Word* run(const void* address, MachineState& state) const override;
  [[nodiscard]] std::string listing(std::uint32_t function, Level level) override;
  [[nodiscard]] std::optional<CodePlace> place_of(const void* address) const override;
  [[nodiscard]] std::vector<std::uint32_t> guarded_words(std::uint32_t function, Level level) const override;
  [[nodiscard]] std::size_t bytes() const override;

 private:
  using Enter = const bytecode::Word* (*)(const void* address, MachineState* state, const void* table);
  using Lock = std::unique_lock<std::mutex>;              // of mutex_
  using Place = std::pair<std::uint32_t, std::uint32_t>;  // a function, and 0 or the loop's start it is taken up at

  /// What was made of a function. Written once, then read by every thread.
  struct Made {
    std::unique_ptr<ResumePoint[]> points;
    struct LoopStart {
      std::uint32_t word = 0;
      const ResumePoint* point = nullptr;
    };
    std::vector<LoopStart> loops;        // ascending
    std::vector<std::uint32_t> guarded;  // ascending words that may trap
    CodePlace place;
    struct Part {
      const std::uint8_t* begin = nullptr;
      std::vector<std::uint32_t> inlined;
    };
    std::vector<Part> parts;  // ascending: whose code stands from there on
    const void* entry = nullptr;
    ResumePoint loop;  // of SSA code: the loop's start it begins at, or the function's
    const std::uint8_t* begin = nullptr;
    const std::uint8_t* end = nullptr;
    const Made* older = nullptr;  // the code made before it
    bool failed = false;
    [[nodiscard]] const ResumePoint* point_at(std::uint32_t word) const;
  };

  void make_stubs();
  [[nodiscard]] CodeTable& table() { return *reinterpret_cast<CodeTable*>(table_.data()); }
  [[nodiscard]] std::atomic<const Made*>& made_at(std::uint32_t function, Level level) const;
  [[nodiscard]] std::atomic_ref<std::uint64_t> target(std::uint32_t function) const;
  /// Where calls of SSA code go, with arguments in registers; 0 until there is some.
  [[nodiscard]] std::atomic_ref<std::uint64_t> fast_target(std::uint32_t function) const;
  /// How often baseline code may still be entered before hot_entry is asked.
  [[nodiscard]] std::atomic_ref<std::uint64_t> entries_left(std::uint32_t function) const;
  /// While it lives nobody else makes the optimized code of the place.
  class Making {
   public:
    /// Waits while another thread makes it.
    Making(CodeSpace& space, Place place, Lock& lock);
    ~Making();
    Making(const Making&) = delete;
    Making& operator=(const Making&) = delete;

   private:
    CodeSpace& space_;
    const Place place_;
  };
  bool compile_baseline(std::uint32_t function);
  bool compile_optimized(std::uint32_t function, Lock& lock);
  const Made* compile_loop(Place place, Lock& lock);
  [[nodiscard]] const Made* known_loop(Place place) const;
  /// What was made can be found by its addresses from now on.
  void publish(Made& made);
  bool translate(std::uint32_t function, Level level, Made& made);
  /// Code of the SSA tier, which takes the function up at the word: 0, or a loop's start. The lock is let go of while
  /// it is made and held again when it is placed.
  bool translate_ssa(std::uint32_t function, std::uint32_t word, Made& made, Lock& lock);
  bool place_ssa(asmjit::CodeHolder& holder, ssa::Generated& code, std::uint32_t word, Made& made);
  std::unique_ptr<ssa::Generated> generated(asmjit::CodeHolder& holder, std::uint32_t function, std::uint32_t word,
                                            asmjit::Logger* logger);
  /// Takes the lock.
  [[nodiscard]] const void* baseline_at(std::uint32_t function, std::uint32_t word);
  [[nodiscard]] ssa::Target ssa_target() const;
  /// A line of code: where in it, and the instruction of bytecode it came from.
  struct Line {
    std::uint32_t offset = 0, function = 0, word = 0;
  };
  void tell(const Made& made, std::span<const Line> lines);
  /// Leaves the code in holder_; null where it could not be made.
  std::unique_ptr<BaselineCompiler> assembled(std::uint32_t function, Level level, Made& made, asmjit::Logger* logger);

  const bytecode::Module& module_;
  const Engine engine_;
  const CodeOptions options_;
  CodeMemory memory_;
  mutable std::vector<std::uint64_t> table_;  // a CodeTable and what follows it (machine.hpp)
  std::vector<const std::uint32_t*> members_;
  mutable std::vector<std::atomic<const Made*>> made_;  // by level, then function
  std::atomic<const Made*> newest_{nullptr};            // of what has code
  // Held while code is placed and what is below changes, and while baseline code is made: never for long.
  mutable std::mutex mutex_;
  std::map<Place, std::unique_ptr<Made>> loops_;
  std::set<Place> in_making_;
  std::condition_variable made_one_;  // of in_making_
  std::atomic<bool> given_up_{false};
  std::vector<std::unique_ptr<InlinedCall[]>> inlined_;
  const asmjit::Environment environment_ = asmjit::Environment::host();
  asmjit::CodeHolder holder_;
  BaselineStorage storage_;
  std::unique_ptr<Plan> plan_;  // of what is in holder_
  std::size_t bytes_ = 0;
  Registration registration_;
  const void* stubs_ = nullptr;
  Enter enter_ = nullptr;
};

}  // namespace cairn::jit
