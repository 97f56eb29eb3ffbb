// Guesses of how often loops turn and functions call themselves, against counts made by hand.
#include <algorithm>

#include <catch2/catch.hpp>

#include "vm/predict/cost.hpp"
#include "vm/predict/recursion.hpp"

using namespace cairn;
using predict::Polynomial;

namespace {

struct Counted {
  explicit Counted(std::string_view text) {
    compilation.sources.add("p.cairn", std::string(text));
    check_program(compilation, {});
    INFO(text);
    if (!compilation.verdict.accepted()) FAIL(compilation.verdict.refusals.front().message);
    counter = std::make_unique<predict::Counter>(compilation);
  }
  const predict::Cost& of(std::string_view name) {
    const auto& functions = compilation.program.functions;
    const auto found = std::ranges::find_if(functions, [&](const auto& each) { return each->name == name; });
    REQUIRE(found != functions.end());
    return counter->cost_of(**found);
  }
  Compilation compilation;
  std::unique_ptr<predict::Counter> counter;
};

/// How many wrapping sums f does: its text counts turns in `t`.
std::string sums(std::string_view text, std::string_view function = "f") {
  Counted counted(text);
  return counted.of(function).sequential.total().ops.at("int").text();
}

double sums_at(std::string_view text, const predict::Sizes& sizes, std::string_view function = "f") {
  Counted counted(text);
  return counted.of(function).sequential.total().ops.at("int").value(sizes);
}

constexpr std::string_view kCount = "t = add_wrap(t, 1); ";

std::string loop(std::string_view before, std::string_view condition, std::string_view behind,
                 std::string_view parameters = "n:usize") {
  return "fn f(" + std::string(parameters) + ") -> u64 { let mut t:u64 = 0; " + std::string(before) + " while " +
         std::string(condition) + " { " + std::string(kCount) + std::string(behind) + " } return t; }\n";
}

}  // namespace

TEST_CASE("a loop that steps to a bound turns as often as steps fit", "[predict]") {
  CHECK(sums(loop("let mut i:usize = 0;", "i < n", "i += 1;")) == "n");
  CHECK(sums(loop("let mut i:usize = 4;", "i < n", "i += 2;")) == "0.5*n - 2");
  CHECK(sums(loop("let mut i = n;", "i > 0", "i -= 4;")) == "0.25*n");
  CHECK(sums(loop("let mut i = n;", "i != 0", "i = i - 1;")) == "n");
  CHECK(sums(loop("let mut i:usize = 0;", "true", "if i >= n { break; } i += 1;")) == "n");
  CHECK(sums(loop("let mut i:usize = 0;", "i < n", "if t > 9 { i += 1; }")) == "2*n");
}

TEST_CASE("what a turn adds is all that its steps add together", "[predict]") {
  const auto steps = [](std::string_view behind, std::string_view parameters = "n:usize, k:usize") {
    return sums(loop("let mut i:usize = 0;", "i < n", behind, parameters));
  };
  CHECK(steps("i += 1; i += 3;") == "0.25*n");
  CHECK(steps("i += 3; i -= 1;") == "0.5*n");
  CHECK(steps("if t > 4 { i += 2; continue; } i += 4;") == "0.333333333333*n");
  CHECK(steps("for j in 0..4 { i += 1; }") == "0.25*n");
  CHECK(steps("i += k;") == "k^-1*n");
  CHECK(steps("i = i + 2 * k;") == "0.5*k^-1*n");
  // What goes the other way, or to and fro, never comes there.
  CHECK(steps("i -= k;") == "8");
  CHECK(steps("i = n - i;") == "8");
}

TEST_CASE("a step by a share of what it was is a factor", "[predict]") {
  CHECK(sums_at(loop("let mut i:usize = 1;", "i < n", "i += i;"), {{"n", 1024}}) == Approx(10));
  CHECK(sums_at(loop("let mut i:usize = 1;", "i < n", "i += 3 * i;"), {{"n", 1024}}) == Approx(5));
  CHECK(sums_at(loop("let mut i = n;", "i > 0", "i -= i / 2;"), {{"n", 1024}}) == Approx(10));
  CHECK(sums_at(loop("let mut i = n;", "i > 0", "i /= 2; i /= 2;"), {{"n", 1024}}) == Approx(5));
}

TEST_CASE("two ends that come together turn as often as both steps fit", "[predict]") {
  CHECK(sums(loop("let mut lo:usize = 0; let mut hi = n;", "lo < hi", "lo += 1; hi -= 1;")) == "0.5*n");
}

