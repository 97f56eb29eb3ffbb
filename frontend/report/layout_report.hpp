// What reports say of declared layouts (ownership and memory, 11.6).
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "frontend/check/layouts.hpp"
#include "frontend/check/program.hpp"

namespace cairn {

/// A layout's record in the build receipt.
[[nodiscard]] nlohmann::ordered_json layout_record(const checked::LayoutValue& layout);

/// The same with what `cairn explain` adds: owners of a small tile, and what converting to each other declared spread
/// over the same tile or its transpose takes.
[[nodiscard]] nlohmann::ordered_json layout_explanation(const checked::LayoutValue& layout,
                                                        const checked::Program& program, const NameTable& names);

/// The largest power of two w with w * bytes <= 16 that divides the values, such that every aligned group of w values
/// of every participant lies at consecutive offsets from a multiple of w.
[[nodiscard]] std::uint64_t run_length(const checked::LayoutValue& spread, std::uint64_t bytes);

/// The most distinct words one bank of shared memory serves in one phase of one access (32 banks of 4-byte words).
[[nodiscard]] std::uint64_t bank_ways(const checked::LayoutValue& spread, std::uint64_t bytes);

}  // namespace cairn
