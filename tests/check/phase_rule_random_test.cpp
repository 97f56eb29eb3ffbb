// Random cooperative kernels, each judged by the checker and by brute force over every pair of accesses of one phase.
//
// What is accepted has no race and reads nothing unwritten. What is refused for a pair, brute force refuses at that
// line, unless ways were merged. A kernel whose indexes and loops are all numbers is never undecided, and accepted when
// brute force finds nothing.
#include <catch2/catch.hpp>

#include <cstdlib>

#include "tests/check/checked_source.hpp"
#include "tests/check/phase_kernels.hpp"

using cairn::CheckedSource;
using cairn::tests::KernelMix;
using cairn::tests::PhaseKernel;

namespace {

struct Counts {
  std::size_t accepted = 0;
  std::size_t raced = 0;
  std::size_t unwritten = 0;
  std::size_t undecided = 0;
};

/// What is wrong with a verdict; empty when nothing is.
std::string fault_of(const PhaseKernel& kernel, Counts& counts) {
  const CheckedSource checked(kernel.text());
  const std::string verdict = checked.verdict();
  const PhaseKernel::Verdict brute = kernel.brute_force();
  const bool is_clean = brute.races.empty() && brute.unwritten.empty();
  if (verdict == "accepted") {
    ++counts.accepted;
    return brute.is_real ? "accepted, with a race or a read of what nobody wrote" : "";
  }
  const std::string code = verdict.substr(0, verdict.find(' '));
  const unsigned line = checked.compilation.sources.locate(checked.first().position).line;
  const auto has = [&](const auto& holds) {
    return std::ranges::any_of(brute.races,
                               [&](const PhaseKernel::Race& race) { return race.line == line && holds(race); });
  };
  if (code == "E-COOP-UNDECIDED") {
    ++counts.undecided;
    return kernel.has_limits() ? "" : "undecided, with every index a number";
  }
  if (code == "E-COOP-UNWRITTEN") {
    ++counts.unwritten;
    return brute.unwritten.contains(line) || kernel.has_limits() ? "" : "unwritten, though surely written first";
  }
  ++counts.raced;
  if (brute.is_sampled || kernel.merges_ways()) return "";
  if (is_clean && !kernel.has_limits()) return "refused, with no race";
  if (code == "E-ATOMIC-MIXED") {
    const bool fits = has([](const auto& race) { return race.mixed; });
    return fits || kernel.has_limits() ? "" : "no atomic update meets a plain access there";
  }
  if (code == "E-COOP-CONFLICT") {
    return has([](const auto& race) { return race.both_write; }) ? "" : "no two threads write there";
  }
  if (code == "E-COOP-UNORDERED" || code == "E-COOP-REUSE") {
    return has([](const auto& race) { return !race.both_write && !race.mixed; }) ? ""
                                                                                 : "nothing is written and read there";
  }
  return "a refusal of another kind";
}

void require_agreement(std::uint64_t first, std::uint64_t count) {
  constexpr KernelMix kMixes[] = {
      {},
      {.unknown = true},
      {.unzeroed = true},
      {.symbols = true},
      {.unknown = true, .unzeroed = true},
      {.symbols = true, .unknown = true, .endless = true},
      {.endless = true, .unzeroed = true},
      {.symbols = true, .unknown = true, .endless = true, .unzeroed = true},
  };
  Counts counts;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const PhaseKernel kernel(seed, kMixes[seed % std::size(kMixes)]);
    const std::string fault = fault_of(kernel, counts);
    if (fault.empty()) continue;
    const CheckedSource checked(kernel.text());
    FAIL("kernel " << seed << ": " << fault << "\n"
                   << kernel.text() << checked.verdict() << "\n"
                   << (checked.verdict() == "accepted" ? "" : checked.first().message));
  }
  INFO("accepted " << counts.accepted << ", raced " << counts.raced << ", unwritten " << counts.unwritten
                   << ", undecided " << counts.undecided);
  CHECK(counts.accepted > count / 20);
  CHECK(counts.raced > count / 20);
  if (std::getenv("CAIRN_PHASE_KERNELS") != nullptr) {
    WARN("accepted " << counts.accepted << ", raced " << counts.raced << ", unwritten " << counts.unwritten
                     << ", undecided " << counts.undecided);
  }
}

}  // namespace

TEST_CASE("the phase rule agrees with brute force over every pair of accesses of random kernels", "[phase-rule]") {
  require_agreement(0, 3000);
}

// CAIRN_PHASE_KERNELS=100000 tests_check "[phase-rule-many]"
TEST_CASE("the phase rule agrees with brute force over as many kernels as asked for", "[.][phase-rule-many]") {
  const char* count = std::getenv("CAIRN_PHASE_KERNELS");
  const char* first = std::getenv("CAIRN_PHASE_FIRST");
  require_agreement(first == nullptr ? 1'000'000 : std::strtoull(first, nullptr, 10),
                    count == nullptr ? 1000 : std::strtoull(count, nullptr, 10));
}
