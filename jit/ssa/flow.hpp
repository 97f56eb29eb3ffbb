// What the shape of a function's graph says: predecessors, dominators (Cooper, Harvey and Kennedy 2001), natural loops.
#pragma once

#include "jit/ssa/ir.hpp"

namespace cairn::jit::ssa {

/// Fills Block::predecessors from the successors, each once, in the order of the blocks.
void find_predecessors(Function& function);

/// Blocks no way leads to are taken out, and phis forget them. Blocks keep their order and get new ids.
void remove_unreachable(Function& function);

/// `to` is no successor of `from` any more: its phis and predecessors forget it.
void forget_edge(Function& function, BlockId from, BlockId to);

/// What a phi takes where control comes from that block; kNoValue when it is no predecessor.
[[nodiscard]] Value incoming(const Function& function, const Instruction& phi, BlockId from);

/// What a phi takes in place of the two ways that a branch had: at the end of the block, the one value of both, or a
/// selection where they differ. Its place in the source is that of `branch`.
Value select_between(Function& function, BlockId block, Kind kind, Value condition, Value taken, Value other,
                     const Instruction& branch);

/// The end of a block of which one way is left, which the block's successors say.
void become_jump(Instruction& end);

class Dominators {
 public:
  explicit Dominators(const Function& function);

  /// Blocks the entry leads to, each after its dominators, and but for back edges after its predecessors.
  [[nodiscard]] const std::vector<BlockId>& order() const { return order_; }
  [[nodiscard]] BlockId immediate(BlockId block) const { return idom_[block]; }
  [[nodiscard]] bool is_reachable(BlockId block) const { return idom_[block] != kNone; }
  /// Blocks made since dominate nothing, as far as is known.
  [[nodiscard]] bool dominates(BlockId a, BlockId b) const {
    return a < first_.size() && b < first_.size() && first_[a] <= first_[b] && last_[b] <= last_[a];
  }
  /// Every block in an order in which a block's dominator tree stands behind it.
  [[nodiscard]] const std::vector<BlockId>& preorder() const { return preorder_; }

 private:
  std::vector<BlockId> order_, preorder_;
  std::vector<BlockId> idom_;
  std::vector<std::uint32_t> number_;        // in order_
  std::vector<std::uint32_t> first_, last_;  // in the tree
};

struct Loop {
  BlockId header = 0;
  std::uint32_t parent = kNone;  // index of the loop around it
  std::vector<BlockId> latches;  // blocks with an edge back to the header
  std::vector<BlockId> blocks;   // inner loops' too; the header first
  bool is_innermost = true;
};

struct Loops {
  /// Inner loops stand before the loops around them. Fills Block::depth.
  std::vector<Loop> loops;
  std::vector<std::uint32_t> of_block;  // the innermost loop, or kNone

  Loops(Function& function, const Dominators& dominators);
  [[nodiscard]] bool contains(std::uint32_t loop, BlockId block) const {
    if (block >= of_block.size()) return false;  // made since
    for (std::uint32_t l = of_block[block]; l != kNone; l = loops[l].parent) {
      if (l == loop) return true;
    }
    return false;
  }
};

/// The block from which alone a loop's header is entered from outside, made when there is none, else kNone where the
/// header is the entry. Afterwards dominators have to be found again when `made`.
BlockId preheader(Function& function, const Loop& loop, const Loops& loops, std::uint32_t index, bool& made);

/// Gives every loop a preheader. True when blocks were made: dominators and loops have to be found again.
bool make_preheaders(Function& function);
/// The one block outside from which the loop's header is entered, and which leads nowhere else; kNone without one.
BlockId find_preheader(const Function& function, const Loops& loops, std::uint32_t index);

/// Puts a block on the edge; phis follow. Returns it.
BlockId split_edge(Function& function, BlockId from, std::uint32_t successor);

}  // namespace cairn::jit::ssa
