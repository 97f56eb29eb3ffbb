// Number literals as values: ranges of the integer types, and decimal text rounded once to a float.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "frontend/check/types.hpp"
#include "frontend/source/source_map.hpp"

namespace cairn {

/// An integer literal used as a float is at most this.
inline constexpr std::uint64_t kLargestFloatInteger = std::uint64_t{1} << 53;

/// The largest value of an integer type.
[[nodiscard]] constexpr std::uint64_t largest(TypeKind kind) {
  switch (kind) {
    case TypeKind::U8:
      return UINT8_MAX;
    case TypeKind::U16:
      return UINT16_MAX;
    case TypeKind::U32:
      return UINT32_MAX;
    case TypeKind::I8:
      return INT8_MAX;
    case TypeKind::I16:
      return INT16_MAX;
    case TypeKind::I32:
      return INT32_MAX;
    case TypeKind::I64:
      return INT64_MAX;
    default:
      return UINT64_MAX;
  }
}

/// A float literal rounded once, ties to even; none when the result is not finite. A tiny one rounds to zero.
[[nodiscard]] std::optional<double> float64_of(std::string_view digits);
[[nodiscard]] std::optional<double> float32_of(std::string_view digits);

/// E-LITERAL-RANGE: the literal does not fit the type.
[[noreturn]] void refuse_literal(std::string_view type, Position at);

}  // namespace cairn
