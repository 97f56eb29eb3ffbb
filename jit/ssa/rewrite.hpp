// Replacing values: noted one at a time, done in one walk.
#pragma once

#include "jit/ssa/ir.hpp"

namespace cairn::jit::ssa {

class Forward {
 public:
  explicit Forward(Function& function) : f_(function), to_(function.code.size(), kNoValue) {}

  /// What stands for the value now.
  Value operator()(Value value) const {
    while (value < to_.size() && to_[value] != kNoValue) value = to_[value];
    return value;
  }
  [[nodiscard]] bool is_replaced(Value value) const { return value < to_.size() && to_[value] != kNoValue; }
  /// From now on `by` stands for the value, whose instruction goes.
  void replace(Value value, Value by) {
    by = (*this)(by);
    if (by == value) return;
    if (value >= to_.size()) to_.resize(f_.code.size(), kNoValue);
    to_[value] = by;
    any_ = true;
  }
  /// Rewrites every operand and takes the replaced instructions out.
  bool apply() {
    if (!any_) return false;
    for (Block& block : f_.blocks) {
      std::erase_if(block.code, [&](Value value) {
        if (!is_replaced(value)) return false;
        f_.at(value) = {};
        return true;
      });
      for (const Value value : block.code) {
        each_operand(f_, f_.at(value), [&](Value& operand) { operand = (*this)(operand); });
      }
    }
    return true;
  }

 private:
  Function& f_;
  std::vector<Value> to_;
  bool any_ = false;
};

}  // namespace cairn::jit::ssa
