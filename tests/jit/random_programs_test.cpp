// Random programs on every tier: the same value, output, trap and memory. CAIRN_RANDOM_PROGRAMS says how many,
// CAIRN_RANDOM_PROGRAMS_FROM the first seed.
#include <cstdlib>

#include "tests/jit/both_tiers.hpp"
#include "tests/jit/random_module.hpp"

namespace cairn::tests {
namespace {

struct Run {
  Ending ending;
  std::string output;
  std::vector<std::uint64_t> host;
};

Run run(const Image& image, Tier tier, const Limits& limits) {
  Engine engine(image, tier, limits);
  Run done;
  for (std::uint64_t k = 0; k < kHostWords; ++k) done.host.push_back(k * 0x9e3779b97f4a7c15 >> (k % 9 * 7));
  const std::uint64_t arguments[] = {reinterpret_cast<std::uint64_t>(done.host.data()), kHostWords};
  done.ending = engine.call(0, arguments);
  done.output = engine.output();
  return done;
}

std::uint64_t set_number(const char* name, std::uint64_t usual) {
  const char* const set = std::getenv(name);
  return set == nullptr ? usual : std::strtoull(set, nullptr, 10);
}

std::uint64_t programs() { return set_number("CAIRN_RANDOM_PROGRAMS", 3000); }
std::uint64_t first_seed() { return set_number("CAIRN_RANDOM_PROGRAMS_FROM", 0); }

}  // namespace

TEST_CASE("random programs end alike on every tier, with the same output and memory", "[jit]") {
  const std::uint64_t count = programs();
  const std::uint64_t first = first_seed();
  std::uint64_t trapped = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const Image image(verified(random_module(seed)), {});
    Limits limits;
    limits.stack_bytes = 1 << 18;
    if (seed % 4 == 0) limits.steps = 1 + seed % 61;  // the step limit is spent at the same back edge or call
    const Run expected = run(image, Tier::Interpreter, limits);
    trapped += !expected.ending.trap.empty();
    for (const Tier tier : {Tier::Baseline, Tier::Optimizing}) {
      const Run got = run(image, tier, limits);
      INFO("seed " << seed << ", tier " << static_cast<int>(tier));
      REQUIRE(expected.ending.trap == got.ending.trap);
      REQUIRE(expected.ending.value == got.ending.value);
      REQUIRE(expected.output == got.output);
      REQUIRE(expected.host == got.host);
    }
  }
  CHECK(trapped > count / 10);
  CHECK(trapped < count - count / 10);
}

TEST_CASE("random programs go on as the interpreter's wherever a loop of theirs turns into optimized code", "[jit]") {
  // Made at once, so that a loop goes on in it where its fuel is spent, unless the environment says otherwise.
  std::optional<InBackground> asked;
  if (std::getenv("CAIRN_BACKGROUND") == nullptr) asked.emplace(false);
  const std::uint64_t count = programs() / 10;
  const std::uint64_t first = first_seed();
  std::uint64_t taken_up = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    INFO("seed " << seed);
    const Image image(verified(random_module(seed)), {});
    Limits limits;
    limits.stack_bytes = 1 << 18;
    Engine interpreter(image, Tier::Interpreter, limits);
    Engine automatic(image, Tier::Auto, limits);
    std::vector<std::uint64_t> host(kHostWords, seed);
    std::vector<std::uint64_t> other(kHostWords, seed);
    const std::uint64_t arguments[] = {reinterpret_cast<std::uint64_t>(host.data()), kHostWords};
    const std::uint64_t others[] = {reinterpret_cast<std::uint64_t>(other.data()), kHostWords};
    for (std::uint64_t call = 0; call < 45; ++call) {
      // The first calls are interpreted; then baseline code runs, until its fuel is spent.
      if (call > 32) automatic.set_fuel((seed + call) % 29);
      const Ending expected = interpreter.call(0, arguments);
      const Ending got = automatic.call(0, others);
      INFO("call " << call);
      REQUIRE(expected.trap == got.trap);
      REQUIRE(expected.value == got.value);
      REQUIRE(host == other);
    }
    REQUIRE(interpreter.output() == automatic.output());
    for (std::uint32_t f = 0; f < image.module().functions.size(); ++f) {
      taken_up += automatic.instance().tiers()->has_optimized_code(f) ? 1 : 0;
    }
  }
  CHECK(taken_up > count / 8);
}

}  // namespace cairn::tests
