// Keys of the checker's hash tables: declarations by address, instances by declaration and arguments.
#pragma once

#include <cstdint>
#include <span>

#include "frontend/check/types.hpp"

namespace cairn {

inline std::uint64_t pointer_key(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

/// Not unique: whoever looks up compares the declaration and the arguments as well.
inline std::uint64_t instance_key(const void* declaration, std::span<const StaticArgument> arguments) {
  std::uint64_t key = pointer_key(declaration);
  for (const StaticArgument& argument : arguments) {
    key = (key ^ (argument.type != nullptr ? std::uint64_t{argument.type->id} + 1 : ~argument.natural)) *
          0x9E3779B97F4A7C15U;
    key ^= key >> 31;
  }
  return key | 1;
}

}  // namespace cairn