TEST_CASE("what is divided each turn takes a logarithm of turns", "[predict]") {
  CHECK(sums_at(loop("let mut i = n;", "i > 0", "i = i / 2;"), {{"n", 1024}}) == Approx(10));
  CHECK(sums_at(loop("let mut i = n;", "i > 0", "i = i / 4;"), {{"n", 1024}}) == Approx(5));
  CHECK(sums_at(loop("let mut i:usize = 1;", "i < n", "i = i * 2;"), {{"n", 1024}}) == Approx(10));
  const std::string search =
      loop("let mut lo:usize = 0; let mut hi = n;", "lo < hi",
           "let mid = lo + (hi - lo) / 2; if mid * mid > k { hi = mid; } else { lo = mid + 1; }", "n:usize, k:usize");
  CHECK(sums_at(search, {{"n", 1024}}) == Approx(10));
  // Of a number that nobody knows half the bits count.
  CHECK(sums_at(loop("let mut v = xs[0];", "v != 0", "v = v / 2;", "n:usize, xs:ro<u32>[n]"), {}) == Approx(16));
}

TEST_CASE("a square that grows to a bound takes the root of it", "[predict]") {
  CHECK(sums_at(loop("let mut i:usize = 1;", "i * i <= n", "i += 1;"), {{"n", 10000}}) == Approx(100));
}

TEST_CASE("steps by the binder of a loop around take their mean", "[predict]") {
  const std::string text =
      "fn f(n:usize) -> u64 { let mut t:u64 = 0; for p in 1..n { let mut m = p; while m < n { t = add_wrap(t, 1); "
      "m += p; } } return t; }\n";
  double exact = 0;  // the harmonic sum
  for (int p = 1; p < 4096; ++p) exact += 4096 / p;
  CHECK(sums_at(text, {{"n", 4096}}) == Approx(exact).epsilon(0.1));
  const auto stepping = [](std::string_view steps) {
    return "fn f(n:usize) -> u64 { let mut t:u64 = 0; for p in 1..n { let mut m = p; while m < n { t = add_wrap(t, "
           "1); " +
           std::string(steps) + " } } return t; }\n";
  };
  CHECK(sums_at(stepping("m += p; m += p;"), {{"n", 4096}}) == Approx(exact / 2).epsilon(0.1));
  CHECK(sums_at(stepping("m = m + 2 * p;"), {{"n", 4096}}) == Approx(exact / 2).epsilon(0.1));
  // Of a sum beside the binder nobody knows the mean.
  CHECK(sums_at(stepping("m += p; m += 1;"), {{"n", 4096}}) == Approx(8 * 4095));
}

TEST_CASE("loops of a lane that its number bounds count at the largest number", "[predict]") {
  Counted counted(
      "fn f(n:usize, out:rw<u64>[n]) { parallel lane in n { let mut t:u64 = 0; "
      "for j in 0..lane { t = add_wrap(t, 1); } out[lane] = t; } }\n");
  const predict::Cost& cost = counted.of("f");
  REQUIRE(cost.regions.size() == 1);
  CHECK(cost.regions.front().per_index.total().ops.at("int").text() == "n");
}

TEST_CASE("a counter that steps where the cursor of a pass is set back steps once a pass", "[predict]") {
  const std::string text =
      loop("let mut left = k; let mut at:usize = 0;", "left > 0",
           "if xs[at] == 9 { left -= 1; at = 0; continue; } at += 1;", "n:usize, xs:ro<u64>[n], k:u32");
  CHECK(sums_at(text, {{"n", 64}, {"k", 1000}}) == Approx(64000));
}

TEST_CASE("a loop of which nothing is known turns eight times", "[predict]") {
  CHECK(sums(loop("let mut i:usize = 0;", "xs[i] != 7", "i += 1;", "n:usize, xs:ro<u64>[n]")) == "8");
}

TEST_CASE("a guess says so, and a number that is no size is put in where it is called", "[predict]") {
  Counted counted(
      "fn f(k:u32) -> u32 { let mut t:u32 = 0; while t < k { t = add_wrap(t, 1); } return t; }\n"
      "fn g() -> u32 = f(500);\n");
  const predict::Cost& own = counted.of("f");
  CHECK(own.extents.empty());
  CHECK(own.numbers == std::set<std::string>{"k"});
  CHECK(own.guessed.size() == 1);
  CHECK(counted.of("g").sequential.total().ops.at("int").text() == "500");
  CHECK(counted.of("g").guessed.size() == 1);
}

