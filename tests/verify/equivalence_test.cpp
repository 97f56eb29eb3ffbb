#include <catch2/catch.hpp>

#include "tests/verify/support.hpp"

using cairn::test::answer;

TEST_CASE("a choice is equivalent to the builtin it spells, and another choice is not") {
  const char* builtin = "fn f(a:u32, b:u32) -> u32 = max(a, b);";
  CHECK(answer("fn f(a:u32, b:u32) -> u32 { if a < b { return b; } return a; }", builtin) == "smt-equivalent");
  CHECK(answer("fn f(a:u32, b:u32) -> u32 { if a < b { return a; } return b; }", builtin) == "counterexample");
}

TEST_CASE("a guard that the candidate drops is told, and one that cannot fail is not") {
  CHECK(answer("fn f(x:u8) -> u8 = x & 127;", "fn f(x:u8) -> u8 = add_wrap(x & 127, 0);") == "smt-equivalent");
  CHECK(answer("fn f(x:u8) -> u8 = x / 2;", "fn f(x:u8) -> u8 = shr(x, 1);") == "smt-equivalent");
  CHECK(answer("fn f(x:u8) -> u8 = x + 1;", "fn f(x:u8) -> u8 = add_wrap(x, 1);") == "invalid-reference");
  CHECK(answer("fn f(x:u8) -> u8 = x + 1;", "fn f(x:u8) -> u8 = add_wrap(x, 1);", "x < 255") == "smt-equivalent");
  CHECK(answer("fn f(x:u8) -> u8 = add_wrap(x, 1);", "fn f(x:u8) -> u8 = x + 1;") == "counterexample");
}

TEST_CASE("sixteen turns are modelled and a seventeenth is unknown") {
  const char* once = "fn f(n:usize, xs:rw<u8>[n]) { for i in 0..n { xs[i] = add_wrap(xs[i], 1); } }";
  const char* again =
      "fn f(n:usize, xs:rw<u8>[n]) { let mut i:usize = 0; while i < n { xs[i] = add_wrap(1, xs[i]); i += 1; } }";
  CHECK(answer(once, again, "n <= 16") == "smt-equivalent");
  CHECK(answer(once, again, "n <= 17") == "unknown: an admitted input may take a loop past 16 turns");
}

TEST_CASE("a precondition may neither trap nor admit nothing") {
  const char* f = "fn f(x:u8) -> u8 = x;";
  CHECK(answer(f, f, "x + 1 > 3") == "invalid-domain");
  CHECK(answer(f, f, "x < 3 && x > 5") == "invalid-domain");
  CHECK(answer(f, f, "x < 3 && x > 1") == "smt-equivalent");
}

TEST_CASE("records, sums, arrays and lent values are compared part by part") {
  const std::string types = "struct P { x:u32; y:u64; }\nenum S { Dot; Circle(u32); Box(P); }\n";
  const std::string f =
      "fn f(s:S, p:P) -> P { match s { Dot => { return p; } Circle(r) => { return P(r, 3); } Box(q) => { return q; } } "
      "}";
  const std::string g =
      "fn f(s:S, p:P) -> P { match s { Box(q) => { return q; } Circle(r) => { return P(r, 2 + 1); } Dot => { return "
      "P(p.x, p.y); } } }";
  const std::string h =
      "fn f(s:S, p:P) -> P { match s { Box(q) => { return q; } Circle(r) => { return P(r, 4); } Dot => { return p; } } "
      "}";
  CHECK(answer(types + f, types + g) == "smt-equivalent");
  CHECK(answer(types + f, types + h) == "counterexample");
  const std::string add = "fn inner(x:rw<u32>, y:u32) { x = add_wrap(x, y); }\n";
  CHECK(answer(add + "fn f(a:u32) -> u32 { let mut b:u32 = a; inner(b, 2); return b; }",
               add + "fn f(a:u32) -> u32 = add_wrap(a, 2);") == "smt-equivalent");
  CHECK(answer("fn f(i:usize) -> u8 { stack t:u8[8] = zeroed; t[i & 7] = 3; return t[2]; }",
               "fn f(i:usize) -> u8 { if (i & 7) == 2 { return 3; } return 0; }") == "smt-equivalent");
}

TEST_CASE("zeros of two signs differ and a NaN that is observed is unknown") {
  CHECK(answer("fn f(x:f32) -> f32 = x + 0.0;", "fn f(x:f32) -> f32 = x;", "x == x") == "counterexample");
  CHECK(answer("fn f(x:f32) -> f32 = x * 1.0;", "fn f(x:f32) -> f32 = x;", "x == x") == "smt-equivalent");
  CHECK(answer("fn f(x:f32) -> f32 = x * 1.0;", "fn f(x:f32) -> f32 = x;")
            .starts_with("unknown: a float that is observed"));
}

TEST_CASE("what is not modelled is unknown with its reason") {
  const auto same = [](const std::string& text) { return answer(text, text); };
  CHECK(same("fn f(x:u8) -> u8 { assert(x < 9); return x; }") == "unknown: the reference is not modelled: it asserts");
  CHECK(same("fn f(x:u8) -> u8 { println(x); return x; }") ==
        "unknown: the reference is not modelled: it does input or output");
  CHECK(same("fn f(x:u64) -> u64 { if x == 0 { return 0; } return f(x - 1); }") ==
        "unknown: the reference is not modelled: it recurses");
  CHECK(same("fn f(x:f32) -> f32 = sqrt(x);") == "unknown: the reference is not modelled: it takes a square root");
  CHECK(same("fn f(x:f16) -> f16 = x;") == "unknown: the reference is not modelled: it uses a storage float");
}

TEST_CASE("parameters of other names or types are another contract") {
  CHECK(answer("fn f(a:u8) -> u8 = a;", "fn f(b:u8) -> u8 = b;") == "invalid-contract");
  CHECK(answer("fn f(a:u8) -> u8 = a;", "fn f(a:u16) -> u8 = 0;") == "invalid-contract");
  CHECK(answer("struct P { x:u8; }\nfn f(p:P) -> u8 = p.x;", "struct P { x:u8; y:u8; }\nfn f(p:P) -> u8 = p.x;") ==
        "invalid-contract");
}
