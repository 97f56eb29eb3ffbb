// Implementations, selections and plans (abstractions, 11 and 12).
#include <catch2/catch.hpp>

#include <string>

#include "tests/check/checked_source.hpp"

using namespace cairn;

namespace {

std::string judged(const std::string& text) { return CheckedSource(text).verdict(); }

}  // namespace

TEST_CASE("an ordinary function of the module is a reference, and nothing else", "[implementations]") {
  const std::string fast = "fn fast(x:u64) -> u64 implements f = x;\n";
  CHECK(judged("fn f(x:u64) -> u64 = x;\n" + fast) == "accepted");
  CHECK(judged("fn g(x:u64) -> u64 = x;\n" + fast) == "E-IMPLEMENTS 2:1");
  CHECK(judged("fn f[T](x:T) -> T = x;\n" + fast) == "E-IMPLEMENTS 2:1");
  CHECK(judged("fn e(x:u64) -> u64 = x;\nfn f(x:u64) -> u64 implements e = x;\n" + fast) == "E-IMPLEMENTS 3:1");
  CHECK(judged("fn f(x:u64) -> u64 = x;\nfn fast[T](x:u64) -> u64 implements f = x;\n") == "E-IMPLEMENTS 2:1");
  CHECK(judged("fn f(x:u64) -> u64 = x;\nfn fast(x:u64) -> u64 implements f needs(wmma) = x;\n") == "E-IMPLEMENTS 2:1");
}

TEST_CASE("signatures are equal, parameter names included", "[implementations]") {
  const std::string reference = "fn f(n:usize, xs:ro<u64>[n]) -> u64 = 0;\n";
  CHECK(judged(reference + "fn g(n:usize, xs:ro<u64>[n]) -> u64 implements f = 1;\n") == "accepted");
  CHECK(judged(reference + "fn g(n:usize, ys:ro<u64>[n]) -> u64 implements f = 1;\n") == "E-IMPL-SIGNATURE 2:1");
  CHECK(judged(reference + "fn g(n:usize, xs:ro<u32>[n]) -> u64 implements f = 1;\n") == "E-IMPL-SIGNATURE 2:1");
  CHECK(judged(reference + "fn g(n:usize, xs:ro<u64>[n]) -> u32 implements f = 1;\n") == "E-IMPL-SIGNATURE 2:1");
}

TEST_CASE("a condition is of a form that cannot trap", "[implementations]") {
  const auto when = [](const std::string& condition) {
    return judged(
        "const K:usize = 4;\nstruct R { a:u64; }\n"
        "fn f(n:usize, xs:ro<u64>[n], i:i32, x:f64, b:bool, r:ro<R>) -> u64 = 0;\n"
        "fn g(n:usize, xs:ro<u64>[n], i:i32, x:f64, b:bool, r:ro<R>) -> u64 implements f when\n" +
        condition + "\n= 1;\n");
  };
  for (const char* fine :
       {"n > 4", "n % 8 == 0", "len(xs) >= 2", "x * 2.0 < 3.0 || x == 10.0", "b && i != -3", "n == K", "min(n, 4) == 2",
        "add_wrap(n, 1) > 3", "shr(n, 2) == 1", "(n & 3) == 0", "-x < 0.0"}) {
    CHECK(when(fine) == "accepted");
  }
  CHECK(when("n + 1 > 4") == "E-IMPL-WHEN 5:1");
  CHECK(when("b && n * 2 > 4") == "E-IMPL-WHEN 5:6");
  CHECK(when("n % n == 0") == "E-IMPL-WHEN 5:1");
  CHECK(when("u64(n) > 4") == "E-IMPL-WHEN 5:1");
  CHECK(when("xs[0] > 4") == "E-IMPL-WHEN 5:1");
  CHECK(when("r.a > 4") == "E-IMPL-WHEN 5:1");
  CHECK(when("shr(n, 64) > 4") == "E-IMPL-WHEN 5:1");
  CHECK(when("n > 4 && -i > 4") == "E-IMPL-WHEN 5:10");
  CHECK(when("false") == "E-IMPL-WHEN 5:1");
  CHECK(when("2 > 3") == "E-IMPL-WHEN 5:1");
  CHECK(when("3 > 2") == "accepted");
  CHECK(when("n") == "E-TYPE-MISMATCH 5:1");
}

