// The inputs `cairn validate` generates, the policy they are generated under, and when two outcomes agree (tools, 11.2
// to 11.4).
#pragma once

#include <cstdint>
#include <expected>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "frontend/frontend.hpp"

namespace cairn::testing {

struct Policy {
  double absolute = 0;
  double relative = 0;
  std::uint64_t largest_extent = 4096;
  std::map<std::string, std::pair<double, double>> extents;
  std::map<std::string, std::pair<double, double>> values;
  std::uint64_t budget = 256;
  std::uint64_t seed = 0;
  std::uint64_t probes = 300;
  std::uint64_t seconds = 5;  // of one call
};
/// Missing keys have their defaults; the error names an unknown key or a value out of its range.
[[nodiscard]] std::expected<Policy, std::string> policy_from(const nlohmann::ordered_json& record);
[[nodiscard]] nlohmann::ordered_json record_of(const Policy& policy);

/// An input: values by parameter, and for views how many elements past an aligned allocation they start.
struct ValidationCase {
  nlohmann::ordered_json arguments = nlohmann::ordered_json::object();
  std::map<std::string, std::size_t> offsets;
  std::string origin;  // how it came about: "extent 3 with ones"
  friend bool operator==(const ValidationCase& a, const ValidationCase& b) {
    return a.arguments == b.arguments && a.offsets == b.offsets;
  }
};

/// Why a function cannot be fed: it takes or returns something else than scalars and views of scalars. Empty when it
/// can.
[[nodiscard]] std::string unfeedable(const checked::Function& function);

/// Sizes that matter to an implementation: numbers its condition and body are written around (11.4), ascending.
[[nodiscard]] std::vector<std::uint64_t> tiles_of(const checked::Function& implementation,
                                                  const checked::Function* condition, const Compilation& compilation);

/// Every case up to the budget, in the order of 11.4; the same seed gives the same ones.
[[nodiscard]] std::vector<ValidationCase> generate_cases(const checked::Function& function, const NameTable& names,
                                                         const Policy& policy, const std::vector<std::uint64_t>& tiles);

/// Whether the domain admits a case.
[[nodiscard]] bool admits(const Policy& policy, const checked::Function& function, const NameTable& names,
                          const ValidationCase& input);

/// cairn.agreement/1 on two outcome records.
[[nodiscard]] bool agree(const nlohmann::ordered_json& reference, const nlohmann::ordered_json& candidate,
                         const Policy& policy);

/// The parameter that is a view's length, or null.
[[nodiscard]] const checked::Local* extent_of(const checked::Function& function, const checked::Local& view);

}  // namespace cairn::testing
