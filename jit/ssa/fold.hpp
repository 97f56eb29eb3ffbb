// Operations on numbers that are known.
#pragma once

#include <optional>

#include "jit/ssa/ir.hpp"

namespace cairn::jit::ssa {

using Number = __int128;

/// A slot's 64 bits as a number of the kind, and the other way, modulo 2^width.
[[nodiscard]] constexpr Number number_of(std::uint64_t bits, Kind kind) {
  return is_signed(kind) ? Number{static_cast<std::int64_t>(bits)} : Number{bits};
}
[[nodiscard]] std::uint64_t bits_of(Number value, Kind kind);
[[nodiscard]] constexpr Number least_of(Kind kind) {
  return is_signed(kind) ? -(Number{1} << (width_of(kind) - 1)) : Number{0};
}
[[nodiscard]] constexpr Number most_of(Kind kind) {
  return (Number{1} << (width_of(kind) - (is_signed(kind) ? 1U : 0U))) - 1;
}
[[nodiscard]] constexpr bool fits(Number value, Kind kind) { return value >= least_of(kind) && value <= most_of(kind); }

/// Whether the relation holds of two slots of the kind.
[[nodiscard]] bool holds(Relation relation, Kind kind, std::uint64_t a, std::uint64_t b);
/// The result of a scalar operation of these operands; nothing for one that traps, or is no operation on numbers, or
/// gives a NaN.
[[nodiscard]] std::optional<std::uint64_t> fold(const Instruction& instruction, std::uint64_t a, std::uint64_t b,
                                                std::uint64_t c);
/// The relation that holds where the other does not (of integers, or by way of NotLt and NotLe of floats).
[[nodiscard]] std::optional<Relation> negated(Relation relation, Kind kind);
/// The relation with its operands exchanged.
[[nodiscard]] std::optional<Relation> exchanged(Relation relation);

}  // namespace cairn::jit::ssa
