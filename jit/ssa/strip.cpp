#include "jit/ssa/strip.hpp"

#include <algorithm>

namespace cairn::jit::ssa {
namespace {

/// Distances between two numbers of the kind are of this one.
Kind distance_of(Kind kind) { return width_of(kind) == 32 ? Kind::U32 : Kind::U64; }

}  // namespace

std::optional<CountedLoop> find_counted(const Function& f, std::span<const BlockId> blocks, BlockId before,
                                        BlockId latch, Prover& prover) {
  const auto is_outside = [&](Value value) { return std::ranges::find(blocks, f.at(value).block) == blocks.end(); };
  CountedLoop loop{before, blocks[0], latch, kNoValue, kNoValue, kNoValue, kNoValue, Kind::None, 0};
  const Instruction& end = f.end_of(latch);
  if (end.op != Opcode::Branch || end.relation != Relation::Lt || end.kind < Kind::U8 || end.kind > Kind::I64) {
    return {};
  }
  if (f.blocks[latch].successors[0] != loop.body || !is_outside(end.b) || is_outside(end.a)) return {};
  loop.next = end.a;
  loop.bound = end.b;
  loop.kind = end.kind;
  const Instruction& step = f.at(loop.next);
  if (step.op != Opcode::Add || step.mode != Mode::Exact || step.kind != end.kind || f.at(step.b).op != Opcode::Const ||
      f.at(step.b).immediate <= 0) {
    return {};
  }
  loop.step = static_cast<std::uint64_t>(f.at(step.b).immediate);
  loop.counter = step.a;
  const Instruction& phi = f.at(loop.counter);
  if (phi.op != Opcode::Phi || phi.block != loop.body || phi.kind != end.kind) return {};
  for (const Use& use : f.uses_of(phi)) {
    if (use.slot == before) loop.start = use.value;
    if (use.slot == latch && use.value != loop.next) return {};
  }
  if (!prover.at_most(loop.start, loop.bound, -1, {before, kNone}, is_signed(loop.kind))) return {};
  return loop;
}

bool leaves_values(const Function& f, std::span<const BlockId> blocks) {
  const auto is_inside = [&](BlockId b) { return std::ranges::find(blocks, b) != blocks.end(); };
  for (BlockId b = 0; b < f.blocks.size(); ++b) {
    if (is_inside(b)) continue;
    for (const Value value : f.blocks[b].code) {
      bool found = false;
      each_operand(f, f.at(value), [&](Value operand) { found = found || is_inside(f.at(operand).block); });
      if (found) return true;
    }
  }
  return false;
}

Strip::Strip(Function& function, const CountedLoop& loop, std::uint32_t turns) : f_(function), loop_(loop) {
  const std::uint32_t word = f_.blocks[loop_.body].word;
  block_ = f_.add_block(word);
  rest_ = f_.add_block(word);
  const Kind distance = distance_of(loop_.kind);
  step_ = number(loop_.step * turns);
  left_ = binary(loop_.before, Opcode::Sub, distance, loop_.bound, loop_.start);
  limit_ = binary(loop_.before, Opcode::Sub, loop_.kind, loop_.bound, step_);
  carry(loop_.counter);
}

Value Strip::put(BlockId block, Instruction i) {
  i.block = block;
  i.word = f_.blocks[loop_.body].word;
  i.frame = f_.end_of(loop_.before).frame;
  const Value value = f_.make(i);
  std::vector<Value>& code = f_.blocks[block].code;
  const bool has_end = !code.empty() && is_end(f_.at(code.back()).op);
  code.insert(code.end() - (has_end ? 1 : 0), value);
  return value;
}

Value Strip::number(std::uint64_t bits) {
  Instruction i;
  i.op = Opcode::Const;
  i.kind = loop_.kind;
  i.immediate = static_cast<std::int64_t>(bits);
  return put(loop_.before, i);
}

Value Strip::binary(BlockId block, Opcode op, Kind kind, Value a, Value b) {
  Instruction i;
  i.op = op;
  i.kind = kind;
  i.a = a;
  i.b = b;
  return put(block, i);
}

void Strip::branch(BlockId block, Relation relation, Kind kind, Value a, Value b, BlockId yes, BlockId no,
                   Likely likely) {
  Instruction i;
  i.op = Opcode::Branch;
  i.kind = kind;
  i.relation = relation;
  i.likely = likely;
  i.a = a;
  i.b = b;
  put(block, i);
  f_.blocks[block].successors = {yes, no};
}

Value Strip::carry(Value phi) {
  Instruction i;
  i.op = Opcode::Phi;
  i.kind = f_.at(phi).kind;
  i.lanes = f_.at(phi).lanes;
  carried_.push_back({phi, put(block_, i), kNoValue});
  return carried_.back().copy;
}

void Strip::behind(Value phi, Value value) { std::ranges::find(carried_, phi, &Carried::phi)->behind = value; }

void Strip::close(bool all, BlockId latch) {
  const Relation more = all ? Relation::Le : Relation::Lt;
  const BlockId before = loop_.before;
  const Value next = binary(latch, Opcode::Add, loop_.kind, carried_[0].copy, step_);
  f_.at(next).mode = Mode::Exact;
  carried_[0].behind = next;
  branch(latch, more, loop_.kind, next, limit_, block_, rest_, Likely::First);
  f_.at(f_.blocks[before].code.back()) = {};
  f_.blocks[before].code.pop_back();
  branch(before, more, distance_of(loop_.kind), step_, left_, block_, rest_, Likely::First);
  f_.blocks[block_].predecessors = {before, latch};
  f_.blocks[rest_].predecessors = {before, latch};
  std::ranges::replace(f_.blocks[loop_.body].predecessors, before, rest_);
  std::ranges::sort(f_.blocks[loop_.body].predecessors);

  // The loop as it was goes on where the strips end.
  Value from = kNoValue;
  for (const Carried& each : carried_) {
    Instruction phi;
    phi.op = Opcode::Phi;
    phi.kind = f_.at(each.phi).kind;
    phi.lanes = f_.at(each.phi).lanes;
    const Value behind = put(rest_, phi);
    for (Use& use : f_.uses_of(f_.at(each.phi))) {
      if (use.slot != before) continue;
      const Use ways[] = {{before, use.value}, {latch, each.behind}};
      use = {rest_, behind};
      f_.set_uses(f_.at(each.copy), ways);
      f_.set_uses(f_.at(behind), ways);
      break;
    }
    if (from == kNoValue) from = behind;
  }
  if (!all) {
    Instruction jump;
    jump.op = Opcode::Jump;
    put(rest_, jump);
    f_.blocks[rest_].successors = {loop_.body};
    return;
  }
  const BlockId done = f_.blocks[loop_.latch].successors[1];
  branch(rest_, Relation::Lt, loop_.kind, from, loop_.bound, loop_.body, done, Likely::Unknown);
  f_.blocks[done].predecessors.push_back(rest_);
  for (const Value value : f_.blocks[done].code) {
    if (f_.at(value).op != Opcode::Phi) break;
    std::vector<Use> list(f_.uses_of(f_.at(value)).begin(), f_.uses_of(f_.at(value)).end());
    list.push_back({rest_, std::ranges::find(list, loop_.latch, &Use::slot)->value});
    f_.set_uses(f_.at(value), list);
  }
}

}  // namespace cairn::jit::ssa
