// Records, sums, match, try, function values and closures (syntax and values, 1.9 and 1.10; abstractions, 8).
#include <catch2/catch.hpp>

#include "tests/check/body_verdict.hpp"

using cairn::tests::body;
using cairn::tests::verdict;

TEST_CASE("a record is built with a value for every field and read by its fields", "[bodies]") {
  constexpr auto kR = "struct R { a:u8; b:bool; } struct P[T] { v:T; }";
  CHECK(body("let r = R(1, true); let a:u8 = r.a;", kR) == "ok");
  CHECK(body("let r = R(1);", kR) == "E-ARITY 2:9");
  CHECK(body("let r = R(1, 2);", kR) == "E-TYPE-MISMATCH 2:14");
  CHECK(body("let r = R(1, true); let a = r.c;", kR) == "E-FIELD 2:29");
  CHECK(body("let a:u8 = 1; let b = a.c;", kR) == "E-FIELD 2:23");
  CHECK(body("let p = P(7); let q:P[u8] = P(7); let r = P[bool](true);", kR) == "ok");
  CHECK(body("let mut r = R(1, true); r.a = 2; r.b = false;", kR) == "ok");
  CHECK(body("let r = R(1, true); r.a = 2;", kR) == "E-IMMUTABLE 2:21");
}

TEST_CASE("a record is taken apart under its own name, one name a field", "[bodies]") {
  constexpr auto kR = "struct R { a:u8; b:bool; } struct S { a:u8; b:bool; }";
  CHECK(body("let R(x, y) = R(1, true); let z = x;", kR) == "ok");
  CHECK(body("let R(x) = R(1, true);", kR) == "E-UNPACK 2:1");
  CHECK(body("let S(x, y) = R(1, true);", kR) == "E-UNPACK 2:1");
  CHECK(body("let mut R(x, y) = R(1, true); x = 3;", kR) == "ok");
  CHECK(body("let R(x, y) = R(1, true); x = 3;", kR) == "E-IMMUTABLE 2:27");
}

TEST_CASE("a variant is written qualified, or bare where its sum is expected", "[bodies]") {
  constexpr auto kO = "enum O { S(u8); N; } enum C { Red; Blue; } enum G[T] { Got(T); Nil; }";
  CHECK(body("let a = O.S(1); let b:O = N; let c:O = S(2); let d = O.N();", kO) == "ok");
  CHECK(body("let a = O.X;", kO) == "E-ENUM-VARIANT 2:9");
  CHECK(body("let a = O.S;", kO) == "E-SUM-ARITY 2:9");
  CHECK(body("let a = O.N(1);", kO) == "E-SUM-ARITY 2:9");
  CHECK(body("let a:O = S(true);", kO) == "E-TYPE-MISMATCH 2:13");
  CHECK(body("let a = N;", kO) == "E-UNBOUND 2:9");
  CHECK(body("let a = S(1);", kO) == "E-CALLEE 2:9");
  CHECK(body("let a = C.Red(); ", kO) == "E-CALLEE 2:9");
  CHECK(body("let N:u8 = 1; let a:O = N;", kO) == "E-VARIANT-AMBIGUOUS 2:25");
  CHECK(body("let a = G.Got(1); let b = G[u8].Nil; let c:G[bool] = Nil; let d = G.Got[u8](3); let e = G[u8].Got(3);",
             kO) == "ok");
  CHECK(body("let a = G.Nil;", kO) == "E-INFER 2:9");
}

TEST_CASE("a match has one arm for every variant", "[bodies]") {
  constexpr auto kO = "enum O { S(u8); N; } linear struct L { x:u8; } enum H { K(L); M; }";
  CHECK(body("match O.N { N => { } S(v) => { let a = v; } }", kO) == "ok");
  CHECK(body("match O.N { O.N => { } O.S(_) => { } }", kO) == "ok");
  CHECK(body("match 3 { N => { } }", kO) == "E-MATCH-TYPE 2:1");
  CHECK(body("match O.N { Q.N => { } S(v) => { } }", kO) == "E-UNBOUND 2:13");
  CHECK(body("match O.N { N => { } N => { } S(v) => { } }", kO) == "E-MATCH-DUPLICATE 2:1");
  CHECK(body("match O.N { N => { } }", kO) == "E-MATCH-COVERAGE 2:1");
  CHECK(body("match O.N { N => { } S(v) => { } T => { } }", kO) == "E-MATCH-COVERAGE 2:1");
  CHECK(body("match O.N { N => { } S => { } }", kO) == "E-MATCH-BINDING 2:22");
  CHECK(body("match O.N { N(v) => { } S(v) => { } }", kO) == "E-MATCH-BINDING 2:13");
  CHECK(body("match H.M { K(_) => { } M => { } }", kO) == "E-LINEAR-LEAK 2:13");
  CHECK(body("match H.M { K(l) => { } M => { } }", kO) == "E-LINEAR-LEAK 2:13");
  CHECK(body("match H.M { K(l) => { let L(x) = l; } M => { } }", kO) == "ok");
}

