// Global value numbering over the dominator tree: what computes the same from the same operands is computed once, a
// guard that an equal one has passed is not asked again, and identities of arithmetic are used.
#include <bit>
#include <utility>

#include "jit/ssa/flow.hpp"
#include "jit/ssa/fold.hpp"
#include "jit/ssa/passes.hpp"
#include "jit/ssa/rewrite.hpp"

namespace cairn::jit::ssa {
namespace {

bool commutes(Opcode op, Kind kind) {
  switch (op) {
    case Opcode::Add:
    case Opcode::Mul:
    case Opcode::And:
    case Opcode::Or:
    case Opcode::Xor:
      return true;  // of floats too: only which NaN comes out may differ
    case Opcode::Min:
    case Opcode::Max:
      return !is_float(kind);
    default:
      return false;
  }
}

class Numbering {
 public:
  explicit Numbering(Function& function) : f_(function), dominators_(function), forward_(function) {}

  bool run() {
    std::size_t size = 64;
    while (size < f_.code.size()) size *= 2;
    heads_.assign(size, kNoValue);
    next_.assign(f_.code.size(), kNoValue);
    for (const BlockId block : dominators_.preorder()) {
      for (const Value value : f_.blocks[block].code) visit(value);
    }
    forward_.apply();
    move_numbers();
    for (Block& block : f_.blocks) {
      std::erase_if(block.code, [&](Value value) { return f_.at(value).op == Opcode::Nop; });
    }
    return changed_;
  }

 private:
  void visit(Value value) {
    Instruction& i = f_.at(value);
    each_operand(f_, i, [&](Value& operand) { operand = forward_(operand); });
    if (i.op == Opcode::Nop) return;
    // Constants stand on the right.
    if (commutes(i.op, i.kind) && i.lanes == 1 &&
        (f_.at(i.a).op == Opcode::Const || (i.b < i.a && f_.at(i.b).op != Opcode::Const))) {
      if (f_.at(i.b).op != Opcode::Const) std::swap(i.a, i.b);
    }
    if (i.lanes == 1) {
      const Value simple = simplified(i);
      if (simple != kNoValue && simple != value) {
        changed_ = true;
        return forward_.replace(value, simple);
      }
    }
    if (i.op == Opcode::Branch) return simplify_branch(i);
    const bool shared = is_pure(i) || i.mode == Mode::Checked || i.op == Opcode::Guard;
    if (!shared) return;
    const std::size_t slot = hash(i) & (heads_.size() - 1);
    for (Value known = heads_[slot]; known != kNoValue; known = next_[known]) {
      const Instruction& other = f_.at(known);
      if (!same(i, other) || !dominators_.dominates(other.block, i.block)) continue;
      // A checked result is exact from there on; one that is modulo 2^width proves nothing.
      if (i.mode == Mode::Checked && other.mode == Mode::Wrap) continue;
      changed_ = true;
      if (i.op == Opcode::Guard) {
        i = {};
        return;
      }
      return forward_.replace(value, known);
    }
    next_[value] = heads_[slot];
    heads_[slot] = value;
    // Numbers are there from the start: what is computed of them may then be moved.
    if (i.op == Opcode::Const && i.block != 0) numbers_.push_back(value);
  }

  void move_numbers() {
    if (numbers_.empty()) return;
    for (const Value value : numbers_) f_.at(value).block = 0;
    for (BlockId b = 1; b < f_.blocks.size(); ++b) {
      std::erase_if(f_.blocks[b].code, [&](Value value) { return f_.at(value).block != b; });
    }
    std::vector<Value>& code = f_.blocks[0].code;
    code.insert(code.begin(), numbers_.begin(), numbers_.end());
    changed_ = true;
  }

  static std::size_t hash(const Instruction& i) {
    std::uint64_t h = static_cast<std::uint64_t>(i.op) | static_cast<std::uint64_t>(i.kind) << 8 |
                      static_cast<std::uint64_t>(i.source) << 16 | static_cast<std::uint64_t>(i.relation) << 24 |
                      std::uint64_t{i.lanes} << 32;
    for (const std::uint64_t part : {std::uint64_t{i.a}, std::uint64_t{i.b}, std::uint64_t{i.c}, std::uint64_t{i.scale},
                                     static_cast<std::uint64_t>(i.immediate)}) {
      h = (h ^ part) * 0x9e3779b97f4a7c15;
      h ^= h >> 29;
    }
    return static_cast<std::size_t>(h);
  }
  static bool same(const Instruction& i, const Instruction& j) {
    return i.op == j.op && i.kind == j.kind && i.source == j.source && i.relation == j.relation && i.lanes == j.lanes &&
           i.a == j.a && i.b == j.b && i.c == j.c && i.scale == j.scale && i.immediate == j.immediate;
  }

  [[nodiscard]] bool is_number(Value value, std::uint64_t bits) const {
    return value != kNoValue && f_.at(value).op == Opcode::Const &&
           static_cast<std::uint64_t>(f_.at(value).immediate) == bits;
  }
  [[nodiscard]] bool is_const(Value value) const { return value != kNoValue && f_.at(value).op == Opcode::Const; }

