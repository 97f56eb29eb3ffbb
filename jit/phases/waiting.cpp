// Groups that wait at a barrier or for the warp, go on there, and leave to the interpreter.
#include <algorithm>

#include "jit/optimizing/flow.hpp"
#include "jit/phases/kernel_code.hpp"

namespace cairn::jit::phases {
namespace {

constexpr std::uint32_t kWarpGroups = 32 / kLanes;

}  // namespace

bool Emitter::needs_home(ValueId id) const {
  return id != kNone && value(id).kind != Class::Constant && value(id).kind != Class::Frame &&
         value(id).kind != Class::Unknown;
}

std::uint32_t Emitter::group_home(ValueId id) {
  if (is_thread(id)) return kThreadAt;
  const auto [at, is_new] = group_homes_.try_emplace(id, 0);
  if (is_new) {
    // Vectors lie on boundaries of their size.
    const std::uint32_t size = !value(id).in_vector() ? 8 : value(id).type == Type::F32 ? 32 : 64;
    layout.group_bytes = (layout.group_bytes + size - 1) / size * size;
    at->second = layout.group_bytes;
    layout.group_bytes += size;
  }
  return at->second;
}

/// Of two words: of where groups stood last, and of where they come to.
std::uint32_t Emitter::block_home(ValueId id) {
  const auto [at, is_new] = block_homes_.try_emplace(id, layout.block_bytes);
  if (is_new) layout.block_bytes += 16;
  return at->second;
}

std::uint32_t Emitter::spill_home(ValueId id) {
  const auto [at, is_new] = spill_homes_.try_emplace(id, layout.spill_bytes);
  if (is_new) layout.spill_bytes += 64;
  return at->second;
}

void Emitter::save(ValueId id, const x86::Mem& to) {
  if (value(id).in_vector()) {
    cc_.vmovups(to, vec(id));
  } else {
    cc_.mov(to, gp(id));
  }
}

/// Where each live slot's value will be: of a group that waits, or of the one that leaves.
std::vector<KernelValue> Emitter::places(const std::vector<ValueId>& state, const std::vector<std::uint64_t>& live,
                                         bool waits) {
  std::vector<KernelValue> all;
  for (std::uint32_t slot = 0; slot < graph_.slots; ++slot) {
    const ValueId id = state[slot];
    if (!contains(live, slot) || id == kNone) continue;
    const Value& v = value(id);
    KernelValue place;
    place.slot = slot;
    for (const Object& each : graph_.objects) {
      if (!each.is_slots || slot < each.first_slot || slot >= each.first_slot + each.bytes / each.element) continue;
      place.slot = each.offset + (slot - each.first_slot) * each.element;
      place.memory_bytes = each.element;
    }
    using Form = KernelValue::Form;
    place.number = v.number;
    if (v.kind == Class::Constant || v.kind == Class::Unknown) {
      place.form = Form::Constant;
    } else if (v.kind == Class::Frame) {
      place.form = Form::Frame;
    } else {
      place.form = v.in_vector()             ? (v.type == Type::F32 ? Form::Floats : Form::Words)
                   : v.kind == Class::Linear ? Form::Linear
                                             : Form::Word;
      using Where = KernelValue::Where;
      place.where = !waits || invariant_[id] ? Where::Spilled : is_of_block(id) ? Where::Block : Where::Group;
      place.at = place.where == Where::Spilled ? spill_home(id)
                 : place.where == Where::Block ? block_home(id)
                                               : group_home(id);
    }
    all.push_back(place);
  }
  return all;
}

void Emitter::wait(NodeId k, const Instruction& last) {
  std::uint32_t number = 0;
  while (resumes_[number].first != k) ++number;
  std::vector<std::uint64_t> kept = *live_;
  for (std::size_t w = 0; w < kept.size(); ++w) kept[w] |= graph_.live_out(k)[w];
  const bool is_warp = last.op != Op::Barrier;
  if (is_warp) {
    const std::uint32_t result = bytecode::a_of(last.code[0]);
    if (!contains(*live_, result)) kept[result / 64] &= ~(std::uint64_t{1} << result % 64);
  }
  layout.waits[number] = {last.word, places(state_, kept, true)};
  std::vector<bool> done(graph_.values.size());
  std::vector<ValueId> of_block;
  for (std::uint32_t slot = 0; slot < graph_.slots; ++slot) {
    const ValueId id = state_[slot];
    if (!contains(kept, slot) || !needs_home(id) || invariant_[id] || is_thread(id) || done[id]) continue;
    done[id] = true;
    if (is_of_block(id)) {
      of_block.push_back(id);
      const Gp words = fresh_gp();
      cc_.mov(words, BLOCK_FIELD(words));
      save(id, x86::ptr(words, static_cast<std::int32_t>(block_home(id) + 8)));
    } else {
      save(id, x86::ptr(frame_, static_cast<std::int32_t>(group_home(id))));
    }
  }
  if (layout.is_phased) {
    arrive(static_cast<std::int32_t>(number + 1));
    cc_.jmp(advance_);
    cc_.bind(renewals_[number]);
    for (const ValueId id : of_block) {
      const Gp words = fresh_gp(), word = fresh_gp();
      const auto at = static_cast<std::int32_t>(block_home(id));
      cc_.mov(words, BLOCK_FIELD(words));
      cc_.mov(word, x86::qword_ptr(words, at + 8));
      cc_.mov(x86::qword_ptr(words, at), word);
    }
    return resume(k, number);
  }
  cc_.mov(x86::qword_ptr(frame_), number + 1);
  if (!is_warp) {
    cc_.jmp(advance_);
    return resume(k, number);
  }
  // What the group brings: a word a thread.
  const auto bring = [&](ValueId id, const x86::Mem& field) {
    const Gp to = fresh_gp(), from = fresh_gp();
    cc_.mov(to, field);
    cc_.mov(from, group_);
    cc_.shl(from, 6);
    const x86::Mem at = x86::ptr(to, from);
    if (value(id).type == Type::F32) {
      const Vec wide = cc_.newZmm();
      cc_.vpmovzxdq(wide, vec(id));
      cc_.vmovdqu64(at, wide);
    } else {
      cc_.vmovdqu64(at, vec(id));
    }
  };
  bring(last.use[1], BLOCK_FIELD(given));
  if (last.op >= Op::WarpShuffle && last.op <= Op::WarpShuffleUp) bring(last.use[2], BLOCK_FIELD(given2));
  const Gp own = fresh_gp();
  cc_.mov(own, group_);
  cc_.and_(own, kWarpGroups - 1);
  cc_.cmp(own, kWarpGroups - 1);
  cc_.jne(advance_);
  const Gp first = fresh_gp(), point = fresh_gp(), fine = fresh_gp(), address = fresh_gp();
  cc_.lea(first, x86::ptr(group_, -static_cast<std::int32_t>(kWarpGroups - 1)));
  cc_.shl(first, 3);
  cc_.mov(point, number);
  cc_.mov(address, reinterpret_cast<std::uint64_t>(exchange_));
  asmjit::InvokeNode* call = nullptr;
  cc_.invoke(&call, address, asmjit::FuncSignatureT<std::uint64_t, void*, std::uint64_t, std::uint64_t>());
  call->setArg(0, block_);
  call->setArg(1, first);
  call->setArg(2, point);
  call->setRet(0, fine);
  cc_.test(fine, fine);
  cc_.jz(trapped_);
  const Gp back = fresh_gp();
  cc_.mov(back, BLOCK_FIELD(group_bytes));
  cc_.lea(back, x86::ptr(back, back, 1));
  cc_.sub(frame_, back);
  cc_.sub(group_, kWarpGroups - 1);
  cc_.jmp(enter_);
  resume(k, number);
}

/// The group has come to a point, where all must come that were before it in this phase.
void Emitter::arrive(std::int32_t state) {
  const Label same = cc_.newLabel();
  cc_.cmp(BLOCK_FIELD(next), state);
  cc_.je(same);
  cc_.cmp(BLOCK_FIELD(next), 0);
  cc_.jne(leave());
  cc_.mov(BLOCK_FIELD(next), state);
  cc_.bind(same);
}

/// A group goes on behind the point where it waited.
void Emitter::resume(NodeId k, std::uint32_t number) {
  const Node& node = graph_.nodes[k];
  const Instruction& last = node.code.back();
  node_ = k;
  has_mask_ = false;
  vectors_.clear();
  made_.clear();
  cc_.bind(resumes_[number].second);
  std::vector<bool> done(graph_.values.size());
  if (last.op != Op::Barrier && last.def != kNone) {
    const Gp from = fresh_gp(), at = fresh_gp();
    cc_.mov(from, BLOCK_FIELD(results));
    cc_.mov(at, group_);
    cc_.shl(at, 6);
    const x86::Mem results = x86::ptr(from, at);
    done[last.def] = true;
    if (!value(last.def).in_vector()) {
      const Gp made = fresh_gp();
      cc_.mov(made, results);
      define(last.def, made);
    } else {
      const Vec made = fresh_vec(value(last.def).type);
      if (value(last.def).type == Type::F32) {
        const Vec wide = cc_.newZmm();
        cc_.vmovdqu64(wide, results);
        cc_.vpmovqd(made, wide);
      } else {
        cc_.vmovdqu64(made, results);
      }
      define(last.def, made);
    }
  }
  for (std::uint32_t slot = 0; slot < graph_.slots; ++slot) {
    const ValueId id = node.out[slot];
    if (!contains(graph_.live_out(k), slot) || !needs_home(id) || invariant_[id] || done[id]) continue;
    done[id] = true;
    x86::Mem from;
    if (is_of_block(id)) {
      const Gp words = fresh_gp();
      cc_.mov(words, BLOCK_FIELD(words));
      from = x86::ptr(words, static_cast<std::int32_t>(block_home(id)));
    } else {
      from = x86::ptr(frame_, static_cast<std::int32_t>(group_home(id)));
    }
    Home& home = homes_[id];
    if (value(id).in_vector()) {
      if (!home.vec.isValid()) home.vec = fresh_vec(value(id).type);
      cc_.vmovups(home.vec, from);
    } else {
      if (!home.gp.isValid()) home.gp = fresh_gp();
      cc_.mov(home.gp, from);
    }
  }
  std::vector<Move> moves;
  add_moves(k, node.next[0], moves, nullptr);
  make_moves(moves);
  if (node.next[0] != k + 1) cc_.jmp(labels_[node.next[0]]);
}

/// The way out before the instruction being translated, for the threads that are here.
Emitter::Label Emitter::leave() {
  if (has_leave_) return leave_;
  has_leave_ = true;
  leave_ = cc_.newLabel();
  Cold cold;
  cold.label = leave_;
  cold.site = static_cast<std::uint32_t>(layout.leaves.size());
  cold.masked = has_mask_;
  cold.mask = mask_;
  KernelLeave left;
  left.here = {at_->word, places(state_, *live_, false)};
  std::vector<bool> kept(graph_.values.size());
  const auto keep = [&](const std::vector<ValueId>& state, const std::vector<std::uint64_t>& live) {
    for (std::uint32_t slot = 0; slot < graph_.slots; ++slot) {
      if (contains(live, slot) && needs_home(state[slot])) kept[state[slot]] = true;
    }
  };
  keep(state_, *live_);
  if (has_mask_) {
    for (const NodeId each : graph_.nodes[node_].waiting) {
      const Node& node = graph_.nodes[each];
      left.waiting.push_back({each, {node.word, places(node.in, graph_.live_in(each), false)}});
      keep(node.in, graph_.live_in(each));
    }
  }
  for (ValueId id = 0; id < kept.size(); ++id) {
    if (kept[id] || (invariant_[id] && needs_home(id))) cold.saved.push_back(id);
  }
  layout.leaves.push_back(std::move(left));
  colds_.push_back(std::move(cold));
  return leave_;
}

/// Stores values where the points say that they are.
void Emitter::spill(const std::vector<ValueId>& ids) {
  const Gp spilled = cc_.newIntPtr();
  cc_.mov(spilled, BLOCK_FIELD(spilled));
  for (const ValueId id : ids) save(id, x86::ptr(spilled, static_cast<std::int32_t>(spill_home(id))));
}

/// All groups wait somewhere: what is theirs lies in their frames, what they share is in registers.
void Emitter::exchange_trapped() {
  cc_.bind(trapped_);
  std::vector<ValueId> shared;
  for (ValueId id = 0; id < graph_.values.size(); ++id) {
    if (invariant_[id] && needs_home(id)) shared.push_back(id);
  }
  spill(shared);
  const Gp status = fresh_gp();
  cc_.mov(status, -1);
  cc_.ret(status);
}

void Emitter::cold_ends() {
  const Label out = cc_.newLabel();
  const Gp status = fresh_gp();
  for (const Cold& cold : colds_) {
    cc_.bind(cold.label);
    spill(cold.saved);
    if (cold.masked) {
      const Gp mask = fresh_gp();
      cc_.kmovw(mask.r32(), cold.mask);
      cc_.mov(BLOCK_FIELD(mask), mask);
    } else {
      cc_.mov(BLOCK_FIELD(mask), 0xff);
    }
    cc_.mov(status, cold.site + 1);
    cc_.jmp(out);
  }
  cc_.bind(out);
  if (layout.is_phased) {
    cc_.mov(group_, x86::qword_ptr(frame_, kThreadAt));
    cc_.shr(group_, 3);
  }
  cc_.mov(BLOCK_FIELD(group), group_);
  cc_.ret(status);
}

}  // namespace cairn::jit::phases