TEST_CASE("recursion is counted by how its size goes down", "[predict]") {
  const auto recursive = [](std::string_view rest) {
    return "fn f(n:usize) -> u64 { let mut t:u64 = 0; if n < 2 { return t; } t = add_wrap(t, 1); " + std::string(rest) +
           " return t; }\n";
  };
  CHECK(sums(recursive("t += f(n - 1);")) == "n");
  CHECK(sums(recursive("t += f(n / 2); t += f(n / 2);")) == "2*n");
  CHECK(sums_at(recursive("t += f(n / 2);"), {{"n", 1024}}) == Approx(10));
  // Fibonacci's calls grow by the golden ratio.
  CHECK(sums_at(recursive("t += f(n - 1); t += f(n - 2);"), {{"n", 30}}) == Approx(2.0 * 1346269 - 1).epsilon(0.01));
  // One of two ways is gone, whichever: one call.
  CHECK(sums(recursive("if t > 4 { t += f(n - 1); } else { t += f(n - 1); }")) == "n");
}

TEST_CASE("branches that nobody foresees and calls that stay are counted apart", "[predict]") {
  const auto ops = [](std::string_view text) {
    Counted counted(text);
    return counted.of("f").sequential.total().ops;
  };
  const auto branch = [&](std::string_view condition, std::string_view then) {
    return ops("fn f(n:usize, xs:rw<u64>[n]) -> u64 { let mut t:u64 = 0; for i in 0..n { if " + std::string(condition) +
               " { " + std::string(then) + " } } return t; }\n");
  };
  CHECK(branch("xs[i] > 9", "xs[n - 1 - i] = 1;").at("branch_miss").text() == "0.5*n");
  CHECK_FALSE(branch("xs[i] > 9", "t = 4;").contains("branch_miss"));     // a selection
  CHECK_FALSE(branch("xs[i] > 9", "return 1;").contains("branch_miss"));  // mostly not gone
  CHECK_FALSE(branch("i > 9", "xs[i] = 1;").contains("branch_miss"));     // of the counter
  const auto inner =
      ops("fn f(n:usize, xs:ro<u64>[n]) -> u64 { let mut t:u64 = 0; for i in 0..n { let mut at = i; "
          "while xs[at] != 7 { at += 1; t = add_wrap(t, 1); } } return t; }\n");
  CHECK(inner.at("branch_miss").text() == "n");
  CHECK(ops("fn f(n:usize) -> u64 { if n < 2 { return 1; } return f(n - 1); }\n").at("frame").text() == "n");
}

TEST_CASE("what a turn makes of an integer waits for every operation on the way", "[predict]") {
  const auto folds = [](std::string_view turn) {
    Counted counted("fn f(n:usize) -> u32 { let mut h:u32 = 1; let mut k:u32 = 1; for i in 0..n { " +
                    std::string(turn) + " } return h ^ k; }\n");
    const auto ops = counted.of("f").sequential.total().ops;
    return ops.contains("int_fold") ? ops.at("int_fold").text() : "";
  };
  CHECK(folds("h = mul_wrap(h ^ 5, 16777619);") == "4*n");
  CHECK(folds("h = h ^ shr(h, 15);") == "2*n");
  CHECK(folds("h = h ^ 5;").empty());                  // may be done in any order
  CHECK(folds("h = add_wrap(h, k * k * k);") == "n");  // of others nothing waits
}

TEST_CASE("parts of a view share it evenly where nobody knows how long they are", "[predict]") {
  const std::string text =
      "fn f(n:usize, xs:rw<u64>[n]) { if n < 2 { return; } let mut at:usize = 0; for i in 0..n { if xs[i] > xs[0] { "
      "at = i; } xs[i] = add_wrap(xs[i], 1); } f(xs[0..at]); f(xs[at..n]); }\n";
  CHECK(sums_at(text, {{"n", 1024}}) == Approx(1024 * 2 * std::log(1024)));
}

TEST_CASE("polynomials with logarithms take other sizes in", "[predict]") {
  const Polynomial n = Polynomial::variable("n");
  const Polynomial work = n * Polynomial::log2(n);
  CHECK(work.text() == "log2(n)*n");
  CHECK(work.variables() == std::vector<std::string>{"n"});
  CHECK(work.value({{"n", 8}}) == Approx(24));
  CHECK(work.substitute({{"n", Polynomial(16.0)}}).text() == "64");
  const Polynomial doubled = work.substitute({{"n", Polynomial(2.0) * Polynomial::variable("m")}});
  CHECK(doubled.value({{"m", 8}}) == Approx(16 * 4));
  CHECK((n * n).over(Polynomial(2.0) * n).text() == "0.5*n");
  const auto grown = Polynomial::exponential(2, n - Polynomial(1.0));
  REQUIRE(grown);
  CHECK(grown->value({{"n", 11}}) == Approx(1024));
  CHECK_FALSE(Polynomial::exponential(2, n * n));
}