  /// The value that an instruction always gives, or none. May change the instruction for a simpler one.
  Value simplified(Instruction& i) {
    switch (i.op) {
      case Opcode::Add:
      case Opcode::Sub:
        if (is_float(i.kind)) {
          add_negated(i);
          return kNoValue;
        }
        if (is_number(i.b, 0)) return i.a;
        return kNoValue;
      case Opcode::Or:
      case Opcode::Xor:
        if (is_number(i.b, 0)) return i.a;
        return i.op == Opcode::Or && i.a == i.b ? i.a : kNoValue;
      case Opcode::And:
        if (is_number(i.b, ~std::uint64_t{0})) return i.a;
        return i.a == i.b ? i.a : kNoValue;
      case Opcode::Mul:
        if (is_float(i.kind))
          return is_number(i.b,
                           i.kind == Kind::F64 ? std::bit_cast<std::uint64_t>(1.0) : std::bit_cast<std::uint32_t>(1.0F))
                     ? i.a
                     : kNoValue;
        return is_number(i.b, 1) ? i.a : kNoValue;
      case Opcode::Fma:
        fuse_negated(i);
        return kNoValue;
      case Opcode::Div:
        return !is_float(i.kind) && is_number(i.b, 1) ? i.a : kNoValue;
      case Opcode::Shl:
      case Opcode::Shr:
        return is_number(i.b, 0) ? i.a : kNoValue;
      case Opcode::Min:
      case Opcode::Max:
        return i.a == i.b && !is_float(i.kind) ? i.a : kNoValue;
      case Opcode::Select:
        if (i.b == i.c) return i.b;
        if (i.kind == Kind::Bool && is_number(i.b, 1) && is_number(i.c, 0)) return i.a;
        return kNoValue;
      case Opcode::Convert:
        return is_float(i.source) || is_float(i.kind) || i.mode == Mode::Checked ? kNoValue : convert(i);
      case Opcode::Bits: {
        const Instruction& from = f_.at(i.a);
        return from.op == Opcode::Bits && from.source == i.kind ? from.a : kNoValue;
      }
      case Opcode::Address:
        join_address(i);
        return i.b == kNoValue && i.immediate == 0 ? i.a : kNoValue;
      case Opcode::Load:
      case Opcode::Store:
        join_address(i);
        return kNoValue;
      case Opcode::Guard:
        if (i.a == i.b && !is_float(i.kind) && holds(i.relation, i.kind, 0, 0)) {
          i = {};
          changed_ = true;
        }
        return kNoValue;
      default:
        return kNoValue;
    }
  }

  /// What is added with its sign changed is taken away, and the other way round: the same number, signs of zeros too.
  void add_negated(Instruction& i) {
    if (f_.at(i.b).op == Opcode::Neg) {
      i.op = i.op == Opcode::Add ? Opcode::Sub : Opcode::Add;
      i.b = f_.at(i.b).a;
    } else if (i.op == Opcode::Add && f_.at(i.a).op == Opcode::Neg) {
      i.op = Opcode::Sub;
      i.a = std::exchange(i.b, f_.at(i.a).a);
    } else {
      return;
    }
    changed_ = true;
  }
  void fuse_negated(Instruction& i) {
    if (f_.at(i.c).op == Opcode::Neg) {
      i.op = Opcode::Fms;
      i.c = f_.at(i.c).a;
    } else if (f_.at(i.a).op == Opcode::Neg || f_.at(i.b).op == Opcode::Neg) {
      i.op = Opcode::Fnma;
      Value& negated = f_.at(i.a).op == Opcode::Neg ? i.a : i.b;
      negated = f_.at(negated).a;
    } else {
      return;
    }
    changed_ = true;
  }

  /// An exact conversion between integers changes no bit of the slot.
  static Value convert(const Instruction& i) { return i.mode == Mode::Exact ? i.a : kNoValue; }

  /// An index that is a number, and base + constant, are part of the address while its offset fits an instruction.
  void join_address(Instruction& i) {
    constexpr std::int64_t kMost = std::int64_t{1} << 30;
    const auto joins = [&](Number more) {
      const Number offset = i.immediate + more;
      if (offset >= kMost || offset <= -kMost) return false;
      i.immediate = static_cast<std::int64_t>(offset);
      changed_ = true;
      return true;
    };
    if (is_const(i.b) && joins(Number{f_.at(i.b).immediate} * i.scale)) {
      i.b = kNoValue;
      i.scale = 1;
    }
    while (true) {
      const Instruction& base = f_.at(i.a);
      if (base.op != Opcode::Address || base.b != kNoValue || !joins(base.immediate)) return;
      i.a = base.a;
    }
  }

  /// A branch on a comparison's bool is that comparison.
  void simplify_branch(Instruction& i) {
    while (i.kind == Kind::Bool && is_number(i.b, 0) && (i.relation == Relation::Ne || i.relation == Relation::Eq)) {
      const Instruction& from = f_.at(i.a);
      if (from.lanes != 1) return;
      if (from.op == Opcode::Xor && from.kind == Kind::Bool && is_number(from.b, 1)) {
        i.relation = i.relation == Relation::Ne ? Relation::Eq : Relation::Ne;
        i.a = from.a;
        changed_ = true;
        continue;
      }
      if (from.op != Opcode::Compare) return;
      std::optional<Relation> relation = from.relation;
      if (i.relation == Relation::Eq) relation = negated(from.relation, from.source);
      if (!relation) return;
      i.relation = *relation;
      i.kind = from.source;
      i.b = from.b;
      i.a = from.a;
      changed_ = true;
    }
  }

  Function& f_;
  const Dominators dominators_;
  Forward forward_;
  std::vector<Value> heads_, next_, numbers_;
  bool changed_ = false;
};

}  // namespace

bool number_values(Function& function, const Context&) { return Numbering(function).run(); }

}  // namespace cairn::jit::ssa
