// A frame that is taken up at a loop's start: what holds of its slots there, and which loops its code has.
#include <algorithm>

#include "jit/ssa/builder.hpp"
#include "jit/ssa/flow.hpp"

namespace cairn::jit::ssa {

using bytecode::Op;

/// The loops around the one that is taken up begin in code of their own: so every loop here has one way in. A loop that
/// is entered at its test and jumps back to its body is taken up at the body, which is then where it begins.
void Builder::find_left() {
  const auto blocks = flow_.blocks();
  is_left_.assign(blocks.size(), 0);
  if (options_.entry_word == 0) return;
  Function graph;
  graph.blocks.resize(blocks.size());
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    graph.blocks[b].successors.assign(blocks[b].next.begin(), blocks[b].next.end());
  }
  find_predecessors(graph);
  const Loops loops(graph, Dominators(graph));
  const BlockId entry = flow_.block_at(options_.entry_word);
  const std::uint32_t own = loops.of_block[entry];
  for (std::uint32_t l = own; l != kNone; l = loops.loops[l].parent) is_left_[loops.loops[l].header] = l == own ? 0 : 1;
}

/// A loop is taken up behind a jump back to it. Where one instruction alone jumps back, what it asked has been found to
/// hold of the slots: passes may know, and it is asked once more, since nothing of the form says so.
void Builder::guard_entry() {
  const jit::Block* latch = nullptr;
  for (const jit::Block& block : flow_.blocks()) {
    if (std::ranges::find(block.next, flow_.block_at(options_.entry_word)) == block.next.end()) continue;
    if (block.begin < options_.entry_word) continue;
    if (latch != nullptr) return;
    latch = &block;
  }
  if (latch == nullptr) return;
  for (std::uint32_t word = latch->begin; word < latch->end; word += bytecode::instruction_words(pc_)) {
    pc_ = source_.code.data() + word;
  }
  const Op op = bytecode::op_of(pc_[0]);
  const Shape& shape = shape_of(op);
  Instruction guard;
  if (op == Op::LoopNext) {
    guard.kind = Kind::U64;
    guard.relation = Relation::Lt;
    guard.a = integer(a());
    guard.b = integer(b());
  } else if (shape.verb == Verb::JumpOn && !is_float(shape.type)) {
    guard = condition(shape);
  } else {
    return;
  }
  guard.op = Opcode::Guard;
  guard.trap = TrapKind::Bounds;
  guard.leaves = true;
  list_.clear();
  live_uses(options_.entry_word);
  f_.set_uses(guard, list_);
  add(guard);
}

/// Slots that hold one number on every way to the loop's start, and which.
void Builder::find_known() {
  using State = std::vector<std::optional<Word>>;
  const auto blocks = flow_.blocks();
  const auto registers = static_cast<std::uint32_t>(source_.registers.size());
  std::vector<std::optional<State>> at_start(blocks.size());
  at_start[0] = State(registers);
  std::vector<std::uint32_t> open{0};
  while (!open.empty()) {
    const std::uint32_t block = open.back();
    open.pop_back();
    State state = *at_start[block];
    for (std::uint32_t word = blocks[block].begin; word < blocks[block].end;) {
      const Word* const code = source_.code.data() + word;
      word += bytecode::instruction_words(code);
      const Op op = bytecode::op_of(code[0]);
      // Of a new Buf the length is known.
      const std::uint32_t to = bytecode::a_of(code[0]) + (op == Op::BufNew ? 1 : 0);
      const std::uint32_t from = bytecode::b_of(code[0]);
      std::optional<Word> number;
      if (op == Op::Const) number = code[1];
      if ((op == Op::Move || op == Op::BufNew) && from < registers) number = state[from];
      each_slot(code, slots_, [&](std::uint32_t slot, bool, bool writes) {
        if (writes && slot < registers) state[slot].reset();
      });
      if (number && to < registers) state[to] = number;
    }
    for (const std::uint32_t next : blocks[block].next) {
      bool changed = !at_start[next];
      if (changed) {
        at_start[next] = state;
      } else {
        for (std::uint32_t slot = 0; slot < registers; ++slot) {
          std::optional<Word>& known = (*at_start[next])[slot];
          if (!known || known == state[slot]) continue;
          known.reset();
          changed = true;
        }
      }
      if (changed) open.push_back(next);
    }
  }
  if (auto& state = at_start[flow_.block_at(options_.entry_word)]) known_ = std::move(*state);
}

}  // namespace cairn::jit::ssa
