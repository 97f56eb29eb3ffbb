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

std::uint64_t frame_object(const bytecode::Function& function, std::uint64_t offset) {
  const auto after = std::ranges::upper_bound(function.objects, offset, {}, &bytecode::MemoryObject::offset);
  return after == function.objects.begin() ? 0 : std::prev(after)->offset;
}

}  // namespace cairn::jit::ssa
