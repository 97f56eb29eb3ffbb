#include "jit/ssa/backend/emitter.hpp"

#include <algorithm>
#include <functional>

#include "jit/ssa/text.hpp"

namespace cairn::jit::ssa {

Emitter::Emitter(asmjit::CodeHolder& holder, const Function& f, const Target& target, const Nodes& nodes,
                 const Intervals& intervals, const Homes& homes, const Moves& moves, EmitOptions options)
    : a_(&holder),
      f_(f),
      target_(target),
      module_(target.module),
      engine_(target.engine),
      n_(nodes),
      i_(intervals),
      homes_(homes),
      moves_(moves),
      options_(std::move(options)),
      code_entry_(target.engine.functions[f.index]) {
  for (Label* each : {&entry_, &fast_, &leave_, &fail_, &slow_return_, &frame_full_, &stack_full_}) {
    *each = a_.newLabel();
  }
  for (std::size_t b = 0; b < n_.blocks.size(); ++b) labels_.push_back(a_.newLabel());
}

bool Emitter::emit(ResumePoint* points) {
  next_point_ = points;
  for (const Node& node : n_.nodes) {
    if (node.kind != NodeKind::Instruction || node.value == kNoValue) continue;
    const Instruction& i = f_.at(node.value);
    uses_wide_vectors_ = uses_wide_vectors_ || bytes_of(i) > 16;
    if (i.op == Opcode::StackGuard) {
      stack_needed_ = i.immediate;
      stack_word_ = i.word;
    }
  }
  find_early_moves();
  find_forwards();
  find_repeats();
  entries();
  std::vector<std::uint32_t> made;  // blocks that code is made for
  for (std::uint32_t b = 0; b < n_.blocks.size(); ++b) {
    if (b == 0 || forward_[b] == b) made.push_back(b);
  }
  for (std::size_t k = 0; k < made.size(); ++k) {
    const MachineBlock& of = n_.blocks[made[k]];
    if (options_.listed && k > 0 && of.is_cold && !n_.blocks[made[k - 1]].is_cold) a_.comment("; cold");
    if (of.is_loop_start && !of.is_cold) a_.align(asmjit::AlignMode::kCode, 16);
    a_.bind(labels_[made[k]]);
    next_ = k + 1 < made.size() ? made[k + 1] : kNone;
    if (!block(made[k])) return false;
  }
  stubs();
  find_guarded();
  return true;
}

/// A block that only jumps and moves nothing is jumped over, however many of them follow each other: no code is made
/// for it. Of a circle of such blocks the first stands.
void Emitter::find_forwards() {
  const auto count = static_cast<std::uint32_t>(n_.blocks.size());
  std::vector<bool> is_empty(count, false);
  for (std::uint32_t b = 1; b < count; ++b) {
    const MachineBlock& block = n_.blocks[b];
    const bool moves = moves_.ends[b].count != 0 && !(block.block == kNone && early_[block.predecessors[0]] == b);
    bool empty = block.successors.size() == 1 && !moves && moves_.starts[b].count == 0;
    for (std::uint32_t k = block.first; empty && k < block.end; ++k) {
      const Node& node = n_.nodes[k];
      empty = moves_.before[k].count == 0 && moves_.after[k].count == 0 &&
              (node.value == kNoValue || f_.at(node.value).op == Opcode::Jump);
    }
    is_empty[b] = empty;
  }
  forward_.resize(count);
  for (std::uint32_t b = 0; b < count; ++b) {
    std::uint32_t to = b;
    for (std::uint32_t hops = 0; hops < count && is_empty[to]; ++hops) to = n_.blocks[to].successors[0];
    std::uint32_t first = to;
    for (std::uint32_t each = to; is_empty[to];) {
      each = n_.blocks[each].successors[0];
      if (each == to) break;
      first = std::min(first, each);
    }
    forward_[b] = first;
  }
}

void Emitter::find_guarded() {
  for (const Exit& exit : exits_) {
    const Instruction& i = f_.at(n_.nodes[exit.node].value);
    if (exit.kind == Exit::Kind::Trap && i.frame == 0 && !i.leaves) guarded_words_.push_back(i.word);
  }
  std::ranges::sort(guarded_words_);
  guarded_words_.erase(std::ranges::unique(guarded_words_).begin(), guarded_words_.end());
}

/// The moves of a way back to a loop's start are made before the branch that takes it, where nothing else reads what
/// they write: the branch then leads to the loop itself.
void Emitter::find_early_moves() {
  early_.assign(n_.blocks.size(), kNone);
  for (std::uint32_t b = 0; b < n_.blocks.size(); ++b) {
    const MachineBlock& block = n_.blocks[b];
    if (block.successors.size() != 2 || !n_.phi_moves[b].empty()) continue;
    for (const std::uint32_t edge : block.successors) {
      if (n_.blocks[edge].block != kNone || n_.blocks[edge].successors[0] > b) continue;
      if (may_move_early(b, edge)) early_[b] = edge;
    }
  }
}

bool Emitter::may_move_early(std::uint32_t b, std::uint32_t edge) const {
  constexpr std::size_t kMost = 4;
  const MachineBlock& block = n_.blocks[b];
  const auto moves = moves_.of(moves_.ends[edge]);
  if (moves.empty() || moves.size() > kMost || block.successors[0] == block.successors[1]) return false;
  const std::uint32_t other = block.successors[0] == edge ? block.successors[1] : block.successors[0];
  const std::uint32_t last = block.end - 1;
  const Node& branch = n_.nodes[last];
  if (branch.value == kNoValue || f_.at(branch.value).op != Opcode::Branch || !moves_.of(moves_.before[last]).empty()) {
    return false;
  }
  const auto writes = [&](const Location& location) {
    return std::ranges::any_of(moves, [&](const Move& each) { return each.to == location; });
  };
  for (const Input& each : n_.inputs_of(branch)) {
    if (each.needs != Input::Needs::Nothing && writes(location_at(i_, homes_, each.value, gap_of(last) + 1)))
      return false;
  }
  for (std::size_t k = 0; k < i_.set_words; ++k) {
    for (std::uint64_t bits = i_.live_in[other * i_.set_words + k]; bits != 0; bits &= bits - 1) {
      const auto value = static_cast<Value>(k * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
      if (writes(location_at(i_, homes_, value, block.to() - 1))) return false;
      if (writes(homes_.of_value[value])) return false;
    }
  }
  return true;
}

// ------------------------------------------------------------------------------------------------ entering

void Emitter::entries() {
  a_.bind(entry_);
  if (f_.entry_word != 0) {
    a_.bind(fast_);
    if (stack_needed_ != 0) {
      a_.lea(x86::rax, x86::ptr(kBase, static_cast<std::int32_t>(stack_needed_)));
      a_.cmp(x86::rax, kMemory);
      a_.ja(stack_full_);
    }
    return;
  }
  const std::uint32_t parameters = parameter_slots(module_, f_.index);
  for (std::uint32_t k = 0; k < parameters; ++k) {
    const Reg to = argument_register(target_, f_.index, k);
    if (to == kNoReg) continue;
    is_vector(to) ? a_.movsd(x86::xmm(to - kFirstVector), slot(k)) : a_.mov(x86::gpq(to), slot(k));
  }
  a_.align(asmjit::AlignMode::kCode, 16);
  a_.bind(fast_);
  if (code_entry_.memory_bytes != 0) prologue();
  if (stack_needed_ != 0) {
    a_.lea(x86::rax, x86::ptr(kBase, static_cast<std::int32_t>(stack_needed_)));
    a_.cmp(x86::rax, kMemory);
    a_.ja(stack_full_);
  }
}

void Emitter::prologue() {
  const std::uint64_t needed =
      std::uint64_t{code_entry_.frame_bytes} + code_entry_.memory_bytes + code_entry_.memory_align;
  if (needed < (1U << 31)) {
    a_.lea(x86::rax, x86::qword_ptr(kBase, static_cast<std::int32_t>(needed)));
  } else {
    a_.mov(x86::rax, needed);
    a_.add(x86::rax, kBase);
  }
  a_.cmp(x86::rax, kMemory);
  a_.ja(frame_full_);
  if (code_entry_.memory_bytes < (1U << 31)) {
    a_.sub(kMemory, code_entry_.memory_bytes);
  } else {
    a_.mov(x86::rax, code_entry_.memory_bytes);
    a_.sub(kMemory, x86::rax);
  }
  a_.and_(kMemory, -static_cast<std::int64_t>(code_entry_.memory_align));
  zero_frame();
}

/// Arguments are in registers: rax, rcx, rdx and the moves' own vector register are free.
void Emitter::zero_frame() {
  constexpr std::uint32_t kUnrolled = 256;
  const Vec zero = x86::xmm(reg::kScratch - kFirstVector);
  bool is_zero = false;
  for (std::uint32_t k = 0; k < code_entry_.zero_count; ++k) {
    const std::uint32_t offset = code_entry_.zeros[k].offset, bytes = code_entry_.zeros[k].bytes;
    if (bytes > kUnrolled || offset >= (1U << 31) - kUnrolled) {
      a_.mov(x86::rdx, x86::rdi);
      a_.mov(x86::edi, offset);
      a_.add(x86::rdi, kMemory);
      a_.mov(x86::ecx, bytes);
      a_.xor_(x86::eax, x86::eax);
      a_.rep().stosb();
      a_.mov(x86::rdi, x86::rdx);
      continue;
    }
    const auto at = static_cast<std::int32_t>(offset);
    std::uint32_t done = 0;
    const auto place = [&] { return at + static_cast<std::int32_t>(done); };
    if (bytes >= 16 && !is_zero) a_.xorps(zero, zero);
    is_zero = is_zero || bytes >= 16;
    for (; bytes - done >= 16; done += 16) a_.movups(x86::xmmword_ptr(kMemory, place()), zero);
    for (; bytes - done >= 8; done += 8) a_.mov(x86::qword_ptr(kMemory, place()), 0);
    for (; bytes - done >= 4; done += 4) a_.mov(x86::dword_ptr(kMemory, place()), 0);
    for (; bytes - done >= 1; done += 1) a_.mov(x86::byte_ptr(kMemory, place()), 0);
  }
}

void Emitter::arguments_to_frame(std::uint32_t function) {
  const std::uint32_t parameters = parameter_slots(module_, function);
  for (std::uint32_t k = 0; k < parameters; ++k) {
    const Reg from = argument_register(target_, function, k);
    if (from == kNoReg) continue;
    is_vector(from) ? a_.movsd(slot(k), x86::xmm(from - kFirstVector)) : a_.mov(slot(k), x86::gpq(from));
  }
}

// ------------------------------------------------------------------------------------------------ operands

Location Emitter::where(std::uint32_t k) const {
  const Input& each = input(k);
  if (each.needs == Input::Needs::Fixed) return in(each.reg);
  if (each.needs == Input::Needs::Tied) return in(out_reg());
  return location_at(i_, homes_, each.value, gap_of(at_) + (each.late ? 2 : 1));
}

x86::Gp Emitter::gp(std::uint32_t k) const { return x86::gpq(where(k).reg); }
x86::Xmm Emitter::vec(std::uint32_t k) const { return x86::xmm(where(k).reg - kFirstVector); }

Reg Emitter::out_reg() const {
  const Output& each = n_.outputs[node_->first_output];
  if (each.reg != kNoReg) return each.reg;
  return location_at(i_, homes_, each.value, gap_of(at_) + (each.early ? 1 : 2)).reg;
}
bool Emitter::is_needed() const {
  return node_->outputs != 0 && i_.of_value[n_.outputs[node_->first_output].value] != 0;
}

Reg Emitter::temporary(std::uint32_t k) const {
  const std::uint32_t index = node_->first_temporary + k;
  const Temporary& each = n_.temporaries[index];
  return each.reg != kNoReg ? each.reg : i_.all[i_.of_temporary[index]].reg;
}

asmjit::Operand Emitter::operand(std::uint32_t k, std::uint32_t bytes) {
  const Location at = where(k);
  if (at.in_memory()) return memory(at, bytes);
  if (at.is == Location::Is::Number) {  // a float's
    std::uint64_t bits = static_cast<std::uint64_t>(f_.at(input(k).value).immediate);
    if (f_.at(input(k).value).kind == Kind::F32) bits &= 0xffffffffU;
    x86::Mem constant_at = x86::ptr(constant(bits, 0));
    constant_at.setSize(bytes);
    return constant_at;
  }
  if (is_vector(at.reg)) return x86::xmm(at.reg - kFirstVector);
  if (bytes == 8) return x86::gpq(at.reg);
  return x86::gpd(at.reg);
}

void Emitter::clean(std::uint32_t k) {
  if (!is_dirty(k) || is_vector(where(k).reg)) return;
  const Gp reg = gp(k);
  a_.movsxd(reg, reg.r32());
}
x86::Gp Emitter::whole(std::uint32_t k) {
  clean(k);
  return gp(k);
}

/// Puts what has to be in a certain register there.
void Emitter::fixed_inputs() {
  std::vector<Move> list;
  for (std::uint32_t k = 0; k < node_->inputs; ++k) {
    const Input& each = input(k);
    if (each.needs != Input::Needs::Fixed && each.needs != Input::Needs::Tied) continue;
    const Location from = location_at(i_, homes_, each.value, gap_of(at_));
    const Location to = where(k);
    if (from != to) list.push_back({from, to, each.value});
  }
  move_all(list);
}

// ------------------------------------------------------------------------------------------------ nodes

void Emitter::note_frame(std::uint32_t frame) {
  if (frame == noted_frame_) return;
  noted_frame_ = frame;
  code_frames_.push_back({static_cast<std::uint32_t>(a_.offset()), {}});
  for (; frame != 0; frame = f_.frames[frame].parent) code_frames_.back().inlined.push_back(f_.frames[frame].function);
}

bool Emitter::block(std::uint32_t b) {
  block_ = b;
  for (std::uint32_t k = n_.blocks[b].first; is_fine_ && k < n_.blocks[b].end; ++k) is_fine_ = node(k) && is_fine_;
  return is_fine_;
}

bool Emitter::node(std::uint32_t k) {
  at_ = k;
  node_ = &n_.nodes[k];
  const MachineBlock& block = n_.blocks[block_];
  if (options_.listed && node_->value != kNoValue) {
    const Instruction& shown = f_.at(node_->value);
    std::string text = "; v" + std::to_string(node_->value) + " " + std::string(name_of(shown.op));
    for (const Value each : {shown.a, shown.b, shown.c}) {
      if (each != kNoValue) text += " v" + std::to_string(each);
    }
    if (shown.word != 0) text += " @" + std::to_string(shown.word);
    a_.comment(text.c_str());
  }
  if (node_->value != kNoValue) note_frame(f_.at(node_->value).frame);
  if (options_.wants_lines && node_->value != kNoValue) {
    const Instruction& i = f_.at(node_->value);
    const std::uint32_t function = f_.frames[i.frame].function;
    if (lines_.empty() || lines_.back().function != function || lines_.back().word != i.word) {
      lines_.push_back({static_cast<std::uint32_t>(a_.offset()), function, i.word});
    }
  }
  move_all(moves_.of(moves_.before[k]));
  if (k + 1 == block.end) move_all(moves_.of(moves_.ends[block_]));
  if (k + 1 == block.end && early_[block_] != kNone) move_all(moves_.of(moves_.ends[early_[block_]]));
  if (node_->kind == NodeKind::Label) {
    move_all(moves_.of(moves_.starts[block_]));
    move_all(moves_.of(moves_.after[k]));
    return true;
  }
  if (node_->value == kNoValue) {  // the end of an edge's block
    jump(0);
    return true;
  }
  fixed_inputs();
  const Instruction& i = f_.at(node_->value);
  const bool fine = i.lanes > 1 ? vector(i) : [&] {
    switch (i.op) {
      case Opcode::Const:
      case Opcode::Text:
      case Opcode::Slot:
      case Opcode::StackGuard:
      case Opcode::Result:
        return true;
      case Opcode::FrameAddress:
        if (i.immediate < (std::int64_t{1} << 31)) {
          a_.lea(out(), x86::ptr(kMemory, static_cast<std::int32_t>(i.immediate)));
        } else {
          a_.mov(out(), i.immediate);
          a_.add(out(), kMemory);
        }
        return true;
      case Opcode::Compare:
        compare_to_bool(i);
        return true;
      case Opcode::Select:
        select(i);
        return true;
      case Opcode::Convert:
        if (!is_float(i.kind) && !is_float(i.source)) {
          convert_integer(i);
        } else {
          convert_float(i);
        }
        return true;
      case Opcode::Bits:
        bits(i);
        return true;
      case Opcode::Mask:
        lane_mask(i);
        return true;
      case Opcode::Ones:
        a_.popcnt(out(), gp(0));
        return true;
      case Opcode::Lane:
        lane(i);
        return true;
      case Opcode::Address:
        address_of(i);
        return true;
      case Opcode::Load:
        load(i);
        return true;
      case Opcode::Store:
        store(i);
        return true;
      case Opcode::Copy:
      case Opcode::Zero:
        copy(i);
        return true;
      case Opcode::Guard:
      case Opcode::Branch:
        branch(i, i.op == Opcode::Guard);
        return true;
      case Opcode::Poll:
        count(Exit::Kind::Poll);
        return true;
      case Opcode::Call:
      case Opcode::CallValue:
      case Opcode::CallDyn:
        call(i);
        return true;
      case Opcode::Step:
        step(i);
        return true;
      case Opcode::PairFunction:
        pair_function(i);
        return true;
      case Opcode::Limb:
        return true;
      case Opcode::Jump:
        jump(0);
        return true;
      case Opcode::Switch:
        switch_jump();
        return true;
      case Opcode::Return:
        give_back();
        return true;
      case Opcode::Trap:
        a_.jmp(trap(i.trap));
        return true;
      case Opcode::Exit:
        exit(i);
        return true;
      default:
        if (is_float(i.kind)) {
          floating(i);
          return true;
        }
        if (!integer(i)) return false;
        if (i.kind == Kind::I32 && leaves_sign_out(i.op) && n_.is_dirty[node_->value] == 0)
          a_.movsxd(out(), out().r32());
        return true;
    }
  }();
  move_all(moves_.of(moves_.after[k]));
  return fine;
}

}  // namespace cairn::jit::ssa
