// A short way to a switch is repeated where blocks jump to it: a loop that takes one instruction after another apart
// ends each of its arms with a jump of its own, which the processor predicts by what came before, and no arm jumps to
// the loop's start first (Ertl and Gregg, "The structure and performance of efficient interpreters", 2003; GCC's
// duplicate_computed_gotos). It is done to the code, not to SSA: a loop with as many ways in as it has arms is none
// that passes know, and a value is in one place at a block's start whoever comes there.
#include "jit/ssa/backend/emitter.hpp"

#include <algorithm>

namespace cairn::jit::ssa {
namespace {

constexpr std::uint32_t kMostNodes = 24;    // and moves, of one repetition
constexpr std::uint32_t kMostBlocks = 6;    // on the way to the switch
constexpr std::uint32_t kMostCopied = 600;  // nodes and moves, of a function
constexpr std::uint32_t kFewestWays = 4;    // of the switch: fewer are predicted where they stand

}  // namespace

void Emitter::find_repeats() {
  repeats_.resize(n_.blocks.size());
  if (std::ranges::none_of(n_.blocks, [](const MachineBlock& b) { return b.successors.size() >= kFewestWays; })) return;
  std::vector<std::uint32_t> jumps(n_.blocks.size(), 0);
  for (std::uint32_t b = 0; b < n_.blocks.size(); ++b) {
    const MachineBlock& block = n_.blocks[b];
    if (forward_[b] == b && !block.is_cold && block.successors.size() == 1) ++jumps[forward_[block.successors[0]]];
  }
  std::uint32_t room = kMostCopied;
  for (std::uint32_t b = 1; b < n_.blocks.size(); ++b) {
    // Within loops alone: elsewhere it is done once.
    if (jumps[b] == 0 || n_.blocks[b].depth == 0 || n_.blocks[b].is_cold) continue;
    std::vector<std::uint32_t> chain;
    if (!find_repeat(b, kMostNodes, chain)) continue;
    std::uint32_t nodes = 0;
    for (const std::uint32_t each : chain) nodes += n_.blocks[each].end - n_.blocks[each].first;
    if (nodes * jumps[b] > room) continue;
    room -= nodes * jumps[b];
    repeats_[b] = std::move(chain);
  }
}

/// The blocks from b to a switch, each the next one's predecessor, of `room` nodes and moves together.
bool Emitter::find_repeat(std::uint32_t b, std::uint32_t room, std::vector<std::uint32_t>& chain) const {
  const MachineBlock& block = n_.blocks[b];
  if (b == 0 || block.is_cold || block.depth == 0 || chain.size() == kMostBlocks ||
      std::ranges::find(chain, b) != chain.end()) {
    return false;
  }
  std::uint32_t cost = moves_.ends[b].count + moves_.starts[b].count;
  for (std::uint32_t k = block.first; k < block.end; ++k) {
    const Node& node = n_.nodes[k];
    cost += moves_.before[k].count + moves_.after[k].count;
    if (node.kind == NodeKind::Label || node.value == kNoValue) continue;
    const Opcode op = f_.at(node.value).op;
    // A call's return point is one place.
    if (is_call(op) || op == Opcode::Step || op == Opcode::Return || op == Opcode::Exit || op == Opcode::Trap) {
      return false;
    }
    cost += op == Opcode::Jump ? 0 : 1;
  }
  if (cost > room) return false;
  chain.push_back(b);
  const Node& end = n_.nodes[block.end - 1];
  const bool is_switch = end.value != kNoValue && f_.at(end.value).op == Opcode::Switch;
  if (is_switch && block.successors.size() >= kFewestWays) return true;
  if (!is_switch) {
    for (const std::uint32_t next : block.successors) {
      if (find_repeat(forward_[next], room - cost, chain)) return true;
    }
  }
  chain.pop_back();
  return false;
}

void Emitter::repeat(const std::vector<std::uint32_t>& chain) {
  const auto kept = std::tuple(node_, at_, block_, next_);
  is_repeating_ = true;
  for (std::size_t k = 0; k < chain.size(); ++k) {
    next_ = k + 1 < chain.size() ? chain[k + 1] : kNone;
    block(chain[k]);
  }
  is_repeating_ = false;
  std::tie(node_, at_, block_, next_) = kept;
}

}  // namespace cairn::jit::ssa
