// What a function of bytecode computes, as terms over its inputs: every path at once, with loops unrolled.
//
// Control. The code of lowering is structured: a backward jump marks a loop, and the words from its target to the jump
// are the loop. A state (registers, memory, the condition under which it is reached) is kept for every (turn of each
// loop around, word) and states that meet are merged, so that a function costs its size times the turns of its loops,
// however many paths it has. They are worked off in program order, which unrolling keeps acyclic.
//
// Guards do not split paths. A failed guard adds the condition `reached and failed` to `traps`; what comes behind it
// goes on and no longer matters. Every trap is one observation (tools, 9.2).
//
// Every loop takes at most kTurns turns; where an input would take one more, `exceeded` holds.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "vm/bytecode/module.hpp"
#include "vm/verify/memory.hpp"
#include "vm/verify/terms.hpp"

namespace cairn::verify {

inline constexpr std::uint32_t kTurns = 16;

struct State {
  Term reached = kTrue;
  std::vector<Value> slots;
  Contents memory;
};

struct Outcome {
  Term traps = kFalse;     // of any kind, anywhere
  Term exceeded = kFalse;  // some loop goes on past the bound, before any trap
  bool returns = false;    // on some path
  State after;             // slots: the result in 0 (and 1)
};

/// Where each loop of a function lies, and which words are jumped to.
struct Flow {
  struct Loop {
    std::uint32_t begin = 0;        // the target of its backward jumps
    std::uint32_t end = 0;          // the last of them
    bool entered_at_begin = false;  // else at its test, so that arriving at `begin` counts turns from 1
  };
  std::vector<Loop> loops;  // outer before inner
  std::vector<bool> is_target;
};
[[nodiscard]] Flow flow_of(const bytecode::Function& function);

class Encoder {
 public:
  Encoder(Terms& terms, const bytecode::Module& module);

  [[nodiscard]] Memory& memory() { return memory_; }
  [[nodiscard]] const bytecode::Module& module() const { return module_; }

  /// Runs a function whose parameters are in the slots of `start`. Throws Unsupported.
  Outcome run(std::uint32_t function, State start);

 private:
  friend class FrameEncoder;

  std::optional<State> call(std::uint32_t function, State start);
  void trap(Term reached, Term failed);

  Terms& terms_;
  const bytecode::Module& module_;
  Memory memory_;
  std::map<std::uint32_t, Flow> flows_;
  std::vector<std::uint32_t> active_;  // functions being run, outermost first
  std::vector<Term> traps_;
  std::vector<Term> exceeded_;
  std::uint64_t steps_ = 0;
};

}  // namespace cairn::verify
