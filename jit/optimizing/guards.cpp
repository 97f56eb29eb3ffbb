// Guards that an earlier guard of the same block has decided: the same index of the same view, neither written since.
#include <algorithm>

#include "jit/baseline/shape.hpp"
#include "jit/optimizing/plan.hpp"

namespace cairn::jit {
namespace {

using bytecode::Op;
using bytecode::Word;

struct Guard {
  std::uint32_t index = 0, view = 0;
  friend bool operator==(const Guard&, const Guard&) = default;
};

/// The bounds guard of the instruction at `code`; false when it has none.
bool guard_of(const Word* code, Guard& guard) {
  const Op op = bytecode::op_of(code[0]);
  const Verb verb = shape_of(op).verb;
  const std::uint32_t a = bytecode::a_of(code[0]);
  const std::uint32_t b = bytecode::b_of(code[0]);
  if (verb == Verb::LoadAt || op == Op::RefAt) {
    guard = {bytecode::c_of(code[0]), b};
  } else if (verb == Verb::StoreAt || op == Op::GuardIndex) {
    guard = {b, a};
  } else {
    return false;
  }
  return true;
}

}  // namespace

void find_decided_guards(const bytecode::Function& function, Plan& plan) {
  std::vector<Guard> known;
  for (const Block& block : plan.flow.blocks()) {
    known.clear();
    for (std::uint32_t word = block.begin; word < block.end;) {
      const Word* code = function.code.data() + word;
      Guard guard;
      const bool guards = guard_of(code, guard);
      if (guards && std::ranges::find(known, guard) != known.end()) plan.needs_no_guard[word] = 1;
      if (guards) known.push_back(guard);
      each_slot(code, function.slots, [&](std::uint32_t slot, bool, bool writes) {
        if (!writes) return;
        std::erase_if(
            known, [&](const Guard& each) { return each.index == slot || each.view == slot || each.view + 1 == slot; });
      });
      // A call leaves results, and anything, in its window and above.
      const bytecode::OperationInfo& row = bytecode::info(bytecode::op_of(code[0]));
      if (std::ranges::any_of(row.all(), [](const auto& each) { return each.role == bytecode::Role::Window; }))
        known.clear();
      word += bytecode::instruction_words(code);
    }
  }
}

}  // namespace cairn::jit
