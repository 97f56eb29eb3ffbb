// What a loop keeps at one place of memory is in a register while the loop runs: loaded before it, stored behind it
// (register promotion: Cooper and Lu, "Register promotion in C programs", 1997). Only in loops of one block in which
// nothing else may reach the place and control neither leaves nor calls. Every iteration stores there, so that it is
// a place that may be read and written.
#include <algorithm>

#include "jit/ssa/alias.hpp"
#include "jit/ssa/flow.hpp"
#include "jit/ssa/passes.hpp"
#include "jit/ssa/rewrite.hpp"

namespace cairn::jit::ssa {
namespace {

class Accumulators {
 public:
  Accumulators(Function& function, const Context& context)
      : f_(function),
        dominators_(function),
        loops_(function, dominators_),
        aliases_(function, context.module),
        forward_(function) {}

  bool run() {
    for (std::uint32_t k = 0; k < loops_.loops.size(); ++k) {
      if (loops_.loops[k].blocks.size() == 1) loop(k);
    }
    forward_.apply();
    return any_;
  }

 private:
  void loop(std::uint32_t index) {
    body_ = loops_.loops[index].header;
    before_ = find_preheader(f_, loops_, index);
    const Block& body = f_.blocks[body_];
    if (before_ == kNone || f_.end_of(body_).op != Opcode::Branch) return;
    accesses_.clear();
    for (const Value value : body.code) {
      const Instruction& i = f_.at(value);
      if (may_trap(i) || i.op == Opcode::Poll || i.op == Opcode::Point) return;
      if (i.op >= Opcode::Load && i.op <= Opcode::Zero) accesses_.push_back(value);
    }
    std::vector<Value> places;  // the first store to each
    for (const Value store : accesses_) {
      if (!is_kept(store)) continue;
      if (std::ranges::none_of(places, [&](Value known) { return is_same(known, store); })) places.push_back(store);
    }
    if (places.empty()) return;
    const BlockId behind = split_edge(f_, body_, body.successors[0] == body_ ? 1 : 0);
    for (const Value store : places) keep(f_.at(store), behind);
    any_ = true;
  }

  [[nodiscard]] bool is_outside(Value value) const { return value == kNoValue || f_.at(value).block != body_; }
  static bool is_same(const Instruction& i, const Instruction& j) {
    return (j.op == Opcode::Load || j.op == Opcode::Store) && i.a == j.a && i.b == j.b && i.scale == j.scale &&
           i.immediate == j.immediate && i.kind == j.kind && i.lanes == j.lanes;
  }
  [[nodiscard]] bool is_same(Value i, Value j) const { return is_same(f_.at(i), f_.at(j)); }

  [[nodiscard]] bool is_kept(Value store) const {
    const Instruction& s = f_.at(store);
    if (s.op != Opcode::Store || s.lanes != 1 || !is_outside(s.a) || !is_outside(s.b)) return false;
    return std::ranges::all_of(accesses_, [&](Value other) {
      const Instruction& o = f_.at(other);
      if (!is_same(s, o)) return !aliases_.may_overlap(s, o);
      return o.op == Opcode::Load || f_.at(o.c).kind == s.kind;
    });
  }

  Value put(BlockId block, Instruction i) {
    i.block = block;
    const Value value = f_.make(i);
    std::vector<Value>& code = f_.blocks[block].code;
    code.insert(i.op == Opcode::Phi ? code.begin() : code.end() - 1, value);
    return value;
  }

  void keep(Instruction store, BlockId behind) {
    Instruction i = store;
    i.op = Opcode::Load;
    i.c = kNoValue;
    const Value first = put(before_, i);
    Instruction phi;
    phi.op = Opcode::Phi;
    phi.kind = store.kind;
    phi.word = store.word;
    phi.frame = store.frame;
    const Value kept = put(body_, phi);
    Value now = kept;
    std::erase_if(f_.blocks[body_].code, [&](Value value) {
      Instruction& access = f_.at(value);
      if (!is_same(store, access)) return false;
      if (access.op == Opcode::Load) {
        forward_.replace(value, now);
        return false;  // goes when all are replaced
      }
      now = access.c;
      access = {};
      return true;
    });
    const Use ways[] = {{before_, first}, {body_, now}};
    f_.set_uses(f_.at(kept), ways);
    store.c = now;
    put(behind, store);
  }

  Function& f_;
  const Dominators dominators_;
  const Loops loops_;
  const Aliases aliases_;
  Forward forward_;
  BlockId body_ = 0, before_ = 0;
  std::vector<Value> accesses_;
  bool any_ = false;
};

}  // namespace

bool keep_accumulators(Function& function, const Context& context) {
  const bool made = make_preheaders(function);
  return Accumulators(function, context).run() || made;
}

}  // namespace cairn::jit::ssa
