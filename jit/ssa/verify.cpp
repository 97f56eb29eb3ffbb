#include <algorithm>

#include "jit/ssa/flow.hpp"
#include "jit/ssa/text.hpp"

namespace cairn::jit::ssa {
namespace {

class Verifier {
 public:
  explicit Verifier(const Function& function) : f_(function) {}

  std::string run() {
    if (f_.blocks.empty() || f_.frames.empty()) return "no blocks";
    for (BlockId b = 0; b < f_.blocks.size(); ++b) {
      if (!edges(b)) return fault_;
    }
    const Dominators dominators(f_);
    position_.assign(f_.code.size(), kNone);
    for (BlockId b = 0; b < f_.blocks.size(); ++b) {
      if (!dominators.is_reachable(b)) return "no way leads to b" + std::to_string(b);
      std::uint32_t at = 0;
      for (const Value value : f_.blocks[b].code) {
        if (value == kNoValue || value >= f_.code.size()) return "b" + std::to_string(b) + " names no instruction";
        if (position_[value] != kNone) return wrong(value, "stands twice");
        if (f_.at(value).block != b) return wrong(value, "is not of this block");
        position_[value] = at++;
      }
    }
    for (BlockId b = 0; b < f_.blocks.size(); ++b) {
      bool phis = true;
      Value call = kNoValue;
      for (const Value value : f_.blocks[b].code) {
        const Instruction& i = f_.at(value);
        if (i.op == Opcode::Phi && !phis) return wrong(value, "stands behind other instructions");
        phis = phis && i.op == Opcode::Phi;
        if (i.op == Opcode::Slot && b != 0) return wrong(value, "is not in the entry");
        if (i.op == Opcode::Result || i.op == Opcode::Limb) {
          if (i.a != call || call == kNoValue) return wrong(value, "does not stand behind its call");
        } else {
          call = is_call(i.op) || i.op == Opcode::Step || i.op == Opcode::PairFunction ? value : kNoValue;
        }
        if (i.frame >= f_.frames.size()) return wrong(value, "has no frame");
        if (!operands(value, dominators) || !kinds(value)) return fault_;
      }
    }
    return {};
  }

 private:
  bool fail(std::string why) {
    fault_ = std::move(why);
    return false;
  }
  std::string wrong(Value value, const std::string& why) const {
    return "v" + std::to_string(value) + " (" + std::string(name_of(f_.at(value).op)) + ") " + why;
  }

  bool edges(BlockId b) {
    const Block& block = f_.blocks[b];
    const std::string name = "b" + std::to_string(b);
    if (block.code.empty()) return fail(name + " is empty");
    for (const Value value : block.code) {
      if (is_end(f_.at(value).op) != (value == block.code.back())) return fail(name + " does not end where it ends");
    }
    const Instruction& end = f_.end_of(b);
    const std::size_t n = block.successors.size();
    const bool fits = end.op == Opcode::Jump     ? n == 1
                      : end.op == Opcode::Branch ? n == 2
                      : end.op == Opcode::Switch ? n >= 1
                                                 : n == 0;
    if (!fits) return fail(name + " has the wrong number of successors");
    for (const BlockId next : block.successors) {
      if (next >= f_.blocks.size() || next == 0) return fail(name + " goes nowhere");
      if (std::ranges::count(f_.blocks[next].predecessors, b) != 1) {
        return fail("b" + std::to_string(next) + " does not know of " + name);
      }
    }
    for (const BlockId before : block.predecessors) {
      if (before >= f_.blocks.size() || std::ranges::count(f_.blocks[before].successors, b) == 0) {
        return fail(name + " has a predecessor that does not lead to it");
      }
    }
    return true;
  }

  bool operands(Value value, const Dominators& dominators) {
    const Instruction& i = f_.at(value);
    std::string why;
    each_operand(f_, i, [&](Value operand) {
      if (operand == kNoValue || operand >= f_.code.size() || position_[operand] == kNone) {
        why = wrong(value, "reads v" + std::to_string(operand) + ", which is nowhere");
      } else if (!has_value(f_.at(operand).op) && i.op != Opcode::Result) {
        why = wrong(value, "reads v" + std::to_string(operand) + ", which gives nothing");
      } else if (i.op != Opcode::Phi) {
        const BlockId at = f_.at(operand).block;
        const bool before = at == i.block ? position_[operand] < position_[value] : dominates(dominators, at, i.block);
        if (!before) why = wrong(value, "reads v" + std::to_string(operand) + " before it is there");
      }
    });
    if (!why.empty()) return fail(why);
    if (i.op != Opcode::Phi) return true;
    const std::vector<BlockId>& before = f_.blocks[i.block].predecessors;
    if (i.use_count != before.size()) return fail(wrong(value, "has not one value for each predecessor"));
    for (const Use& use : f_.uses_of(i)) {
      if (std::ranges::find(before, use.slot) == before.end()) return fail(wrong(value, "names no predecessor"));
      const Instruction& from = f_.at(use.value);
      if (!dominates(dominators, from.block, use.slot)) {
        return fail(wrong(value, "takes v" + std::to_string(use.value) + " from where it is not"));
      }
      if (is_float(from.kind) != is_float(i.kind) || from.lanes != i.lanes) {
        return fail(wrong(value, "takes v" + std::to_string(use.value) + " of another kind"));
      }
    }
    return true;
  }

