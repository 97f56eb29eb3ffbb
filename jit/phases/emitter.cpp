// The frame of a kernel's code: groups in turn, going apart and together; and its values.
#include <algorithm>

#include "jit/optimizing/flow.hpp"
#include "jit/phases/kernel_code.hpp"

namespace cairn::jit::phases {
namespace {

constexpr std::size_t kMostSteps = 4;   // nodes looked at on the way to a barrier
constexpr std::int32_t kReturned = -1;  // of a group's first word: it has ended

std::uint32_t rounded(std::uint32_t bytes) { return (bytes + 63) / 64 * 64; }

}  // namespace

Emitter::Emitter(asmjit::CodeHolder& holder, const Graph& graph, const bytecode::Function& function,
                 KernelExchange exchange)
    : cc_(&holder), graph_(graph), function_(function), exchange_(exchange) {
  homes_.resize(graph.values.size());
  invariant_.resize(graph.values.size());
  layout.memory_at = 64;
  std::uint32_t memory = 0;
  for (const Object& each : graph.objects) {
    memory = std::max(memory, each.offset + each.bytes);
    if (!each.is_slots) layout.objects.push_back({each.offset, each.bytes, each.element});
  }
  layout.group_bytes = layout.memory_at + (layout.objects.empty() ? 0 : kLanes * memory);
  layout.masks = static_cast<std::uint32_t>(graph.nodes.size());
}

bool Emitter::emit() {
  asmjit::FuncNode* const function = cc_.addFunc(asmjit::FuncSignatureT<std::uint64_t, void*>());
  function->frame().setAvxEnabled();
  function->frame().setAvx512Enabled();
  function->frame().setAvxCleanup();
  block_ = cc_.newIntPtr("block");
  frame_ = cc_.newIntPtr("frame");
  group_ = cc_.newInt64("group");
  masks_ = cc_.newIntPtr("masks");
  function->setArg(0, block_);
  find_invariants();
  for (const Node& node : graph_.nodes) {
    labels_.push_back(cc_.newLabel());
    masked_labels_.push_back(node.divergent ? cc_.newLabel() : labels_.back());
  }
  advance_ = cc_.newLabel();
  again_ = cc_.newLabel();
  trapped_ = cc_.newLabel();
  for (NodeId k = 0; k < graph_.nodes.size(); ++k) {
    if (graph_.nodes[k].ends_in_sync) resumes_.emplace_back(k, cc_.newLabel());
  }
  layout.waits.resize(resumes_.size());
  layout.is_phased = !graph_.is_lane() && std::ranges::all_of(resumes_, [&](const auto& each) {
    return graph_.nodes[each.first].code.back().op == Op::Barrier;
  });
  graph_.is_lane() ? lane_prologue() : layout.is_phased ? phased_prologue() : prologue();
  for (NodeId k = 0; k < graph_.nodes.size() && !failed_; ++k) node(k, false);
  for (NodeId k = 0; k < graph_.nodes.size() && !failed_; ++k) {
    if (graph_.nodes[k].divergent) node(k, true);
  }
  if (failed_) return false;
  if (!graph_.is_lane() && !layout.is_phased) exchange_trapped();
  cold_ends();
  cc_.endFunc();
  layout.group_bytes = rounded(layout.group_bytes);
  layout.spill_bytes = rounded(layout.spill_bytes);
  return !failed_ && cc_.finalize() == asmjit::kErrorOk;
}

/// Values every group makes alike, once, before the first time it waits: they are kept in registers.
void Emitter::find_invariants() {
  for (ValueId id = 0; id < graph_.values.size() && id < 6; ++id) {
    invariant_[id] = value(id).kind == Class::Uniform || value(id).kind == Class::Constant;
  }
  for (const Instruction& each : graph_.nodes[0].code) {
    if (each.op == Op::Move || each.op == Op::MovePair || each.element != kNone) continue;
    bool same = each.op == Op::SharedView;
    const bool may = each.shape->verb == Verb::Load || each.op == Op::LoadPair ||
                     (each.shape->verb >= Verb::Add && each.shape->verb <= Verb::Max);
    if (may) {
      same = true;
      for (const ValueId use : each.use) same = same && (use == kNone || invariant_[use]);
    }
    for (const ValueId def : {each.def, each.def2}) {
      if (def != kNone) invariant_[def] = value(def).kind == Class::Constant || (same && !value(def).in_vector());
    }
  }
}

void Emitter::prologue() {
  cc_.mov(masks_, BLOCK_FIELD(masks));
  cc_.bind(again_);  // the first group, in its next phase
  cc_.mov(frame_, BLOCK_FIELD(groups));
  cc_.xor_(group_.r32(), group_.r32());
  enter_ = cc_.newLabel();
  const Label start = cc_.newLabel(), finished = cc_.newLabel();
  cc_.bind(enter_);
  const Gp at = fresh_gp();
  cc_.mov(at, x86::qword_ptr(frame_));
  for (std::size_t k = 0; k < resumes_.size(); ++k) {
    cc_.cmp(at, k + 1);
    cc_.je(resumes_[k].second);
  }
  cc_.test(at, at);
  cc_.jz(start);
  cc_.bind(advance_);  // the next group, or the end of the phase
  cc_.add(frame_, BLOCK_FIELD(group_bytes));
  cc_.inc(group_);
  cc_.cmp(group_, function_.kernel.threads / kLanes);
  cc_.jb(enter_);
  cc_.cmp(BLOCK_FIELD(returned), function_.kernel.threads / kLanes);
  cc_.jb(again_);
  cc_.bind(finished);
  const Gp status = fresh_gp();
  cc_.xor_(status.r32(), status.r32());
  cc_.ret(status);
  cc_.bind(start);
  enter(0, BLOCK_FIELD(block));
  enter_threads(1);
  enter(2, BLOCK_FIELD(environment));
}

/// Groups that wait at barriers alone come to the same one, or leave: all is said once for the block.
void Emitter::phased_prologue() {
  cc_.mov(masks_, BLOCK_FIELD(masks));
  cc_.mov(frame_, BLOCK_FIELD(groups));
  enter_ = cc_.newLabel();
  const Label start = cc_.newLabel();
  cc_.jmp(start);
  cc_.bind(advance_);
  cc_.add(frame_, BLOCK_FIELD(group_bytes));
  cc_.cmp(frame_, BLOCK_FIELD(end));
  cc_.jb(enter_);
  const Gp next = fresh_gp();
  cc_.mov(next, BLOCK_FIELD(next));
  cc_.mov(BLOCK_FIELD(phase), next);
  cc_.mov(BLOCK_FIELD(next), 0);
  cc_.mov(frame_, BLOCK_FIELD(groups));
  for (std::size_t k = 0; k < resumes_.size(); ++k) {
    renewals_.push_back(cc_.newLabel());
    cc_.cmp(next, k + 1);
    cc_.je(renewals_.back());
  }
  const Gp status = fresh_gp();
  cc_.xor_(status.r32(), status.r32());
  cc_.ret(status);
  cc_.bind(enter_);
  for (std::size_t k = 0; k < resumes_.size(); ++k) {
    cc_.cmp(BLOCK_FIELD(phase), k + 1);
    cc_.je(resumes_[k].second);
  }
  cc_.bind(start);
  enter(0, BLOCK_FIELD(block));
  enter(1, x86::qword_ptr(frame_, kThreadAt));
  enter(2, BLOCK_FIELD(environment));
}

/// What is the same in all groups is loaded once.
void Emitter::lane_prologue() {
  cc_.mov(masks_, BLOCK_FIELD(masks));
  cc_.mov(frame_, BLOCK_FIELD(groups));
  cc_.mov(group_, BLOCK_FIELD(group));
  enter(2, BLOCK_FIELD(environment));
  state_ = graph_.nodes[0].in;
  for (const Instruction& each : graph_.nodes[0].code) {
    if (is_hoisted(each)) instruction(each);
  }
  const Label start = cc_.newLabel();
  cc_.jmp(start);
  cc_.bind(advance_);
  cc_.inc(group_);
  cc_.bind(start);
  const Label more = cc_.newLabel();
  cc_.cmp(group_, BLOCK_FIELD(block));
  cc_.jb(more);
  const Gp status = fresh_gp();
  cc_.xor_(status.r32(), status.r32());
  cc_.ret(status);
  cc_.bind(more);
  enter_threads(0);
}

/// Of a lane's environment, which nothing writes.
bool Emitter::is_hoisted(const Instruction& each) const {
  return graph_.is_lane() && (each.shape->verb == Verb::Load || each.op == Op::LoadPair) &&
         each.use[1] == graph_.nodes[0].in[2];
}

/// A slot that holds a word at the start, or one that grows from thread to thread.
void Emitter::enter(std::uint32_t slot, const x86::Mem& from) {
  const ValueId id = graph_.nodes[0].in[slot];
  if (id == kNone || (value(id).kind != Class::Uniform && value(id).kind != Class::Linear)) return;
  const Gp made = fresh_gp();
  cc_.mov(made, from);
  define(id, made);
}

/// A slot that holds the number of each thread at the start.
void Emitter::enter_threads(std::uint32_t slot) {
  const ValueId id = graph_.nodes[0].in[slot];
  if (id == kNone || value(id).kind != Class::Linear) return;
  const Gp made = fresh_gp();
  cc_.mov(made, group_);
  cc_.shl(made, 3);
  define(id, made);
}

/// A divergent node is translated twice: for the whole group, which goes on as one for as long as its threads go the
/// same way, and for those of a mask.
void Emitter::node(NodeId k, bool is_masked) {
  const Node& node = graph_.nodes[k];
  node_ = k;
  has_mask_ = is_masked;
  guarded_.clear();
  vectors_.clear();
  made_.clear();
  cc_.bind(label_of(k));
  if (node.joins && node.divergent == is_masked) {
    const x86::Mem waiting = x86::byte_ptr(masks_, static_cast<std::int32_t>(k));
    if (is_masked) {
      const Gp mask = fresh_gp();
      cc_.movzx(mask.r32(), waiting);
      mask_ = cc_.newKw();
      cc_.kmovw(mask_, mask.r32());
    }
    cc_.mov(waiting, 0);
  }
  state_ = node.in;
  const std::vector<std::vector<std::uint64_t>> live = graph_.live_within(k);
  for (std::size_t i = 0; i < node.code.size() && !failed_; ++i) {
    const Instruction& each = node.code[i];
    at_ = &each;
    live_ = &live[i];
    has_leave_ = false;
    if (i + 1 == node.code.size() && (node.ends_in_sync || bytecode::info(each.op).ends_block ||
                                      (each.op >= Op::Jump && each.op <= Op::JumpNotLeF64))) {
      return end_of(k, each);
    }
    if (k != 0 || !is_hoisted(each)) instruction(each);
    graph_.step(each, state_);
  }
  if (!failed_) go(k, node.next[0], true);
}

void Emitter::end_of(NodeId k, const Instruction& last) {
  const Node& node = graph_.nodes[k];
  if (node.ends_in_sync) return wait(k, last);
  if (node.is_failure) {
    cc_.jmp(leave());
    return;
  }
  if (node.next.empty()) {
    if (last.op != Op::Return) return refuse();
    if (graph_.is_lane() || layout.is_phased) {
      if (layout.is_phased) arrive(kReturned);
      cc_.jmp(advance_);
      return;
    }
    cc_.mov(x86::qword_ptr(frame_), kReturned);
    cc_.inc(BLOCK_FIELD(returned));
    cc_.jmp(advance_);
    return;
  }
  if (last.op == Op::LoopNext) {
    instruction(last);
    graph_.step(last, state_);
  }
  if (node.next.size() == 1) return go(k, node.next[0], true);
  branch(k, last);
}

// ------------------------------------------------------------------------------------ from node to node

/// What the phis of `to` become when control comes from `from`, for the threads of the mask.
void Emitter::add_moves(NodeId from, NodeId to, std::vector<Move>& moves, const K* mask) {
  for (const ValueId phi : graph_.nodes[to].phis) {
    const ValueId given = graph_.nodes[from].out[value(phi).slot];
    if (given == phi || given == kNone) continue;
    const Class kind = value(phi).kind;
    if (kind == Class::Constant || kind == Class::Frame || kind == Class::Unknown) continue;
    if (!contains(graph_.live_in(to), value(phi).slot)) continue;
    Move move{phi, given, {}, false};
    if (mask != nullptr) {
      move.mask = *mask;
      move.masked = true;
    }
    moves.push_back(move);
  }
}

void Emitter::make_moves(std::vector<Move>& moves) {
  std::vector<Home> given(moves.size());
  const auto is_overwritten = [&](ValueId id) {
    return std::ranges::any_of(moves, [&](const Move& each) { return each.to == id; });
  };
  for (std::size_t k = 0; k < moves.size(); ++k) {
    const Move& move = moves[k];
    if (value(move.to).in_vector()) {
      given[k].vec = vec(move.from);
      if (value(move.from).in_vector() && is_overwritten(move.from)) {
        const Vec copy = fresh_vec(value(move.to).type);
        cc_.vmovaps(copy, given[k].vec);
        given[k].vec = copy;
      }
    } else {
      given[k].gp = gp(move.from);
      if (is_overwritten(move.from)) {
        const Gp copy = fresh_gp();
        cc_.mov(copy, given[k].gp);
        given[k].gp = copy;
      }
    }
  }
  for (std::size_t k = 0; k < moves.size(); ++k) {
    Home& home = homes_[moves[k].to];
    if (value(moves[k].to).in_vector()) {
      if (!home.vec.isValid()) home.vec = fresh_vec(value(moves[k].to).type);
      if (moves[k].masked) {
        move_masked(moves[k].mask, home.vec, given[k].vec, value(moves[k].to).type);
      } else {
        cc_.vmovaps(home.vec, given[k].vec);
      }
    } else {
      if (!home.gp.isValid()) home.gp = fresh_gp();
      cc_.mov(home.gp, given[k].gp);
    }
  }
}

/// All threads that are here go on at `to`. `falls`: nothing else of the node follows.
void Emitter::go(NodeId from, NodeId to, bool falls) {
  std::vector<Move> moves;
  add_moves(from, to, moves, has_mask_ ? &mask_ : nullptr);
  make_moves(moves);
  // Where all threads are, nobody waits elsewhere.
  if (!has_mask_ || !graph_.nodes[to].joins) {
    if (has_mask_ || !falls || to != from + 1) cc_.jmp(label_of(to));
    return;
  }
  const Gp here = fresh_gp();
  cc_.kmovw(here.r32(), mask_);
  cc_.or_(x86::byte_ptr(masks_, static_cast<std::int32_t>(to)), here.r8());
  dispatch(from);
}

/// Goes to the first node at which threads wait.
void Emitter::dispatch(NodeId from) {
  std::vector<NodeId> places = graph_.nodes[from].waiting;
  for (const NodeId to : graph_.nodes[from].next) {
    if (std::ranges::find(places, to) == places.end()) places.push_back(to);
  }
  std::ranges::sort(places);
  for (std::size_t k = 0; k + 1 < places.size(); ++k) {
    cc_.cmp(x86::byte_ptr(masks_, static_cast<std::int32_t>(places[k])), 0);
    cc_.jne(masked_labels_[places[k]]);
  }
  cc_.jmp(masked_labels_[places.back()]);
}

void Emitter::branch(NodeId k, const Instruction& last) {
  const Node& node = graph_.nodes[k];
  bool apart = false;
  for (const bytecode::Operand& operand : bytecode::info(last.op).all()) {
    if (operand.is_register() && !value(last.use[static_cast<std::size_t>(operand.place)]).is_uniform()) apart = true;
  }
  if (!apart) {
    const Label taken = cc_.newLabel();
    if (is_float_relation(last)) {
      const K which = relation(last, true);
      cc_.kortestw(which, which);
      cc_.jnz(taken);
    } else {
      cc_.j(uniform_relation(last, true), taken);
    }
    const bool had_mask = has_mask_;
    const auto vectors = vectors_;
    go(k, node.next[1], false);
    vectors_ = vectors;
    has_mask_ = had_mask;
    cc_.bind(taken);
    go(k, node.next[0], true);
    return;
  }
  const Label all = cc_.newLabel(), none = cc_.newLabel(), rest_too = cc_.newLabel();
  const std::optional<std::size_t> way_of_rest = jump_together(last, all, none, rest_too);
  const K taken = relation(last, true);
  if (!has_mask_ && !way_of_rest) {
    const Gp threads = fresh_gp();
    cc_.kmovw(threads.r32(), taken);
    cc_.test(threads.r32(), threads.r32());
    cc_.jz(none);
    cc_.cmp(threads.r32(), 0xff);
    cc_.je(all);
  }
  const K rest = cc_.newKw();
  cc_.kandnw(rest, taken, active());
  std::vector<Move> moves;
  add_moves(k, node.next[0], moves, &taken);
  add_moves(k, node.next[1], moves, &rest);
  make_moves(moves);
  const K* const masks[] = {&taken, &rest};
  for (std::size_t way = 0; way < 2; ++way) {
    const Gp threads = fresh_gp();
    cc_.kmovw(threads.r32(), *masks[way]);
    cc_.or_(x86::byte_ptr(masks_, static_cast<std::int32_t>(node.next[way])), threads.r8());
  }
  dispatch(k);
  if (has_mask_) return;
  for (std::size_t way = 0; way < 2; ++way) {
    vectors_.clear();
    const bool is_of_rest = way_of_rest == way;
    if (is_of_rest) cc_.bind(rest_too);
    if (is_of_rest && stands_for_rest(k, node.next[way])) {
      cc_.mov(frame_, BLOCK_FIELD(end));
      cc_.sub(frame_, BLOCK_FIELD(group_bytes));
      go(k, node.next[way], false);
      vectors_.clear();
    }
    cc_.bind(way == 0 ? all : none);
    go(k, node.next[way], false);
  }
}

/// True when a group that goes from a branch by the way that all after it would go does nothing on it up to the next
/// barrier, or the end, that is its own, and has done nothing since the last: then it is as the last one.
bool Emitter::stands_for_rest(NodeId from, NodeId to) const {
  const Node& branch = graph_.nodes[from];
  const Instruction& last = branch.code.back();
  if (!layout.is_phased || branch.divergent || branch.of_some || !branch.is_fresh) return false;
  bool grows = false;
  for (const bytecode::Operand& operand : bytecode::info(last.op).all()) {
    if (!operand.is_register()) continue;
    const ValueId id = last.use[static_cast<std::size_t>(operand.place)];
    grows = grows || is_thread(id);
    if (!is_thread(id) && value(id).kind != Class::Constant && !value(id).of_block) return false;
  }
  if (!grows) return false;
  for (std::size_t steps = 0; steps < kMostSteps; ++steps) {
    const Node& node = graph_.nodes[to];
    const Instruction& end = node.code.back();
    const bool ends = node.ends_in_sync || (node.next.empty() && end.op == Op::Return);
    for (const Instruction& each : node.code) {
      const bool is_idle =
          each.op == Op::Const || each.op == Op::Move || each.op == Op::MovePair || each.op == Op::Jump;
      if (!is_idle && !(ends && &each == &end)) return false;
    }
    if (!ends) {
      to = node.next[0];
      continue;
    }
    for (std::uint32_t slot = 0; slot < graph_.slots && node.ends_in_sync; ++slot) {
      const ValueId id = node.out[slot];
      if (!contains(graph_.live_out(to), slot) || !needs_home(id) || invariant_[id] || is_thread(id)) continue;
      if (!value(id).of_block) return false;
    }
    return true;
  }
  return false;
}

/// Where a word all threads share is compared with one that grows from thread to thread, the first and the last tell
/// whether all agree: then control goes to `all` (it holds) or `none`, or, where greater words go the same way, to
/// `rest`; that way is given, 0 or 1. Nothing when the comparison is no such.
std::optional<std::size_t> Emitter::jump_together(const Instruction& last, const Label& all, const Label& none,
                                                  const Label& rest) {
  using x86::CondCode;
  const Shape& shape = *last.shape;
  if (has_mask_ || shape.verb != Verb::JumpOn || is_float(shape.type) || is_signed(shape.type)) return std::nullopt;
  const bool left_grows = value(last.use[0]).kind == Class::Linear;
  if (shape.immediate && !left_grows) return std::nullopt;
  const ValueId growing = last.use[left_grows ? 0 : 1];
  if (value(growing).kind != Class::Linear) return std::nullopt;
  Gp shared;
  if (shape.immediate) {
    const std::uint32_t m = bytecode::m_of(last.code[1]);
    const bool extends = shape.relation == Relation::Eq || shape.relation == Relation::Ne;
    shared = fresh_gp();
    cc_.mov(shared, extends ? static_cast<std::int64_t>(static_cast<std::int32_t>(m)) : static_cast<std::int64_t>(m));
  } else {
    const ValueId other = last.use[left_grows ? 1 : 0];
    if (!value(other).is_uniform()) return std::nullopt;
    shared = gp(other);
  }
  const Gp first = gp(growing), top = fresh_gp();
  cc_.lea(top, x86::ptr(first, static_cast<std::int32_t>(value(growing).number * (kLanes - 1))));
  const auto when = [&](const Gp& other, CondCode condition, const Label& to) {
    cc_.cmp(shared, other);
    cc_.j(condition, to);
  };
  Relation relation = shape.relation;  // of the shared word to the growing one
  if (left_grows) {
    relation = relation == Relation::Lt   ? Relation::Gt
               : relation == Relation::Le ? Relation::Ge
               : relation == Relation::Gt ? Relation::Lt
               : relation == Relation::Ge ? Relation::Le
                                          : relation;
  }
  switch (relation) {
    case Relation::Lt:
      when(first, CondCode::kB, rest);
      when(top, CondCode::kAE, none);
      return 0;
    case Relation::Le:
      when(first, CondCode::kBE, rest);
      when(top, CondCode::kA, none);
      return 0;
    case Relation::Gt:
      when(top, CondCode::kA, all);
      when(first, CondCode::kBE, rest);
      return 1;
    case Relation::Ge:
      when(top, CondCode::kAE, all);
      when(first, CondCode::kB, rest);
      return 1;
    default: {
      const Label& differ = relation == Relation::Ne ? all : none;
      when(first, CondCode::kB, rest);
      when(top, CondCode::kA, differ);
      return relation == Relation::Ne ? 0 : 1;
    }
  }
}

// ----------------------------------------------------------------------------------------------- values

Emitter::Vec Emitter::fresh_vec(Type type) {
  if (type == Type::F32) return cc_.newYmm();
  return cc_.newZmm();
}

/// A bit of the mask is a thread, whatever its value's size.
void Emitter::move_masked(const K& mask, const Vec& to, const Vec& from, Type type) {
  type == Type::F32 ? cc_.k(mask).vmovaps(to, from) : cc_.k(mask).vmovapd(to, from);
}

void Emitter::define(ValueId id, const Gp& made) {
  Gp& home = homes_[id].gp;
  if (home.isValid()) {
    cc_.mov(home, made);
  } else {
    home = made;
  }
}
void Emitter::define(ValueId id, const Vec& made) {
  Vec& home = homes_[id].vec;
  if (home.isValid()) {
    cc_.vmovaps(home, made);
  } else {
    home = made;
  }
}

Emitter::Gp Emitter::gp(ValueId id) {
  const Value& v = value(id);
  if (v.kind == Class::Constant && v.type == Type::Bits) {
    const Gp made = fresh_gp();
    cc_.mov(made, v.number);
    return made;
  }
  Home& home = homes_[id];
  if (!home.gp.isValid()) {  // made on no way that was translated yet: a phi
    if (v.in_vector() || v.kind == Class::Frame) refuse();
    home.gp = fresh_gp();
  }
  return home.gp;
}

x86::Mem Emitter::constants(std::uint64_t first, std::uint64_t step) {
  std::uint64_t lanes[kLanes];
  for (std::uint32_t l = 0; l < kLanes; ++l) lanes[l] = first + l * step;
  return cc_.newConst(asmjit::ConstPoolScope::kLocal, lanes, sizeof(lanes));
}

Emitter::Vec Emitter::constant_vec(std::uint64_t bits, Type type) {
  const Vec made = fresh_vec(type);
  if (type == Type::F32) {
    std::uint32_t lanes[kLanes];
    std::ranges::fill(lanes, static_cast<std::uint32_t>(bits));
    cc_.vmovups(made, cc_.newConst(asmjit::ConstPoolScope::kLocal, lanes, sizeof(lanes)));
  } else {
    cc_.vmovups(made, constants(bits, 0));
  }
  return made;
}

Emitter::Vec Emitter::broadcast(const Gp& from) {
  const Vec made = cc_.newZmm();
  cc_.vpbroadcastq(made, from);
  return made;
}

/// The value of each thread.
Emitter::Vec Emitter::vec(ValueId id) {
  const Value& v = value(id);
  const bool held = v.in_vector() && v.kind != Class::Constant;
  if (held) {
    Home& home = homes_[id];
    if (!home.vec.isValid()) home.vec = fresh_vec(v.type);
    return home.vec;
  }
  const auto known = vectors_.find(id);
  if (known != vectors_.end()) return known->second;
  Vec made;
  if (v.kind == Class::Constant) {
    made = constant_vec(v.number, v.type);
  } else if (v.kind == Class::Frame || v.kind == Class::Unknown) {
    refuse();
    made = cc_.newZmm();
  } else {
    made = broadcast(gp(id));
    if (v.kind == Class::Linear) cc_.vpaddq(made, made, constants(0, v.number));
  }
  vectors_[id] = made;
  return made;
}

Emitter::K Emitter::active() {
  if (has_mask_) return mask_;
  const K all = cc_.newKw();
  const Gp bits = fresh_gp();
  cc_.mov(bits.r32(), 0xff);
  cc_.kmovw(all, bits.r32());
  return all;
}

void Emitter::leave_if_any(const K& bad) {
  cc_.kortestw(bad, bad);
  cc_.jnz(leave());
}

void Emitter::leave_unless_fits(const Vec& lanes, Kind kind) {
  const K bad = cc_.newKw();
  if (is_signed(kind)) {
    const Vec again = cc_.newZmm();
    const std::uint32_t unused = 64 - 8 * size_of(kind);
    cc_.vpsllq(again, lanes, unused);
    cc_.vpsraq(again, again, unused);
    masked().vpcmpq(bad, again, lanes, 4);
  } else {
    masked().vpcmpuq(bad, lanes, constants(greatest(kind), 0), 6);
  }
  leave_if_any(bad);
}

}  // namespace cairn::jit::phases
