// The comparison on generated pairs, against the interpreter: every input where the parameters are 8 bits wide, edges
// and random ones where they are wider.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>

#include <catch2/catch.hpp>

#include "tests/verify/pairs.hpp"
#include "tests/verify/support.hpp"

using namespace cairn;
using test::Pair;

namespace {

using Outcome = std::pair<bool, std::vector<std::uint64_t>>;  // returned, and what is observed

/// f of one program, ready to be called.
class Callable {
 public:
  explicit Callable(const test::Program& program) : program_(program), execution_(program.module(), options()) {}

  Outcome call(const std::vector<std::uint64_t>& slots) {
    std::uint64_t result = 0;
    const auto trap = execution_.call(program_.code(), slots, std::span(&result, 1));
    if (trap) {
      // After a trap an execution is done for; the function holds nothing that would have to be released.
      execution_.~Execution();
      new (&execution_) Execution(program_.module(), options());
      return {false, {}};
    }
    return {true, {result}};
  }

 private:
  static ExecutionOptions options() {
    ExecutionOptions options;
    options.tier = Tier::Interpreter;
    return options;
  }

  const test::Program& program_;
  Execution execution_;
};

std::uint64_t slot_of(std::uint64_t bits, const Pair& pair) {
  const unsigned unused = 64 - pair.width;
  if (!pair.is_signed) return bits << unused >> unused;
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(bits << unused) >> unused);
}

/// An input at which both differ, found by running them; false when none was.
bool differ_somewhere(const Pair& pair, const test::Program& before, const test::Program& after) {
  Callable left(before);
  Callable right(after);
  std::mt19937_64 random(7);
  std::vector<std::uint64_t> edges;
  for (unsigned bit = 0; bit < pair.width; bit += 1 + pair.width / 16) {
    for (const std::uint64_t by : {~std::uint64_t{0}, std::uint64_t{0}, std::uint64_t{1}}) {
      edges.push_back((std::uint64_t{1} << bit) + by);
    }
  }
  for (const std::uint64_t edge : {std::uint64_t{0}, ~std::uint64_t{0}, std::uint64_t{1} << (pair.width - 1)}) {
    edges.push_back(edge);
  }
  if (!pair.takes_view) {
    const auto differs = [&](std::uint64_t a, std::uint64_t b) {
      const std::vector<std::uint64_t> slots{slot_of(a, pair), slot_of(b, pair)};
      return left.call(slots) != right.call(slots);
    };
    if (pair.width == 8) {
      for (std::uint64_t a = 0; a < 256; a += 1) {
        for (std::uint64_t b = 0; b < 256; b += 1) {
          if (differs(a, b)) return true;
        }
      }
      return false;
    }
    for (const std::uint64_t a : edges) {
      for (const std::uint64_t b : edges) {
        if (differs(a, b)) return true;
      }
    }
    for (int k = 0; k < 2000; ++k) {
      if (differs(random() >> (random() % pair.width), random() >> (random() % pair.width))) return true;
    }
    return false;
  }
  const std::size_t size = pair.width / 8;
  for (int k = 0; k < 2000; ++k) {
    const std::uint64_t n = random() % 9;
    std::vector<std::byte> xs(n * size + 1);
    std::ranges::generate(xs, [&] { return static_cast<std::byte>(random() % (k % 2 == 0 ? 4 : 256)); });
    const std::uint64_t a = slot_of(random() % (k % 2 == 0 ? 4 : 256), pair);
    std::vector<std::byte> ys = xs;
    const Outcome one = left.call({n, reinterpret_cast<std::uint64_t>(xs.data()), n, a});
    const Outcome two = right.call({n, reinterpret_cast<std::uint64_t>(ys.data()), n, a});
    if (one != two || (one.first && xs != ys)) return true;
  }
  return false;
}

struct Tally {
  std::size_t right = 0;
  std::size_t unknown = 0;
  std::vector<std::string> undecided;
  std::vector<std::string> wrong;
  std::vector<double> seconds;
};

Tally judge(std::uint64_t seed, std::size_t count, bool equal) {
  Tally tally;
  for (const Pair& pair : test::make_pairs(seed, count, equal)) {
    const auto start = std::chrono::steady_clock::now();
    const test::Program before(pair.before);
    const test::Program after(pair.after);
    verify::Question question;
    question.allow_reference_traps = true;
    if (pair.takes_view) question.bounded_by = std::uint64_t{1} << 62;
    const verify::Answer answer = test::compare(before, after, question, pair.takes_view ? "n <= 8" : "");
    tally.seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    const bool differs = differ_somewhere(pair, before, after);
    const std::string shown = pair.rule + ": " + std::string(verify::text(answer.status)) + " " + answer.reason + "\n" +
                              pair.before + pair.after;
    if (equal && differs) {
      tally.wrong.push_back("the rule does not keep the meaning: " + shown);
    } else if (answer.status == verify::Status::Unknown) {
      ++tally.unknown;
      tally.undecided.push_back(shown);
    } else if (answer.status == verify::Status::Counterexample) {
      // It was replayed on the interpreter, so it is right unless the rule keeps the meaning.
      if (equal) tally.wrong.push_back(shown);
      ++tally.right;
    } else if (answer.status == verify::Status::Equivalent && !differs) {
      ++tally.right;
    } else {
      tally.wrong.push_back(shown);
    }
  }
  std::ranges::sort(tally.seconds);
  return tally;
}

}  // namespace

TEST_CASE("generated pairs are told apart exactly where they differ") {
  for (const bool equal : {true, false}) {
    const Tally tally = judge(1, 16, equal);
    for (const std::string& wrong : tally.wrong) UNSCOPED_INFO(wrong);
    CHECK(tally.wrong.empty());
    CHECK(tally.unknown <= 1);
  }
}

// CAIRN_PAIRS_SEED makes other pairs.
TEST_CASE("200 pairs of equal and 200 of different functions", "[.][pairs]") {
  const char* seed = std::getenv("CAIRN_PAIRS_SEED");
  for (const bool equal : {true, false}) {
    const Tally tally = judge(seed == nullptr ? 3 : std::strtoull(seed, nullptr, 10), 200, equal);
    for (const std::string& wrong : tally.wrong) UNSCOPED_INFO(wrong);
    std::printf("%s: %zu right, %zu unknown, %zu wrong; median %.3f s, slowest %.3f s\n", equal ? "equal" : "different",
                tally.right, tally.unknown, tally.wrong.size(), tally.seconds[tally.seconds.size() / 2],
                tally.seconds.back());
    for (const std::string& each : tally.undecided) std::printf("%s\n", each.c_str());
    CHECK(tally.wrong.empty());
    CHECK(tally.unknown <= 10);
  }
}
