// Phis that stand for one value, instructions nothing needs, branches to one place, blocks no way leads to, and blocks
// that follow each other alone.
#include "jit/ssa/flow.hpp"
#include "jit/ssa/passes.hpp"
#include "jit/ssa/rewrite.hpp"

namespace cairn::jit::ssa {
namespace {

bool is_one_value(const Function& f, const Forward& forward, Value phi, Value& only) {
  only = kNoValue;
  for (const Use& use : f.uses_of(f.at(phi))) {
    const Value value = forward(use.value);
    if (value == phi || value == only) continue;
    if (only != kNoValue) return false;
    only = value;
  }
  return only != kNoValue;
}

bool remove_phis(Function& f) {
  Forward forward(f);
  bool any = false;
  for (bool changed = true; changed;) {
    changed = false;
    for (const Block& block : f.blocks) {
      for (const Value value : block.code) {
        if (f.at(value).op != Opcode::Phi) break;
        Value only = kNoValue;
        if (forward.is_replaced(value) || !is_one_value(f, forward, value, only)) continue;
        forward.replace(value, only);
        changed = any = true;
      }
    }
  }
  if (any) forward.apply();
  return any;
}

bool remove_unused(Function& f) {
  std::vector<std::uint8_t> needed(f.code.size(), 0);
  std::vector<Value> open;
  const auto need = [&](Value value) {
    if (needed[value] != 0) return;
    needed[value] = 1;
    open.push_back(value);
  };
  for (const Block& block : f.blocks) {
    for (const Value value : block.code) {
      if (has_effect(f.at(value))) need(value);
    }
  }
  while (!open.empty()) {
    const Value value = open.back();
    open.pop_back();
    each_operand(f, f.at(value), [&](Value operand) { need(operand); });
  }
  bool any = false;
  for (Block& block : f.blocks) {
    any |= std::erase_if(block.code, [&](Value value) {
             if (needed[value] != 0) return false;
             f.at(value) = {};
             return true;
           }) != 0;
  }
  return any;
}

/// A branch whose ways lead to one block is a jump.
bool simplify_ends(Function& f) {
  bool any = false;
  for (Block& block : f.blocks) {
    Instruction& end = f.at(block.code.back());
    if (end.op != Opcode::Branch && end.op != Opcode::Switch) continue;
    bool one = true;
    for (const BlockId next : block.successors) one = one && next == block.successors[0];
    if (!one) continue;
    become_jump(end);
    block.successors.resize(1);
    any = true;
  }
  return any;
}

/// A block that alone follows another becomes its end.
bool join_blocks(Function& f) {
  bool any = false;
  for (BlockId b = 1; b < f.blocks.size(); ++b) {
    while (true) {
      Block& block = f.blocks[b];
      if (block.code.empty() || f.at(block.code.back()).op != Opcode::Jump) break;
      const BlockId next = block.successors[0];
      if (next == b || f.blocks[next].predecessors.size() != 1) break;
      Block& following = f.blocks[next];
      if (f.at(following.code.front()).op == Opcode::Phi) break;  // of one value: taken out first
      f.at(block.code.back()) = {};
      block.code.pop_back();
      // What is entered from one block is no loop's start any more.
      std::erase_if(following.code, [&](Value value) { return f.at(value).op == Opcode::Point; });
      for (const Value value : following.code) f.at(value).block = b;
      block.code.insert(block.code.end(), following.code.begin(), following.code.end());
      following.code.clear();
      block.successors = std::move(following.successors);
      following.successors.clear();
      following.predecessors.clear();
      for (const BlockId to : block.successors) {
        for (BlockId& before : f.blocks[to].predecessors) {
          if (before == next) before = b;
        }
        for (const Value value : f.blocks[to].code) {
          if (f.at(value).op != Opcode::Phi) break;
          for (Use& use : f.uses_of(f.at(value))) {
            if (use.slot == next) use.slot = b;
          }
        }
      }
      any = true;
    }
  }
  if (any) remove_unreachable(f);
  return any;
}

}  // namespace

bool clean(Function& function, const Context&) {
  bool any = simplify_ends(function);
  remove_unreachable(function);
  any |= remove_phis(function);
  any |= remove_unused(function);
  any |= join_blocks(function);
  return any;
}

bool remove_points(Function& function, const Context&) {
  bool any = false;
  for (Block& block : function.blocks) {
    any |= std::erase_if(block.code, [&](Value value) { return function.at(value).op == Opcode::Point; }) != 0;
  }
  return any;
}

}  // namespace cairn::jit::ssa
