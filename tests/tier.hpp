// The tier a test program runs bytecode on: CAIRN_TIER, else the interpreter. `./dev test` runs the programs that ask
// for it once on each tier of tests/tiers.
#pragma once

#include <cstdlib>
#include <string_view>

#include "vm/tiers/tier.hpp"

namespace cairn::tests {

inline Tier tier_under_test() {
  const char* const set = std::getenv("CAIRN_TIER");
  const std::string_view name = set == nullptr ? "" : set;
  if (name == "baseline") return Tier::Baseline;
  if (name == "optimizing") return Tier::Optimizing;
  return name == "auto" ? Tier::Auto : Tier::Interpreter;
}

}  // namespace cairn::tests
