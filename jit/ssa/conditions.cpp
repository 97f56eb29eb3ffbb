// If-conversion: a few cheap operations behind a branch are done always, and a selection takes what the branch would
// have. A checked count that a branch guards adds zero where the branch would not have been gone, so that it traps
// exactly where it did.
#include <algorithm>

#include "jit/ssa/flow.hpp"
#include "jit/ssa/fold.hpp"
#include "jit/ssa/passes.hpp"

namespace cairn::jit::ssa {
namespace {

constexpr std::size_t kMostBetween = 3;

class Conditions {
 public:
  explicit Conditions(Function& function) : f_(function) {}

  bool run() {
    bool any = false;
    for (BlockId b = 0; b < f_.blocks.size(); ++b) any |= triangle(b);
    if (any) remove_unreachable(f_);
    return any;
  }

 private:
  /// block -> side -> behind, and block -> behind.
  bool triangle(BlockId block) {
    const Instruction end = f_.end_of(block);
    if (end.op != Opcode::Branch || end.likely != Likely::Unknown || is_float(end.kind)) return false;
    for (std::uint32_t way = 0; way < 2; ++way) {
      const BlockId side = f_.blocks[block].successors[way];
      const BlockId behind = f_.blocks[block].successors[1 - way];
      const Block& moved = f_.blocks[side];
      if (side == behind || behind == block || moved.is_cold || moved.predecessors.size() != 1) continue;
      if (moved.successors.size() != 1 || moved.successors[0] != behind || f_.end_of(side).op != Opcode::Jump) continue;
      if (f_.blocks[behind].is_cold || !fits(side, behind, block)) continue;
      convert(block, side, behind, way);
      return true;
    }
    return false;
  }

  [[nodiscard]] bool is_cheap(const Instruction& i) const {
    if (is_float(i.kind) || is_float(i.source) || i.lanes != 1 || !is_speculatable(f_, i)) return false;
    switch (i.op) {
      case Opcode::Add:
      case Opcode::Sub:
      case Opcode::And:
      case Opcode::Or:
      case Opcode::Xor:
      case Opcode::Min:
      case Opcode::Max:
      case Opcode::Compare:
      case Opcode::Select:
      case Opcode::Shl:
      case Opcode::Shr:
        return true;
      default:
        return false;
    }
  }

  /// A checked sum or difference with a number, which zero makes harmless.
  [[nodiscard]] bool is_count(const Instruction& i) const {
    return (i.op == Opcode::Add || i.op == Opcode::Sub) && i.mode == Mode::Checked && !i.leaves && !is_float(i.kind) &&
           f_.at(i.b).op == Opcode::Const && f_.at(i.b).immediate == 1;
  }

  bool fits(BlockId side, BlockId behind, BlockId block) {
    const std::vector<Value>& code = f_.blocks[side].code;
    if (code.size() - 1 > kMostBetween) return false;
    count_ = kNoValue;
    for (std::size_t k = 0; k + 1 < code.size(); ++k) {
      const Instruction& i = f_.at(code[k]);
      if (is_count(i)) {
        // Nothing else is done with it but that it goes on.
        if (count_ != kNoValue || code.size() != 2) return false;
        count_ = code[k];
      } else if (!is_cheap(i)) {
        return false;
      }
    }
    bool any = false;
    std::size_t selections = 0;
    for (const Value value : f_.blocks[behind].code) {
      const Instruction& phi = f_.at(value);
      if (phi.op != Opcode::Phi) break;
      any = true;
      const Value taken = incoming(f_, phi, side);
      const Value other = incoming(f_, phi, block);
      if (taken == other) continue;
      if (is_float(phi.kind) || ++selections > 2) return false;
      if (count_ != kNoValue && (taken != count_ || f_.at(count_).a != other)) return false;
    }
    return any && selections > 0 && (count_ == kNoValue || selections == 1);
  }

  void convert(BlockId block, BlockId side, BlockId behind, std::uint32_t way) {
    std::vector<Value>& code = f_.blocks[block].code;
    const Value end = code.back();
    code.pop_back();
    Instruction compare;
    compare.op = Opcode::Compare;
    compare.kind = Kind::Bool;
    compare.source = f_.at(end).kind;
    compare.relation = way == 0 ? f_.at(end).relation : *negated(f_.at(end).relation, f_.at(end).kind);
    compare.a = f_.at(end).a;
    compare.b = f_.at(end).b;
    compare.word = f_.at(end).word;
    compare.frame = f_.at(end).frame;
    const Value condition = f_.append(block, compare);
    std::vector<Value> moved = f_.blocks[side].code;
    moved.pop_back();
    for (const Value value : moved) {
      Instruction& i = f_.at(value);
      i.block = block;
      if (value == count_) {
        i.b = condition;  // one, or zero
      } else if (i.mode == Mode::Exact) {
        i.mode = Mode::Wrap;
      }
      f_.blocks[block].code.push_back(value);
    }
    std::vector<Value> phis;
    for (const Value value : f_.blocks[behind].code) {
      if (f_.at(value).op != Opcode::Phi) break;
      phis.push_back(value);
    }
    for (const Value value : phis) {
      const Value taken = incoming(f_, f_.at(value), side);
      const Value other = incoming(f_, f_.at(value), block);
      // A count goes on as it is: zero or one was added to it.
      const Value chosen =
          count_ != kNoValue ? taken : select_between(f_, block, f_.at(value).kind, condition, taken, other, compare);
      for (Use& use : f_.uses_of(f_.at(value))) {
        if (use.slot == block) use.value = chosen;
      }
    }
    forget_edge(f_, side, behind);
    f_.blocks[side].successors.clear();
    f_.blocks[side].code = {};
    // The side is nobody's now: it ends in nothing and is taken out.
    Instruction nowhere;
    nowhere.op = Opcode::Jump;
    f_.append(side, nowhere);
    f_.blocks[side].successors = {side};
    f_.blocks[side].predecessors = {side};
    nowhere.word = compare.word;
    nowhere.frame = compare.frame;
    f_.append(block, nowhere);
    f_.blocks[block].successors = {behind};
    f_.at(end) = {};
  }

  Function& f_;
  Value count_ = kNoValue;
};

}  // namespace

bool convert_conditions(Function& function, const Context&) { return Conditions(function).run(); }

}  // namespace cairn::jit::ssa
