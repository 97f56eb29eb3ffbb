#include "tests/random/run.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>

#include "tests/jit/both_tiers.hpp"
#include "tests/lower/support.hpp"
#include "vm/natives/c_library.hpp"

namespace cairn::tests::random {

namespace {

constexpr std::uint64_t kArguments[] = {0, 3, 1};
constexpr std::uint64_t kPlentyOfSteps = std::uint64_t{1} << 40;

struct Call {
  Ending ending;
  std::string output;
  friend bool operator==(const Call&, const Call&) = default;
};

struct Behaviour {
  std::vector<Call> calls;
  std::uint64_t held = 0;  // bytes
};

/// The sign of a NaN that arithmetic gives is not fixed (numerics, 1.3), and traps show their operands.
std::string without_nan_signs(std::string text) {
  for (std::size_t at = text.find("-nan"); at != std::string::npos; at = text.find("-nan")) text.erase(at, 1);
  return text;
}

struct Way {
  const char* name;
  Tier tier;
  bool from_ssa = true;
  unsigned rounds = 1;
};
constexpr Way kInterpreter{"interpreter", Tier::Interpreter};
constexpr Way kWays[] = {{"baseline", Tier::Baseline},
                         {"optimizing", Tier::Optimizing},
                         {"optimizing by plans", Tier::Optimizing, false},
                         {"auto", Tier::Auto, true, 3}};

/// `has_tasks`: a trap may have ended a thread of the instance's own, and nothing more may be asked of it.
Behaviour run(const Image& image, std::uint32_t entry, const Limits& limits, const Way& way, std::uint64_t seed,
              bool has_tasks) {
  const CodeFromSsa code(way.from_ssa);
  std::optional<Engine> engine;
  Behaviour done;
  std::size_t shown = 0;
  for (unsigned round = 0; round < way.rounds; ++round) {
    for (const std::uint64_t argument : kArguments) {
      if (!engine || (has_tasks && !done.calls.back().ending.trap.empty())) {
        engine.emplace(image, way.tier, limits);
        shown = 0;
      }
      if (way.tier == Tier::Auto && limits.steps == 0) engine->set_fuel((seed * 7 + done.calls.size() * 13) % 41);
      Call call{engine->call(entry, std::array{argument}), engine->output().substr(shown)};
      shown = engine->output().size();
      call.ending.trap = without_nan_signs(call.ending.trap);
      done.calls.push_back(std::move(call));
    }
    if (round == 0) done.held = engine->instance().memory().used();
  }
  return done;
}

/// The calls, one after another in one instance, of a program whose threads together may take so many steps.
struct Limited {
  std::string trap;        // what ended them
  std::string first_trap;  // of any thread
  std::uint64_t taken = 0;
};
Limited run_limited(const Image& image, std::uint32_t entry, Limits limits, const Way& way, std::uint64_t steps) {
  const CodeFromSsa code(way.from_ssa);
  limits.steps = steps;
  Engine engine(image, way.tier, limits);
  Limited ended;
  for (const std::uint64_t argument : kArguments) {
    ended.trap = engine.call(entry, std::array{argument}).trap;
    if (!ended.trap.empty()) break;
  }
  engine.instance().stop();
  if (const auto trap = engine.instance().first_trap()) ended.first_trap = trap->message;
  ended.taken = steps - engine.instance().steps().left();
  return ended;
}

/// Which thread of a program with tasks finds a limit spent is not fixed, but that one does is: where its calls do not
/// trap, they take as many steps on every tier, and none with one less.
std::string difference_of_steps(const Image& image, std::uint32_t entry, const Limits& limits) {
  const Limited counted = run_limited(image, entry, limits, kInterpreter, kPlentyOfSteps);
  if (!counted.trap.empty() || !counted.first_trap.empty() || counted.taken < 2) return {};
  const std::string steps = std::to_string(counted.taken) + " steps: ";
  for (const Way& way : kWays) {
    const Limited enough = run_limited(image, entry, limits, way, counted.taken);
    if (!enough.trap.empty() || enough.taken != counted.taken) {
      return std::string(way.name) + " with " + steps + "took " + std::to_string(enough.taken) + ", " + enough.trap;
    }
    const Limited fewer = run_limited(image, entry, limits, way, counted.taken - 1);
    if (fewer.trap.empty() || !fewer.first_trap.starts_with("trap: limit") || fewer.taken != counted.taken - 1) {
      return std::string(way.name) + " with one less than " + steps + "took " + std::to_string(fewer.taken) + ", " +
             fewer.first_trap;
    }
  }
  return {};
}

std::string told(const Call& call) {
  return (call.ending.trap.empty() ? std::to_string(call.ending.value) : call.ending.trap) + "\n" + call.output;
}

}  // namespace

Comparison compare(const std::string& text, std::uint64_t seed) {
  Comparison found;
  auto module = test::lowered_if_accepted(text, found.refusal, seed % 5 == 1, found.difference);
  found.accepted = module.has_value() || !found.difference.empty();
  if (!module) return found;
  const auto declared = std::ranges::find(module->functions, "entry", &Function::name);
  if (declared == module->functions.end()) return found;
  const auto entry = static_cast<std::uint32_t>(declared - module->functions.begin());
  const Image image(verified(std::move(*module)), c_library_natives());
  Limits limits;
  limits.stack_bytes = std::size_t{1} << (seed % 8 == 3 ? 13 : 18);
  limits.memory_bytes = std::uint64_t{1} << 28;
  limits.lanes = 1;  // of several lanes that trap any may be told
  const bool has_tasks = text.contains("spawn ");
  if (seed % 8 == 5 && !has_tasks) limits.steps = 50 + seed % 997;
  const Behaviour expected = run(image, entry, limits, kInterpreter, seed, has_tasks);
  found.calls = expected.calls.size();
  // Where a program is that is stopped because it takes too long is not fixed either.
  if (std::ranges::any_of(expected.calls,
                          [](const Call& call) { return call.ending.trap.contains("stopped by the host"); })) {
    return found;
  }
  for (const Call& call : expected.calls) found.trapped += call.ending.trap.empty() ? 0 : 1;
  for (const Way& way : kWays) {
    if (way.tier == Tier::Auto && limits.steps != 0) continue;  // its calls share the limit
    const Behaviour got = run(image, entry, limits, way, seed, has_tasks);
    for (std::size_t k = 0; k < got.calls.size(); ++k) {
      const Call& wanted = expected.calls[k % expected.calls.size()];
      if (got.calls[k] == wanted) continue;
      found.difference = std::string(way.name) + ", call " + std::to_string(k) + ": " + told(got.calls[k]) +
                         "\nand the interpreter: " + told(wanted);
      return found;
    }
    if (got.held != expected.held) {
      found.difference = std::string(way.name) + " holds " + std::to_string(got.held) +
                         " bytes at the end, and the interpreter " + std::to_string(expected.held);
      return found;
    }
  }
  if (seed % 8 == 5 && has_tasks) found.difference = difference_of_steps(image, entry, limits);
  return found;
}

std::string difference_apart(const std::string& text, std::uint64_t seed) {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    for (const int each : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT}) signal(each, SIG_DFL);
    close(ends[0]);
    alarm(3);
    const std::string found = compare(text, seed).difference.substr(0, 4000);
    const bool told = write(ends[1], found.data(), found.size()) == static_cast<ssize_t>(found.size());
    _exit(told ? 0 : 1);
  }
  close(ends[1]);
  std::string found;
  char part[512];
  for (ssize_t n = read(ends[0], part, sizeof part); n > 0; n = read(ends[0], part, sizeof part)) {
    found.append(part, static_cast<std::size_t>(n));
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) return std::string(kEndsBySignal) + strsignal(WTERMSIG(status));
  return found;
}

}  // namespace cairn::tests::random
