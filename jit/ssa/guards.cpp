// Range analysis: guards, checked operations and branches that what is known where they stand decides.
#include <algorithm>

#include "jit/ssa/passes.hpp"
#include "jit/ssa/prover.hpp"

namespace cairn::jit::ssa {
namespace {

constexpr std::uint64_t kStepsPerInstruction = 64;

class Guards {
 public:
  explicit Guards(Function& function) : f_(function), dominators_(function), prover_(function, dominators_) {
    prover_.limit(kStepsPerInstruction * f_.code.size());
  }

  bool run() {
    // Decided first, changed after: the proofs rest on the guards as they stand.
    std::vector<Value> decided;
    std::vector<std::pair<BlockId, std::uint32_t>> ways;
    for (const BlockId b : dominators_.order()) {
      std::uint32_t position = 0;
      for (const Value value : f_.blocks[b].code) {
        const Instruction& i = f_.at(value);
        const Prover::Point point{b, position++};
        if (i.op == Opcode::Guard) {
          if (prover_.always(i.relation, i.kind, i.a, i.b, point)) decided.push_back(value);
        } else if (i.mode == Mode::Checked ? cannot_fail(i, point) : cannot_wrap(i, point)) {
          decided.push_back(value);
        }
      }
      const Instruction& end = f_.end_of(b);
      if (end.op != Opcode::Branch || f_.blocks[b].successors[0] == f_.blocks[b].successors[1]) continue;
      const Prover::Point point{b, position};
      if (prover_.always(end.relation, end.kind, end.a, end.b, point)) {
        ways.emplace_back(b, 0);
      } else if (prover_.never(end.relation, end.kind, end.a, end.b, point)) {
        ways.emplace_back(b, 1);
      }
    }
    for (const Value value : decided) {
      Instruction& i = f_.at(value);
      if (i.op == Opcode::Guard) {
        std::erase(f_.blocks[i.block].code, value);
        i = {};
      } else {
        i.mode = Mode::Exact;
        i.leaves = false;
        i.use_count = 0;
      }
    }
    for (const auto& [block, way] : ways) {
      Block& of = f_.blocks[block];
      Instruction& end = f_.end_of(block);
      const BlockId gone = of.successors[1 - way];
      of.successors = {of.successors[way]};
      become_jump(end);
      forget_edge(f_, block, gone);
    }
    if (!ways.empty()) remove_unreachable(f_);
    return !decided.empty() || !ways.empty();
  }

 private:
  /// Whether a sum or product of unsigned numbers modulo 2^width is their sum or product.
  bool cannot_wrap(const Instruction& i, Prover::Point point) {
    const bool adds = i.op == Opcode::Add;
    if ((!adds && i.op != Opcode::Mul) || i.mode != Mode::Wrap || i.lanes != 1) return false;
    if (i.kind < Kind::U8 || i.kind > Kind::U64) return false;
    const Number a = prover_.most(i.a, point);
    const Number b = a > most_of(i.kind) ? a : prover_.most(i.b, point);
    return adds ? a + b <= most_of(i.kind) : a <= most_of(i.kind) && (a == 0 || b <= most_of(i.kind) / a);
  }

  bool cannot_fail(const Instruction& i, Prover::Point point) {
    if (is_float(i.kind) || is_float(i.source)) return false;
    const bool sign = is_signed(i.kind);
    const Number most = most_of(i.kind);
    const Number least = least_of(i.kind);
    const auto at_most = [&](Value x, Value y, Number c) { return prover_.at_most(x, y, c, point, sign); };
    switch (i.op) {
      case Opcode::Add: {
        const Number high = prover_.upper(i.b, sign);
        const Number low = prover_.lower(i.b, sign);
        const bool below = high <= 0 || (!sign && prover_.most(i.a, point) + prover_.most(i.b, point) <= most) ||
                           at_most(i.a, kNoValue, most - high) ||
                           at_most(i.b, kNoValue, most - prover_.upper(i.a, sign));
        return below && (low >= 0 || at_most(kNoValue, i.a, low - least));
      }
      case Opcode::Sub: {
        if (!sign) return at_most(i.b, i.a, 0);
        const Number high = prover_.upper(i.b, sign);
        const Number low = prover_.lower(i.b, sign);
        return (high <= 0 || at_most(kNoValue, i.a, -high - least)) && (low >= 0 || at_most(i.a, kNoValue, most + low));
      }
      case Opcode::Mul: {
        if (!sign) {
          const Number a = prover_.most(i.a, point);
          const Number b = prover_.most(i.b, point);
          if (a <= most && b <= most && (a == 0 || b <= most / a)) return true;
          return f_.at(i.b).op == Opcode::Const && b > 0 && at_most(i.a, kNoValue, most / b);
        }
        Number ends[4];
        int k = 0;
        for (const Number a : {prover_.lower(i.a, true), prover_.upper(i.a, true)}) {
          for (const Number b : {prover_.lower(i.b, true), prover_.upper(i.b, true)}) ends[k++] = a * b;
        }
        if (std::ranges::all_of(ends, [&](Number end) { return fits(end, i.kind); })) return true;
        const Number b = f_.at(i.b).op == Opcode::Const ? prover_.upper(i.b, true) : 0;
        return b > 0 && at_most(i.a, kNoValue, most / b) && at_most(kNoValue, i.a, -(least / b));
      }
      case Opcode::Div:
      case Opcode::Rem:
        if (f_.at(i.b).op == Opcode::Const) {
          return f_.at(i.b).immediate != 0 && (!sign || f_.at(i.b).immediate != -1);
        }
        return at_most(kNoValue, i.b, -1);
      case Opcode::Neg:
      case Opcode::Abs:
        return at_most(kNoValue, i.a, most);
      case Opcode::Convert: {
        const bool source = is_signed(i.source);
        return prover_.at_most(i.a, kNoValue, most, point, source) &&
               (!source || prover_.at_most(kNoValue, i.a, -least, point, true));
      }
      default:
        return false;
    }
  }

  Function& f_;
  const Dominators dominators_;
  Prover prover_;
};

}  // namespace

bool remove_guards(Function& function, const Context&) {
  // What a branch into a loop says holds in a block of its own.
  const bool made = make_preheaders(function);
  return Guards(function).run() || made;
}

}  // namespace cairn::jit::ssa
