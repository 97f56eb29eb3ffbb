#include "vm/bytecode/module.hpp"

#include <algorithm>

namespace cairn::bytecode {

SourcePosition Function::position_at(std::uint32_t word) const {
  const auto after = std::ranges::upper_bound(positions, word, {}, &PositionEntry::word);
  return after == positions.begin() ? position : std::prev(after)->position;
}

}  // namespace cairn::bytecode
