// Loop versions. A guard of a counted loop whose operands grow with the counter holds in every iteration when it holds
// in the last, one of operands that fall with it when it holds in the first, and one of operands that do not change
// holds always when it holds once: it is asked before the loop, and where it fails there control leaves to the baseline
// code, which traps exactly where it must.
#include <algorithm>
#include <map>

#include "jit/ssa/flow.hpp"
#include "jit/ssa/passes.hpp"
#include "jit/ssa/prover.hpp"

namespace cairn::jit::ssa {
namespace {

class Versions {
 public:
  explicit Versions(Function& function)
      : f_(function), dominators_(function), loops_(function, dominators_), prover_(function, dominators_) {
    prover_.limit(64 * f_.code.size());
  }

  bool run() {
    bool any = false;
    for (std::uint32_t k = 0; k < loops_.loops.size(); ++k) {
      if (loops_.loops[k].latches.size() == 1) any |= loop(k);
    }
    return any;
  }

 private:
  struct Counter {
    Value phi = kNoValue;
    Value start = kNoValue;
    Value bound = kNoValue;  // the phi is below it at the guard in question
    bool is_signed = false;
    bool asks_start = false;  // that the phi is below it at first is not known
  };

  bool loop(std::uint32_t index) {
    const Loop& loop = loops_.loops[index];
    before_ = find_preheader(f_, loops_, index);
    if (before_ == kNone) return false;
    point_ = kNoValue;
    for (const Value value : f_.blocks[loop.header].code) {
      if (f_.at(value).op == Opcode::Phi) continue;
      if (f_.at(value).op == Opcode::Point) point_ = value;
      break;
    }
    if (point_ == kNoValue) return false;
    index_ = index;
    header_ = loop.header;
    at_end_.clear();
    at_start_.clear();
    counters_.clear();
    falling_.clear();
    bounds_.clear();
    asked_.clear();
    uses_made_ = false;
    find_counters(loop);
    bool any = false;
    for (const BlockId b : loop.blocks) {
      // A loop within decides its own.
      if (loops_.of_block[b] != index || f_.blocks[b].is_cold) continue;
      std::uint32_t position = 0;
      std::vector<Value> gone;
      for (std::size_t k = 0; k < f_.blocks[b].code.size(); ++k) {
        const Value value = f_.blocks[b].code[k];
        const Prover::Point point{b, position++};
        const bool asks = f_.at(value).op == Opcode::Guard || f_.at(value).mode == Mode::Checked;
        // What an inner loop asks before it goes further out, where it is asked in every turn.
        if (!asks || (f_.at(value).leaves && !dominates_latches(b)) || !ask_before(value, point)) continue;
        any = true;
        if (f_.at(value).op == Opcode::Guard) {
          gone.push_back(value);
        } else {
          f_.at(value).mode = Mode::Exact;
          f_.at(value).leaves = false;
          f_.at(value).use_count = 0;
        }
      }
      std::erase_if(f_.blocks[b].code, [&](Value value) { return std::ranges::find(gone, value) != gone.end(); });
      for (const Value value : gone) f_.at(value) = {};
    }
    return any;
  }

  [[nodiscard]] bool is_outside(Value value) const { return !loops_.contains(index_, f_.at(value).block); }

  void find_counters(const Loop& loop) {
    for (const Value value : f_.blocks[loop.header].code) {
      const Instruction& phi = f_.at(value);
      if (phi.op != Opcode::Phi) break;
      if (phi.kind == Kind::None || is_float(phi.kind) || phi.use_count != 2) continue;
      Value start = kNoValue;
      Value next = kNoValue;
      for (const Use& use : f_.uses_of(phi)) (use.slot == loop.latches[0] ? next : start) = use.value;
      if (start == kNoValue || next == kNoValue) continue;
      const Instruction& step = f_.at(next);
      if (falls_by(step, value)) falling_.push_back({value, start, kNoValue, is_signed(step.kind)});
      if (step.op != Opcode::Add || step.mode == Mode::Wrap || is_float(step.kind)) continue;
      const Value by = step.a == value ? step.b : step.b == value ? step.a : kNoValue;
      if (by == kNoValue || !is_outside(by)) continue;
      if (is_signed(step.kind) && (f_.at(by).op != Opcode::Const || f_.at(by).immediate <= 0)) continue;
      counters_.push_back({value, start, kNoValue, is_signed(step.kind)});
    }
    // What the loop's ways out compare.
    for (const BlockId b : loop.blocks) {
      const Instruction& end = f_.end_of(b);
      if (end.op != Opcode::Branch || is_float(end.kind)) continue;
      for (const Value side : {end.a, end.b}) {
        if (is_outside(side) && std::ranges::find(bounds_, side) == bounds_.end()) bounds_.push_back(side);
      }
    }
  }

