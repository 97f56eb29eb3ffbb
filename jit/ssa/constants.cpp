// Sparse conditional constant propagation: Wegman and Zadeck, "Constant propagation with conditional branches" (1991).
// Values that are one number on every way that can be gone become that number; ways that cannot be gone go.
#include <algorithm>

#include "jit/ssa/flow.hpp"
#include "jit/ssa/fold.hpp"
#include "jit/ssa/passes.hpp"
#include "jit/ssa/rewrite.hpp"

namespace cairn::jit::ssa {
namespace {

class Constants {
 public:
  explicit Constants(Function& function) : f_(function) {}

  bool run() {
    find_users();
    state_.assign(f_.code.size(), State::Unknown);
    number_.assign(f_.code.size(), 0);
    is_reached_.assign(f_.blocks.size(), 0);
    for (const Block& block : f_.blocks) {
      first_edge_.push_back(static_cast<std::uint32_t>(is_edge_taken_.size()));
      is_edge_taken_.resize(is_edge_taken_.size() + block.successors.size(), 0);
    }
    reach(kNone, 0);
    while (!blocks_.empty() || !values_.empty()) {
      if (!values_.empty()) {
        const Value value = values_.back();
        values_.pop_back();
        for (std::uint32_t k = first_user_[value]; k < first_user_[value + 1]; ++k) {
          if (is_reached_[f_.at(users_[k]).block] != 0) visit(users_[k]);
        }
        continue;
      }
      const BlockId block = blocks_.back();
      blocks_.pop_back();
      for (const Value value : f_.blocks[block].code) visit(value);
    }
    return rewrite();
  }

 private:
  enum class State : std::uint8_t { Unknown, Number, Varying };

  void find_users() {
    first_user_.assign(f_.code.size() + 2, 0);
    const auto each = [&](auto visit) {
      for (const Block& block : f_.blocks) {
        for (const Value value : block.code) {
          const Instruction& i = f_.at(value);
          if (i.a != kNoValue) visit(i.a, value);
          if (i.b != kNoValue) visit(i.b, value);
          if (i.c != kNoValue) visit(i.c, value);
          if (i.op != Opcode::Phi) continue;
          for (const Use& use : f_.uses_of(i)) visit(use.value, value);
        }
      }
    };
    each([&](Value operand, Value) { ++first_user_[operand + 2]; });
    for (std::size_t k = 2; k < first_user_.size(); ++k) first_user_[k] += first_user_[k - 1];
    users_.resize(first_user_.back());
    each([&](Value operand, Value user) { users_[first_user_[operand + 1]++] = user; });
  }

  [[nodiscard]] bool is_taken(BlockId from, BlockId to) const {
    const std::vector<BlockId>& successors = f_.blocks[from].successors;
    for (std::size_t k = 0; k < successors.size(); ++k) {
      if (successors[k] == to && is_edge_taken_[first_edge_[from] + k] != 0) return true;
    }
    return false;
  }

  void reach(BlockId from, BlockId to) {
    if (from != kNone) {
      if (is_taken(from, to)) return;
      const std::vector<BlockId>& successors = f_.blocks[from].successors;
      for (std::size_t k = 0; k < successors.size(); ++k) {
        if (successors[k] == to) is_edge_taken_[first_edge_[from] + k] = 1;
      }
    }
    if (is_reached_[to] == 0) {
      is_reached_[to] = 1;
      blocks_.push_back(to);
      return;
    }
    for (const Value value : f_.blocks[to].code) {
      if (f_.at(value).op != Opcode::Phi) break;
      visit(value);
    }
  }

  void becomes(Value value, State state, std::uint64_t number) {
    if (state_[value] == State::Varying) return;
    if (state_[value] == State::Number && state == State::Number && number_[value] != number) state = State::Varying;
    if (state == state_[value]) return;
    state_[value] = state;
    number_[value] = number;
    values_.push_back(value);
  }

