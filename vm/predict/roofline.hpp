// The roofline plot (Williams, Waterman, Patterson: Roofline, CACM 52(4), 2009): what a function does a second over
// what it does for each byte it moves, under the roofs that memory and arithmetic set.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "vm/predict/price.hpp"

namespace cairn::predict {

struct RooflinePoint {
  std::string name;  // of the function, with its sizes
  double operations = 0;
  double bytes = 0;  // moved; 0: nothing streams
  double ns = 0;     // predicted
  std::string confidence;
  bool on_device = false;
};

/// What a prediction stands for: all operations and bytes of the function at the prediction's sizes.
[[nodiscard]] RooflinePoint roofline_point(std::string name, const Cost& cost, const Prediction& prediction);

/// An SVG picture that needs nothing else. Roofs are the profile's read bandwidths of all lanes and the least time of
/// an operation (tools, 12.2); with device work the card's as well. `headline` says whose prediction it is.
[[nodiscard]] std::string roofline_svg(const Pricing& pricing, const std::vector<RooflinePoint>& points,
                                       std::string_view headline);

}  // namespace cairn::predict
