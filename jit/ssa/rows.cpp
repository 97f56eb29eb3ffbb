// Vectorization across the turns of an outer loop. A nest in which every turn of the outer loop runs a loop of its own
// over the same range, and stores what comes of it at its own index, does a vector's lanes of turns at once: a row a
// lane. What the inner loop carries from turn to turn is carried lane by lane, so that every sum keeps its order.
//
//   header: a turn's start -> inner: one block, which leads back to itself or on -> latch: the turn's end -> header
//
// A value of the nest is one of three: the same in every row, the outer counter and something that is the same (one
// more in each row), or a vector of 64-bit lanes.
#include <algorithm>

#include "jit/ssa/alias.hpp"
#include "jit/ssa/passes.hpp"
#include "jit/ssa/strip.hpp"
#include "jit/ssa/vectorizer.hpp"

namespace cairn::jit::ssa {
namespace {

class Rows {
 public:
  Rows(Function& function, const Context& context)
      : f_(function),
        context_(context),
        dominators_(function),
        loops_(function, dominators_),
        aliases_(function, context.module),
        prover_(function, dominators_) {}

  bool run() {
    bool any = false;
    const auto count = static_cast<std::uint32_t>(loops_.loops.size());
    for (std::uint32_t k = 0; k < count; ++k) any |= loop(k);
    return any;
  }

 private:
  enum class Class : std::uint8_t { Same, Linear, Vector, Unfit };

  bool loop(std::uint32_t index) {
    const Loop& loop = loops_.loops[index];
    if (loop.blocks.size() != 3 || loop.latches.size() != 1 || f_.blocks[loop.header].is_cold) return false;
    header_ = loop.header;
    latch_ = loop.latches[0];
    inner_ = kNone;
    for (const BlockId b : loop.blocks) {
      if (b != header_ && b != latch_) inner_ = b;
    }
    if (inner_ == kNone || !is_nest()) return false;
    before_ = find_preheader(f_, loops_, index);
    if (before_ == kNone) return false;
    blocks_ = {header_, inner_, latch_};
    const auto counted = find_counted(f_, blocks_, before_, latch_, prover_);
    if (!counted || counted->kind != Kind::U64 || counted->step != 1) return false;
    counted_ = *counted;
    if (!classify() || !independent()) return false;
    make();
    return true;
  }

  [[nodiscard]] bool is_nest() const {
    const std::vector<BlockId>& ways = f_.blocks[inner_].successors;
    return f_.blocks[header_].successors == std::vector<BlockId>{inner_} &&
           f_.blocks[latch_].predecessors == std::vector<BlockId>{inner_} && f_.end_of(inner_).op == Opcode::Branch &&
           ways.size() == 2 && ((ways[0] == inner_ && ways[1] == latch_) || (ways[1] == inner_ && ways[0] == latch_));
  }

  [[nodiscard]] bool is_outside(Value value) const {
    return std::ranges::find(blocks_, f_.at(value).block) == blocks_.end();
  }
  [[nodiscard]] Class class_of(Value value) const { return is_outside(value) ? Class::Same : classes_[value]; }
  [[nodiscard]] bool is_same(Value value) const { return value == kNoValue || class_of(value) == Class::Same; }
  [[nodiscard]] bool is_operand(Value value) const {
    if (value == kNoValue) return true;
    const Instruction& i = f_.at(value);
    return class_of(value) != Class::Unfit && size_of(i.kind) == kSize && i.lanes == 1;
  }

  /// Phis of the inner loop are taken for the same in every row until what goes into one is not.
  bool classify() {
    // A row's own header carries nothing but the counter.
    for (const Value value : f_.blocks[header_].code) {
      if (f_.at(value).op == Opcode::Phi && value != counted_.counter) return false;
    }
    if (f_.at(f_.blocks[latch_].code.front()).op == Opcode::Phi) return false;
    classes_.assign(f_.code.size(), Class::Unfit);
    for (const Value value : f_.blocks[inner_].code) {
      if (f_.at(value).op != Opcode::Phi) break;
      classes_[value] = Class::Same;
    }
    for (bool changed = true; changed;) {
      if (!classify_code()) return false;
      changed = false;
      for (const Value value : f_.blocks[inner_].code) {
        const Instruction& phi = f_.at(value);
        if (phi.op != Opcode::Phi) break;
        for (const Use& use : f_.uses_of(phi)) {
          if (classes_[value] == Class::Vector && !is_operand(use.value)) return false;
          if (classes_[value] == Class::Vector || is_same(use.value)) continue;
          if (size_of(phi.kind) != kSize) return false;
          classes_[value] = Class::Vector;
          changed = true;
        }
      }
    }
    const auto works = [&](Value value) { return class_of(value) == Class::Vector; };
    return std::ranges::any_of(accesses_, [&](Value v) { return f_.at(v).op == Opcode::Store; }) &&
           std::ranges::any_of(f_.blocks[inner_].code, works);
  }

