// The verifier's first half: the tables of a module and the shape of its functions, everything but instructions.
#pragma once

#include <optional>

#include "vm/bytecode/verifier.hpp"

namespace cairn::bytecode {

/// Bounds that keep every later computation in range.
inline constexpr std::uint64_t kMaxTypeBytes = 0x7fffffff;
inline constexpr std::uint32_t kMaxTypeDepth = 256;  // of nesting by value
inline constexpr std::uint32_t kMaxAlign = 65536;

[[nodiscard]] std::optional<Fault> verify_tables(const Module& module);

/// True when a slot may hold that type: its index names what its kind says.
[[nodiscard]] bool is_register_type(const Module& module, const RegisterType& type);

}  // namespace cairn::bytecode
