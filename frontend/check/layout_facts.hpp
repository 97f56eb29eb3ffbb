// The constant queries of a layout: L.size(), L.cosize(), L.extent(k), D.participants(), D.values()
// (ownership and memory, 11.5).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "frontend/check/layouts.hpp"
#include "frontend/source/source_map.hpp"

namespace cairn {

/// The value of a constant query; none when the name is no constant query. `argument` is the folded argument when there
/// is exactly one. E-ARITY and E-LAYOUT at the call.
[[nodiscard]] std::optional<std::uint64_t> layout_fact(const checked::LayoutValue& layout, std::string_view query,
                                                       std::size_t arguments, std::optional<std::uint64_t> argument,
                                                       Position at);

}  // namespace cairn
