// i32 values are kept in the low 32 bits alone.
#include "jit/ssa/backend/select.hpp"

namespace cairn::jit::ssa {

void find_dirty(const Function& f, Nodes& nodes) {
  nodes.is_dirty.assign(f.code.size(), 0);
  bool changed = true;
  while (changed) {
    changed = false;
    for (Value value = 1; value < f.code.size(); ++value) {
      if (nodes.is_dirty[value] != 0) continue;
      const Instruction& i = f.at(value);
      bool dirty = false;
      switch (i.op) {
        case Opcode::Add:
        case Opcode::Sub:
        case Opcode::Mul:
        case Opcode::Div:
        case Opcode::Rem:
        case Opcode::Neg:
        case Opcode::Abs:
          dirty = i.kind == Kind::I32 && i.lanes == 1;
          break;
        case Opcode::Phi:
          for (const Use& use : f.uses_of(i)) dirty = dirty || nodes.is_dirty[use.value] != 0;
          break;
        case Opcode::Select:
          dirty = nodes.is_dirty[i.b] != 0 || nodes.is_dirty[i.c] != 0;
          break;
        case Opcode::Min:
        case Opcode::Max:
          dirty = i.lanes == 1 && (nodes.is_dirty[i.a] != 0 || nodes.is_dirty[i.b] != 0);
          break;
        default:
          break;
      }
      if (dirty) {
        nodes.is_dirty[value] = 1;
        changed = true;
      }
    }
  }
}

}  // namespace cairn::jit::ssa
