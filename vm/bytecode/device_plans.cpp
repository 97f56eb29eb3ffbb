#include "vm/bytecode/device_plans.hpp"

#include <charconv>

#include "vm/bytecode/owners.hpp"

namespace cairn::bytecode {

namespace {

constexpr std::string_view kPlanMark = "device plan\n";

struct Item {
  std::string_view name;
  std::uint32_t LanePlan::* value;
};
constexpr Item kItems[] = {{"block ", &LanePlan::block},
                           {"per_lane ", &LanePlan::per_lane},
                           {"unroll ", &LanePlan::unroll},
                           {"vector ", &LanePlan::vector},
                           {"stage ", &LanePlan::stage}};

bool is_sound(const LanePlan& plan) {
  const bool is_power = (plan.vector & (plan.vector - 1)) == 0;
  return plan.block <= 1024 && plan.block % 32 == 0 && plan.per_lane <= 65536 && plan.unroll <= 32 &&
         plan.vector <= 16 && plan.vector != 1 && is_power && plan.stage <= 32;
}

}  // namespace

std::string_view planned_name(std::string_view function) { return function.substr(0, function.find('[')); }

Foreign foreign_of(std::string_view function, const LanePlan& plan, std::uint32_t signature) {
  std::string all(kPlanMark);
  for (const auto& [name, value] : kItems) all += std::string(name) + std::to_string(plan.*value) + "\n";
  return {std::string(planned_name(function)), std::move(all), signature, {}, {}, true};
}

std::optional<LanePlan> lane_plan(const Foreign& row) {
  std::string_view rest = row.symbol;
  if (!row.launched || !rest.starts_with(kPlanMark)) return std::nullopt;
  rest.remove_prefix(kPlanMark.size());
  LanePlan plan;
  for (const auto& [name, value] : kItems) {
    if (!rest.starts_with(name)) return std::nullopt;
    rest.remove_prefix(name.size());
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), plan.*value);
    if (error != std::errc() || end == rest.data() + rest.size() || *end != '\n') return std::nullopt;
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()) + 1);
  }
  return is_sound(plan) ? std::optional(plan) : std::nullopt;
}

LanePlan plan_of(const Module& module, std::uint32_t lane) {
  const std::string_view name = planned_name(module.functions[owner_of(module, lane)].name);
  for (const Foreign& row : module.foreigns) {
    if (row.name != name) continue;
    if (const auto plan = lane_plan(row)) return *plan;
  }
  return {};
}

}  // namespace cairn::bytecode