TEST_CASE("a tuned natural has a list of values, and a plan selects one of them", "[implementations]") {
  const std::string f = "fn f(n:usize) -> usize = 0;\n";
  const std::string g = f + "fn g[K:nat](n:usize) -> usize implements f when n % K == 0 tune K in [2, 4] = K;\n";
  CHECK(judged(g + "plan f use g[4];\n") == "accepted");
  CHECK(judged(g + "plan f use g[3];\n") == "E-IMPL-PARAM 3:1");
  CHECK(judged(g + "plan f use g;\n") == "E-IMPL-PARAM 3:1");
  CHECK(judged(g + "plan f use g[2];\nplan f use g[4];\n") == "E-IMPL-USE 4:1");
  CHECK(judged(f + "fn g[K:nat](n:usize) -> usize implements f = K;\n") == "E-IMPL-PARAM 2:1");
  CHECK(judged(f + "fn g[K:nat](n:usize) -> usize implements f tune K in [2, 2] = K;\n") == "E-IMPL-PARAM 2:1");
  CHECK(judged(f + "fn g[K:nat](n:usize) -> usize implements f tune J in [2] = K;\n") == "E-IMPL-PARAM 2:1");
  CHECK(judged(f + "fn g(n:usize) -> usize implements f tune J in [2] = n;\n") == "E-IMPL-PARAM 2:1");
}

TEST_CASE("an implementation stays within its reference's row and roundings, and never calls it", "[implementations]") {
  CHECK(judged("fn f(x:u64) -> u64 = x;\nfn g(x:u64) -> u64 implements f = x * 1;\n") == "E-IMPL-EFFECT 2:1");
  CHECK(judged("fn f(x:u64) -> u64 effects(trap) = x;\nfn g(x:u64) -> u64 implements f = x * 1;\n") == "accepted");
  CHECK(judged("fn f(x:u64) -> u64 = x;\nfn h(x:u64) -> u64 = f(x);\nfn g(x:u64) -> u64 implements f = h(x);\n") ==
        "E-IMPL-CALL 3:1");
  CHECK(judged("fn f(x:f32) -> f32 = x;\nfn g(x:f32) -> f32 implements f = f32(f16(x));\n") == "E-IMPL-NUMERICS 2:1");
  CHECK(judged("fn f(x:f32) -> f32 = f32(f16(x));\nfn g(x:f32) -> f32 implements f = f32(f16(x));\n") == "accepted");
}

TEST_CASE("a caller's ceiling is held to what an implementation may add", "[implementations]") {
  const std::string text = "fn f(x:u64) -> u64 effects(trap) = x;\nfn g(x:u64) -> u64 implements f = x * 1;\n";
  CHECK(judged(text + "fn h(x:u64) -> u64 effects() = f(x);\n") == "E-EFFECT-CEILING 3:1");
}

TEST_CASE("a root template of naturals must have an instance", "[implementations]") {
  const std::string text = "fn times[K:nat](x:u64) -> u64 = mul_wrap(x, u64(K));\n";
  CHECK(judged(text) == "E-UNINSTANTIATED 1:1");
  CHECK(judged(text + "family by = times[2..3];\n") == "accepted");
  CHECK(judged(text + "fn f(x:u64) -> u64 = times[3](x);\n") == "accepted");
  CHECK(judged("module m;\n" + text) == "accepted");
  CHECK(judged("fn f[T, K:nat](x:T) -> T = x;\n") == "accepted");
}
