// What plans say of device regions (concurrency, 13.1), in a module: a foreign row for each planned function, launched
// and never called, whose symbol is the plan as text. A plan changes no result, so who runs a module may leave them
// out.
#pragma once

#include <optional>
#include <string_view>

#include "vm/bytecode/module.hpp"

namespace cairn::bytecode {

/// 0: the plan says nothing of it.
struct LanePlan {
  std::uint32_t block = 0;     // threads of a block: 32 to 1024, a multiple of 32
  std::uint32_t per_lane = 0;  // indices a thread: at most 65536
  std::uint32_t unroll = 0;    // how often a thread's loop over indices is unrolled: at most 32
  std::uint32_t vector = 0;    // adjacent indices that a thread takes at once: 2, 4, 8 or 16
  std::uint32_t stage = 0;     // how far from its own index a lane reads what its block loads once: at most 32
  friend bool operator==(const LanePlan&, const LanePlan&) = default;
};

/// The name of a function without an instance's arguments: "m.f" of "m.f[u64]". All instances have one plan.
[[nodiscard]] std::string_view planned_name(std::string_view function);

/// A row for the module's table. `signature`: one without parameters.
[[nodiscard]] Foreign foreign_of(std::string_view function, const LanePlan& plan, std::uint32_t signature);
/// The plan a row holds; nothing when it is another row, or no plan a checker lets through.
[[nodiscard]] std::optional<LanePlan> lane_plan(const Foreign& row);
/// What the plan of the function that a device lane stands in says.
[[nodiscard]] LanePlan plan_of(const Module& module, std::uint32_t lane);

}  // namespace cairn::bytecode
