#include "jit/ssa/backend/order.hpp"

#include <algorithm>

namespace cairn::jit::ssa {
namespace {

class Order {
 public:
  Order(const Function& f, Nodes& nodes) : f_(f), n_(nodes) {}

  void run() {
    find_order();
    place_of_.assign(f_.blocks.size(), kNone);
    for (const BlockId id : order_) {
      place_of_[id] = static_cast<std::uint32_t>(n_.blocks.size());
      n_.blocks.push_back({id, 0, 0, {}, {}, f_.blocks[id].depth, cold_[id] != 0, false});
    }
    const auto real = static_cast<std::uint32_t>(n_.blocks.size());
    n_.phi_moves.resize(real);
    for (std::uint32_t b = 0; b < real; ++b) link(b);
    fix_order(real);
    for (std::uint32_t b = 0; b < n_.blocks.size(); ++b) {
      MachineBlock& block = n_.blocks[b];
      block.is_loop_start = std::ranges::any_of(block.predecessors, [&](std::uint32_t from) {
        return from >= b && (block.is_cold || !n_.blocks[from].is_cold);  // a rare way stands behind where it leads
      });
    }
  }

 private:
  /// Blocks after their predecessors but for back edges, a loop's blocks together, what is rare at the end.
  void find_order() {
    std::vector<std::uint8_t> state(f_.blocks.size(), 0);
    std::vector<std::pair<BlockId, std::uint32_t>> stack{{0, 0}};
    std::vector<BlockId> post;
    state[0] = 1;
    cold_.assign(f_.blocks.size(), 0);
    for (BlockId b = 0; b < f_.blocks.size(); ++b) {
      const Opcode end = f_.end_of(b).op;
      cold_[b] = f_.blocks[b].is_cold || end == Opcode::Trap || end == Opcode::Exit ? 1 : 0;
    }
    std::vector<BlockId> sorted;
    while (!stack.empty()) {
      auto& [block, next] = stack.back();
      const std::vector<BlockId>& successors = f_.blocks[block].successors;
      if (next == successors.size()) {
        post.push_back(block);
        stack.pop_back();
        continue;
      }
      // The way visited last stands next in the code: the deeper one, else the likely one.
      std::uint32_t pick = next++;
      if (successors.size() == 2 && goes_first_last(block)) pick = 1 - pick;
      const BlockId to = successors[pick];
      if (state[to] == 0) {
        state[to] = 1;
        stack.push_back({to, 0});
      }
    }
    std::ranges::reverse(post);
    for (const BlockId b : post) {
      if (cold_[b] == 0 || b == 0) order_.push_back(b);
    }
    for (const BlockId b : post) {
      if (cold_[b] != 0 && b != 0) order_.push_back(b);
    }
  }
  /// Whether successor 0 should be visited after successor 1.
  bool goes_first_last(BlockId block) const {
    const BlockId first = f_.blocks[block].successors[0], second = f_.blocks[block].successors[1];
    if (cold_[first] != cold_[second]) return cold_[second] != 0;
    const std::uint8_t a = f_.blocks[first].depth, b = f_.blocks[second].depth;
    if (a != b) return a > b;
    const Likely likely = f_.end_of(block).likely;
    if (likely != Likely::Unknown) return likely == Likely::First;
    return f_.blocks[first].word < f_.blocks[second].word;
  }

  /// Edges that leave a block with several ways and lead to one that several ways lead to get blocks of their own.
  void link(std::uint32_t b) {
    const BlockId id = n_.blocks[b].block;
    const std::vector<BlockId>& successors = f_.blocks[id].successors;
    std::vector<std::pair<BlockId, std::uint32_t>> made;  // edges of this block, by target
    for (const BlockId to : successors) {
      const auto known = std::ranges::find(made, to, &std::pair<BlockId, std::uint32_t>::first);
      if (known != made.end()) {
        n_.blocks[b].successors.push_back(known->second);
        continue;
      }
      std::uint32_t next = place_of_[to];
      std::uint32_t carries = b;
      const bool several = std::ranges::any_of(successors, [&](BlockId other) { return other != to; });
      if (several && f_.blocks[to].predecessors.size() > 1) {
        carries = static_cast<std::uint32_t>(n_.blocks.size());
        MachineBlock edge;
        edge.depth = std::min<std::uint32_t>(f_.blocks[id].depth, f_.blocks[to].depth);
        edge.is_cold = cold_[id] != 0 || cold_[to] != 0;
        edge.predecessors = {b};
        edge.successors = {next};
        n_.blocks.push_back(std::move(edge));
        n_.phi_moves.emplace_back();
        n_.blocks[next].predecessors.push_back(carries);
        n_.blocks[b].successors.push_back(carries);
        made.push_back({to, carries});
      } else {
        n_.blocks[b].successors.push_back(next);
        n_.blocks[next].predecessors.push_back(b);
        made.push_back({to, next});
      }
      for (const Value value : f_.blocks[to].code) {
        const Instruction& i = f_.at(value);
        if (i.op != Opcode::Phi) break;
        for (const Use& use : f_.uses_of(i)) {
          if (use.slot == id) n_.phi_moves[carries].push_back({value, use.value});
        }
      }
    }
  }

  /// Puts the blocks of edges behind the blocks they come from, cold ones at the end.
  void fix_order(std::uint32_t real) {
    if (n_.blocks.size() == real) return;
    std::vector<std::uint32_t> order;
    for (const bool cold : {false, true}) {
      for (std::uint32_t b = 0; b < real; ++b) {
        if (n_.blocks[b].is_cold == cold) order.push_back(b);
        for (const std::uint32_t next : n_.blocks[b].successors) {
          if (next >= real && n_.blocks[next].is_cold == cold && std::ranges::find(order, next) == order.end()) {
            order.push_back(next);
          }
        }
      }
    }
    std::vector<std::uint32_t> number(order.size());
    for (std::uint32_t k = 0; k < order.size(); ++k) number[order[k]] = k;
    std::vector<MachineBlock> blocks;
    std::vector<std::vector<PhiMove>> moves;
    for (const std::uint32_t b : order) {
      blocks.push_back(std::move(n_.blocks[b]));
      moves.push_back(std::move(n_.phi_moves[b]));
      for (std::uint32_t& each : blocks.back().successors) each = number[each];
      for (std::uint32_t& each : blocks.back().predecessors) each = number[each];
    }
    n_.blocks = std::move(blocks);
    n_.phi_moves = std::move(moves);
  }

  const Function& f_;
  Nodes& n_;
  std::vector<BlockId> order_;
  std::vector<std::uint8_t> cold_;
  std::vector<std::uint32_t> place_of_;
};

}  // namespace

void order_blocks(const Function& function, Nodes& nodes) { Order(function, nodes).run(); }

}  // namespace cairn::jit::ssa
