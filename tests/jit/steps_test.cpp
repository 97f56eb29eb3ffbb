// A limit of steps means the same on every tier, and for programs of several threads: what they take together.
#include "tests/jit/both_tiers.hpp"
#include "tests/lower/support.hpp"
#include "vm/natives/c_library.hpp"

namespace cairn::tests {
namespace {

constexpr std::uint64_t kPlenty = std::uint64_t{1} << 40;
constexpr Tier kTiers[] = {Tier::Interpreter, Tier::Baseline, Tier::Optimizing, Tier::Auto};

struct Ended {
  Ending ending;
  std::string first_trap;  // of all threads
  std::uint64_t taken = 0;
};

Ended run(const Image& image, std::uint32_t entry, Tier tier, std::uint64_t steps, std::size_t lanes) {
  Limits limits;
  limits.steps = steps;
  limits.lanes = lanes;
  Engine engine(image, tier, limits);
  Ended ended;
  ended.ending = engine.call(entry, {});
  engine.instance().stop();
  if (const auto trap = engine.instance().first_trap()) ended.first_trap = trap->message;
  ended.taken = steps - engine.instance().steps().left();
  return ended;
}

/// The steps a program takes are its own, whoever runs it and however its threads take turns: with as many it ends as
/// without a limit, with one less it traps, and then it took them all.
std::uint64_t takes_as_many_on_every_tier(std::string_view program, std::uint64_t value) {
  const Image image(verified(test::lowered(program)), c_library_natives());
  const std::vector<Function>& functions = image.module().functions;
  const auto found = std::ranges::find(functions, "entry", &Function::name);
  REQUIRE(found != functions.end());
  const auto entry = static_cast<std::uint32_t>(found - functions.begin());
  const std::uint64_t taken = run(image, entry, Tier::Interpreter, kPlenty, 1).taken;
  for (const Tier tier : kTiers) {
    for (const std::size_t lanes : {1U, 3U}) {
      for (int round = 0; round < 3; ++round) {
        INFO("tier " << static_cast<int>(tier) << ", " << lanes << " lanes, steps " << taken);
        const Ended plenty = run(image, entry, tier, kPlenty, lanes);
        CHECK(plenty.ending.trap.empty());
        CHECK(plenty.taken == taken);
        const Ended enough = run(image, entry, tier, taken, lanes);
        CHECK(enough.ending.trap.empty());
        CHECK(enough.ending.value == value);
        CHECK(enough.taken == taken);
        const Ended short_of_one = run(image, entry, tier, taken - 1, lanes);
        CHECK(!short_of_one.ending.trap.empty());
        CHECK(short_of_one.first_trap == "trap: limit: the step limit is spent");
        CHECK(short_of_one.taken == taken - 1);
      }
    }
  }
  return taken;
}

}  // namespace

TEST_CASE("tasks take the steps they use from one limit, and those they took ahead go to others", "[jit][steps]") {
  const std::uint64_t taken = takes_as_many_on_every_tier(R"(
fn turns(n:u64) -> u64 { let mut k:u64 = 0; while k < n { k += 1; } return k; }
fn entry() -> u64 {
  let long = spawn turns(40000);
  let short = spawn turns(3);
  let own = turns(700);
  let b = wait(short);
  let more = spawn turns(5000);
  return own + wait(long) + b + wait(more);
}
)",
                                                          45703);
  CHECK(taken >= 45703);
  CHECK(taken < 45703 + 20);
}

TEST_CASE("a thread that waits for a lock, a task or a group holds no steps", "[jit][steps]") {
  takes_as_many_on_every_tier(R"(
fn add(m:ro<Mutex[u64]>, times:usize) {
  for i in 0..times { m.with(|a:rw<u64>| { for j in 0..7 { a += 1; } }); }
}
fn nested(m:ro<Mutex[u64]>, depth:u64) -> u64 {
  add(m, 20);
  if depth == 0 { return 1; }
  let t = spawn nested(m, depth - 1);
  return wait(t) + 1;
}
fn entry() -> u64 {
  let m = Mutex[u64](0);
  let g = Group[void](8);
  for k in 0..6 { spawn add(m, 40) into g; }
  let t = spawn nested(m, 4);
  collect(g);
  add(m, 10);
  wait(g);
  let depth = wait(t);
  return m.with(|a:rw<u64>| -> u64 { return a; }) + depth;
}
)",
                              7 * (6 * 40 + 10 + 5 * 20) + 5);
}

TEST_CASE("lanes of a region take no more steps than one thread that runs them all", "[jit][steps]") {
  takes_as_many_on_every_tier(R"(
fn entry() -> u64 {
  let n:usize = 40000;
  buffer out:u64[n] = zeroed;
  parallel i in n { for j in 0..(i % 3) { out[i] += 1; } }
  let total = reduce add_wrap parallel i in n yield out[i];
  return total;
}
)",
                              39999);
}

TEST_CASE("threads of which one spins until another has done its part share the last steps", "[jit][steps]") {
  // How many turns the spinning takes is not fixed, and the limit leaves room for them: it is spent by the last loop.
  const Image image(verified(test::lowered(R"(
fn spin(flag:ro<Atomic[u64]>) -> u64 { while flag.load(Order.acquire) == 0 { } return 0; }
fn endless() -> u64 { let mut k:u64 = 0; while true { k = add_wrap(k, 1); } return k; }
fn entry() -> u64 {
  let flag = Atomic[u64](0);
  let t = spawn spin(flag);
  let u = spawn endless();
  return wait(t) + wait(u);
}
)")),
                    c_library_natives());
  const std::vector<Function>& functions = image.module().functions;
  const auto entry =
      static_cast<std::uint32_t>(std::ranges::find(functions, "entry", &Function::name) - functions.begin());
  for (const Tier tier : kTiers) {
    const Ended ended = run(image, entry, tier, 100'000, 1);
    CHECK(!ended.ending.trap.empty());
    CHECK(ended.first_trap == "trap: limit: the step limit is spent");
    CHECK(ended.taken == 100'000);
  }
}

}  // namespace cairn::tests
