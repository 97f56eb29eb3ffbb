// If-conversion of loops that become vectors (Allen, Kennedy, Porterfield and Warren, "Conversion of control dependence
// to data dependence", 1983). Where the ways through an iteration differ by a few operations on floats alone, all are
// done, and selections take what the way that is gone would have made. The vectorizer tries it on a copy: a loop that
// is not done as vectors keeps its branches.
#include "jit/ssa/flatten.hpp"

#include <algorithm>
#include <array>

#include "jit/ssa/fold.hpp"

namespace cairn::jit::ssa {
namespace {

constexpr std::size_t kMostBlocks = 24;
constexpr std::size_t kMostMoved = 48;  // instructions of one way
constexpr std::size_t kMostDear = 4;    // divisions and roots among them

class Flattening {
 public:
  Flattening(Function& function, const Loop& loop) : f_(function), loop_(loop) {}

  /// Takes one branch of the loop out. False when there is none that can be.
  bool step() {
    return std::ranges::any_of(loop_.blocks, [&](BlockId block) { return branch(block); });
  }

 private:
  /// One way from a branch to where both meet: through a block of its own, or straight.
  struct Way {
    BlockId arm = kNone;
    BlockId from = 0, to = 0;  // the edge to where both meet
  };

  Way way_of(BlockId block, BlockId next) const {
    const Block& arm = f_.blocks[next];
    const bool is_arm = next != loop_.header && arm.predecessors.size() == 1 && f_.end_of(next).op == Opcode::Jump;
    return is_arm ? Way{next, next, arm.successors[0]} : Way{kNone, block, next};
  }

  bool branch(BlockId block) {
    if (f_.end_of(block).op != Opcode::Branch) return false;
    const std::vector<BlockId>& next = f_.blocks[block].successors;
    std::array<Way, 2> ways{way_of(block, next[0]), way_of(block, next[1])};
    if (ways[0].to != ways[1].to) {
      // Straight to where the other way's block leads.
      const std::size_t straight = ways[0].arm != kNone && ways[0].to == next[1] ? 1 : 0;
      ways[straight] = {kNone, block, next[straight]};
    }
    const BlockId meet = ways[0].to;
    if (meet != ways[1].to || ways[0].from == ways[1].from || meet == loop_.header || !is_inside(meet)) return false;
    for (const Way& way : ways) {
      if (way.arm != kNone && (!is_inside(way.arm) || !fits(way.arm))) return false;
    }
    if (!has_condition(block)) return false;
    for (const Value value : f_.blocks[meet].code) {
      const Instruction& phi = f_.at(value);
      if (phi.op != Opcode::Phi) break;
      if (incoming(f_, phi, ways[0].from) != incoming(f_, phi, ways[1].from) && !is_float(phi.kind)) return false;
    }
    join(block, meet, ways);
    return true;
  }

  [[nodiscard]] bool is_inside(BlockId block) const {
    return std::ranges::find(loop_.blocks, block) != loop_.blocks.end();
  }

  [[nodiscard]] bool fits(BlockId arm) const {
    const Block& block = f_.blocks[arm];
    if (block.is_cold || block.code.size() > kMostMoved) return false;
    std::size_t dear = 0;
    for (std::size_t k = 0; k + 1 < block.code.size(); ++k) {
      const Instruction& i = f_.at(block.code[k]);
      const bool is_condition = i.op == Opcode::Compare && is_float(i.source);
      if (i.lanes != 1 || !(is_float(i.kind) || is_condition) || !is_speculatable(f_, i)) return false;
      dear += i.op == Opcode::Div || i.op == Opcode::Sqrt ? 1 : 0;
    }
    return dear <= kMostDear;
  }

  /// Of floats, or whether a comparison of floats holds.
  [[nodiscard]] bool has_condition(BlockId block) const {
    const Instruction& end = f_.end_of(block);
    if (is_float(end.kind)) return true;
    const Instruction& compared = f_.at(end.a);
    const Instruction& number = f_.at(end.b);
    return end.kind == Kind::Bool && (end.relation == Relation::Ne || end.relation == Relation::Eq) &&
           compared.op == Opcode::Compare && is_float(compared.source) && number.op == Opcode::Const &&
           number.immediate == 0;
  }

