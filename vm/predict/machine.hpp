// Host profiles, `cairn.machine/1` (tools, 12.7): what a host's operations, memory and pool cost. One is built in; a
// machine is measured by `cairn doctor --calibrate FILE`.
#pragma once

#include <array>
#include <expected>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace cairn::predict {

enum class Level : std::uint8_t { L1, L2, L3, Dram };
inline constexpr std::array<std::string_view, 4> kLevels = {"l1", "l2", "l3", "dram"};

struct Bandwidth {
  double one = 0;  // GB/s of one thread
  double all = 0;  // of all lanes
};

/// Nanoseconds an operation takes, by kind.
struct OperationTable {
  std::map<std::string, double> vector;  // kinds that were seen to vectorize
  std::map<std::string, double> scalar;
  std::set<std::string> keeps_scalar;  // a body that has one of these is scalar
};

struct MachineProfile {
  std::string name;
  std::string origin;  // "measured" or "specification"
  std::string notes;
  double lanes = 1;
  double cores = 1;
  double ghz = 1;
  std::array<double, 3> cache{};  // bytes of l1, l2 (a core's) and l3 (all)
  std::array<Bandwidth, 4> read{};
  std::array<Bandwidth, 4> write{};
  std::map<std::string, OperationTable> ops;  // by architecture
  double fork_ns = 0;
  double per_lane_ns = 0;
  double cutoff = 16384;
  double grain = 8192;
  double spawn_ns = 0;
  double alloc_ns = 0;
  double page_ns = 0;
  double mapped_bytes = 33'554'432;
  std::array<double, 4> irregular_ns{};
  double atomic_ns = 0;
  double measured_bytes = 0;
};

[[nodiscard]] const MachineProfile& built_in_profile();
/// The error says what is wrong with the record.
[[nodiscard]] std::expected<MachineProfile, std::string> profile_from(const nlohmann::ordered_json& record);
[[nodiscard]] nlohmann::ordered_json record_of(const MachineProfile& profile);

/// The operation kinds a profile may price.
inline constexpr std::array<std::string_view, 29> kOperationKinds = {
    "int",           "int_checked", "int_fold", "mul",      "mul_checked",  "div",     "index_checked", "f32",
    "f64",           "f32_div",     "f64_div",  "f32_fold", "f64_fold",     "compare", "branch",        "convert",
    "convert_guard", "shift_guard", "load",     "store",    "bounds_guard", "collect", "call",          "indirect",
    "atomic",        "io",          "wait",     "frame",    "branch_miss"};

}  // namespace cairn::predict
