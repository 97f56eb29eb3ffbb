// Where values are kept in memory. Those alive across a call or a step lie in slots of the frame that the call leaves
// alone: control may come back by the interpreter, and finds them there. The others lie in the thread's spill area,
// which belongs to whoever runs.
#pragma once

#include "jit/ssa/backend/intervals.hpp"
#include "jit/ssa/backend/select.hpp"

namespace cairn::jit::ssa {

enum class Store : std::uint8_t {
  Never,         // it is in its home from the start, or has none
  AtDefinition,  // once, where it is made
  AtSplit,       // at the one place where it leaves its register
};

struct Homes {
  std::vector<Location> of_value;
  std::vector<Store> stores;
};

/// False when there is no room for some value.
[[nodiscard]] bool find_homes(const Function& function, const Target& target, const Nodes& nodes,
                              const Intervals& intervals, Homes& homes);

/// Where the value is at the place.
[[nodiscard]] Location location_at(const Intervals& intervals, const Homes& homes, Value value, Place place);

// A thread's spill area: homes, then cells that break cycles of moves, then the registers kept over a poll.
inline constexpr std::uint32_t kSpillBytes = 2048;
inline constexpr std::uint32_t kMoveCellsAt = kSpillBytes, kMoveCells = 4;
inline constexpr std::uint32_t kKeptAt = kMoveCellsAt + 64 * kMoveCells;
static_assert(kKeptAt + 64 * 32 == kThreadSpillBytes);

}  // namespace cairn::jit::ssa
