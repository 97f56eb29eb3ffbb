// Counted loops, and what passes make of them that do several turns at a time.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "jit/ssa/flow.hpp"
#include "jit/ssa/prover.hpp"

namespace cairn::jit::ssa {

/// A loop that ends with the test of its counter: while (counter += step) < bound. It is entered with start < bound.
struct CountedLoop {
  BlockId before = 0, body = 0, latch = 0;  // where it is entered from, its first and its last block
  Value counter = kNoValue, next = kNoValue, start = kNoValue, bound = kNoValue;
  Kind kind = Kind::None;
  std::uint64_t step = 0;
};

/// The loop of `blocks`, entered from `before` at the first of them, when it is counted and ends with `latch`.
[[nodiscard]] std::optional<CountedLoop> find_counted(const Function& function, std::span<const BlockId> blocks,
                                                      BlockId before, BlockId latch, Prover& prover);

/// Whether something behind the blocks is made of values of theirs.
[[nodiscard]] bool leaves_values(const Function& function, std::span<const BlockId> blocks);

/// `turns` turns of a counted loop at a time: before -> strip -> rest -> the loop as it was, which does what is left.
/// Whoever makes a strip fills `block()` between the phis and `close`.
class Strip {
 public:
  Strip(Function& function, const CountedLoop& loop, std::uint32_t turns);

  [[nodiscard]] BlockId block() const { return block_; }
  /// The counter, while the strip runs.
  [[nodiscard]] Value counter() const { return carried_[0].copy; }
  /// A phi of the loop's start, while the strip runs.
  Value carry(Value phi);
  /// What the phi is behind the strip's turns.
  void behind(Value phi, Value value);
  /// An instruction at the end of the block, before what ends it.
  Value put(BlockId block, Instruction instruction);
  /// Ends the strip, whose last block is the given one. `all`: the loop leaves no values, so that none of its turns
  /// need be left for it.
  void close(bool all, BlockId latch);

 private:
  struct Carried {
    Value phi = kNoValue, copy = kNoValue, behind = kNoValue;
  };
  Value number(std::uint64_t bits);
  Value binary(BlockId block, Opcode op, Kind kind, Value a, Value b);
  void branch(BlockId block, Relation relation, Kind kind, Value a, Value b, BlockId yes, BlockId no, Likely likely);

  Function& f_;
  const CountedLoop loop_;
  BlockId block_ = 0, rest_ = 0;
  Value step_ = kNoValue, left_ = kNoValue, limit_ = kNoValue;
  std::vector<Carried> carried_;  // the counter first
};

}  // namespace cairn::jit::ssa
