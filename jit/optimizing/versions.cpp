// Versions of counted loops (architecture, decision 4). A loop that ends in `loop.next i n` and changes i nowhere else
// takes i over a range known where it is entered. Guards of i, and of sums of i, an unchanging slot and a number, are
// tested there once for the whole range, and products of unchanging slots are computed there once. Where a test fails
// the baseline code runs the loop, so that a guard fails exactly where it stands.
#include <algorithm>
#include <map>

#include "jit/baseline/shape.hpp"
#include "jit/optimizing/plan.hpp"

namespace cairn::jit {
namespace {

using bytecode::Function;
using bytecode::kNone;
using bytecode::Op;
using bytecode::Word;

constexpr std::int64_t kMostOffset = 1 << 20;

/// induction + addend + offset.
struct Affine {
  std::uint32_t addend = kNone;
  std::int64_t offset = 0;
};

class Versions {
 public:
  Versions(const Function& function, const Flow& flow, Region& region)
      : function_(function), flow_(flow), region_(region), writers_(function.slots + 1, 0) {}

  bool run() {
    if (!find_counter()) return false;
    for (const Block& block : flow_.blocks()) {
      if (block.begin >= region_.begin && block.begin < region_.end) walk(block);
    }
    return !region_.decided.empty() || !region_.hoisted.empty();
  }

 private:
  /// The loop's last instruction is its one way back and the only change of its counter.
  bool find_counter() {
    std::uint32_t last = region_.begin;
    std::size_t back_edges = 0;
    for (std::uint32_t word = region_.begin; word < region_.end;) {
      const Word* code = function_.code.data() + word;
      each_target(code, word, [&](std::int64_t to) { back_edges += to == region_.begin ? 1 : 0; });
      each_slot(code, static_cast<std::uint32_t>(function_.registers.size()),
                [&](std::uint32_t slot, bool, bool writes) {
                  if (writes && slot < writers_.size()) ++writers_[slot];
                });
      last = word;
      word += bytecode::instruction_words(code);
    }
    const Word* code = function_.code.data() + last;
    if (back_edges != 1 || bytecode::op_of(code[0]) != Op::LoopNext ||
        std::int64_t{last} + bytecode::t_of(code[1]) != region_.begin) {
      return false;
    }
    region_.induction = bytecode::a_of(code[0]);
    region_.bound = bytecode::b_of(code[0]);
    return writers_[region_.induction] == 1 && !changes(region_.bound);
  }

  [[nodiscard]] bool changes(std::uint32_t slot) const { return writers_[slot] != 0; }
  /// Its value is one and the same in the whole loop: unchanged, or computed once before it.
  [[nodiscard]] bool is_fixed(std::uint32_t slot) const { return !changes(slot) || hoisted_.contains(slot); }

  bool affine(std::uint32_t slot, Affine& form) const {
    if (slot == region_.induction) {
      form = {};
      return true;
    }
    const auto known = forms_.find(slot);
    if (known == forms_.end()) return false;
    form = known->second;
    return true;
  }

  void check(const Affine& form, std::uint32_t view, std::uint32_t word) {
    const RangeCheck needed{form.addend, form.offset, view};
    if (shape_of(bytecode::op_of(function_.code[word])).verb != Verb::Other && view != kNone) {
      const Word w = function_.code[word];
      const bool store = shape_of(bytecode::op_of(w)).verb == Verb::StoreAt;
      region_.accesses.push_back(
          {word, view, form.addend, form.offset, store ? bytecode::c_of(w) : bytecode::a_of(w), store});
    }
    if (std::ranges::find(region_.checks, needed) == region_.checks.end()) region_.checks.push_back(needed);
    region_.decided.push_back(word);
  }

  void walk(const Block& block) {
    forms_.clear();
    hoisted_.clear();  // what follows in a block reads what the block computed
    for (std::uint32_t word = block.begin; word < block.end;) {
      const Word* code = function_.code.data() + word;
      instruction(code, word);
      word += bytecode::instruction_words(code);
    }
  }

  void instruction(const Word* code, std::uint32_t word) {
    const Op op = bytecode::op_of(code[0]);
    const Shape& shape = shape_of(op);
    const std::uint32_t a = bytecode::a_of(code[0]);
    const std::uint32_t b = bytecode::b_of(code[0]);
    const std::uint32_t c = bytecode::c_of(code[0]);
    Affine made;
    bool is_affine = false;
    if (shape.type == Kind::U64 && (shape.verb == Verb::Add || shape.verb == Verb::Sub || shape.verb == Verb::Mul)) {
      if (shape.immediate) {
        const auto number = static_cast<std::int64_t>(code[1]);
        const bool small = number >= 0 && number < kMostOffset && shape.verb != Verb::Mul;
        if (small && affine(b, made)) {
          made.offset += shape.verb == Verb::Add ? number : -number;
          is_affine = made.offset > -kMostOffset && made.offset < kMostOffset;
        }
      } else if (shape.verb == Verb::Add) {
        const auto sum = [&](std::uint32_t x, std::uint32_t y) {
          if (is_affine || !is_fixed(y) || !affine(x, made) || made.addend != kNone || made.offset != 0) return;
          made.addend = y;
          is_affine = true;
        };
        sum(b, c);
        sum(c, b);
      } else if (shape.verb == Verb::Mul && !changes(b) && !changes(c) && writers_[a] == 1 &&
                 !contains(flow_.live_at(region_.begin), a)) {
        region_.hoisted.push_back(word);
        hoisted_.insert({a, word});
        return;
      }
      if (is_affine) check(made, kNone, word);
    } else if (shape.verb == Verb::LoadAt || op == Op::RefAt) {
      Affine index;
      if (!changes(b) && !changes(b + 1) && affine(c, index)) check(index, b, word);
    } else if (shape.verb == Verb::StoreAt) {
      Affine index;
      if (!changes(a) && !changes(a + 1) && affine(b, index)) check(index, a, word);
    } else if (op == Op::GuardIndex) {
      Affine index;
      if (!changes(a) && !changes(a + 1) && affine(b, index)) check(index, a, word);
    }
    each_slot(code, static_cast<std::uint32_t>(function_.registers.size()), [&](std::uint32_t slot, bool, bool writes) {
      if (writes) forms_.erase(slot);
    });
    if (is_affine && a != region_.induction) forms_[a] = made;
  }

  const Function& function_;
  const Flow& flow_;
  Region& region_;
  std::vector<std::uint32_t> writers_;  // by slot, in the loop
  std::map<std::uint32_t, Affine> forms_;
  std::map<std::uint32_t, std::uint32_t> hoisted_;  // slot, word
};

}  // namespace

bool find_version(const Function& function, const Flow& flow, Region& region) {
  if (!Versions(function, flow, region).run()) return false;
  find_vector_loop(function, flow, region);
  return true;
}

}  // namespace cairn::jit
