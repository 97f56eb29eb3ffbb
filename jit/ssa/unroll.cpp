// Unrolling. A small counted loop of one block that vectors cannot do is done four turns at a time while more than four
// are left (strip.hpp): its test is asked once, and what one turn computes for the next needs no jump between. Every
// turn keeps its own guards and what they tell, in their order, so that a trap is the one it was.
#include <algorithm>

#include "jit/ssa/passes.hpp"
#include "jit/ssa/strip.hpp"

namespace cairn::jit::ssa {
namespace {

constexpr std::uint32_t kTurns = 4;
constexpr std::size_t kMostCode = 12;        // instructions of a turn, its phis, counting and test aside
constexpr std::uint64_t kMostStep = 1024;    // of the counter
constexpr Number kFewestTurns = 4 * kTurns;  // where they are known
constexpr std::size_t kMostLoops = 16;       // of a function

class Unroll {
 public:
  explicit Unroll(Function& function) : f_(function) {}

  bool run() {
    // All are found first: what is known of the function is known of it as it stands.
    std::vector<CountedLoop> found;
    {
      const Dominators dominators(f_);
      const Loops loops(f_, dominators);
      Prover prover(f_, dominators);
      for (std::uint32_t k = 0; k < loops.loops.size() && found.size() < kMostLoops; ++k) {
        const Loop& loop = loops.loops[k];
        if (loop.blocks.size() != 1 || f_.blocks[loop.header].is_cold || !is_small(loop.header)) continue;
        const BlockId before = find_preheader(f_, loops, k);
        if (before == kNone || is_left_by_strip(before)) continue;
        const auto counted = find_counted(f_, loop.blocks, before, loop.header, prover);
        if (counted && is_worth_it(*counted)) found.push_back(*counted);
      }
    }
    for (const CountedLoop& loop : found) make(loop);
    return !found.empty();
  }

 private:
  /// Whether a turn is short, and nothing of it takes much longer than the test would.
  [[nodiscard]] bool is_small(BlockId body) const {
    std::size_t count = 0;
    for (const Value value : f_.blocks[body].code) {
      const Instruction& i = f_.at(value);
      if (i.op == Opcode::Phi || is_end(i.op)) continue;
      const bool is_dear = i.op == Opcode::Div || i.op == Opcode::Rem || i.op == Opcode::Sqrt;
      // A poll counts turns; a copy, a call or a step is long.
      const bool is_plain = is_pure(i) || i.mode == Mode::Checked || i.op == Opcode::Load || i.op == Opcode::Store ||
                            i.op == Opcode::Guard;
      if (!is_plain || is_dear || i.lanes != 1 || ++count > kMostCode + 1) return false;
    }
    return true;
  }

  /// Whether the loop does what vectors have left of its turns, from a block behind theirs or the one behind that.
  [[nodiscard]] bool is_left_by_strip(BlockId before) const {
    const auto is_strip = [&](BlockId b) {
      const Block& block = f_.blocks[b];
      return std::ranges::find(block.successors, b) != block.successors.end() &&
             std::ranges::any_of(block.code, [&](Value value) { return f_.at(value).lanes != 1; });
    };
    return std::ranges::any_of(f_.blocks[before].predecessors, [&](BlockId b) {
      return is_strip(b) || std::ranges::any_of(f_.blocks[b].predecessors, is_strip);
    });
  }

  [[nodiscard]] bool is_worth_it(const CountedLoop& loop) const {
    if (width_of(loop.kind) < 32 || loop.step > kMostStep) return false;
    const Instruction& start = f_.at(loop.start);
    const Instruction& bound = f_.at(loop.bound);
    if (start.op != Opcode::Const || bound.op != Opcode::Const) return true;
    const auto of = [&](const Instruction& i) { return number_of(static_cast<std::uint64_t>(i.immediate), loop.kind); };
    return of(bound) - of(start) >= kFewestTurns * static_cast<Number>(loop.step);
  }

  void make(const CountedLoop& loop) {
    const BlockId blocks[] = {loop.body};
    const bool all = !leaves_values(f_, blocks);
    const std::vector<Value> code = f_.blocks[loop.body].code;
    Strip strip(f_, loop, kTurns);
    std::vector<Use> carried;  // phis, their values now in place of a slot
    std::vector<Value> now(f_.code.size(), kNoValue);
    for (const Value value : code) {
      if (f_.at(value).op != Opcode::Phi) break;
      now[value] = value == loop.counter ? strip.counter() : strip.carry(value);
    }
    for (std::uint32_t turn = 0; turn < kTurns; ++turn) {
      for (const Value value : code) {
        Instruction i = f_.at(value);
        if (i.op == Opcode::Phi || is_end(i.op)) continue;
        const auto passed = static_cast<std::int64_t>(loop.step * turn);
        if (value == loop.next) {
          now[value] = count(strip, i, loop, turn + 1);
          continue;
        }
        std::vector<Use> uses(f_.uses_of(i).begin(), f_.uses_of(i).end());
        for (Use& use : uses) use.value = stands_for(use.value, now);
        i.first_use = i.use_count = 0;
        f_.set_uses(i, uses);
        // The turns' own counters as an index are the first's and an offset.
        const bool is_access = i.op == Opcode::Load || i.op == Opcode::Store || i.op == Opcode::Address;
        if (is_access && i.b == loop.counter) {
          i.b = strip.counter();
          i.immediate += passed * i.scale;
        } else {
          i.b = stands_for(i.b, now);
        }
        i.a = stands_for(i.a, now);
        i.c = stands_for(i.c, now);
        now[value] = put(strip.block(), i);
      }
      // All phis at once.
      carried.clear();
      for (const Value value : code) {
        const Instruction& phi = f_.at(value);
        if (phi.op != Opcode::Phi) break;
        for (const Use& use : f_.uses_of(phi)) {
          if (use.slot == loop.body) carried.push_back({value, stands_for(use.value, now)});
        }
      }
      for (const Use& each : carried) now[each.slot] = each.value;
    }
    for (const Use& each : carried) {
      if (each.slot != loop.counter) strip.behind(each.slot, each.value);
    }
    strip.close(all, strip.block());
  }

  static Value stands_for(Value value, const std::vector<Value>& now) {
    return value < now.size() && now[value] != kNoValue ? now[value] : value;
  }

  /// The counter behind so many turns, of the first one's: no turn waits for another's.
  Value count(Strip& strip, Instruction next, const CountedLoop& loop, std::uint32_t turns) {
    Instruction number;
    number.op = Opcode::Const;
    number.kind = loop.kind;
    number.immediate = static_cast<std::int64_t>(loop.step * turns);
    next.a = strip.counter();
    next.b = strip.put(loop.before, number);
    return put(strip.block(), next);
  }

  /// It keeps what it tells of where it stood.
  Value put(BlockId block, Instruction i) {
    i.block = block;
    const Value value = f_.make(i);
    f_.blocks[block].code.push_back(value);
    return value;
  }

  Function& f_;
};

}  // namespace

bool unroll_loops(Function& function, const Context&) {
  const bool made = make_preheaders(function);
  return Unroll(function).run() || made;
}

}  // namespace cairn::jit::ssa