  /// Puts the question before the loop when its answer there decides it in every iteration.
  bool ask_before(Value value, Prover::Point point) {
    Instruction i = f_.at(value);
    const Kind kind = i.op == Opcode::Convert ? i.source : i.kind;
    if (is_float(kind) || i.lanes != 1) return false;
    used_ = {};
    if (i.op == Opcode::Guard && !is_outside(i.a)) i.a = counter_above(i.a, point);
    // Every value the question is about, at its largest and where the loop starts.
    const bool sinks = i.op == Opcode::Guard && is_below(i.relation) && !is_outside(i.a) && is_outside(i.b) &&
                       sinks_from(i.a, is_signed(kind), 0);
    if (!sinks && !(i.op == Opcode::Guard ? rises(i, point) : monotone(i, point, 0))) return false;
    if (used_.phi == kNoValue && !dominates_latches(point.block)) return false;  // perhaps never asked at all
    if (used_.asks_start) ask_start();
    if (i.op == Opcode::Guard) {
      Instruction guard = i;
      guard.a = sinks ? clone(i.a, at_start_, false) : clone(i.a, at_end_, true);
      guard.first_use = guard.use_count = 0;
      leaving(guard);
      put(guard);
      return true;
    }
    const bool both = used_.phi != kNoValue && (is_signed(kind) || falls_);
    if (both) static_cast<void>(clone(value, at_start_, false));
    static_cast<void>(clone(value, at_end_, true));
    return true;
  }

  /// Whether the guard holds wherever it holds of the last iteration, or asks of what does not change.
  bool rises(const Instruction& guard, Prover::Point point) {
    if (!is_below(guard.relation)) return is_outside(guard.a) && is_outside(guard.b);
    return is_outside(guard.b) && grows(guard.a, point, 1);
  }

  static bool is_below(Relation relation) { return relation == Relation::Lt || relation == Relation::Le; }

  /// Whether the step makes of the phi what is not above it, or traps.
  [[nodiscard]] bool falls_by(const Instruction& step, Value phi) const {
    if (step.op != Opcode::Sub || step.mode == Mode::Wrap || is_float(step.kind) || step.a != phi) return false;
    if (!is_signed(step.kind)) return true;
    return f_.at(step.b).op == Opcode::Const && f_.at(step.b).immediate >= 0;
  }

  /// Whether the value is never above what it is in the first iteration, as a number of that sign.
  [[nodiscard]] bool sinks_from(Value value, bool is_signed, std::uint32_t depth) const {
    const Instruction& i = f_.at(value);
    if (is_float(i.kind) || i.lanes != 1 || jit::is_signed(i.kind) != is_signed) return false;
    if (is_outside(value) || std::ranges::find(falling_, value, &Counter::phi) != falling_.end()) return true;
    if (depth > 6 || i.mode == Mode::Wrap) return false;
    switch (i.op) {
      case Opcode::Add:
        return sinks_from(i.a, is_signed, depth + 1) && sinks_from(i.b, is_signed, depth + 1);
      case Opcode::Sub:
        return is_outside(i.b) && sinks_from(i.a, is_signed, depth + 1);
      default:
        return false;
    }
  }

  [[nodiscard]] bool dominates_latches(BlockId block) const {
    return std::ranges::all_of(loops_.loops[index_].latches,
                               [&](BlockId latch) { return dominators_.dominates(block, latch); });
  }

  /// Whether the value does not fall while the counter grows, by operations that are exact or checked.
  bool grows(Value value, Prover::Point point, std::uint32_t depth) {
    if (is_outside(value)) return true;
    if (depth > 6) return false;
    if (const Counter* counter = counter_of(value)) return use(*counter, point);
    return monotone(f_.at(value), point, depth);
  }

