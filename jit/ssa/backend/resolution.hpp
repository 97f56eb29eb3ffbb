// The moves an allocation asks for: between the parts of a value, along the edges of the graph (phis among them), and
// from where a node leaves its results. Moves of one group happen at once.
#pragma once

#include "jit/ssa/backend/homes.hpp"

namespace cairn::jit::ssa {

struct Moves {
  struct Group {
    std::uint32_t first = 0, count = 0;
  };
  std::vector<Move> all;
  std::vector<Group> before;  // by node: in the gap before it
  std::vector<Group> after;   // by node: behind it, before the next gap's
  std::vector<Group> ends;    // by block: before its end
  std::vector<Group> starts;  // by block: behind its label

  [[nodiscard]] std::span<const Move> of(const Group& group) const { return {all.data() + group.first, group.count}; }
};

void resolve(const Function& function, const Nodes& nodes, const Intervals& intervals, const Homes& homes,
             Moves& moves);

}  // namespace cairn::jit::ssa
