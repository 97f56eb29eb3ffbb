#include "jit/ssa/flow.hpp"

#include <algorithm>

namespace cairn::jit::ssa {

void find_predecessors(Function& function) {
  for (Block& block : function.blocks) block.predecessors.clear();
  for (BlockId b = 0; b < function.blocks.size(); ++b) {
    for (const BlockId next : function.blocks[b].successors) {
      std::vector<BlockId>& before = function.blocks[next].predecessors;
      if (before.empty() || before.back() != b) before.push_back(b);
    }
  }
}

namespace {

/// Blocks in postorder from the entry, without recursion.
std::vector<BlockId> postorder(const Function& function) {
  std::vector<BlockId> order;
  std::vector<std::uint8_t> seen(function.blocks.size(), 0);
  std::vector<std::pair<BlockId, std::uint32_t>> open{{0, 0}};
  if (function.blocks.empty()) return order;
  seen[0] = 1;
  while (!open.empty()) {
    auto& [block, next] = open.back();
    const std::vector<BlockId>& successors = function.blocks[block].successors;
    if (next == successors.size()) {
      order.push_back(block);
      open.pop_back();
      continue;
    }
    const BlockId to = successors[successors.size() - 1 - next++];  // so that the first successor comes first behind
    if (seen[to] != 0) continue;
    seen[to] = 1;
    open.emplace_back(to, 0);
  }
  return order;
}

}  // namespace

void remove_unreachable(Function& function) {
  std::vector<std::uint8_t> reached(function.blocks.size(), 0);
  for (const BlockId b : postorder(function)) reached[b] = 1;
  std::vector<BlockId> renamed(function.blocks.size(), kNone);
  BlockId count = 0;
  for (BlockId b = 0; b < function.blocks.size(); ++b) {
    if (reached[b] != 0) renamed[b] = count++;
  }
  if (count == function.blocks.size()) return find_predecessors(function);
  for (BlockId b = 0; b < function.blocks.size(); ++b) {
    Block& block = function.blocks[b];
    for (const Value value : block.code) {
      Instruction& i = function.at(value);
      if (reached[b] == 0) {
        i = {};
        continue;
      }
      i.block = renamed[b];
      if (i.op != Opcode::Phi) continue;
      std::uint32_t kept = 0;
      const auto list = function.uses_of(i);
      for (const Use& use : list) {
        if (reached[use.slot] != 0) list[kept++] = {renamed[use.slot], use.value};
      }
      i.use_count = kept;
    }
    for (BlockId& next : block.successors) next = renamed[next];
  }
  for (BlockId b = 0; b < function.blocks.size(); ++b) {
    if (reached[b] != 0 && renamed[b] != b) function.blocks[renamed[b]] = std::move(function.blocks[b]);
  }
  function.blocks.resize(count);
  find_predecessors(function);
}

void forget_edge(Function& function, BlockId from, BlockId to) {
  std::erase(function.blocks[to].predecessors, from);
  for (const Value value : function.blocks[to].code) {
    Instruction& phi = function.at(value);
    if (phi.op != Opcode::Phi) break;
    const auto list = function.uses_of(phi);
    const auto kept = std::ranges::remove(list, from, &Use::slot).begin();
    phi.use_count = static_cast<std::uint32_t>(kept - list.begin());
  }
}

Value incoming(const Function& function, const Instruction& phi, BlockId from) {
  for (const Use& use : function.uses_of(phi)) {
    if (use.slot == from) return use.value;
  }
  return kNoValue;
}

Value select_between(Function& f, BlockId block, Kind kind, Value condition, Value taken, Value other,
                     const Instruction& branch) {
  if (taken == other) return taken;
  Instruction select;
  select.op = Opcode::Select;
  select.kind = kind;
  select.a = condition;
  select.b = taken;
  select.c = other;
  select.word = branch.word;
  select.frame = branch.frame;
  return f.append(block, select);
}

void become_jump(Instruction& end) {
  end.op = Opcode::Jump;
  end.kind = Kind::None;
  end.relation = Relation::Eq;
  end.likely = Likely::Unknown;
  end.a = end.b = kNoValue;
}

Dominators::Dominators(const Function& function)
    : order_(postorder(function)),
      idom_(function.blocks.size(), kNone),
      number_(function.blocks.size(), kNone),
      first_(function.blocks.size(), 1),
      last_(function.blocks.size(), 0) {
  std::reverse(order_.begin(), order_.end());
  for (std::uint32_t k = 0; k < order_.size(); ++k) number_[order_[k]] = k;
  idom_[0] = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (const BlockId block : order_) {
      if (block == 0) continue;
      BlockId common = kNone;
      for (const BlockId before : function.blocks[block].predecessors) {
        if (idom_[before] == kNone) continue;
        if (common == kNone) {
          common = before;
          continue;
        }
        BlockId other = before;
        while (common != other) {
          while (number_[common] > number_[other]) common = idom_[common];
          while (number_[other] > number_[common]) other = idom_[other];
        }
      }
      if (common == idom_[block]) continue;
      idom_[block] = common;
      changed = true;
    }
  }
  // Numbers in the tree, by which one comparison decides dominance.
  std::vector<std::vector<BlockId>> children(function.blocks.size());
  for (auto at = order_.rbegin(); at != order_.rend(); ++at) {
    if (*at != 0) children[idom_[*at]].push_back(*at);
  }
  std::uint32_t clock = 0;
  std::vector<std::pair<BlockId, bool>> open{{0, false}};
  while (!open.empty()) {
    const auto [block, done] = open.back();
    open.pop_back();
    if (done) {
      last_[block] = clock;
      continue;
    }
    first_[block] = ++clock;
    preorder_.push_back(block);
    open.emplace_back(block, true);
    for (const BlockId child : children[block]) open.emplace_back(child, false);
  }
}

