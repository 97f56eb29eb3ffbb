// Functions that stand in others, as closures, lanes, kernels and tasks do.
#pragma once

#include <cstdint>

#include "vm/bytecode/module.hpp"

namespace cairn::bytecode {

/// Calls visit(function) for the function, the one it stands in, and so on outwards, while it says true. A bundle may
/// say anything: no function is met more often than there are functions.
template <class Visit>
void each_around(const Module& module, std::uint32_t function, Visit visit) {
  for (std::size_t depth = 0; function < module.functions.size() && depth < module.functions.size(); ++depth) {
    if (!visit(function)) return;
    function = module.functions[function].parent;
  }
}

/// The function that one stands in, through all between; itself where it stands in none.
[[nodiscard]] inline std::uint32_t owner_of(const Module& module, std::uint32_t function) {
  std::uint32_t owner = function;
  each_around(module, function, [&](std::uint32_t around) {
    owner = around;
    return true;
  });
  return owner;
}

/// Whether a function is the owner or stands in it.
[[nodiscard]] inline bool is_within(const Module& module, std::uint32_t function, std::uint32_t owner) {
  bool found = false;
  each_around(module, function, [&](std::uint32_t around) {
    found = around == owner;
    return !found;
  });
  return found;
}

}  // namespace cairn::bytecode
