#include "vm/verify/encoder.hpp"

#include <algorithm>

#include "vm/verify/frame_encoder.hpp"

namespace cairn::verify {

using bytecode::Op;
using bytecode::Word;

namespace {

constexpr std::size_t kMostDepth = 64;         // of calls
constexpr std::uint64_t kMostSteps = 400'000;  // instructions, every turn counted

/// Calls `visit(target word)` for every place an instruction may jump to.
void for_each_target(const Word* code, std::uint32_t at, const auto& visit) {
  const Op op = bytecode::op_of(*code);
  if (op == Op::Switch) {
    const std::uint32_t count = bytecode::list_items(code);
    for (std::uint32_t k = 0; k < count; ++k) {
      const Word pair = code[1 + k / 2];
      const auto offset = static_cast<std::int32_t>(static_cast<std::uint32_t>(k % 2 == 0 ? pair : pair >> 32U));
      visit(static_cast<std::uint32_t>(static_cast<std::int64_t>(at) + offset));
    }
    return;
  }
  for (const bytecode::Operand& operand : bytecode::info(op).all()) {
    if (operand.type != bytecode::Class::Target) continue;
    const auto offset =
        static_cast<std::int32_t>(static_cast<std::uint32_t>(bytecode::operand_bits(code, operand.place)));
    visit(static_cast<std::uint32_t>(static_cast<std::int64_t>(at) + offset));
  }
}

}  // namespace

Flow flow_of(const bytecode::Function& function) {
  Flow flow;
  const auto size = static_cast<std::uint32_t>(function.code.size());
  flow.is_target.assign(size, false);
  std::map<std::uint32_t, std::uint32_t> backward;  // target -> last source
  for (std::uint32_t at = 0; at < size; at += bytecode::instruction_words(&function.code[at])) {
    for_each_target(&function.code[at], at, [&](std::uint32_t target) {
      flow.is_target[target] = true;
      if (target <= at) backward[target] = std::max(backward[target], at);
    });
  }
  for (const auto& [begin, end] : backward) flow.loops.push_back({begin, end, false});
  std::ranges::sort(
      flow.loops, [](const auto& a, const auto& b) { return a.begin != b.begin ? a.begin < b.begin : a.end > b.end; });
  for (std::size_t k = 0; k < flow.loops.size(); ++k) {
    for (std::size_t j = k + 1; j < flow.loops.size(); ++j) {
      const bool is_apart = flow.loops[j].begin > flow.loops[k].end;
      if (!is_apart && flow.loops[j].end > flow.loops[k].end) throw Unsupported{"its loops are not nested"};
    }
  }
  bool falls_through = false;  // into the instruction at `at`
  for (std::uint32_t at = 0; at < size; at += bytecode::instruction_words(&function.code[at])) {
    for (Flow::Loop& loop : flow.loops) {
      if (loop.begin == at && falls_through) loop.entered_at_begin = true;
      for_each_target(&function.code[at], at, [&](std::uint32_t target) {
        if (target == loop.begin && target > at) loop.entered_at_begin = true;
      });
    }
    falls_through = !bytecode::info(bytecode::op_of(function.code[at])).ends_block;
  }
  return flow;
}

Encoder::Encoder(Terms& terms, const bytecode::Module& module)
    : terms_(terms), module_(module), memory_(terms, module) {}

void Encoder::trap(Term reached, Term failed) {
  const Term condition = terms_.both(reached, failed);
  if (condition != kFalse && (traps_.empty() || traps_.back() != condition)) traps_.push_back(condition);
}

std::optional<State> Encoder::call(std::uint32_t function, State start) {
  if (std::ranges::find(active_, function) != active_.end()) throw Unsupported{"it recurses"};
  if (active_.size() >= kMostDepth) throw Unsupported{"its calls go too deep"};
  if (!flows_.contains(function)) flows_.emplace(function, flow_of(module_.functions[function]));
  active_.push_back(function);
  std::optional<State> after = FrameEncoder(*this, function, std::move(start)).run();
  active_.pop_back();
  return after;
}

Outcome Encoder::run(std::uint32_t function, State start) {
  traps_.clear();
  exceeded_.clear();
  steps_ = 0;
  Outcome outcome;
  std::optional<State> after = call(function, std::move(start));
  outcome.returns = after.has_value();
  if (after) outcome.after = std::move(*after);
  outcome.traps = terms_.any(traps_);
  outcome.exceeded = terms_.any(exceeded_);
  return outcome;
}

// --------------------------------------------------------------------------------------------------------------- a
// frame

FrameEncoder::FrameEncoder(Encoder& encoder, std::uint32_t function, State start)
    : encoder_(encoder),
      terms_(encoder.terms_),
      memory_(encoder.memory_),
      module_(encoder.module_),
      function_(encoder.module_.functions[function]),
      flow_(encoder.flows_.at(function)),
      state_(std::move(start)) {
  state_.slots.resize(function_.slots);
  for (std::uint32_t slot = 0; slot < function_.registers.size(); ++slot) {
    state_.slots[slot] = typed(std::move(state_.slots[slot]), function_.registers[slot].type);
  }
  for (const bytecode::MemoryObject& object : function_.objects) objects_.push_back(memory_.add(object.type, false));
}

/// Loops around both keep their turn, loops that are entered begin with turn 0, and a backward jump is the next turn.
FrameEncoder::Position FrameEncoder::position_of(std::uint32_t from, std::uint32_t to) const {
  Position position;
  std::size_t depth = 0;
  bool is_fresh = false;
  for (const Flow::Loop& loop : flow_.loops) {
    const bool around_from = !here_.empty() && loop.begin <= from && from <= loop.end;
    const bool around_to = loop.begin <= to && to <= loop.end;
    if (around_to) {
      std::uint32_t turn = around_from && !is_fresh ? here_[2 * depth + 1] : 0;
      if (around_from && to == loop.begin && to <= from) {
        ++turn;
        is_fresh = true;  // loops inside begin anew
      }
      position.push_back(loop.begin);
      position.push_back(turn);
    }
    if (around_from) ++depth;
  }
  position.push_back(to);
  return position;
}

void FrameEncoder::merge_into(State& known, State&& more) {
  const Term choose = terms_.distinguish(more.reached, known.reached);
  for (std::size_t slot = 0; slot < known.slots.size(); ++slot) {
    known.slots[slot] = memory_.merge(choose, more.slots[slot], known.slots[slot]);
  }
  known.memory = memory_.merge(choose, more.memory, known.memory);
  known.reached = terms_.either(known.reached, more.reached);
}

/// The state goes on at `to` where the condition holds.
void FrameEncoder::go(std::uint32_t to, Term condition) {
  const Term reached = terms_.both(state_.reached, condition);
  if (reached == kFalse) return;
  Position position = position_of(word_, to);
  for (std::size_t k = 0; k + 1 < position.size(); k += 2) {
    if (position[k] != to) continue;
    const auto loop = std::ranges::find(flow_.loops, to, &Flow::Loop::begin);
    const std::uint32_t turns = position[k + 1] + (loop->entered_at_begin ? 1 : 0);
    if (turns > kTurns) {
      encoder_.exceeded_.push_back(terms_.both(reached, terms_.negate(terms_.any(encoder_.traps_))));
      return;
    }
  }
  State more{reached, state_.slots, state_.memory};
  const auto known = open_.find(position);
  if (known == open_.end()) {
    open_.emplace(std::move(position), std::move(more));
  } else {
    merge_into(known->second, std::move(more));
  }
}

void FrameEncoder::leave() {
  running_ = false;
  if (state_.reached == kFalse) return;
  if (returned_) {
    merge_into(*returned_, std::move(state_));
  } else {
    returned_ = std::move(state_);
  }
}

std::optional<State> FrameEncoder::run() {
  const Term reached = state_.reached;
  open_.emplace(position_of(0, 0), std::move(state_));
  while (!open_.empty()) {
    auto first = open_.extract(open_.begin());
    here_ = first.key();
    state_ = std::move(first.mapped());
    word_ = here_.back();
    running_ = true;
    while (running_) {
      if (++encoder_.steps_ > kMostSteps) throw Unsupported{"it is too large to unroll"};
      step();
    }
  }
  // A path that leaves without returning traps or goes past the bound: who is told of either looks no further.
  if (returned_) returned_->reached = reached;
  return std::move(returned_);
}

void FrameEncoder::step() {
  const Verb verb = verb_of(bytecode::op_of(function_.code[word_]));
  if (jumps(verb)) return;  // it has set word_
  if (!moves(verb) && !accesses(verb) && !arithmetic(verb) && !comparisons(verb) && !conversions(verb) &&
      !places(verb) && !owners(verb) && !calls(verb)) {
    refuse(verb);
  }
  if (!running_) return;
  const std::uint32_t next = word_ + bytecode::instruction_words(&function_.code[word_]);
  if (flow_.is_target[next]) {  // straight code meets those who jump there
    go(next, kTrue);
    running_ = false;
  }
  word_ = next;
}

}  // namespace cairn::verify