  /// What each instruction is, the phis being what they are taken for.
  bool classify_code() {
    accesses_.clear();
    classes_[counted_.counter] = Class::Linear;
    for (const BlockId b : blocks_) {
      for (const Value value : f_.blocks[b].code) {
        const Instruction& i = f_.at(value);
        if (i.op == Opcode::Phi || i.op == Opcode::Jump) continue;
        if (i.op == Opcode::Branch) {
          if (b == inner_ && (!is_same(i.a) || !is_same(i.b))) return false;
          continue;
        }
        if (i.op == Opcode::Load || i.op == Opcode::Store) accesses_.push_back(value);
        if (i.op == Opcode::Store) {
          if (!fits(i)) return false;
          continue;
        }
        classes_[value] = classify(i);
        if (classes_[value] == Class::Unfit) return false;
      }
    }
    return true;
  }

  [[nodiscard]] Class classify(const Instruction& i) const {
    if (i.lanes != 1) return Class::Unfit;
    if (i.op == Opcode::Load) {
      if (is_same(i.a) && is_same(i.b)) return Class::Same;
      return is_row_access(i) ? Class::Vector : Class::Unfit;
    }
    if (!is_pure(i)) return Class::Unfit;
    if (is_same(i.a) && is_same(i.b) && is_same(i.c)) return Class::Same;
    // One more in each row, where it does not wrap.
    if ((i.op == Opcode::Add || i.op == Opcode::Sub) && i.kind == Kind::U64 && i.mode == Mode::Exact) {
      if (class_of(i.a) == Class::Linear && is_same(i.b)) return Class::Linear;
      if (i.op == Opcode::Add && is_same(i.a) && class_of(i.b) == Class::Linear) return Class::Linear;
    }
    const bool shifts = i.op == Opcode::Shl || i.op == Opcode::Shr;
    if (size_of(i.kind) != kSize || !has_vectors(f_, i)) return Class::Unfit;
    return is_operand(i.a) && (shifts || is_operand(i.b)) && is_operand(i.c) ? Class::Vector : Class::Unfit;
  }

  /// An element at a row's own index.
  [[nodiscard]] bool is_row_access(const Instruction& i) const {
    return i.kind != Kind::Bool && size_of(i.kind) == kSize && is_outside(i.a) && i.b != kNoValue &&
           class_of(i.b) == Class::Linear && i.scale == kSize;
  }

  [[nodiscard]] bool fits(const Instruction& store) const {
    return store.lanes == 1 && store.block != inner_ && is_row_access(store) && is_operand(store.c) &&
           is_float(f_.at(store.c).kind) == is_float(store.kind);
  }

  /// Whether no row reads or writes what another one writes.
  [[nodiscard]] bool independent() const {
    for (const Value store : accesses_) {
      if (f_.at(store).op != Opcode::Store) continue;
      for (const Value other : accesses_) {
        if (other != store && aliases_.may_meet(f_.at(store).a, f_.at(other).a)) return false;
      }
    }
    return true;
  }

  // ---- what becomes of it: before -> header' -> inner' -> latch' -> rest -> the nest as it was

  void make() {
    const bool all = !leaves_values(f_, blocks_);
    lanes_ = static_cast<std::uint8_t>(context_.vector_bytes / kSize);
    Strip strip(f_, counted_, lanes_);
    copies_.assign(f_.code.size(), kNoValue);
    lifted_.assign(f_.code.size(), kNoValue);
    iota_ = kNoValue;
    copies_[counted_.counter] = strip.counter();
    const BlockId rows[] = {strip.block(), f_.add_block(f_.blocks[inner_].word), f_.add_block(f_.blocks[latch_].word)};
    std::vector<std::pair<Value, Value>> phis;
    for (std::size_t k = 0; k < blocks_.size(); ++k) {
      at_ = rows[k];
      const std::vector<Value> code = f_.blocks[blocks_[k]].code;
      for (const Value value : code) {
        const Instruction& i = f_.at(value);
        if (value == counted_.counter) continue;
        if (i.op == Opcode::Phi) {
          Instruction phi = i;
          phi.first_use = phi.use_count = 0;
          if (class_of(value) == Class::Vector) phi.lanes = lanes_;
          copies_[value] = put(phi);
          phis.emplace_back(value, copies_[value]);
        } else if (!is_end(i.op)) {
          copies_[value] = copy(i, class_of(value));
        } else if (k != 2) {
          Instruction end = i;
          if (end.a != kNoValue) end.a = same(end.a);
          if (end.b != kNoValue) end.b = same(end.b);
          put(end);
        }
      }
    }
    // The inner loop's phis start and go on with what the copies are.
    for (const auto& [phi, made] : phis) {
      std::vector<Use> ways;
      for (const Use& use : f_.uses_of(f_.at(phi))) {
        const BlockId from = rows[use.slot == header_ ? 0 : 1];
        ways.push_back({from, class_of(phi) == Class::Vector ? operand(use.value, f_.at(phi).kind) : same(use.value)});
      }
      f_.set_uses(f_.at(made), ways);
    }
    f_.blocks[rows[0]].successors = {rows[1]};
    f_.blocks[rows[1]].successors = f_.blocks[inner_].successors;
    for (BlockId& next : f_.blocks[rows[1]].successors) next = next == inner_ ? rows[1] : rows[2];
    f_.blocks[rows[1]].predecessors = {rows[0], rows[1]};
    f_.blocks[rows[2]].predecessors = {rows[1]};
    strip.close(all, rows[2]);
  }

