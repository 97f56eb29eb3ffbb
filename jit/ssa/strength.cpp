// Strength reduction: twice a float becomes a sum, and unsigned division by numbers becomes a shift, a mask, or a
// multiplication by the reciprocal (Granlund and Montgomery, "Division by invariant integers using multiplication",
// 1994).
#include <bit>

#include "jit/ssa/passes.hpp"

namespace cairn::jit::ssa {
namespace {

struct Reciprocal {
  std::uint64_t factor = 0;
  std::uint32_t shift = 0;
};

/// floor(x / divisor) = x * factor >> shift in 64 bits, for every x below 2^bits; false when no factor is small enough.
bool find_reciprocal(std::uint64_t divisor, std::uint32_t bits, Reciprocal& found) {
  for (std::uint32_t shift = bits; shift < 64; ++shift) {
    const std::uint64_t power = std::uint64_t{1} << shift;
    const std::uint64_t factor = power / divisor + 1;
    if (factor >> (64 - bits) != 0) return false;  // the product would not fit
    const std::uint64_t excess = factor * divisor - power;
    if (excess > std::uint64_t{1} << (shift - bits)) continue;
    found = {factor, shift};
    return true;
  }
  return false;
}

class Strength {
 public:
  explicit Strength(Function& function) : f_(function) {}

  bool run() {
    bool any = false;
    for (BlockId b = 0; b < f_.blocks.size(); ++b) {
      for (at_ = 0; at_ < f_.blocks[b].code.size(); ++at_) {
        block_ = b;
        any |= reduce(f_.blocks[b].code[at_]);
      }
    }
    return any;
  }

 private:
  bool reduce(Value value) {
    const Instruction i = f_.at(value);
    if (i.op == Opcode::Mul && is_float(i.kind)) return doubles(value);
    const bool divides = i.op == Opcode::Div || i.op == Opcode::Rem;
    if (!divides || i.mode == Mode::Checked || i.lanes != 1 || i.kind < Kind::U8 || i.kind > Kind::U64) return false;
    if (f_.at(i.b).op != Opcode::Const) return false;
    const auto divisor = static_cast<std::uint64_t>(f_.at(i.b).immediate);
    if (divisor == 0) return false;
    Instruction result = i;
    result.mode = Mode::Wrap;
    if (std::has_single_bit(divisor)) {
      const auto shift = std::countr_zero(divisor);
      result.op = i.op == Opcode::Div ? Opcode::Shr : Opcode::And;
      result.b = number(i.op == Opcode::Div ? static_cast<std::uint64_t>(shift) : divisor - 1);
      f_.at(value) = result;
      return true;
    }
    Reciprocal reciprocal;
    if (size_of(i.kind) > 4 || !find_reciprocal(divisor, width_of(i.kind), reciprocal)) return false;
    const Value product = put(i, Opcode::Mul, Kind::U64, i.a, number(reciprocal.factor), Mode::Exact);
    const Value by = number(reciprocal.shift);
    if (i.op == Opcode::Div) {
      result.op = Opcode::Shr;
      result.kind = Kind::U64;
      result.a = product;
      result.b = by;
    } else {
      const Value quotient = put(i, Opcode::Shr, Kind::U64, product, by, Mode::Wrap);
      const Value whole = put(i, Opcode::Mul, i.kind, quotient, i.b, Mode::Exact);
      result.op = Opcode::Sub;
      result.mode = Mode::Exact;
      result.b = whole;
    }
    f_.at(value) = result;
    return true;
  }

  /// Twice a float is its sum with itself, in every bit: exact, and a NaN the one it is.
  bool doubles(Value value) {
    Instruction& i = f_.at(value);
    const auto two = static_cast<std::int64_t>(i.kind == Kind::F32 ? std::bit_cast<std::uint32_t>(2.0F)
                                                                   : std::bit_cast<std::uint64_t>(2.0));
    for (const auto& [number, other] : {std::pair(i.a, i.b), std::pair(i.b, i.a)}) {
      if (f_.at(number).op != Opcode::Const || f_.at(number).immediate != two) continue;
      i.op = Opcode::Add;
      i.a = i.b = other;
      return true;
    }
    return false;
  }

  Value put(const Instruction& like, Opcode op, Kind kind, Value a, Value b, Mode mode) {
    Instruction i;
    i.op = op;
    i.kind = kind;
    i.mode = mode;
    i.a = a;
    i.b = b;
    i.word = like.word;
    i.frame = like.frame;
    i.block = block_;
    const Value value = f_.make(i);
    std::vector<Value>& code = f_.blocks[block_].code;
    code.insert(code.begin() + static_cast<std::ptrdiff_t>(at_++), value);
    return value;
  }

  Value number(std::uint64_t bits) {
    Instruction i;
    i.op = Opcode::Const;
    i.kind = Kind::U64;
    i.immediate = static_cast<std::int64_t>(bits);
    const Value value = f_.make(i);
    std::vector<Value>& code = f_.blocks[0].code;
    code.insert(code.begin(), value);
    if (block_ == 0) ++at_;
    return value;
  }

  Function& f_;
  BlockId block_ = 0;
  std::size_t at_ = 0;
};

}  // namespace

bool reduce_strength(Function& function, const Context&) { return Strength(function).run(); }

}  // namespace cairn::jit::ssa