Loops::Loops(Function& function, const Dominators& dominators) : of_block(function.blocks.size(), kNone) {
  for (Block& block : function.blocks) block.depth = 0;
  // Inner headers come later in the order than outer ones.
  const std::vector<BlockId>& order = dominators.order();
  for (std::size_t k = order.size(); k-- > 0;) {
    const BlockId header = order[k];
    Loop loop;
    loop.header = header;
    for (const BlockId before : function.blocks[header].predecessors) {
      if (dominators.is_reachable(before) && dominators.dominates(header, before)) loop.latches.push_back(before);
    }
    if (loop.latches.empty()) continue;
    const auto index = static_cast<std::uint32_t>(loops.size());
    loop.blocks.push_back(header);
    std::vector<BlockId> open = loop.latches;
    const auto outermost = [&](BlockId block) {
      std::uint32_t l = of_block[block];
      while (l != kNone && l != index && loops[l].parent != kNone && loops[l].parent != index) l = loops[l].parent;
      return l;
    };
    while (!open.empty()) {
      const BlockId block = open.back();
      open.pop_back();
      if (block == header) continue;
      const std::uint32_t known = outermost(block);
      if (known == index || (known != kNone && loops[known].parent == index)) continue;
      if (known == kNone) {
        of_block[block] = index;
        loop.blocks.push_back(block);
        for (const BlockId before : function.blocks[block].predecessors) open.push_back(before);
      } else {
        loops[known].parent = index;
        loop.is_innermost = false;
        loop.blocks.insert(loop.blocks.end(), loops[known].blocks.begin(), loops[known].blocks.end());
        for (const BlockId before : function.blocks[loops[known].header].predecessors) {
          if (!dominators.dominates(loops[known].header, before)) open.push_back(before);
        }
      }
    }
    of_block[header] = index;
    loops.push_back(std::move(loop));
  }
  for (BlockId b = 0; b < function.blocks.size(); ++b) {
    std::uint32_t depth = 0;
    for (std::uint32_t l = of_block[b]; l != kNone; l = loops[l].parent) ++depth;
    function.blocks[b].depth = static_cast<std::uint8_t>(std::min(depth, 255U));
  }
}

