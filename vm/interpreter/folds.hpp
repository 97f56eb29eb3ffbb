// Folding values by a ReduceKind: reductions, scans, warps.
#pragma once

#include <cstdint>

#include "runtime/semantics/integers.hpp"
#include "vm/bytecode/module.hpp"

namespace cairn::interpreter {

/// A fold as operations carry it: kind + 256 * ScalarKind.
struct Fold {
  bytecode::ReduceKind kind{};
  bytecode::ScalarKind scalar{};

  static Fold of(std::uint32_t bits) {
    return {static_cast<bytecode::ReduceKind>(bits & 0xff), static_cast<bytecode::ScalarKind>(bits >> 8)};
  }
};

/// out = the identity of a fold, in slot form.
[[nodiscard]] std::uint64_t identity(Fold fold);
/// left = left combined with right, in slot form. False when a checked addition overflows.
[[nodiscard]] bool combine(Fold fold, std::uint64_t& left, std::uint64_t right);
/// Every element = `before` combined with it; `before` came first. Checked additions cannot overflow: the total did
/// not.
void combine_before(Fold fold, std::uint64_t before, std::uint8_t* elements, std::uint64_t count);

}  // namespace cairn::interpreter
