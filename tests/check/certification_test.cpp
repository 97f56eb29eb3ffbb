#include <catch2/catch.hpp>

#include "tests/check/check.hpp"

using cairn::CheckOptions;
using cairn::tests::judged;

namespace {

/// The verdict of one template.
std::string certified(std::string_view text, std::string_view name) {
  CheckOptions options;
  options.generics = true;
  const auto program = judged(text, options);
  for (const auto& [known, verdict] : program->generics)
    if (known == name) return verdict;
  return "none";
}

std::string code(std::string_view text, std::string_view name) {
  const std::string verdict = certified(text, name);
  return verdict.substr(0, verdict.find(':'));
}

}  // namespace

TEST_CASE("a template that needs only its bounds is certified, used or not", "[check][certification]") {
  CHECK(certified("fn passed[T](x:T) -> T = x;", "passed") == "ok");
  CHECK(certified("fn larger[T:numeric](a:T, b:T) -> T { if a < b { return b; } return a; }", "larger") == "ok");
  CHECK(certified("fn twice[T:copy](x:T) -> T { let y = x; let z = x; return y; }", "twice") == "ok");
  CHECK(certified("fn dropped[T:affine](x:T) -> u64 = 1;", "dropped") == "ok");
}

TEST_CASE("a template that needs more than its bounds promise is not, whatever its uses are",
          "[check][certification]") {
  CHECK(code("fn larger[T](a:T, b:T) -> T { if a < b { return b; } return a; }\nfn f() -> u64 = larger(2, 3);",
             "larger") == "E-OPERATOR");
  CHECK(code("fn twice[T](x:T) -> T { let y = x; let z = x; return y; }", "twice") == "E-MOVED");
  const std::string leak = certified("fn dropped[T](x:T) -> u64 = 1;", "dropped");
  CHECK(leak.starts_with("E-LINEAR-LEAK: "));
  CHECK(leak.ends_with("T may be linear here; [T:affine] or [T:copy] promises more."));
  CHECK(code("fn odd[T:integer](x:T) -> bool = (x & 1) == 1;", "odd") == "E-OPERATOR");
  CHECK(certified("fn odd[T:unsigned](x:T) -> bool = (x & 1) == 1;", "odd") == "ok");
}

TEST_CASE("a trait's member does at a witness what its ceiling allows", "[check][certification]") {
  const std::string grade = "trait Grade { fn grade(self:ro<Self>) -> u64 pure; }\n";
  CHECK(certified(grade + "fn both[A:Grade, B:Grade](a:ro<A>, b:ro<B>) -> u64 pure = max(grade(a), b.grade());",
                  "both") == "ok");
  const std::string open = "trait Grade { fn grade(self:ro<Self>) -> u64; }\n";
  CHECK(certified(open + "fn one[A:Grade](a:ro<A>) -> u64 = grade(a);", "one") == "ok");
  const std::string beyond = certified(open + "fn one[A:Grade](a:ro<A>) -> u64 pure = grade(a);", "one");
  CHECK(beyond.starts_with("E-EFFECT-CEILING: "));
  CHECK(beyond.find("bound:Grade.grade") != std::string::npos);
  CHECK(beyond.find("a ceiling") != std::string::npos);
  CHECK(code(grade + "fn one[A](a:ro<A>) -> u64 = grade(a);", "one") == "E-TRAIT-IMPL");
}

TEST_CASE("verdicts do not rest on each other", "[check][certification]") {
  const std::string text =
      "trait Grade { fn grade(self:ro<Self>) -> u64; }\n"
      "fn bad[A:Grade](a:ro<A>) -> u64 pure = grade(a);\n"
      "fn good[A:Grade](a:ro<A>) -> u64 = grade(a);\n"
      "fn worse[A:Grade](a:ro<A>) -> u64 pure = good(a);";
  CHECK(code(text, "bad") == "E-EFFECT-CEILING");
  CHECK(certified(text, "good") == "ok");
  CHECK(code(text, "worse") == "E-EFFECT-CEILING");
}

TEST_CASE("naturals are witnessed by families and tune clauses alone", "[check][certification]") {
  const std::string ticks = "fn ticks[N:nat](x:u64) -> u64 = x * u64(N);\n";
  CHECK(certified(ticks + "family some = ticks[1..3];", "ticks") == "ok");
  CHECK(certified("module m;\n" + ticks, "m.ticks") == "no family gives its natural a witness");
  CHECK(certified("fn mixed[N:nat, T:copy](x:T) -> T = x;", "mixed") == "no family gives its natural a witness");
  CHECK(certified("fn f(n:usize) -> usize = n;\nfn g[K:nat](n:usize) -> usize implements f tune K in [2, 4] = n;",
                  "g") == "ok");
}

TEST_CASE("more than 128 cases are too many", "[check][certification]") {
  CHECK(certified("fn f[A:scalar, B:scalar](a:A, b:B) { }", "f") == "too many scalar cases");
  CHECK(certified("fn f[A:scalar, B:numeric](a:A) -> A = a;", "f") == "too many scalar cases");
  CHECK(certified("fn f[A:scalar, B:integer](a:A, b:B) -> A = a;", "f") == "ok");
}

TEST_CASE("nothing is certified in a program that does not check", "[check][certification]") {
  CHECK(certified("fn f[T](x:T) -> T = x;\nfn g() -> u64 = true;", "f") ==
        "unknown: the program does not check (E-TYPE-MISMATCH)");
}