  static bool dominates(const Dominators& dominators, BlockId a, BlockId b) { return dominators.dominates(a, b); }

  /// Integers of any kind may stand for each other: the slot's 64 bits say all. Floats may not.
  bool kinds(Value value) {
    const Instruction& i = f_.at(value);
    const auto is = [&](Value operand, Kind kind) {
      if (operand == kNoValue) return fail(wrong(value, "lacks an operand"));
      const Kind has = f_.at(operand).kind;
      if (is_float(kind) ? has == kind : is_integer(has)) return true;
      return fail(wrong(value, "reads v" + std::to_string(operand) + ", which is of another kind"));
    };
    if (has_value(i.op) && i.kind == Kind::None) return fail(wrong(value, "has no kind"));
    if (i.kind == Kind::Pair) return fail(wrong(value, "is of two slots"));
    switch (i.op) {
      case Opcode::Add:
      case Opcode::Sub:
      case Opcode::Mul:
      case Opcode::Div:
      case Opcode::Rem:
      case Opcode::And:
      case Opcode::Or:
      case Opcode::Xor:
      case Opcode::Min:
      case Opcode::Max:
      case Opcode::Unzip:
      case Opcode::Zip:
      case Opcode::Guard:
      case Opcode::Branch:
        return is(i.a, i.kind) && is(i.b, i.kind);
      case Opcode::Shl:
      case Opcode::Shr:
        return is(i.a, i.kind) && is(i.b, Kind::U64);
      case Opcode::Fma:
      case Opcode::Fms:
      case Opcode::Fnma:
        return is(i.a, i.kind) && is(i.b, i.kind) && is(i.c, i.kind);
      case Opcode::Neg:
      case Opcode::Abs:
      case Opcode::Sqrt:
      case Opcode::Floor:
      case Opcode::Ceil:
      case Opcode::Trunc:
      case Opcode::Splat:
        return is(i.a, i.kind);
      case Opcode::PairFunction:
        if (!is(i.a, i.kind) || !is(i.b, i.kind)) return false;
        for (const Use& use : f_.uses_of(i)) {
          if (!is(i.c, i.kind) || !is(use.value, i.kind)) return false;
        }
        return true;
      case Opcode::Limb:
        return (f_.at(i.a).op == Opcode::PairFunction && is(i.a, i.kind)) ||
               fail(wrong(value, "is a limb of no pair function"));
      case Opcode::Ones:
        return is(i.a, Kind::U64);
      case Opcode::Compress:
        return is(i.a, i.kind) && is(i.b, Kind::U64);
      case Opcode::Mask:
      case Opcode::Compare:
        return is(i.a, i.source) && is(i.b, i.source);
      case Opcode::Select:
        return is(i.a, Kind::Bool) && is(i.b, i.kind) && is(i.c, i.kind);
      case Opcode::Convert:
      case Opcode::Bits:
        return is(i.a, i.source);
      case Opcode::Address:
      case Opcode::Load:
        return is(i.a, Kind::U64) && (i.b == kNoValue || is(i.b, Kind::U64));
      case Opcode::Store:
        return is(i.a, Kind::U64) && (i.b == kNoValue || is(i.b, Kind::U64)) && is(i.c, i.kind);
      case Opcode::Copy:
        return is(i.a, Kind::U64) && is(i.b, Kind::U64);
      case Opcode::Zero:
      case Opcode::CallValue:
      case Opcode::CallDyn:
      case Opcode::Switch:
        return is(i.a, Kind::U64);
      default:
        return true;
    }
  }

  const Function& f_;
  std::string fault_;
  std::vector<std::uint32_t> position_;
};

}  // namespace

std::string verify(const Function& function) { return Verifier(function).run(); }

}  // namespace cairn::jit::ssa
