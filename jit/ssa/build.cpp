#include "jit/ssa/build.hpp"

#include <algorithm>

#include "jit/ssa/builder.hpp"
#include "jit/ssa/flow.hpp"

namespace cairn::jit::ssa {

using bytecode::FunctionKind;
using bytecode::Op;
using bytecode::RegisterKind;

namespace {

constexpr std::size_t kMostVariables = std::size_t{1} << 24;

/// Which of a machine's register files a value lies in: values of one may stand for each other.
std::size_t file_of(Kind kind) { return kind == Kind::F32 ? 1 : kind == Kind::F64 ? 2 : 0; }

}  // namespace

Builder::Builder(const bytecode::Module& module, std::uint32_t function, const BuildOptions& options)
    : module_(module),
      source_(module.functions[function]),
      options_(options),
      flow_(source_, &module),
      slots_(source_.slots),
      tells_lane_(source_.kind == FunctionKind::Lane || source_.kind == FunctionKind::DeviceLane ||
                  source_.kind == FunctionKind::Kernel) {
  f_.index = function;
  f_.entry_word = options.entry_word;
  f_.frames.push_back({function, 0, 0, 0});
}

void Builder::order_blocks() {
  const auto blocks = flow_.blocks();
  block_of_.assign(blocks.size(), kNone);
  std::vector<std::pair<std::uint32_t, std::size_t>> open{{flow_.block_at(options_.entry_word), 0}};
  std::vector<std::uint8_t> seen(blocks.size(), 0);
  seen[open[0].first] = 1;
  while (!open.empty()) {
    auto& [block, next] = open.back();
    if (is_left_[block] != 0 || next == blocks[block].next.size()) {
      flow_order_.push_back(block);
      open.pop_back();
      continue;
    }
    // What control falls into is visited last, so that it stands directly behind.
    const std::uint32_t to = blocks[block].next[blocks[block].next.size() - 1 - next++];
    if (seen[to] != 0) continue;
    seen[to] = 1;
    open.emplace_back(to, 0);
  }
  std::ranges::reverse(flow_order_);
  f_.add_block(options_.entry_word);
  for (const std::uint32_t block : flow_order_) block_of_[block] = f_.add_block(blocks[block].begin);
  const auto edge = [&](BlockId from, BlockId to) {
    std::vector<BlockId>& before = f_.blocks[to].predecessors;
    if (std::ranges::find(before, from) == before.end()) before.push_back(from);
  };
  edge(0, block_of_[flow_order_[0]]);
  for (const std::uint32_t block : flow_order_) {
    if (is_left_[block] != 0) continue;
    for (const std::uint32_t next : blocks[block].next) edge(block_of_[block], block_of_[next]);
  }
  for (Block& block : f_.blocks) {
    std::ranges::sort(block.predecessors);
    open_.push_back(static_cast<std::uint32_t>(block.predecessors.size()));
  }
}

bool Builder::run() {
  for (std::uint32_t word = 0; word < source_.code.size();) {
    const Op op = bytecode::op_of(source_.code[word]);
    if (op == Op::Barrier || op == Op::PipelineWait || (op >= Op::WarpShuffle && op <= Op::WarpReduce)) return false;
    word += bytecode::instruction_words(source_.code.data() + word);
  }
  find_left();
  order_blocks();
  if (std::size_t{slots_} * f_.blocks.size() > kMostVariables) return false;
  variables_.assign(std::size_t{slots_} * f_.blocks.size(), kNoValue);
  incomplete_.resize(f_.blocks.size());
  const auto filled = [&](BlockId from, std::span<const BlockId> successors) {
    for (std::size_t k = 0; k < successors.size(); ++k) {
      const auto seen = successors.first(k);
      if (std::ranges::find(seen, successors[k]) == seen.end() && --open_[successors[k]] == 0) seal(successors[k]);
    }
    f_.blocks[from].successors.assign(successors.begin(), successors.end());
  };
  at_ = options_.entry_word;
  if (at_ != 0) {
    find_known();
    guard_entry();
  }
  const BlockId first = block_of_[flow_order_[0]];
  filled(0, {&first, 1});
  for (const std::uint32_t block : flow_order_) {
    this->block(block);
    if (failed_) return false;
    const std::vector<BlockId> successors = std::move(f_.blocks[at_block_].successors);
    filled(at_block_, successors);
  }
  finish();
  return !failed_;
}

// ------------------------------------------------------------------------------------------- variables

Kind Builder::kind_of(std::uint32_t slot) const {
  if (slot >= source_.registers.size()) return Kind::U64;
  const RegisterKind kind = source_.registers[slot].type.kind;
  // The kinds of registers and of values have the same order.
  return kind >= RegisterKind::Bool && kind <= RegisterKind::F64
             ? static_cast<Kind>(static_cast<int>(kind) - static_cast<int>(RegisterKind::Bool) +
                                 static_cast<int>(Kind::Bool))
             : Kind::U64;
}

Value Builder::undefined(Kind kind) {
  Value& known = undefined_[file_of(kind)];
  if (known == kNoValue) {
    Instruction i;
    i.op = Opcode::Const;
    i.kind = is_float(kind) ? kind : Kind::U64;
    known = f_.append(0, i);
  }
  return known;
}

Value Builder::resolve(Value value) {
  while (value < forward_.size() && forward_[value] != kNoValue) {
    const Value next = forward_[value];
    if (next < forward_.size() && forward_[next] != kNoValue) forward_[value] = forward_[next];
    value = next;
  }
  return value;
}

void Builder::define(std::uint32_t slot, Value value) {
  if (slot < source_.registers.size()) {
    const Kind kind = kind_of(slot);
    if (is_float(kind) || is_float(f_.at(value).kind)) value = as(kind, value);
  }
  variable(slot, at_block_) = value;
}

Value Builder::new_phi(std::uint32_t slot, BlockId block) {
  Instruction phi;
  phi.op = Opcode::Phi;
  phi.kind = kind_of(slot);
  phi.block = block;
  phi.word = f_.blocks[block].word;
  const Value value = f_.make(phi);
  std::vector<Value>& code = f_.blocks[block].code;
  std::size_t at = 0;
  while (at < code.size() && f_.at(code[at]).op == Opcode::Phi) ++at;
  code.insert(code.begin() + static_cast<std::ptrdiff_t>(at), value);
  variable(slot, block) = value;
  return value;
}

Value Builder::read_in(std::uint32_t slot, BlockId block) {
  // Up through blocks with one way in, then down again with what was found.
  BlockId at = block;
  Value value = kNoValue;
  bool fill = false;
  while (true) {
    value = variable(slot, at);
    if (value != kNoValue) break;
    if (at == 0) {
      const bool is_there = options_.entry_word != 0 || slot < module_.signatures[source_.signature].parameter_slots() +
                                                                   (source_.environment != kNone ? 1U : 0U);
      if (is_there) {
        Instruction i;
        const bool is_known = slot < known_.size() && known_[slot];
        i.op = is_known ? Opcode::Const : Opcode::Slot;
        i.kind = kind_of(slot);
        i.immediate = is_known ? static_cast<std::int64_t>(*known_[slot]) : slot;
        value = f_.append(0, i);
      } else {
        value = undefined(kind_of(slot));
      }
      variable(slot, 0) = value;
      break;
    }
    if (open_[at] != 0) {
      value = new_phi(slot, at);
      incomplete_[at].push_back({slot, value});
      break;
    }
    if (f_.blocks[at].predecessors.size() == 1) {
      at = f_.blocks[at].predecessors[0];
      continue;
    }
    value = new_phi(slot, at);
    pending_.push_back({slot, value});
    fill = !filling_;
    break;
  }
  for (BlockId each = block; each != at; each = f_.blocks[each].predecessors[0]) variable(slot, each) = value;
  if (fill) fill_pending();
  return value;
}

void Builder::fill_pending() {
  filling_ = true;
  while (!pending_.empty()) {
    const Use next = pending_.back();
    pending_.pop_back();
    fill_phi(next.value, next.slot);
  }
  filling_ = false;
}

void Builder::fill_phi(Value phi, std::uint32_t slot) {
  std::vector<Use> list;
  for (const BlockId before : f_.blocks[f_.at(phi).block].predecessors) list.push_back({before, read_in(slot, before)});
  f_.set_uses(f_.at(phi), list);
}

void Builder::seal(BlockId block) {
  for (const Use& each : incomplete_[block]) pending_.push_back(each);
  incomplete_[block].clear();
  if (!filling_) fill_pending();
}

void Builder::finish() {
  Instruction jump;
  jump.op = Opcode::Jump;
  jump.word = options_.entry_word;
  if (options_.counts) poll_back_edges();
  f_.append(0, jump);

  // Phis that are none: of one value and themselves.
  forward_.assign(f_.code.size(), kNoValue);
  std::vector<Value> phis;
  for (const Block& block : f_.blocks) {
    for (const Value value : block.code) {
      if (f_.at(value).op != Opcode::Phi) break;
      phis.push_back(value);
    }
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (const Value phi : phis) {
      if (forward_[phi] != kNoValue) continue;
      Value only = kNoValue;
      bool several = false;
      for (const Use& use : f_.uses_of(f_.at(phi))) {
        const Value value = resolve(use.value);
        if (value == phi || value == only) continue;
        several = several || only != kNoValue;
        only = value;
      }
      if (several || only == kNoValue) continue;
      forward_[phi] = only;
      changed = true;
    }
  }
  // Kinds of phis of outgoing slots follow what they take.
  for (bool changed = true; changed;) {
    changed = false;
    for (const Value phi : phis) {
      Instruction& i = f_.at(phi);
      if (forward_[phi] != kNoValue || is_float(i.kind)) continue;
      for (const Use& use : f_.uses_of(i)) {
        const Kind kind = f_.at(resolve(use.value)).kind;
        if (!is_float(kind)) continue;
        i.kind = kind;
        changed = true;
        break;
      }
    }
  }
  for (Block& block : f_.blocks) {
    std::erase_if(block.code, [&](Value value) { return forward_[value] != kNoValue; });
    for (const Value value : block.code) {
      Instruction& i = f_.at(value);
      each_operand(f_, i, [&](Value& operand) { operand = resolve(operand); });
      if (i.op == Opcode::Phi) {
        for (Use& use : f_.uses_of(i)) {
          if (file_of(f_.at(use.value).kind) == file_of(i.kind)) continue;
          if (is_undefined(use.value)) {
            missing_.push_back(value);
          } else {
            failed_ = true;
          }
        }
      }
      if (i.op == Opcode::Point || i.op == Opcode::Poll || i.op == Opcode::Exit) {
        // A slot that holds nothing, or did not where its loop was entered, is not read on any way.
        const auto list = f_.uses_of(i);
        std::uint32_t kept = 0;
        for (const Use& use : list) {
          const bool outgoing = use.slot >= source_.registers.size();
          if (is_undefined(use.value) || (outgoing && is_part_undefined(use.value))) continue;
          list[kept++] = use;
        }
        i.use_count = kept;
      }
    }
  }
  for (const Value phi : missing_) {
    const Kind kind = f_.at(phi).kind;
    const Value none = undefined_before_end(kind);
    for (Use& use : f_.uses_of(f_.at(phi))) {
      if (is_undefined(use.value)) use.value = none;
    }
  }
  for (Value value = 0; value < forward_.size(); ++value) {
    if (forward_[value] != kNoValue) f_.at(value) = {};
  }
}

Value Builder::undefined_before_end(Kind kind) {
  if (undefined_[file_of(kind)] != kNoValue) return undefined_[file_of(kind)];
  const Value value = undefined(kind);
  std::vector<Value>& code = f_.blocks[0].code;
  std::swap(code[code.size() - 1], code[code.size() - 2]);
  return value;
}

bool Builder::is_undefined(Value value) const { return std::ranges::find(undefined_, value) != std::end(undefined_); }

bool Builder::is_part_undefined(Value value) {
  const Instruction& i = f_.at(value);
  if (i.op != Opcode::Phi) return false;
  return std::ranges::any_of(f_.uses_of(i), [&](const Use& use) { return is_undefined(resolve(use.value)); });
}

/// Fuel is counted where control goes back, before the loop's start.
void Builder::poll_back_edges() {
  const auto blocks = static_cast<BlockId>(f_.blocks.size());
  std::vector<std::pair<BlockId, std::uint32_t>> edges;
  for (BlockId b = 1; b < blocks; ++b) {
    for (std::uint32_t k = 0; k < f_.blocks[b].successors.size(); ++k) {
      const std::uint32_t to = f_.blocks[f_.blocks[b].successors[k]].word;
      const Instruction& end = f_.end_of(b);
      const bool falls = end.op == Opcode::Switch && k + 1 == f_.blocks[b].successors.size();
      if (to <= end.word && !falls) edges.emplace_back(b, k);
    }
  }
  // All is read before any edge is split: the blocks on edges have no variables.
  std::vector<std::vector<Use>> lists;
  for (const auto& [from, successor] : edges) {
    at_block_ = from;
    list_.clear();
    live_uses(f_.blocks[f_.blocks[from].successors[successor]].word);
    lists.push_back(list_);
  }
  for (std::size_t k = 0; k < edges.size(); ++k) {
    const auto [from, successor] = edges[k];
    Instruction poll;
    poll.op = Opcode::Poll;
    poll.word = f_.end_of(from).word;
    poll.immediate = f_.blocks[f_.blocks[from].successors[successor]].word;
    poll.block = split_edge(f_, from, successor);
    f_.set_uses(poll, lists[k]);
    std::vector<Value>& code = f_.blocks[poll.block].code;
    code.insert(code.begin(), f_.make(poll));
  }
}

// ------------------------------------------------------------------------------------------- making instructions

Value Builder::add(Instruction instruction) {
  instruction.word = at_;
  return f_.append(at_block_, instruction);
}

Value Builder::constant(Kind kind, std::uint64_t bits) {
  Instruction i;
  i.op = Opcode::Const;
  i.kind = kind;
  i.immediate = static_cast<std::int64_t>(bits);
  return add(i);
}

/// The value in the register file of the kind: its bits are the same.
Value Builder::as(Kind kind, Value value) {
  const Kind has = f_.at(value).kind;
  if (file_of(has) == file_of(kind)) return value;
  if (is_float(has) && is_float(kind)) {
    failed_ = true;
    return value;
  }
  Instruction i;
  i.op = Opcode::Bits;
  const Kind number = is_float(kind) ? kind : has;
  const Kind bits = number == Kind::F32 ? Kind::U32 : Kind::U64;
  i.kind = is_float(kind) ? kind : bits;
  i.source = is_float(kind) ? bits : has;
  i.a = value;
  return add(i);
}

/// An operation that traps unless it is known not to.
Value Builder::add_checked(Instruction instruction) {
  if (std::ranges::binary_search(source_.proved, at_)) {
    instruction.mode = Mode::Exact;
  } else {
    instruction.mode = Mode::Checked;
    told_uses();
    f_.set_uses(instruction, list_);
  }
  return add(instruction);
}

Value Builder::binary(Opcode op, Kind kind, Value a, Value b, Mode mode) {
  Instruction i;
  i.op = op;
  i.kind = kind;
  i.a = a;
  i.b = b;
  return mode == Mode::Checked ? add_checked(i) : (i.mode = mode, add(i));
}

Value Builder::frame_address(std::uint64_t offset, std::int64_t& rest) {
  const std::uint64_t object = frame_object(source_, offset);
  rest = static_cast<std::int64_t>(offset - object);
  Instruction i;
  i.op = Opcode::FrameAddress;
  i.kind = Kind::U64;
  i.immediate = static_cast<std::int64_t>(object);
  return add(i);
}

void Builder::guard(TrapKind trap, Relation relation, Value a, Value b) {
  if (std::ranges::binary_search(source_.proved, at_)) return;
  Instruction i;
  i.op = Opcode::Guard;
  i.kind = Kind::U64;
  i.relation = relation;
  i.trap = trap;
  i.a = a;
  i.b = b;
  told_uses();
  f_.set_uses(i, list_);
  add(i);
}

void Builder::told_uses() {
  list_.clear();
  each_slot(pc_, 0, [&](std::uint32_t slot, bool reads, bool) {
    if (reads && std::ranges::find(list_, slot, &Use::slot) == list_.end()) list_.push_back({slot, read(slot)});
  });
  lane_uses();
}

void Builder::lane_uses() {
  if (!tells_lane_) return;
  for (std::uint32_t slot = 0; slot < 2; ++slot) {
    if (std::ranges::find(list_, slot, &Use::slot) == list_.end()) list_.push_back({slot, read(slot)});
  }
}

void Builder::live_uses(std::uint32_t word) {
  const auto live = flow_.live_at(word);
  for (std::uint32_t slot = 0; slot < slots_; ++slot) {
    if (contains(live, slot)) list_.push_back({slot, read(slot)});
  }
}

std::optional<Function> build(const bytecode::Module& module, std::uint32_t function, const BuildOptions& options) {
  Builder builder(module, function, options);
  if (!builder.run()) return std::nullopt;
  return builder.take();
}

}  // namespace cairn::jit::ssa