  Value put(Instruction i) { return put_in(at_, i); }
  Value put_in(BlockId block, Instruction i) {
    i.block = block;
    const Value value = f_.make(i);
    std::vector<Value>& code = f_.blocks[block].code;
    const bool has_end = !code.empty() && is_end(f_.at(code.back()).op);
    code.insert(code.end() - (has_end ? 1 : 0), value);
    return value;
  }

  /// The value in the copy, of the first row.
  [[nodiscard]] Value same(Value value) const {
    return value == kNoValue || is_outside(value) ? value : copies_[value];
  }

  /// The value as a lane a row: made where the value is, so that the inner loop finds it made.
  Value operand(Value value, Kind kind) {
    if (value == kNoValue || class_of(value) == Class::Vector) return same(value);
    if (lifted_[value] != kNoValue) return lifted_[value];
    const BlockId block = is_outside(value) ? before_ : f_.at(copies_[value]).block;
    Instruction i;
    i.op = Opcode::Splat;
    i.kind = kind;
    i.lanes = lanes_;
    i.word = f_.blocks[header_].word;
    i.frame = f_.end_of(before_).frame;
    i.a = same(value);
    Value made = put_in(block, i);
    if (class_of(value) == Class::Linear) {
      if (iota_ == kNoValue) {
        i.op = Opcode::Iota;
        i.kind = Kind::U64;
        i.a = kNoValue;
        iota_ = put_in(before_, i);
      }
      i.op = Opcode::Add;
      i.kind = Kind::U64;
      i.a = made;
      i.b = iota_;
      made = put_in(block, i);
    }
    return lifted_[value] = made;
  }

  Value copy(Instruction i, Class of) {
    i.first_use = i.use_count = 0;
    if (i.op == Opcode::Store || (i.op == Opcode::Load && of == Class::Vector)) {
      i.lanes = lanes_;
      i.b = same(i.b);
      if (i.op == Opcode::Store) i.c = operand(i.c, i.kind);
      return put(i);
    }
    if (of != Class::Vector) {
      i.a = same(i.a);
      i.b = same(i.b);
      i.c = same(i.c);
      return put(i);
    }
    const bool shifts = i.op == Opcode::Shl || i.op == Opcode::Shr;
    const Kind kind = i.op == Opcode::Convert ? i.source : i.kind;
    i.a = operand(i.a, kind);
    i.b = shifts ? same(i.b) : operand(i.b, kind);
    i.c = operand(i.c, kind);
    i.lanes = lanes_;
    i.mode = Mode::Wrap;
    return put(i);
  }

  Function& f_;
  const Context& context_;
  const Dominators dominators_;
  const Loops loops_;
  const Aliases aliases_;
  Prover prover_;
  static constexpr std::uint32_t kSize = 8;
  BlockId header_ = 0, inner_ = 0, latch_ = 0, before_ = 0;
  std::vector<BlockId> blocks_;
  CountedLoop counted_;
  std::vector<Class> classes_;
  std::vector<Value> accesses_;
  // While it is made.
  std::uint8_t lanes_ = 0;
  BlockId at_ = 0;
  std::vector<Value> copies_, lifted_;
  Value iota_ = kNoValue;
};

}  // namespace

bool vectorize_rows(Function& function, const Context& context) {
  if (context.vector_bytes < 16) return false;
  const bool made = make_preheaders(function);
  return Rows(function, context).run() || made;
}

}  // namespace cairn::jit::ssa