BlockId split_edge(Function& function, BlockId from, std::uint32_t successor) {
  const BlockId to = function.blocks[from].successors[successor];
  const BlockId made = function.add_block(function.blocks[to].word);
  std::uint32_t same = 0;
  for (const BlockId next : function.blocks[from].successors) same += next == to ? 1 : 0;
  Instruction jump;
  jump.op = Opcode::Jump;
  jump.word = function.blocks[to].word;
  jump.frame = function.end_of(from).frame;
  function.append(made, jump);
  function.blocks[made].successors = {to};
  function.blocks[made].predecessors = {from};
  function.blocks[made].is_cold = function.blocks[to].is_cold;
  function.blocks[from].successors[successor] = made;
  std::vector<BlockId>& before = function.blocks[to].predecessors;
  if (same == 1) {
    std::replace(before.begin(), before.end(), from, made);
  } else {
    before.push_back(made);
  }
  for (const Value value : function.blocks[to].code) {
    if (function.at(value).op != Opcode::Phi) break;
    std::vector<Use> list;
    for (const Use& use : function.uses_of(function.at(value))) {
      list.push_back(use);
      if (use.slot != from) continue;
      if (same == 1) {
        list.back().slot = made;
      } else {
        list.push_back({made, use.value});
      }
    }
    function.set_uses(function.at(value), list);
  }
  return made;
}

BlockId preheader(Function& function, const Loop& loop, const Loops& loops, std::uint32_t index, bool& made) {
  made = false;
  std::vector<BlockId> outside;
  for (const BlockId before : function.blocks[loop.header].predecessors) {
    if (before >= loops.of_block.size() || !loops.contains(index, before)) outside.push_back(before);
  }
  if (outside.empty()) return kNone;
  if (outside.size() == 1 && function.blocks[outside[0]].successors.size() == 1) return outside[0];
  made = true;
  const BlockId before = function.add_block(function.blocks[loop.header].word);
  function.blocks[before].predecessors = outside;
  function.blocks[before].successors = {loop.header};
  // Phis of the header take what comes from outside from a phi of the new block.
  std::vector<Value> phis;
  for (const Value value : function.blocks[loop.header].code) {
    if (function.at(value).op != Opcode::Phi) break;
    std::vector<Use> inner, outer;
    for (const Use& use : function.uses_of(function.at(value))) {
      (std::ranges::find(outside, use.slot) == outside.end() ? inner : outer).push_back(use);
    }
    Value from = outer[0].value;
    if (std::ranges::any_of(outer, [&](const Use& use) { return use.value != from; })) {
      Instruction phi = function.at(value);
      phi.use_count = 0;
      phi.block = before;
      function.set_uses(phi, outer);
      from = function.make(phi);
      function.blocks[before].code.push_back(from);
    }
    inner.push_back({before, from});
    function.set_uses(function.at(value), inner);
  }
  Instruction jump;
  jump.op = Opcode::Jump;
  jump.word = function.blocks[loop.header].word;
  jump.frame = function.end_of(outside[0]).frame;
  function.append(before, jump);
  for (const BlockId each : outside) {
    std::ranges::replace(function.blocks[each].successors, loop.header, before);
  }
  std::vector<BlockId>& predecessors = function.blocks[loop.header].predecessors;
  std::erase_if(predecessors, [&](BlockId each) { return std::ranges::find(outside, each) != outside.end(); });
  predecessors.push_back(before);
  return before;
}

bool make_preheaders(Function& function) {
  const Dominators dominators(function);
  const Loops loops(function, dominators);
  bool any = false;
  for (std::uint32_t k = 0; k < loops.loops.size(); ++k) {
    bool made = false;
    preheader(function, loops.loops[k], loops, k, made);
    any |= made;
  }
  return any;
}

BlockId find_preheader(const Function& function, const Loops& loops, std::uint32_t index) {
  BlockId outside = kNone;
  for (const BlockId before : function.blocks[loops.loops[index].header].predecessors) {
    if (loops.contains(index, before)) continue;
    if (outside != kNone) return kNone;
    outside = before;
  }
  return outside != kNone && function.blocks[outside].successors.size() == 1 ? outside : kNone;
}

}  // namespace cairn::jit::ssa
