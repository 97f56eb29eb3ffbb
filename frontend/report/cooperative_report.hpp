// What reports say of cooperative regions (tools, 3.9 and 3.10).
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "frontend/check/cooperative.hpp"
#include "frontend/source/source_map.hpp"

namespace cairn {

/// Threads, shared arrays, pipelines with what their waits leave in flight, barriers and warp operations of a region
/// and of its finish.
[[nodiscard]] nlohmann::ordered_json cooperative_explanation(const checked::CooperativeStmt& region,
                                                             const SourceMap& sources, const NameTable& names);

/// The shared memory a block of the region has, in bytes: its body and its finish use the same.
[[nodiscard]] std::uint32_t shared_bytes(const checked::CooperativeStmt& region);

}  // namespace cairn
