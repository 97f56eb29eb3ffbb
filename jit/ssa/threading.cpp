// Jump threading around loops' tests. A latch from which the test of a loop goes a way that is known leads there
// without asking: the test's operands are the ones of this turn, which went that way, or they are numbers. So a loop
// over instructions asks what only one of its arms changes where that arm ends, and `while going` leaves where `going`
// becomes false. The test is a block of nothing but phis and a branch; what it gives on is merged again where the way
// begins.
#include <algorithm>

#include "jit/ssa/flow.hpp"
#include "jit/ssa/fold.hpp"
#include "jit/ssa/passes.hpp"

namespace cairn::jit::ssa {
namespace {

constexpr unsigned kMost = 16;  // edges of a function

/// Whether a block is nothing but phis and a branch.
bool is_test(const Function& f, BlockId block) {
  const std::vector<Value>& code = f.blocks[block].code;
  if (f.at(code.back()).op != Opcode::Branch || f.blocks[block].is_cold) return false;
  return std::all_of(code.begin(), code.end() - 1, [&](Value value) { return f.at(value).op == Opcode::Phi; });
}

class Threading {
 public:
  explicit Threading(Function& function) : f_(function), dominators_(function), loops_(function, dominators_) {}

  /// Threads one edge. The function's shape is then another.
  bool one() {
    for (const Loop& loop : loops_.loops) {
      header_ = loop.header;
      if (!is_test(f_, header_)) continue;
      for (const BlockId latch : loop.latches) {
        if (f_.blocks[latch].successors.size() == 1 && thread(loop, latch)) return true;
      }
    }
    return false;
  }

 private:
  [[nodiscard]] bool is_own_phi(Value value) const {
    return f_.at(value).op == Opcode::Phi && f_.at(value).block == header_;
  }
  /// What the value is in the turn behind the latch.
  [[nodiscard]] Value next(Value value, BlockId latch) const {
    return is_own_phi(value) ? incoming(f_, f_.at(value), latch) : value;
  }

  /// Whether the way begins at a block of its own, and which.
  [[nodiscard]] bool is_way(std::uint32_t way) const {
    const BlockId to = f_.blocks[header_].successors[way];
    return to != header_ && f_.blocks[to].predecessors == std::vector<BlockId>{header_};
  }

  /// The way the test goes when control comes from the latch, or 2.
  [[nodiscard]] std::uint32_t way_from(BlockId latch) const {
    const Instruction& test = f_.end_of(header_);
    const Value a = next(test.a, latch);
    const Value b = next(test.b, latch);
    if (a == test.a && b == test.b) {
      for (std::uint32_t way = 0; way < 2; ++way) {
        if (is_way(way) && dominators_.dominates(f_.blocks[header_].successors[way], latch)) return way;
      }
      return 2;
    }
    const bool are_numbers = f_.at(a).op == Opcode::Const && f_.at(b).op == Opcode::Const && !is_float(test.kind);
    if (!are_numbers) return 2;
    const auto bits = [&](Value value) { return static_cast<std::uint64_t>(f_.at(value).immediate); };
    return holds(test.relation, test.kind, bits(a), bits(b)) ? 0 : 1;
  }

  bool thread(const Loop& loop, BlockId latch) {
    const std::uint32_t way = way_from(latch);
    if (way == 2 || !is_way(way)) return false;
    to_ = f_.blocks[header_].successors[way];
    other_ = is_way(1 - way) ? f_.blocks[header_].successors[1 - way] : kNone;
    // Elsewhere in the loop it would be a second way into a loop.
    const bool is_within = std::ranges::find(loop.blocks, to_) != loop.blocks.end();
    if (is_within && !dominators_.dominates(to_, latch)) return false;
    if (!merges()) return false;
    redirect(latch);
    return true;
  }

  /// Whether every use of the header's phis is behind one of the two ways or in the header itself.
  [[nodiscard]] bool merges() {
    bool fine = true;
    each_use([&](Value& value, BlockId at) {
      if (!is_own_phi(value) || at == header_ || dominators_.dominates(to_, at)) return;
      fine &= other_ != kNone && dominators_.dominates(other_, at);
    });
    return fine;
  }

  /// Visits each operand with the block at whose end, or in which, it is used.
  template <class Visit>
  void each_use(Visit visit) {
    for (BlockId b = 0; b < f_.blocks.size(); ++b) {
      for (const Value value : f_.blocks[b].code) {
        Instruction& i = f_.at(value);
        if (i.op == Opcode::Phi) {
          for (Use& use : f_.uses_of(i)) visit(use.value, use.slot);
        } else {
          each_operand(f_, i, [&](Value& operand) { visit(operand, b); });
        }
      }
    }
  }

  void redirect(BlockId latch) {
    // What stands first at the way's beginning takes what the header's phis would have taken.
    for (const Value value : f_.blocks[to_].code) {
      Instruction& phi = f_.at(value);
      if (phi.op != Opcode::Phi) break;
      const Value from_header = incoming(f_, phi, header_);
      const Use uses[] = {{header_, from_header}, {latch, next(from_header, latch)}};
      f_.set_uses(phi, uses);
    }
    std::vector<Value> merged(f_.code.size(), kNoValue);  // by phi of the header
    std::vector<Value> made;
    for (const Value value : std::vector<Value>(f_.blocks[header_].code)) {
      if (f_.at(value).op != Opcode::Phi) break;
      Instruction phi = f_.at(value);
      phi.block = to_;
      phi.first_use = phi.use_count = 0;
      const Use uses[] = {{header_, value}, {latch, incoming(f_, f_.at(value), latch)}};
      f_.set_uses(phi, uses);
      merged[value] = f_.make(phi);
      made.push_back(merged[value]);
    }
    std::vector<Value>& code = f_.blocks[to_].code;
    code.insert(code.begin(), made.begin(), made.end());
    each_use([&](Value& value, BlockId at) {
      if (value < merged.size() && merged[value] != kNoValue && at != header_ && dominators_.dominates(to_, at)) {
        value = merged[value];
      }
    });
    forget_edge(f_, latch, header_);
    f_.blocks[latch].successors = {to_};
    f_.blocks[to_].predecessors.push_back(latch);
  }

  Function& f_;
  const Dominators dominators_;
  const Loops loops_;
  BlockId header_ = 0, to_ = 0, other_ = kNone;
};

}  // namespace

bool thread_jumps(Function& function, const Context&) {
  bool has_test = false;  // most functions have none, and need no dominators to know
  for (BlockId b = 0; b < function.blocks.size() && !has_test; ++b) {
    has_test = function.blocks[b].predecessors.size() > 1 && is_test(function, b);
  }
  if (!has_test) return false;
  unsigned done = 0;
  while (done < kMost && Threading(function).one()) ++done;
  return done != 0;
}

}  // namespace cairn::jit::ssa