TEST_CASE("try needs a carrier for the failure", "[bodies]") {
  constexpr auto kR =
      "enum R { Ok(u8); Err(u16); } enum Q { Fine; Bad(u16); } enum T { A; B; C(u8); } fn r() -> R = R.Ok(1);"
      " fn q() -> Q = Q.Fine; ";
  const std::string declarations(kR);
  CHECK(verdict(declarations + "fn f() -> Q { let a:u8 = try r(); try q(); return Fine; }") == "ok");
  CHECK(verdict(declarations + "fn f() -> u8 {\nlet a = try r(); return a; }") == "E-TRY 2:9");
  CHECK(verdict(declarations + "fn f() -> Q {\nlet a = try 3; return Fine; }") == "E-TRY 2:9");
  CHECK(verdict(declarations + "fn f() -> Q {\nlet a = try T.A; return Fine; }") == "E-TRY 2:9");
}

TEST_CASE("a function's name is a value only where a function type is expected", "[bodies]") {
  constexpr auto kF =
      "fn f(x:u8) -> u8 = x; fn b(x:ro<u8>) -> u8 = x; fn g[T](x:T) -> T = x; fn v(xs:ro<u8>[2]) -> u8 = xs[0];"
      " fn apply(h:ro<fn(u8) -> u8>, x:u8) -> u8 = h(x); fn lend(h:ro<fn(ro<u8>) -> u8>) -> u8 { let x:u8 = 1; return "
      "h(x); }"
      " fn keep(h:fn(u8) -> u8) -> u8 = h(3);";
  CHECK(body("let h:fn(u8) -> u8 = f; let a = h(1); let i:fn(u8) -> u8 = g[u8];", kF) == "ok");
  CHECK(body("let h:fn(u16) -> u8 = f;", kF) == "E-TYPE-MISMATCH 2:23");
  CHECK(body("let h:fn(u8) -> u8 = g;", kF) == "E-FN-TYPE 2:22");
  CHECK(body("let h:fn(ro<u8>) -> u8 = b;", kF) == "E-FN-TYPE 2:26");
  CHECK(body("let a = lend(b); let c = apply(f, 1); let d = keep(f);", kF) == "ok");
  CHECK(body("let h:fn(u8) -> u8 = v;", kF) == "E-FN-TYPE 2:22");
  CHECK(verdict("fn use(h:ro<fn(u8) -> u8>) -> u8 {\nlet k = h; return 1; }") == "E-FN-TYPE 2:9");
  CHECK(body("let h:fn(u8) -> u8 = f; let a = h(1, 2);", kF) == "E-ARITY 2:33");
}

TEST_CASE("a closure stands only as an argument of a borrowed callable's parameter", "[bodies]") {
  constexpr auto kF =
      "fn apply(h:ro<fn(u8) -> u8>, x:u8) -> u8 = h(x); fn keep(h:fn(u8) -> u8) -> u8 = h(3);"
      " fn both(x:rw<u8>, h:ro<fn(u8) -> u8>) -> u8 = h(x); fn eat(b:Buf[u8]) { }";
  CHECK(body("let k:u8 = 2; let a = apply(|x:u8| -> u8 { return x + k; }, 1);", kF) == "ok");
  CHECK(body("let a = |x:u8| -> u8 { return x; };", kF) == "E-CLOSURE 2:9");
  CHECK(body("let a = keep(|x:u8| -> u8 { return x; });", kF) == "E-CLOSURE 2:14");
  CHECK(body("let a = apply(|x:u16| -> u8 { return 1; }, 1);", kF) == "E-TYPE-MISMATCH 2:15");
  CHECK(body("let a = apply(|x:u8| -> u8 { if x > 1 { return 1; } }, 1);", kF) == "E-RETURN 2:15");
  CHECK(body("let x:u8 = 2; let a = apply(|x:u8| -> u8 { return x; }, 1);", kF) == "E-SHADOW 2:30");
  CHECK(body("while true { let a = apply(|x:u8| -> u8 { break; return x; }, 1); }", kF) == "E-LOOP-CONTROL 2:43");
  CHECK(body("let b = Buf[u8](1); let a = apply(|x:u8| -> u8 { eat(b); return x; }, 1);", kF) == "E-MOVE-IN-LOOP 2:35");
  CHECK(body("let mut n:u8 = 2; let a = apply(|x:u8| -> u8 { n += x; return n; }, 1);", kF) == "ok");
  CHECK(body("let mut n:u8 = 2; let a = both(n, |x:u8| -> u8 { return n; });", kF) == "E-ALIAS 2:27");
  CHECK(body("let mut n:u8 = 2; let m:u8 = 3; let a = both(n, |x:u8| -> u8 { return m; });", kF) == "ok");
}
