// Random programs end alike on every tier. CAIRN_RANDOM_PROGRAMS says how many of fixed seeds (from
// CAIRN_RANDOM_PROGRAMS_FROM on), CAIRN_RANDOM_SECONDS how long others follow, from a seed of the clock's. A program
// that does not is shown with its seed and made smaller.
#include <catch2/catch.hpp>
#include <chrono>
#include <cstdlib>
#include <iostream>

#include "tests/random/program.hpp"
#include "tests/random/run.hpp"

namespace cairn::tests::random {
namespace {

std::uint64_t set_number(const char* name, std::uint64_t usual) {
  const char* const set = std::getenv(name);
  return set == nullptr ? usual : std::strtoull(set, nullptr, 10);
}

struct Sums {
  std::uint64_t programs = 0, accepted = 0, calls = 0, trapped = 0, differ = 0;
};

void examine(std::uint64_t seed, Sums& sums) {
  INFO("seed " << seed);
  const std::string text = program(seed);
  const Comparison found = compare(text, seed);
  ++sums.programs;
  sums.accepted += found.accepted ? 1 : 0;
  sums.calls += found.calls;
  sums.trapped += found.trapped;
  if (!found.accepted) UNSCOPED_INFO("seed " << seed << " is refused: " << found.refusal);
  if (found.difference.empty()) return;
  ++sums.differ;
  std::cout << "seed " << seed << ": " << found.difference << std::endl;
  // Apart, since a smaller program may turn for ever.
  const std::string small = reduced(text, [&](const std::string& other) {
    const std::string difference = difference_apart(other, seed);
    return !difference.empty() && !difference.starts_with(kEndsBySignal);
  });
  FAIL_CHECK("seed " << seed << ": " << found.difference << "\nmade smaller: " << difference_apart(small, seed) << "\n"
                     << small);
}

}  // namespace

TEST_CASE("random programs end alike on every tier, with the same output, traps and memory", "[random]") {
  const std::uint64_t first = set_number("CAIRN_RANDOM_PROGRAMS_FROM", 0);
  const std::uint64_t count = set_number("CAIRN_RANDOM_PROGRAMS", 1000);
  Sums sums;
  for (std::uint64_t seed = first; seed < first + count && sums.differ < 20; ++seed) examine(seed, sums);
  INFO(sums.accepted << " of " << sums.programs << " accepted; " << sums.trapped << " of " << sums.calls
                     << " calls trapped");
  CHECK(sums.accepted > sums.programs * 9 / 10);
  CHECK(sums.trapped > sums.calls / 10);
  CHECK(sums.trapped < sums.calls - sums.calls / 5);
}

TEST_CASE("random programs of a new seed each time end alike on every tier", "[random]") {
  const auto started = std::chrono::steady_clock::now();
  const std::chrono::seconds given(set_number("CAIRN_RANDOM_SECONDS", 20));
  const std::uint64_t first =
      static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count()) % 1000000007 * 1000000;
  std::cout << "random programs from seed " << first << "\n";
  Sums sums;
  for (std::uint64_t seed = first; std::chrono::steady_clock::now() - started < given && sums.differ == 0; ++seed) {
    examine(seed, sums);
  }
  CHECK(sums.accepted >= sums.programs * 4 / 5);
}

// Of CAIRN_RANDOM_PROGRAMS_FROM alone, whatever it ends with: run when a crash said its seed.
TEST_CASE("a program that crashes a tier is made smaller", "[.][crash]") {
  const std::uint64_t seed = set_number("CAIRN_RANDOM_PROGRAMS_FROM", 0);
  const std::string text = program(seed);
  const std::string found = difference_apart(text, seed);
  if (found.empty()) return;
  const std::string small =
      reduced(text, [&](const std::string& other) { return difference_apart(other, seed) == found; });
  FAIL("seed " << seed << ": " << found << "\n" << small);
}

TEST_CASE("a failing text is made smaller line by line and block by block, and still fails", "[random]") {
  const std::string text =
      "fn f() {\n  let a = 1;\n  if a {\n    wrong(a);\n    right();\n  } else {\n    right();\n  }\n}\n";
  const auto fails = [](const std::string& candidate) {
    return candidate.contains("wrong") && candidate.contains("fn f");
  };
  CHECK(reduced(text, fails) == "fn f() {\n    wrong(a);\n}\n");
  // What fails only as a whole stays whole.
  CHECK(reduced(text, [&](const std::string& candidate) { return candidate == text; }) == text);
}

}  // namespace cairn::tests::random
