#include "jit/ssa/backend/select.hpp"

namespace cairn::jit::ssa {

Bits bits_of(const Function& function, const Instruction& i) {
  const Kind kind = i.op == Opcode::Compare ? i.source : i.kind;
  if (is_float(kind) || (i.relation != Relation::Eq && i.relation != Relation::Ne)) return Bits::None;
  const Instruction& from = function.at(i.a);
  std::int64_t mask = 0;
  std::int64_t number = 0;
  if (from.op != Opcode::And || from.lanes != 1 || is_immediate(function, from.a) ||
      !immediate(function, from.b, mask) || !immediate(function, i.b, number)) {
    return Bits::None;
  }
  if (number == 0) return Bits::WithZero;
  const bool is_one_bit = mask > 0 && is_power_of_two(static_cast<std::uint64_t>(mask));
  return number == mask && is_one_bit ? Bits::WithItself : Bits::None;
}

std::vector<std::uint8_t> find_fused(const Function& function) {
  std::vector<std::uint32_t> uses(function.code.size());
  for (const Block& block : function.blocks) {
    for (const Value value : block.code) {
      each_operand(function, function.at(value), [&](Value operand) { ++uses[operand]; });
    }
  }
  std::vector<std::uint8_t> is_fused(function.code.size());
  for (const Block& block : function.blocks) {
    for (const Value value : block.code) {
      const Instruction& i = function.at(value);
      if (i.lanes != 1) continue;
      bool fuses = false;
      if (i.op == Opcode::Select && !is_float(i.kind)) {
        const Instruction& from = function.at(i.a);
        fuses = from.op == Opcode::Compare && from.lanes == 1 && !is_float(from.source);
      } else if (i.op == Opcode::Compare || i.op == Opcode::Branch || i.op == Opcode::Guard) {
        fuses = bits_of(function, i) != Bits::None;
      }
      // Its operands live on to where it is made: in another block, or made twice, that is no gain.
      if (fuses && uses[i.a] == 1 && function.at(i.a).block == i.block) is_fused[i.a] = 1;
    }
  }
  return is_fused;
}

}  // namespace cairn::jit::ssa
