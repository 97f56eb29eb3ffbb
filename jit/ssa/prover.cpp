#include "jit/ssa/prover.hpp"

#include <algorithm>

namespace cairn::jit::ssa {
namespace {

constexpr std::uint32_t kBudget = 160;  // steps of one question
constexpr std::uint32_t kDepth = 24;
constexpr std::uint32_t kEndOfBlock = 0xffffffff;

}  // namespace

Prover::Prover(const Function& function, const Dominators& dominators)
    : f_(function), dominators_(dominators), first_fact_(function.code.size(), kNone) {
  for (BlockId b = 0; b < f_.blocks.size(); ++b) {
    if (!dominators.is_reachable(b)) continue;
    std::uint32_t position = 0;
    for (const Value value : f_.blocks[b].code) {
      const Instruction& i = f_.at(value);
      ++position;
      if (i.op == Opcode::Guard) add_facts(i.relation, i.kind, i.a, i.b, b, position);
    }
    const Instruction& end = f_.end_of(b);
    const std::vector<BlockId>& next = f_.blocks[b].successors;
    if (end.op != Opcode::Branch || next[0] == next[1]) continue;
    if (f_.blocks[next[0]].predecessors.size() == 1) add_facts(end.relation, end.kind, end.a, end.b, next[0], 0);
    if (f_.blocks[next[1]].predecessors.size() == 1) {
      if (const auto not_so = negated(end.relation, end.kind)) add_facts(*not_so, end.kind, end.a, end.b, next[1], 0);
    }
  }
}

void Prover::add_facts(Relation relation, Kind kind, Value a, Value b, BlockId block, std::uint32_t position) {
  if (!is_integer(kind)) return;
  Fact fact;
  fact.relation = relation;
  fact.is_signed = is_signed(kind);
  fact.both = relation == Relation::Eq || relation == Relation::Ne;
  fact.block = block;
  fact.position = position;
  fact.other = b;
  add_fact(a, fact);
  fact.relation = *exchanged(relation);
  fact.other = a;
  add_fact(b, fact);
}

void Prover::add_fact(Value value, Fact fact) {
  if (f_.at(value).op == Opcode::Const) return;
  fact.next = first_fact_[value];
  first_fact_[value] = static_cast<std::uint32_t>(facts_.size());
  facts_.push_back(fact);
}

bool Prover::in_scope(const Fact& fact, Point point) const {
  if (fact.block == point.block) return fact.position <= point.position;
  return dominators_.dominates(fact.block, point.block);
}

bool Prover::is_number(const Instruction& i) const {
  return i.lanes == 1 && is_integer(i.kind) && jit::is_signed(i.kind) == is_signed_;
}

Number Prover::upper(Value value, bool is_signed) const {
  if (value == kNoValue) return 0;
  const Instruction& i = f_.at(value);
  const Kind wide = is_signed ? Kind::I64 : Kind::U64;
  if (i.op == Opcode::Const) return number_of(static_cast<std::uint64_t>(i.immediate), wide);
  if (!is_integer(i.kind)) return most_of(wide);
  Number most = jit::is_signed(i.kind) == is_signed || width_of(i.kind) < 64 ? most_of(i.kind) : most_of(wide);
  if (!is_signed && jit::is_signed(i.kind)) most = most_of(wide);  // a negative number's slot
  if (is_signed || jit::is_signed(i.kind)) return most;
  const auto constant = [&](Value operand, Number& number) {
    if (operand == kNoValue || f_.at(operand).op != Opcode::Const) return false;
    number = static_cast<std::uint64_t>(f_.at(operand).immediate);
    return true;
  };
  Number number = 0;
  switch (i.op) {
    case Opcode::And:
      if (constant(i.b, number)) most = std::min(most, number);
      break;
    case Opcode::Rem:
      if (constant(i.b, number) && number > 0) most = std::min(most, number - 1);
      break;
    case Opcode::Div:
      if (constant(i.b, number) && number > 0) most = std::min(most, upper(i.a, false) / number);
      break;
    case Opcode::Shr:
      if (constant(i.b, number) && number < 64) most = std::min(most, upper(i.a, false) >> static_cast<int>(number));
      break;
    case Opcode::Min:
      most = std::min(
          most, std::max(most_of(Kind::Bool), std::min(f_.at(i.a).op == Opcode::Const ? upper(i.a, false) : most,
                                                       f_.at(i.b).op == Opcode::Const ? upper(i.b, false) : most)));
      break;
    case Opcode::Convert:
      if (i.mode != Mode::Wrap && is_integer(i.source) && !jit::is_signed(i.source)) {
        most = std::min(most, most_of(i.source));
      }
      break;
    default:
      break;
  }
  return most;
}

Number Prover::lower(Value value, bool is_signed) const {
  if (value == kNoValue) return 0;
  const Instruction& i = f_.at(value);
  const Kind wide = is_signed ? Kind::I64 : Kind::U64;
  if (i.op == Opcode::Const) return number_of(static_cast<std::uint64_t>(i.immediate), wide);
  if (!is_signed) return 0;
  if (!is_integer(i.kind)) return least_of(wide);
  if (jit::is_signed(i.kind)) return least_of(i.kind);
  return width_of(i.kind) < 64 ? 0 : least_of(wide);
}

bool Prover::at_most(Value x, Value y, Number c, Point point, bool is_signed) {
  is_signed_ = is_signed;
  budget_ = static_cast<std::uint32_t>(std::min<std::uint64_t>(kBudget, steps_left_));
  const std::uint32_t given = budget_;
  assumed_.clear();
  const bool proved = prove(x, y, c, point, 0);
  steps_left_ -= given - budget_;
  if (proved || is_signed || x == kNoValue) return proved;
  const bool is_bound = y == kNoValue || f_.at(y).op == Opcode::Const;
  return is_bound && most(x, point) - lower(y, false) <= c;
}

Number Prover::most(Value value, Point point, std::uint32_t depth) {
  Number most = upper(value, false);
  const Instruction& i = f_.at(value);
  if (depth == 0 || steps_left_ == 0 || i.op == Opcode::Const || i.lanes != 1 || !is_integer(i.kind)) return most;
  --steps_left_;
  const auto operand = [&](Value of) { return this->most(of, point, depth - 1); };
  for (std::uint32_t k = first_fact(value); k != kNone; k = facts_[k].next) {
    const Fact& fact = facts_[k];
    if ((fact.is_signed && !fact.both) || !in_scope(fact, point)) continue;
    if (fact.relation == Relation::Lt) most = std::min(most, operand(fact.other) - 1);
    if (fact.relation == Relation::Le || fact.relation == Relation::Eq) most = std::min(most, operand(fact.other));
  }
  if (i.op == Opcode::Phi) {
    Number ways = 0;
    for (const Use& use : f_.uses_of(i)) {
      if (use.value != value) ways = std::max(ways, most_on_edge(use.value, use.slot, i.block, depth));
      if (ways >= most) return most;
    }
    return ways;
  }
  if (jit::is_signed(i.kind)) return most;
  const bool is_exact = i.mode != Mode::Wrap;
  // A sum or product that cannot be too large is what it is, wrapping or not.
  const auto unless_it_wraps = [&](Number number) {
    return is_exact || number <= most_of(i.kind) ? std::min(most, number) : most;
  };
  switch (i.op) {
    case Opcode::Add:
      return unless_it_wraps(operand(i.a) + operand(i.b));
    case Opcode::Mul: {
      const Number a = operand(i.a);
      const Number b = operand(i.b);
      // Of 64 bits each: the product has a place in a Number only where one is small.
      return a <= most_of(Kind::U32) || b <= most_of(Kind::U32) ? unless_it_wraps(a * b) : most;
    }
    case Opcode::Sub:
      return is_exact ? std::min(most, operand(i.a)) : most;
    case Opcode::Div:
      return std::min(most, operand(i.a));
    case Opcode::Shr:
      return f_.at(i.b).op == Opcode::Const && f_.at(i.b).immediate >= 0 && f_.at(i.b).immediate < 64
                 ? std::min(most, operand(i.a) >> static_cast<int>(f_.at(i.b).immediate))
                 : std::min(most, operand(i.a));
    case Opcode::And:
    case Opcode::Min:
      return std::min({most, operand(i.a), operand(i.b)});
    case Opcode::Rem:
      return std::min({most, operand(i.a), operand(i.b) - 1});
    case Opcode::Max:
      return std::min(most, std::max(operand(i.a), operand(i.b)));
    case Opcode::Select:
      return std::min(most, std::max(operand(i.b), operand(i.c)));
    case Opcode::Convert:
      return is_integer(i.source) && !jit::is_signed(i.source) ? unless_it_wraps(operand(i.a)) : most;
    default:
      return most;
  }
}

/// What the branch says that goes that way, or what is known at its block's end.
Number Prover::most_on_edge(Value value, BlockId from, BlockId to, std::uint32_t depth) {
  const Point point{from, kEndOfBlock};
  const Instruction& end = f_.end_of(from);
  const std::vector<BlockId>& next = f_.blocks[from].successors;
  Number most = this->most(value, point, depth - 1);
  if (end.op != Opcode::Branch || next[0] == next[1] || !is_integer(end.kind)) return most;
  std::optional<Relation> relation = end.relation;
  if (next[1] == to) relation = negated(end.relation, end.kind);
  if (!relation || (jit::is_signed(end.kind) && *relation != Relation::Eq)) return most;
  const bool is_left = end.a == value;
  if (!is_left && end.b != value) return most;
  if (!is_left) relation = exchanged(*relation);
  const Value other = is_left ? end.b : end.a;
  if (relation == Relation::Lt) most = std::min(most, this->most(other, point, depth - 1) - 1);
  if (relation == Relation::Le || relation == Relation::Eq) most = std::min(most, this->most(other, point, depth - 1));
  return most;
}

bool Prover::always(Relation relation, Kind kind, Value a, Value b, Point point) {
  if (!is_integer(kind)) return false;
  const bool sign = is_signed(kind);
  switch (relation) {
    case Relation::Lt:
      return at_most(a, b, -1, point, sign);
    case Relation::Le:
      return at_most(a, b, 0, point, sign);
    case Relation::Gt:
      return at_most(b, a, -1, point, sign);
    case Relation::Ge:
      return at_most(b, a, 0, point, sign);
    case Relation::Eq:
      return at_most(a, b, 0, point, sign) && at_most(b, a, 0, point, sign);
    case Relation::Ne:
      return at_most(a, b, -1, point, sign) || at_most(b, a, -1, point, sign);
    default:
      return false;
  }
}

bool Prover::never(Relation relation, Kind kind, Value a, Value b, Point point) {
  const auto not_so = negated(relation, kind);
  return not_so && always(*not_so, kind, a, b, point);
}

bool Prover::prove(Value x, Value y, Number c, Point point, std::uint32_t depth) {
  if (x == y) return c >= 0;
  if (x != kNoValue && f_.at(x).op == Opcode::Const && y != kNoValue && f_.at(y).op == Opcode::Const) {
    return upper(x, is_signed_) - lower(y, is_signed_) <= c;
  }
  if (upper(x, is_signed_) - lower(y, is_signed_) <= c) return true;
  if (budget_ == 0 || depth > kDepth) return false;
  --budget_;
  // A constant is its distance from zero.
  if (x != kNoValue && f_.at(x).op == Opcode::Const) {
    c -= upper(x, is_signed_);
    x = kNoValue;
  }
  if (y != kNoValue && f_.at(y).op == Opcode::Const) {
    c += lower(y, is_signed_);
    y = kNoValue;
  }
  return (x != kNoValue && prove_from_x(x, y, c, point, depth)) ||
         (y != kNoValue && prove_from_y(x, y, c, point, depth));
}

bool Prover::use_fact(Relation relation, Value value, Value other, Value x, Value y, Number c, Point point,
                      std::uint32_t depth) {
  if (value == x) {  // x <= other + k
    switch (relation) {
      case Relation::Lt:
        return prove(other, y, c + 1, point, depth + 1);
      case Relation::Le:
      case Relation::Eq:
        return prove(other, y, c, point, depth + 1);
      default:
        return false;
    }
  }
  switch (relation) {  // y >= other + k
    case Relation::Gt:
      return prove(x, other, c + 1, point, depth + 1);
    case Relation::Ge:
    case Relation::Eq:
      return prove(x, other, c, point, depth + 1);
    case Relation::Ne:
      // What is not zero and not negative is at least one.
      return !is_signed_ && f_.at(other).op == Opcode::Const && f_.at(other).immediate == 0 &&
             prove(x, kNoValue, c + 1, point, depth + 1);
    default:
      return false;
  }
}

bool Prover::prove_from_x(Value x, Value y, Number c, Point point, std::uint32_t depth) {
  for (std::uint32_t k = first_fact(x); k != kNone; k = facts_[k].next) {
    const Fact& fact = facts_[k];
    if ((fact.is_signed != is_signed_ && !fact.both) || !in_scope(fact, point)) continue;
    if (use_fact(fact.relation, x, fact.other, x, y, c, point, depth)) return true;
  }
  const Instruction& i = f_.at(x);
  if (i.op == Opcode::Phi) return prove_phi(x, x, y, c, depth) || (depth == 0 && prove_below_other(x, y, c, point));
  if (!is_number(i)) return false;
  const bool is_exact = i.mode != Mode::Wrap;
  switch (i.op) {
    case Opcode::Add:
      if (!is_exact) return false;
      if (f_.at(i.b).op == Opcode::Const) return prove(i.a, y, c - upper(i.b, is_signed_), point, depth + 1);
      if (i.a == y) return prove(i.b, kNoValue, c, point, depth + 1);
      if (i.b == y) return prove(i.a, kNoValue, c, point, depth + 1);
      return prove(i.a, y, c - upper(i.b, is_signed_), point, depth + 1) ||
             prove(i.b, y, c - upper(i.a, is_signed_), point, depth + 1);
    case Opcode::Sub:
      return is_exact && prove(i.a, y, c + lower(i.b, is_signed_), point, depth + 1);
    case Opcode::Min:
      return prove(i.a, y, c, point, depth + 1) || prove(i.b, y, c, point, depth + 1);
    case Opcode::Max:
      return prove(i.a, y, c, point, depth + 1) && prove(i.b, y, c, point, depth + 1);
    case Opcode::Select:
      return prove(i.b, y, c, point, depth + 1) && prove(i.c, y, c, point, depth + 1);
    case Opcode::Convert:
      return is_exact && is_integer(i.source) && jit::is_signed(i.source) == is_signed_ &&
             prove(i.a, y, c, point, depth + 1);
    case Opcode::And:
      return !is_signed_ && (prove(i.a, y, c, point, depth + 1) || prove(i.b, y, c, point, depth + 1));
    case Opcode::Div:
    case Opcode::Shr:
      return !is_signed_ && prove(i.a, y, c, point, depth + 1);
    case Opcode::Rem:
      return !is_signed_ && (prove(i.b, y, c + 1, point, depth + 1) || prove(i.a, y, c, point, depth + 1));
    default:
      return false;
  }
}

bool Prover::prove_from_y(Value x, Value y, Number c, Point point, std::uint32_t depth) {
  for (std::uint32_t k = first_fact(y); k != kNone; k = facts_[k].next) {
    const Fact& fact = facts_[k];
    if ((fact.is_signed != is_signed_ && !fact.both) || !in_scope(fact, point)) continue;
    if (use_fact(fact.relation, y, fact.other, x, y, c, point, depth)) return true;
  }
  const Instruction& i = f_.at(y);
  if (i.op == Opcode::Phi) return prove_phi(y, x, y, c, depth);
  if (!is_number(i)) return false;
  const bool is_exact = i.mode != Mode::Wrap;
  switch (i.op) {
    case Opcode::Add:
      if (!is_exact) return false;
      return prove(x, i.a, c + lower(i.b, is_signed_), point, depth + 1) ||
             (f_.at(i.b).op != Opcode::Const && prove(x, i.b, c + lower(i.a, is_signed_), point, depth + 1));
    case Opcode::Sub:
      return is_exact && prove(x, i.a, c - upper(i.b, is_signed_), point, depth + 1);
    case Opcode::Max:
      return prove(x, i.a, c, point, depth + 1) || prove(x, i.b, c, point, depth + 1);
    case Opcode::Min:
      return prove(x, i.a, c, point, depth + 1) && prove(x, i.b, c, point, depth + 1);
    case Opcode::Select:
      return prove(x, i.b, c, point, depth + 1) && prove(x, i.c, c, point, depth + 1);
    case Opcode::Convert:
      return is_exact && is_integer(i.source) && jit::is_signed(i.source) == is_signed_ &&
             prove(x, i.a, c, point, depth + 1);
    default:
      return false;
  }
}

/// By induction: it holds on every way into the phi, where on a way back it may be assumed of the value before. The
/// other side has to be the same there, so it must be known before the phi's block.
bool Prover::prove_phi(Value phi, Value x, Value y, Number c, std::uint32_t depth) {
  const bool phi_is_x = phi == x;
  const Value other = phi_is_x ? y : x;
  const BlockId block = f_.at(phi).block;
  // Of two phis of one block the values are compared that go the same way.
  const bool both = other != kNoValue && f_.at(other).op == Opcode::Phi && f_.at(other).block == block;
  if (!both && other != kNoValue &&
      (f_.at(other).block == block || !dominators_.dominates(f_.at(other).block, block))) {
    return false;
  }
  for (const Assumption& known : assumed_) {
    if (known.phi == phi && known.other == other && known.phi_is_x == phi_is_x) return c >= known.c;
  }
  assumed_.push_back({phi, other, c, phi_is_x});
  bool proved = true;
  for (const Use& use : f_.uses_of(f_.at(phi))) {
    Value others = other;
    if (both) others = std::ranges::find(f_.uses_of(f_.at(other)), use.slot, &Use::slot)->value;
    proved = phi_is_x ? prove_from_edge(use.value, others, c, use.slot, block, depth + 1)
                      : prove_from_edge(others, use.value, c, use.slot, block, depth + 1);
    if (!proved) break;
  }
  assumed_.pop_back();
  return proved;
}

/// A phi that stays at or below another of its block that the loop's end says more of: elements kept of those seen.
bool Prover::prove_below_other(Value x, Value y, Number c, Point point) {
  constexpr int kMost = 4;
  int left = kMost;
  for (const Value other : f_.blocks[f_.at(x).block].code) {
    if (f_.at(other).op != Opcode::Phi || left-- == 0) return false;
    if (other != x && f_.at(other).kind == f_.at(x).kind && prove(other, y, c, point, 1) &&
        prove(x, other, 0, point, 1)) {
      return true;
    }
  }
  return false;
}

/// At the end of the edge's block, with what its branch says.
bool Prover::prove_from_edge(Value x, Value y, Number c, BlockId from, BlockId to, std::uint32_t depth) {
  const Point point{from, kEndOfBlock};
  const Instruction& end = f_.end_of(from);
  const std::vector<BlockId>& next = f_.blocks[from].successors;
  if (end.op == Opcode::Branch && next[0] != next[1] && is_integer(end.kind)) {
    std::optional<Relation> relation = end.relation;
    if (next[1] == to) relation = negated(end.relation, end.kind);
    const bool both = relation == Relation::Eq || relation == Relation::Ne;
    if (relation && (both || jit::is_signed(end.kind) == is_signed_)) {
      const Relation swapped = *exchanged(*relation);
      for (const Value side : {x, y}) {
        if (side == kNoValue) continue;
        if (end.a == side && use_fact(*relation, side, end.b, x, y, c, point, depth)) return true;
        if (end.b == side && use_fact(swapped, side, end.a, x, y, c, point, depth)) return true;
      }
    }
  }
  return prove(x, y, c, point, depth);
}

}  // namespace cairn::jit::ssa
