// The constructors of layouts (ownership and memory, 11.2 and 11.3) on values alone: numbers and layouts in, a layout
// or what is wrong with it out. Every result keeps the size and offset rules of 11.4; whether a declared layout
// overlaps or leaves gaps is asked separately, since parts of a definition may do both.
#pragma once

#include <cstdint>
#include <expected>
#include <string>

#include "frontend/check/layouts.hpp"
#include "frontend/diagnostics/code.hpp"
#include "frontend/support/arena.hpp"

namespace cairn::layout_algebra {

using checked::LayoutValue;

struct Fault {
  Code code = Code::Layout;
  std::string message;
};
using Result = std::expected<LayoutValue, Fault>;

inline constexpr std::uint64_t kMostElements = 262144;

Result strided(Arena& arena, std::uint64_t rows, std::uint64_t columns, std::uint64_t row_stride,
               std::uint64_t column_stride);
Result rows(Arena& arena, std::uint64_t rows, std::uint64_t columns);
Result columns(Arena& arena, std::uint64_t rows, std::uint64_t columns);
Result pad(Arena& arena, const LayoutValue& inner, std::uint64_t padding);
Result swizzle(const LayoutValue& inner, std::uint64_t bits, std::uint64_t base, std::uint64_t shift);
Result transpose(Arena& arena, const LayoutValue& inner);
Result tile(Arena& arena, const LayoutValue& inner, std::uint64_t rows, std::uint64_t columns);
Result spread(Arena& arena, const LayoutValue& tile, std::uint64_t thread_rows, std::uint64_t thread_columns,
              std::uint64_t value_rows, std::uint64_t value_columns);
Result inverse(Arena& arena, const LayoutValue& inner);

/// What a declared layout must keep besides: no two elements share an offset; a spread gives every element of its tile
/// exactly one holder. Overlaps come before gaps.
std::expected<void, Fault> judge_declared(const LayoutValue& value);

}  // namespace cairn::layout_algebra