  bool monotone(const Instruction& i, Prover::Point point, std::uint32_t depth) {
    if (depth != 0 && never_fails(i)) return grows(i.a, point, depth + 1);
    if (i.mode == Mode::Wrap || is_float(i.kind) || i.lanes != 1) return false;
    if (depth == 0) falls_ = false;
    if (is_outside(i.a) && (i.b == kNoValue || is_outside(i.b))) return true;
    switch (i.op) {
      case Opcode::Add:
        return grows(i.a, point, depth + 1) && grows(i.b, point, depth + 1);
      case Opcode::Sub:
        if (!is_outside(i.b)) return false;
        falls_ = true;  // it may be too small where the loop starts
        return grows(i.a, point, depth + 1);
      case Opcode::Mul:
        if (is_signed(i.kind)) {
          return is_outside(i.b) && f_.at(i.b).op == Opcode::Const && f_.at(i.b).immediate > 0 &&
                 grows(i.a, point, depth + 1);
        }
        return grows(i.a, point, depth + 1) && grows(i.b, point, depth + 1);
      case Opcode::Convert:
        return !is_float(i.source) && grows(i.a, point, depth + 1);
      default:
        return false;
    }
  }

  /// A counter that the phi never passes, where it is none itself: what is kept of the elements seen.
  Value counter_above(Value value, Prover::Point point) {
    if (f_.at(value).op != Opcode::Phi || f_.at(value).block != header_ || counter_of(value) != nullptr) return value;
    for (const Counter& counter : counters_) {
      if (is_signed(f_.at(value).kind) == counter.is_signed &&
          prover_.at_most(value, counter.phi, 0, point, counter.is_signed)) {
        return counter.phi;
      }
    }
    return value;
  }

  /// Of unsigned numbers, by a number: it grows with its left operand and has no guard.
  bool never_fails(const Instruction& i) const {
    return (i.op == Opcode::Shr || i.op == Opcode::Div) && i.kind >= Kind::U8 && i.kind <= Kind::U64 && i.lanes == 1 &&
           i.mode != Mode::Checked && f_.at(i.b).op == Opcode::Const &&
           (i.op == Opcode::Shr || f_.at(i.b).immediate != 0);
  }

  const Counter* counter_of(Value value) const {
    const auto at = std::ranges::find(counters_, value, &Counter::phi);
    return at == counters_.end() ? nullptr : &*at;
  }

  /// Finds what the counter stays below at the point. One counter for a question.
  bool use(const Counter& counter, Prover::Point point) {
    if (used_.phi == counter.phi) return true;
    if (used_.phi != kNoValue) return false;
    for (const Value bound : bounds_) {
      if (bound == counter.phi || is_signed(f_.at(bound).kind) != counter.is_signed) continue;
      if (!prover_.at_most(counter.phi, bound, -1, point, counter.is_signed)) continue;
      // A signed bound may be so low that nothing is below it, where no iteration asks.
      if (counter.is_signed && !prover_.at_most(counter.start, bound, -1, {before_, kNone}, true)) continue;
      used_ = counter;
      used_.bound = bound;
      return true;
    }
    for (const Value bound : bounds_) {
      if (!ends_below(counter, bound)) continue;
      used_ = counter;
      used_.bound = bound;
      used_.asks_start = true;
      return true;
    }
    return false;
  }

  /// Whether the loop begins again only where the counter is below the bound.
  [[nodiscard]] bool ends_below(const Counter& counter, Value bound) const {
    const BlockId latch = loops_.loops[index_].latches[0];
    const Instruction& end = f_.end_of(latch);
    if (end.op != Opcode::Branch || end.relation != Relation::Lt || end.b != bound ||
        f_.blocks[latch].successors[0] != header_ || f_.blocks[latch].successors[1] == header_ ||
        is_signed(end.kind) != counter.is_signed || f_.at(bound).kind != end.kind) {
      return false;
    }
    const auto ways = f_.uses_of(f_.at(counter.phi));
    return std::ranges::any_of(ways, [&](const Use& use) { return use.slot == latch && use.value == end.a; });
  }

