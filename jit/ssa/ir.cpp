#include "jit/ssa/ir.hpp"

#include <algorithm>
#include <iterator>

namespace cairn::jit::ssa {

Value Function::make(const Instruction& instruction) {
  code.push_back(instruction);
  return static_cast<Value>(code.size() - 1);
}

Value Function::append(BlockId block, Instruction instruction) {
  instruction.block = block;
  const Value value = make(instruction);
  blocks[block].code.push_back(value);
  return value;
}

void Function::set_uses(Instruction& instruction, std::span<const Use> list) {
  if (list.size() > instruction.use_count) {
    instruction.first_use = static_cast<std::uint32_t>(uses.size());
    uses.resize(uses.size() + list.size());
  }
  instruction.use_count = static_cast<std::uint32_t>(list.size());
  for (std::size_t k = 0; k < list.size(); ++k) uses[instruction.first_use + k] = list[k];
}

BlockId Function::add_block(std::uint32_t word) {
  blocks.emplace_back();
  blocks.back().word = word;
  return static_cast<BlockId>(blocks.size() - 1);
}

bool is_speculatable(const Function& function, const Instruction& i) {
  if (!is_pure(i)) return false;
  if (is_float(i.kind)) return true;
  const auto right_is = [&](auto fits) {
    const Instruction& right = function.at(i.b);
    return right.op == Opcode::Const && fits(static_cast<std::uint64_t>(right.immediate));
  };
  switch (i.op) {
    case Opcode::Shl:
    case Opcode::Shr:
      return right_is([&](std::uint64_t count) { return count < width_of(i.kind); });
    case Opcode::Div:
    case Opcode::Rem:
      return right_is([](std::uint64_t divisor) { return divisor != 0 && divisor != ~std::uint64_t{0}; });
    case Opcode::Convert:
      return !is_float(i.source);
    default:
      return true;
  }
}

std::uint64_t frame_object(const bytecode::Function& function, std::uint64_t offset) {
  const auto after = std::ranges::upper_bound(function.objects, offset, {}, &bytecode::MemoryObject::offset);
  return after == function.objects.begin() ? 0 : std::prev(after)->offset;
}

}  // namespace cairn::jit::ssa