  void visit(Value value) {
    const Instruction& i = f_.at(value);
    switch (i.op) {
      case Opcode::Const:
        return becomes(value, State::Number, static_cast<std::uint64_t>(i.immediate));
      case Opcode::Phi: {
        State state = State::Unknown;
        std::uint64_t number = 0;
        for (const Use& use : f_.uses_of(i)) {
          if (!is_taken(use.slot, i.block)) continue;
          const State of = state_[use.value];
          if (of == State::Unknown) continue;
          if (of == State::Varying || (state == State::Number && number != number_[use.value])) {
            return becomes(value, State::Varying, 0);
          }
          state = State::Number;
          number = number_[use.value];
        }
        if (state == State::Number) becomes(value, state, number);
        return;
      }
      case Opcode::Jump:
        return reach(i.block, f_.blocks[i.block].successors[0]);
      case Opcode::Branch: {
        const std::vector<BlockId>& successors = f_.blocks[i.block].successors;
        if (state_[i.a] == State::Unknown || state_[i.b] == State::Unknown) return;
        if (state_[i.a] == State::Number && state_[i.b] == State::Number) {
          return reach(i.block, successors[holds(i.relation, i.kind, number_[i.a], number_[i.b]) ? 0 : 1]);
        }
        if (i.a == i.b && !is_float(i.kind)) return reach(i.block, successors[holds(i.relation, i.kind, 0, 0) ? 0 : 1]);
        reach(i.block, successors[0]);
        return reach(i.block, f_.blocks[i.block].successors[1]);
      }
      case Opcode::Switch: {
        const std::vector<BlockId>& successors = f_.blocks[i.block].successors;
        if (state_[i.a] == State::Unknown) return;
        if (state_[i.a] == State::Number) {
          return reach(i.block, successors[std::min<std::uint64_t>(number_[i.a], successors.size() - 1)]);
        }
        for (const BlockId next : successors) reach(i.block, next);
        return;
      }
      default:
        break;
    }
    if (!has_value(i.op)) return;
    const bool computes = i.op >= Opcode::Add && i.op <= Opcode::Bits && i.lanes == 1;
    if (!computes) return becomes(value, State::Varying, 0);
    for (const Value operand : {i.a, i.b, i.c}) {
      if (operand == kNoValue) continue;
      if (state_[operand] == State::Varying) {
        // A choice that is known, and x & 0, x * 0, are known for all that.
        if (i.op == Opcode::Select && operand != i.a && state_[i.a] == State::Number) {
          const Value chosen = number_[i.a] != 0 ? i.b : i.c;
          if (state_[chosen] != State::Unknown) becomes(value, state_[chosen], number_[chosen]);
          return;
        }
        return becomes(value, State::Varying, 0);
      }
    }
    for (const Value operand : {i.a, i.b, i.c}) {
      if (operand != kNoValue && state_[operand] == State::Unknown) return;
    }
    const auto number = [&](Value operand) { return operand == kNoValue ? 0 : number_[operand]; };
    const auto result = fold(i, number(i.a), number(i.b), number(i.c));
    result ? becomes(value, State::Number, *result) : becomes(value, State::Varying, 0);
  }

  bool rewrite() {
    bool any = false;
    for (BlockId b = 0; b < f_.blocks.size(); ++b) {
      Block& block = f_.blocks[b];
      if (is_reached_[b] == 0) continue;
      std::vector<Value> phis;
      for (const Value value : block.code) {
        Instruction& i = f_.at(value);
        if (has_value(i.op) && i.op != Opcode::Const && state_[value] == State::Number) {
          if (i.op == Opcode::Phi) phis.push_back(value);
          i.op = Opcode::Const;
          i.mode = Mode::Wrap;
          i.leaves = false;
          i.source = Kind::None;
          i.relation = Relation::Eq;
          i.a = i.b = i.c = kNoValue;
          i.scale = 1;
          i.use_count = 0;
          i.immediate = static_cast<std::int64_t>(number_[value]);
          any = true;
        }
        if (i.op == Opcode::Guard && state_[i.a] == State::Number && state_[i.b] == State::Number &&
            holds(i.relation, i.kind, number_[i.a], number_[i.b])) {
          i = {};
          any = true;
        }
      }
      // What was a phi stands behind those that are.
      if (!phis.empty()) {
        std::ranges::stable_partition(block.code, [&](Value value) { return f_.at(value).op == Opcode::Phi; });
      }
      std::erase_if(block.code, [&](Value value) { return f_.at(value).op == Opcode::Nop; });
      Instruction& end = f_.end_of(b);
      if (end.op != Opcode::Branch && end.op != Opcode::Switch) continue;
      // Ways that cannot be gone.
      std::vector<BlockId> gone;
      for (const BlockId next : block.successors) {
        if (!is_taken(b, next)) gone.push_back(next);
      }
      if (gone.empty()) continue;
      std::vector<BlockId> left;
      for (const BlockId next : block.successors) {
        if (std::ranges::find(gone, next) == gone.end() && std::ranges::find(left, next) == left.end()) {
          left.push_back(next);
        }
      }
      if (left.size() != 1) continue;  // a switch of several ways stays
      any = true;
      become_jump(end);
      block.successors = left;
      for (const BlockId next : gone) forget_edge(f_, b, next);
    }
    if (any) remove_unreachable(f_);
    return any;
  }

  Function& f_;
  std::vector<State> state_;
  std::vector<std::uint64_t> number_;
  std::vector<std::uint8_t> is_reached_;
  std::vector<std::uint32_t> first_edge_;    // by block
  std::vector<std::uint8_t> is_edge_taken_;  // by edge: some way leads over it
  std::vector<std::uint32_t> first_user_;
  std::vector<Value> users_, values_;
  std::vector<BlockId> blocks_;
};

}  // namespace

bool propagate_constants(Function& function, const Context&) { return Constants(function).run(); }

}  // namespace cairn::jit::ssa