  /// Asks before the loop whether the counter starts below its bound, once.
  void ask_start() {
    const std::pair question{used_.start, used_.bound};
    if (std::ranges::find(asked_, question) != asked_.end()) return;
    asked_.push_back(question);
    Instruction guard;
    guard.op = Opcode::Guard;
    guard.kind = f_.at(used_.bound).kind;
    guard.relation = Relation::Lt;
    guard.trap = TrapKind::Bounds;
    guard.a = used_.start;
    guard.b = used_.bound;
    leaving(guard);
    put(guard);
  }

  // ---- before the loop

  Value put(Instruction i) {
    i.block = before_;
    i.word = f_.at(point_).word;
    i.frame = f_.at(point_).frame;
    const Value value = f_.make(i);
    std::vector<Value>& code = f_.blocks[before_].code;
    code.insert(code.end() - 1, value);
    return value;
  }

  /// The live slots where the loop is entered.
  void leaving(Instruction& i) {
    if (!uses_made_) {
      std::vector<Use> list;
      for (const Use& use : f_.uses_of(f_.at(point_))) list.push_back({use.slot, entering(use.value)});
      Instruction holder;
      f_.set_uses(holder, list);
      first_use_ = holder.first_use;
      use_count_ = holder.use_count;
      uses_made_ = true;
    }
    i.leaves = true;
    i.first_use = first_use_;
    i.use_count = use_count_;
  }

  /// The value a phi of the header has when the loop is entered.
  Value entering(Value value) {
    const Instruction& i = f_.at(value);
    if (i.op != Opcode::Phi || i.block != header_) return value;
    for (const Use& use : f_.uses_of(i)) {
      if (use.slot == before_) return use.value;
    }
    return value;
  }

  /// The value where the counter is at its largest, or at its start.
  Value clone(Value value, std::map<std::pair<Value, Value>, Value>& made, bool at_largest) {
    if (is_outside(value)) return value;
    const std::pair key{value, used_.bound};
    if (const auto known = made.find(key); known != made.end()) return known->second;
    Value result = kNoValue;
    if (const auto falling = std::ranges::find(falling_, value, &Counter::phi); falling != falling_.end()) {
      result = falling->start;
    } else if (counter_of(value) != nullptr) {
      result = at_largest ? last_value() : used_.start;
    } else {
      Instruction i = f_.at(value);
      if (i.a != kNoValue) i.a = clone(i.a, made, at_largest);
      if (i.b != kNoValue) i.b = clone(i.b, made, at_largest);
      i.first_use = i.use_count = 0;
      if (!never_fails(i)) {
        i.mode = Mode::Checked;
        leaving(i);
      }
      result = put(i);
    }
    made.emplace(key, result);
    return result;
  }

  /// The bound less one; zero for a bound of zero, where no iteration asks.
  Value last_value() {
    const Kind kind = used_.is_signed ? Kind::I64 : Kind::U64;
    const bool above =
        used_.asks_start || prover_.at_most(used_.start, used_.bound, -1, {before_, kNone}, used_.is_signed);
    Instruction one;
    one.op = Opcode::Const;
    one.kind = kind;
    one.immediate = 1;
    const Value number = f_.make(one);  // numbers stand in the entry
    f_.blocks[0].code.insert(f_.blocks[0].code.begin(), number);
    Value bound = used_.bound;
    if (!above) {
      Instruction positive;
      positive.op = Opcode::Max;
      positive.kind = kind;
      positive.a = bound;
      positive.b = number;
      bound = put(positive);
    }
    Instruction last;
    last.op = Opcode::Sub;
    last.kind = kind;
    last.mode = Mode::Exact;
    last.a = bound;
    last.b = number;
    return put(last);
  }

  Function& f_;
  const Dominators dominators_;
  const Loops loops_;
  Prover prover_;
  std::uint32_t index_ = 0;
  BlockId header_ = 0, before_ = 0;
  Value point_ = kNoValue;
  std::vector<Counter> counters_, falling_;  // those that rise, those that fall
  std::vector<Value> bounds_;
  std::vector<std::pair<Value, Value>> asked_;                  // starts and bounds
  std::map<std::pair<Value, Value>, Value> at_end_, at_start_;  // by value and bound
  Counter used_;
  bool falls_ = false;
  bool uses_made_ = false;
  std::uint32_t first_use_ = 0, use_count_ = 0;
};

}  // namespace

bool version_loops(Function& function, const Context&) {
  const bool made = make_preheaders(function);
  return Versions(function).run() || made;
}

}  // namespace cairn::jit::ssa
