// From counts to time: the roofline formulas of tools 12.2 to 12.4 at given sizes, on a host profile and a card.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "vm/predict/cards.hpp"
#include "vm/predict/cost.hpp"
#include "vm/predict/machine.hpp"

namespace cairn::predict {

/// A figure behind the time of a region on a device, and where it is from: `checked`, `ptxas`, `specification limits`,
/// `assumed` or `model`.
struct PricedDetail {
  std::string what;
  double value = 0;
  std::string_view source;
};

struct PricedPart {
  std::string what;  // "sequential", "region at line 3", "pool start", "tasks", "allocation", "transfer h2d"
  double ns = 0;
  std::string bound;    // what decides it: "compute", "memory (l1)", "launch", ...
  double light_ns = 0;  // the same work at full peak
  bool is_device = false;
  std::vector<PricedDetail> details{};
};

struct Prediction {
  Sizes sizes;
  double ns = 0;
  std::string bound;  // of the largest part
  double speed_of_light = 0;
  std::string confidence;         // high, medium, low
  std::set<std::string> guessed;  // found in pricing
  std::vector<std::string> why;
  std::vector<PricedPart> parts;
};

struct Pricing {
  const MachineProfile* profile = nullptr;
  std::string arch;
  const Card* card = nullptr;
  bool other_arch = false;  // the profile has no costs for the architecture asked for, so another's are taken
};

/// The sizes counts are taken at: those that were given, and kGuessedTurns for each number that nobody gave.
[[nodiscard]] Sizes counted_sizes(const Cost& cost, Sizes given);
[[nodiscard]] Prediction price(const Cost& cost, const Pricing& pricing, const Sizes& sizes);

/// A time to four significant digits.
[[nodiscard]] double rounded_ns(double ns);
/// `110 ns`, `4.9 us`.
[[nodiscard]] std::string time_text(double ns);

}  // namespace cairn::predict
