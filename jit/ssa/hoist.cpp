// Loop-invariant code motion. What gives the same on every iteration is computed before the loop: arithmetic wherever
// it stands, and what traps, reads memory or may not be done in vain where it is done first on every way through the
// loop, so that nothing that can be seen changes its place.
#include "jit/ssa/alias.hpp"
#include "jit/ssa/flow.hpp"
#include "jit/ssa/passes.hpp"

namespace cairn::jit::ssa {
namespace {

class Hoist {
 public:
  Hoist(Function& function, const Context& context)
      : f_(function),
        dominators_(function),
        loops_(function, dominators_),
        aliases_(function, context.module),
        in_loop_(function.blocks.size()) {}

  bool run() {
    bool any = false;
    for (std::uint32_t k = 0; k < loops_.loops.size(); ++k) any |= loop(k);
    return any;
  }

 private:
  bool loop(std::uint32_t index) {
    const Loop& loop = loops_.loops[index];
    const BlockId before = find_preheader(f_, loops_, index);
    if (before == kNone) return false;
    in_loop_.assign(f_.blocks.size(), 0);
    for (const BlockId b : loop.blocks) in_loop_[b] = 1;
    effects_.clear();
    for (const BlockId b : loop.blocks) {
      for (const Value value : f_.blocks[b].code) {
        const Opcode op = f_.at(value).op;
        if ((op >= Opcode::Store && op <= Opcode::Zero) || is_call(op) || op == Opcode::Step) effects_.push_back(value);
      }
    }
    bool any = false;
    for (const BlockId b : dominators_.order()) {
      if (in_loop_[b] == 0) continue;
      // Up to here everything in the loop's first block has been done when control comes here, and nothing else.
      bool is_first = b == loop.header;
      std::vector<Value> kept;
      for (const Value value : f_.blocks[b].code) {
        Instruction& i = f_.at(value);
        if (is_invariant(i) && may_move(i, is_first)) {
          // Done in vain now, perhaps: then nothing may be concluded from its being exact.
          if (!is_first && i.mode == Mode::Exact) i.mode = Mode::Wrap;
          i.block = before;
          std::vector<Value>& code = f_.blocks[before].code;
          code.insert(code.end() - 1, value);
          any = true;
          continue;
        }
        kept.push_back(value);
        if (may_trap(i) || has_side_effect(i)) is_first = false;
      }
      f_.blocks[b].code = std::move(kept);
    }
    return any;
  }

  static bool has_side_effect(const Instruction& i) {
    return (i.op >= Opcode::Store && i.op <= Opcode::Zero) || i.op == Opcode::StackGuard || i.op == Opcode::Poll;
  }

  bool is_invariant(const Instruction& i) {
    if (i.op == Opcode::Phi || is_end(i.op) || i.op == Opcode::Result || i.op == Opcode::Point) return false;
    bool invariant = true;
    each_operand(f_, i, [&](Value operand) { invariant = invariant && in_loop_[f_.at(operand).block] == 0; });
    return invariant;
  }

  bool may_move(const Instruction& i, bool is_first) const {
    if (i.op == Opcode::Guard || i.mode == Mode::Checked) return is_first;
    if (i.op == Opcode::Load) {
      if (!is_first) return false;
      for (const Value value : effects_) {
        const Instruction& effect = f_.at(value);
        const bool writes = is_call(effect.op) || effect.op == Opcode::Step ? aliases_.may_write(effect, i)
                                                                            : aliases_.may_overlap(effect, i);
        if (writes) return false;
      }
      return true;
    }
    return is_first ? is_pure(i) : is_speculatable(f_, i);
  }

  Function& f_;
  const Dominators dominators_;
  const Loops loops_;
  const Aliases aliases_;
  std::vector<std::uint8_t> in_loop_;
  std::vector<Value> effects_;
};

}  // namespace

bool hoist_invariants(Function& function, const Context& context) {
  const bool made = make_preheaders(function);
  return Hoist(function, context).run() || made;
}

}  // namespace cairn::jit::ssa
