// What `cairn predict` answers (tools, 12.5): each function's counts and predictions, as a record and for people.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "vm/predict/price.hpp"

namespace cairn::predict {

struct FunctionReport {
  const Cost* cost = nullptr;
  std::string formula;
  std::vector<Prediction> predictions;
};

/// Prices a function at the points that are asked for, or at 1e3, 1e5 and 1e7 of its one extent.
[[nodiscard]] FunctionReport report_on(const Cost& cost, const Pricing& pricing, const std::vector<Sizes>& points);

[[nodiscard]] nlohmann::ordered_json record_of(const FunctionReport& report);
/// `n=1000, m=64`.
[[nodiscard]] std::string sizes_text(const Sizes& sizes);
/// The function's line and one for each prediction.
[[nodiscard]] std::string for_people(const std::string& name, const FunctionReport& report);

}  // namespace cairn::predict
