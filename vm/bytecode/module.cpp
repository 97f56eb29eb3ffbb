#include "vm/bytecode/module.hpp"

#include <algorithm>

#include "vm/bytecode/device_natives.hpp"

namespace cairn::bytecode {

SourcePosition Function::position_at(std::uint32_t word) const {
  const auto after = std::ranges::upper_bound(positions, word, {}, &PositionEntry::word);
  return after == positions.begin() ? position : std::prev(after)->position;
}

bool has_device_work(const Module& module) {
  const auto is_device = [](const Word* code) {
    const Op op = op_of(*code);
    return (op >= Op::PlacedNew && op <= Op::QueueWait) || (op == Op::Cooperative && d_of(code[1]) != 0);
  };
  const auto multiplies = [](const Native& native) { return native.name.starts_with(kDeviceMultiply); };
  if (std::ranges::any_of(module.natives, multiplies)) return true;
  return std::ranges::any_of(module.functions, [&](const Function& function) {
    const Word* const end = function.code.data() + function.code.size();
    for (const Word* code = function.code.data(); code < end; code += instruction_words(code)) {
      if (is_device(code)) return true;
    }
    return false;
  });
}

}  // namespace cairn::bytecode
