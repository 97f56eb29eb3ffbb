// Programs that run while they are sampled.
#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "tests/cli/scratch.hpp"
#include "vm/execution.hpp"
#include "vm/profile/report.hpp"
#include "vm/session.hpp"

namespace cairn::tests {
namespace {

constexpr std::string_view kProgram = R"(fn hot(rounds:u64, seed:u64) -> u64 {
  let mut h = seed;
  let mut k:u64 = 0;
  while k < rounds {
    h = mul_wrap(h ^ k, 1099511628211);
    k += 1;
  }
  return h;
}

fn between(rounds:u64) -> u64 = hot(rounds, 7);

fn lanes(n:usize, out:rw<u64>[n]) {
  parallel i in n { out[i] = hot(2000, u64(i)); }
}

fn main() -> i32 {
  buffer out:u64[40000] = zeroed;
  lanes(out);
  let h = between(60000000);
  if h == 1 && out[3] == 2 { return 1; }
  return 0;
}
)";

profile::Report profiled(Tier tier) {
  Scratch scratch;
  SessionOptions options;
  options.wants_main = true;
  const auto session = scratch.open(kProgram, options);
  REQUIRE(session->accepted());
  auto lowered = session->lower({});
  REQUIRE(lowered);
  ExecutionOptions running;
  running.tier = tier;
  Execution execution(std::move(lowered->module), running);
  execution.begin_profile();
  const auto value = execution.run_main();
  REQUIRE(value);
  CHECK(*value == 0);
  const auto report = execution.end_profile();
  REQUIRE(report);
  CHECK_FALSE(execution.end_profile());
  return *report;
}

const profile::FunctionShare* share_of(const profile::Report& report, std::string_view name) {
  const auto found = std::ranges::find(report.functions, name, &profile::FunctionShare::name);
  return found == report.functions.end() ? nullptr : &*found;
}

}  // namespace

TEST_CASE("most of the time is found in the function that works, in whatever tier", "[profile]") {
  for (const Tier tier : {Tier::Interpreter, Tier::Baseline, Tier::Optimizing, Tier::Auto}) {
    INFO(static_cast<int>(tier));
    const profile::Report report = profiled(tier);
    REQUIRE(report.samples > 3);
    REQUIRE_FALSE(report.functions.empty());
    CHECK(report.functions.front().name == "hot");
    CHECK(report.functions.front().self > 0.5);
    using profile::Engine;
    const Engine engine = report.functions.front().engine;
    if (tier == Tier::Interpreter) CHECK(engine == Engine::Interpreter);
    if (tier == Tier::Baseline) CHECK(engine == Engine::Baseline);
    if (tier == Tier::Auto) CHECK(engine != Engine::Interpreter);
    CHECK(report.functions.front().sites == 1);  // the addition to k
    CHECK(report.functions.front().emitted <= 1);
    double selves = 0;
    for (const profile::FunctionShare& each : report.functions) {
      CHECK(each.self <= each.time + 1e-9);
      selves += each.self;
    }
    CHECK(selves == Approx(1).margin(0.01));
    // What calls it has its time too. The lanes of other threads begin at the function they stand in.
    const profile::FunctionShare* caller = share_of(report, "main");
    REQUIRE(caller != nullptr);
    CHECK(caller->time > 0.2);
    CHECK(caller->self < 0.5);
  }
}

TEST_CASE("the time that code takes to be made in the background is shown as the compiler's, on its own thread",
          "[profile]") {
  ::setenv("CAIRN_BACKGROUND", "1", 1);
  const profile::Report report = profiled(Tier::Auto);
  ::unsetenv("CAIRN_BACKGROUND");
  const profile::FunctionShare* compiler = share_of(report, "(compiler)");
  REQUIRE(compiler != nullptr);
  CHECK(compiler->self > 0);
  CHECK(compiler->engine == profile::Engine::Native);
  CHECK(std::ranges::count(report.threads, "compiler", &profile::Report::OneThread::name) == 1);
}

}  // namespace cairn::tests