  void join(BlockId block, BlockId meet, const std::array<Way, 2>& ways) {
    std::vector<Value>& code = f_.blocks[block].code;
    const Value end = code.back();
    code.pop_back();
    for (const Way& way : ways) {
      if (way.arm == kNone) continue;
      std::vector<Value>& moved = f_.blocks[way.arm].code;
      for (std::size_t k = 0; k + 1 < moved.size(); ++k) {
        f_.at(moved[k]).block = block;
        code.push_back(moved[k]);
      }
      moved.erase(moved.begin(), moved.end() - 1);
    }
    const Instruction ended = f_.at(end);
    Value condition = ended.a;
    if (is_float(ended.kind)) {
      Instruction compare = ended;
      compare.op = Opcode::Compare;
      compare.kind = Kind::Bool;
      compare.source = ended.kind;
      compare.likely = Likely::Unknown;
      condition = f_.append(block, compare);
    }
    // A bool that is to be 0 goes the first way where its comparison does not hold.
    const std::size_t first = !is_float(ended.kind) && ended.relation == Relation::Eq ? 1 : 0;
    for (const Value value : f_.blocks[meet].code) {
      if (f_.at(value).op != Opcode::Phi) break;
      const Value taken = incoming(f_, f_.at(value), ways[first].from);
      const Value other = incoming(f_, f_.at(value), ways[1 - first].from);
      const Value chosen = select_between(f_, block, f_.at(value).kind, condition, taken, other, ended);
      std::vector<Use> list;
      for (const Use& use : f_.uses_of(f_.at(value))) {
        if (use.slot != ways[0].from && use.slot != ways[1].from) list.push_back(use);
      }
      list.push_back({block, chosen});
      f_.set_uses(f_.at(value), list);
    }
    std::vector<BlockId>& before = f_.blocks[meet].predecessors;
    std::erase_if(before, [&](BlockId each) { return each == ways[0].from || each == ways[1].from; });
    before.push_back(block);
    // Nothing leads to the arms now: they are taken out.
    for (const Way& way : ways) {
      if (way.arm == kNone) continue;
      f_.blocks[way.arm].successors = {way.arm};
      f_.blocks[way.arm].predecessors = {way.arm};
    }
    f_.blocks[block].successors = {meet};
    become_jump(f_.at(end));
    f_.blocks[block].code.push_back(end);
  }

  Function& f_;
  const Loop& loop_;
};

/// Whether all that an iteration does could be done for many at once.
bool may_be_flat(const Function& f, const Loop& loop) {
  if (!loop.is_innermost || loop.latches.size() != 1 || loop.blocks.size() == 1 || loop.blocks.size() > kMostBlocks) {
    return false;
  }
  const Instruction& end = f.end_of(loop.latches[0]);
  if (end.op != Opcode::Branch || end.kind != Kind::U64 || f.blocks[loop.latches[0]].successors[0] != loop.header) {
    return false;
  }
  return std::ranges::all_of(loop.blocks, [&](BlockId block) {
    return std::ranges::all_of(f.blocks[block].code, [&](Value value) {
      const Instruction& i = f.at(value);
      return is_pure(i) || i.op == Opcode::Phi || i.op == Opcode::Load || i.op == Opcode::Store ||
             i.op == Opcode::Jump || i.op == Opcode::Branch;
    });
  });
}

}  // namespace

std::vector<Value> loops_to_flatten(Function& function) {
  std::vector<Value> ends;
  const Loops loops(function, Dominators(function));
  for (const Loop& loop : loops.loops) {
    if (may_be_flat(function, loop)) ends.push_back(function.blocks[loop.latches[0]].code.back());
  }
  return ends;
}

bool flatten_loop(Function& function, const Context& context, Value end) {
  while (true) {
    const Loops loops(function, Dominators(function));
    const std::uint32_t index = loops.of_block[function.at(end).block];
    if (index == kNone) return false;
    if (loops.loops[index].blocks.size() == 1) break;
    if (!Flattening(function, loops.loops[index]).step()) return false;
    clean(function, context);
  }
  // What several ways compute is computed once.
  number_values(function, context);
  clean(function, context);
  return true;
}

}  // namespace cairn::jit::ssa
