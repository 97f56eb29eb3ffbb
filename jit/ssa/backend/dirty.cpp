// i32 values are kept in the low 32 bits alone.
#include "jit/ssa/backend/select.hpp"

namespace cairn::jit::ssa {

namespace {

/// What an operation makes of one of its operands, unchanged.
void for_each_handed_on(const Function& f, const Instruction& i, auto&& visit) {
  switch (i.op) {
    case Opcode::Phi:
      for (const Use& use : f.uses_of(i)) visit(use.value);
      break;
    case Opcode::Select:
      visit(i.b);
      visit(i.c);
      break;
    case Opcode::Min:
    case Opcode::Max:
      visit(i.a);
      visit(i.b);
      break;
    default:
      break;
  }
}

bool is_scalar_i32(const Instruction& i) { return i.kind == Kind::I32 && i.lanes == 1; }

/// The i32 values that a wider one may be: slots have no width, so a phi of i64 may take an i32 as it is.
std::vector<bool> handed_on_whole(const Function& f) {
  std::vector<bool> whole(f.code.size(), false);
  std::vector<Value> left;
  for (Value value = 1; value < f.code.size(); ++value) {
    if (!is_float(f.at(value).kind) && !is_scalar_i32(f.at(value))) left.push_back(value);
  }
  while (!left.empty()) {
    const Value value = left.back();
    left.pop_back();
    for_each_handed_on(f, f.at(value), [&](Value operand) {
      if (!is_scalar_i32(f.at(operand)) || whole[operand]) return;
      whole[operand] = true;
      left.push_back(operand);
    });
  }
  return whole;
}

}  // namespace

bool leaves_sign_out(Opcode op) {
  switch (op) {
    case Opcode::Add:
    case Opcode::Sub:
    case Opcode::Mul:
    case Opcode::Div:
    case Opcode::Rem:
    case Opcode::Neg:
    case Opcode::Abs:
      return true;
    default:
      return false;
  }
}

void find_dirty(const Function& f, Nodes& nodes) {
  nodes.is_dirty.assign(f.code.size(), 0);
  const std::vector<bool> whole = handed_on_whole(f);
  bool changed = true;
  while (changed) {
    changed = false;
    for (Value value = 1; value < f.code.size(); ++value) {
      const Instruction& i = f.at(value);
      if (nodes.is_dirty[value] != 0 || !is_scalar_i32(i) || whole[value]) continue;
      bool dirty = leaves_sign_out(i.op);
      for_each_handed_on(f, i, [&](Value operand) { dirty = dirty || nodes.is_dirty[operand] != 0; });
      if (dirty) {
        nodes.is_dirty[value] = 1;
        changed = true;
      }
    }
  }
}

}  // namespace cairn::jit::ssa
