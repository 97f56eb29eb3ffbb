// Calls, lending, extents, parts and aliasing (ownership and memory, 3 to 6; abstractions, 4).
#include <catch2/catch.hpp>

#include "tests/check/body_verdict.hpp"

using cairn::tests::body;
using cairn::tests::verdict;

namespace {

constexpr auto kSum =
    "fn sum(n:usize, xs:ro<u64>[n]) -> u64 { let mut t:u64 = 0; for x in xs { t += x; } return t; }"
    " fn add(n:usize, xs:rw<u64>[n], ys:ro<u64>[n]) { for i in 0..n { xs[i] += ys[i]; } }"
    " fn two(xs:ro<u64>[2]) -> u64 = xs[0]; fn count(n:usize, s:ro<u8>[n]) -> usize = n;"
    " fn bump(x:rw<u64>, by:u64) { x += by; } fn look(x:ro<u64>) -> u64 = x; fn pick() -> usize = 1;";

}  // namespace

TEST_CASE("a call passes what its parameters say", "[bodies]") {
  CHECK(body("let mut n:u64 = 1; bump(n, 2); bump(n, n); let a = look(3); let b = look(n + 1);", kSum) == "ok");
  CHECK(body("let n:u64 = 1; bump(n, 2);", kSum) == "E-WRITE-LEASE 2:21");
  CHECK(body("bump(1, 2);", kSum) == "E-CALL-VIEW 2:6");
  CHECK(body("let mut n:u32 = 1; bump(n, 2);", kSum) == "E-TYPE-MISMATCH 2:25");
  CHECK(body("let mut n:u64 = 1; bump(n);", kSum) == "E-ARITY 2:20");
  CHECK(body("let xs = Buf[u64](2); bump(xs[0], 1);", kSum) == "E-WRITE-LEASE 2:28");
  CHECK(body("let mut xs = Buf[u64](2); bump(xs[0], 1); let a = look(xs[1]);", kSum) == "ok");
}

TEST_CASE("a view argument is a named array, a part of one, or text", "[bodies]") {
  CHECK(body("let xs = Buf[u64](2); let a = sum(len(xs), xs); let b = sum(xs); let c = sum(xs[0..1]);", kSum) == "ok");
  CHECK(body("let a = sum(2, Buf[u64](2));", kSum) == "E-CALL-VIEW 2:16");
  CHECK(body("let a = count(3, \"abc\"); let b = count(\"abc\"); let s = \"ab\"; let c = count(s);", kSum) == "ok");
  CHECK(body("let xs = Buf[u64](2); add(xs, xs);", kSum) == "E-TYPE-MISMATCH 2:27");
  CHECK(body("let xs = Buf[u8](2); let a = sum(len(xs), xs);", kSum) == "E-TYPE-MISMATCH 2:43");
  CHECK(body("let x:u64 = 2; let a = sum(1, x);", kSum) == "E-TYPE-MISMATCH 2:31");
  CHECK(body("let mut xs = Buf[u64](2); let a = xs[0..1];", kSum) == "E-VIEW-ALIAS 2:35");
}

TEST_CASE("two extents agree when they are written the same", "[bodies]") {
  CHECK(body("let n:usize = 2; buffer xs:u64[n] = zeroed; let a = sum(n, xs);", kSum) == "ok");
  CHECK(body("let n:usize = 2; let m = n; buffer xs:u64[n] = zeroed; let a = sum(m, xs);", kSum) ==
        "E-TYPE-MISMATCH 2:71");
  CHECK(body("let xs = Buf[u64](2); let a = two(xs);", kSum) == "E-TYPE-MISMATCH 2:35");
  CHECK(body("let xs = Buf[u64](2); let a = two(xs[0..2]); stack ys:u64[2] = zeroed; let b = two(ys);", kSum) == "ok");
  CHECK(body("let xs = Buf[u64](2); let a = sum(pick(), xs);", kSum) == "E-CALL-SHAPE 2:35");
  CHECK(body("let xs = Buf[u64](2); let n:usize = 1; let a = sum(n + 1, xs);", kSum) == "E-CALL-SHAPE 2:52");
  CHECK(body("let s = \"abc\"; let k = len(s); let a = count(k, s);", kSum) == "E-TYPE-MISMATCH 2:49");
  CHECK(verdict("const N:usize = 2; fn two(xs:ro<u64>[N]) -> u64 = xs[0]; fn f() -> u64 { stack xs:u64[2] = zeroed; "
                "return two(xs); }") == "ok");
}

TEST_CASE("extents are all given or all left out", "[bodies]") {
  constexpr auto kMix =
      "fn mix(n:usize, xs:ro<u8>[n], m:usize, ys:ro<u8>[m]) -> usize = n + m; struct R { a:Buf[u8]; }"
      " fn same(n:usize, xs:ro<u8>[n], ys:ro<u8>[n]) -> usize = n;";
  CHECK(body("let a = Buf[u8](2); let b = Buf[u8](3); let c = mix(a, b); let d = mix(len(a), a, len(b), b);", kMix) ==
        "ok");
  CHECK(body("let a = Buf[u8](2); let b = Buf[u8](3); let c = mix(len(a), a, b);", kMix) == "E-ARITY 2:49");
  CHECK(body("let r = R(Buf[u8](2)); let c = mix(r.a, \"abc\");", kMix) == "ok");
  CHECK(body("let rs = Buf[Buf[u8]](2); let c = mix(rs[0], rs[1]);", kMix) == "E-ARITY 2:35");
  CHECK(body("let a = Buf[u8](2); let c = same(a, a[0..2]);", kMix) == "ok");
  CHECK(body("let a = Buf[u8](2); let c = same(a[0..2], a);", kMix) == "E-CALL-SHAPE 2:34");
}

TEST_CASE("a part's bounds hold no calls but those that only compute", "[bodies]") {
  CHECK(body("let xs = Buf[u64](2); let a = sum(xs[0..min(1, len(xs))]);", kSum) == "ok");
  CHECK(body("let xs = Buf[u64](2); let a = sum(xs[0..pick()]);", kSum) == "E-CALL-SHAPE 2:41");
  CHECK(body("let xs = Buf[u64](2); let i:u64 = 1; let a = sum(xs[0..i]);", kSum) == "E-TYPE-MISMATCH 2:56");
  CHECK(body("let xs = Buf[u64](9); let a = sum(xs[4..8][1..3]);", kSum) == "ok");
}

TEST_CASE("a record that lends a view stands for the part it lends", "[bodies]") {
  constexpr auto kV =
      "struct V { data:Buf[u64]; n:usize; lends data[0..n]; }"
      " fn sum(n:usize, xs:ro<u64>[n]) -> u64 { let mut t:u64 = 0; for x in xs { t += x; } return t; }"
      " fn whole(v:ro<V>) -> usize = v.n;";
  CHECK(body("let v = V(Buf[u64](4), 2); let a = sum(v); let b = v.sum(); let c = whole(v); for x in v { let y = x; }",
             kV) == "ok");
  CHECK(body("let v = V(Buf[u64](4), 2); let a = len(v);", kV) == "E-LEN 2:36");
  CHECK(body("let vs = Buf[V](2); let a = sum(vs[0]);", kV) == "ok");
}

TEST_CASE("a writable argument overlaps no other argument", "[bodies]") {
  constexpr auto kA =
      "struct R { a:Buf[u64]; b:Buf[u64]; } fn cp(n:usize, out:rw<u64>[n], m:usize, xs:ro<u64>[m]) { }"
      " fn ex(a:rw<u64>, b:rw<u64>) { } fn rd(a:ro<u64>, b:ro<u64>) { } fn tri(n:usize, a:rw<u64>[n], m:usize,"
      " b:rw<u64>[m], k:usize, c:rw<u64>[k]) { } fn eat(n:usize, xs:ro<u64>[n], b:Buf[u64]) { }";
  CHECK(body("let mut d = Buf[u64](9); cp(d[0..2], d[2..9]);", kA) == "ok");
  CHECK(body("let mut d = Buf[u64](9); cp(d[0..3], d[2..9]);", kA) == "E-ALIAS 2:26");
  CHECK(body("let mut d = Buf[u64](9); cp(d, d[2..9]);", kA) == "E-ALIAS 2:26");
  CHECK(body("let mut d = Buf[u64](9); let a:usize = 1; let b:usize = 3; tri(d[0..a], d[a..b], d[b..9]);", kA) == "ok");
  CHECK(body("let mut d = Buf[u64](9); let mut a:usize = 1; cp(d[0..a], d[a..9]);", kA) == "E-ALIAS 2:47");
  CHECK(body("let mut d = Buf[u64](9); ex(d[0], d[1]);", kA) == "E-ALIAS 2:26");
  CHECK(body("let d = Buf[u64](9); rd(d[0], d[0]);", kA) == "ok");
  CHECK(body("let mut r = R(Buf[u64](1), Buf[u64](1)); cp(r.a, r.b);", kA) == "ok");
  CHECK(body("let mut r = R(Buf[u64](1), Buf[u64](1)); cp(r.a, r.a);", kA) == "E-ALIAS 2:42");
  CHECK(body("let d = Buf[u64](9); eat(d[0..2], d);", kA) == "E-ALIAS 2:22");
}

TEST_CASE("a declared field extent ties two fields", "[bodies]") {
  constexpr auto kG =
      "struct G { cells:usize; heat:Buf[f64][cells]; } fn use(n:usize, xs:rw<f64>[n]) { } fn w(n:rw<usize>) { }";
  CHECK(body("let n:usize = 3; let mut g = G(n, Buf[f64](n)); use(g.cells, g.heat); use(g.heat); use(len(g.heat), "
             "g.heat);",
             kG) == "ok");
  CHECK(body("let b = Buf[f64](3); let g = G(3, b);", kG) == "E-EXTENT-FIELD 2:35");
  CHECK(body("let n:usize = 3; let m = n; let g = G(n, Buf[f64](m));", kG) == "E-EXTENT-FIELD 2:42");
  CHECK(body("let mut g = G(3, Buf[f64](3)); g.cells = 4;", kG) == "E-EXTENT-FIELD 2:32");
  CHECK(body("let mut g = G(3, Buf[f64](3)); let h = take(g.heat);", kG) == "E-EXTENT-FIELD 2:45");
  CHECK(body("let mut g = G(3, Buf[f64](3)); w(g.cells);", kG) == "E-EXTENT-FIELD 2:34");
  CHECK(body("let mut g = G(3, Buf[f64](3)); g.heat[0] = 1.5; let h = take(g);", kG) == "ok");
}

TEST_CASE("borrows never outlive their call", "[bodies]") {
  CHECK(verdict("fn f(n:usize, xs:ro<u8>[n]) {\nlet v = xs; }") == "E-VIEW-ALIAS 2:1");
  CHECK(body("let s = \"text\"; let n = len(s);") == "ok");
  CHECK(body("let _ = \"text\";") == "E-VIEW-ALIAS 2:1");
  CHECK(body("let a = f();", "fn f() { }") == "E-VIEW-ALIAS 2:1");
}

TEST_CASE("a foreign call stands inside unsafe", "[bodies]") {
  constexpr auto kE =
      "extern \"abs\" fn c_abs(x:i32) -> i32 effects(); extern \"memcmp\" fn cmp(a:ro<u8>[n], b:ro<u8>[n], n:usize) -> "
      "i32"
      " effects();";
  CHECK(body("unsafe { let a = c_abs(1); let b = cmp(\"abc\", \"abd\", 3); }", kE) == "ok");
  CHECK(body("let a = c_abs(1);", kE) == "E-UNSAFE 2:9");
  CHECK(body("unsafe { let b = cmp(\"abc\", \"ab\", 3); }", kE) == "E-TYPE-MISMATCH 2:29");
}

TEST_CASE("only names, methods and constructors are called", "[bodies]") {
  CHECK(body("let a = f(1)(2);", "fn f(x:u64) -> u64 = x;") == "E-CALL 2:9");
  CHECK(body("let x:u64 = 3; let a = x.f(); let b = (x + 1).f();", "fn f(x:u64) -> u64 = x;") == "ok");
  CHECK(body("let x:u64 = 3; let a = x.g();", "fn f(x:u64) -> u64 = x;") == "E-CALLEE 2:24");
}

TEST_CASE("generic calls bind their parameters", "[bodies]") {
  constexpr auto kG =
      "fn id[T](x:T) -> T = x; fn first[T:copy](n:usize, xs:ro<T>[n]) -> T = xs[0]; fn twice[N:nat]() -> usize = N * 2;"
      " fn pair[T](a:T, b:T) -> T = a;";
  CHECK(body("let a = id(3); let b:u8 = id(3); let xs = Buf[bool](1); let c:bool = first(xs); let d = twice[4]();",
             kG) == "ok");
  CHECK(body("let a = twice();", kG) == "E-INFER 2:9");
  CHECK(body("let x:u8 = 1; let a = pair(x, true);", kG) == "E-TYPE-MISMATCH 2:31");
  CHECK(body("let x:u8 = 1; let a = pair(2, x); let b = twice[1]();", kG) == "ok");
}

TEST_CASE("dynamic references lend named places", "[bodies]") {
  constexpr auto kT =
      "trait Pump { fn rate(self:ro<Self>) -> u64; fn prime(self:rw<Self>, by:u64); } struct H { s:u64; }"
      " impl Pump for H { fn rate(self:ro<H>) -> u64 = self.s; fn prime(self:rw<H>, by:u64) { self.s += by; } }"
      " fn go(p:rw<dyn Pump>) -> u64 { p.prime(2); return p.rate(); } fn look(p:ro<dyn Pump>) -> u64 = p.rate();"
      " fn bad(p:ro<dyn Pump>) -> u64 { return 1; } ";
  CHECK(body("let mut h = H(1); let a = go(h); let d = Dyn[Pump](H(2)); let b = look(d); let c = look(h);", kT) ==
        "ok");
  CHECK(body("let h = H(1); let a = go(h);", kT) == "E-WRITE-LEASE 2:26");
  CHECK(body("let a = look(H(1));", kT) == "E-WRITE-LEASE 2:14");
  CHECK(body("let x:u64 = 1; let a = look(x);", kT) == "E-TRAIT-IMPL 2:29");
  CHECK(body("let d = Dyn(H(1));", kT) == "E-INFER 2:9");
  CHECK(body("let d:Dyn[Pump] = Dyn(H(1));", kT) == "ok");
  CHECK(verdict(std::string(kT) + "fn f(p:ro<dyn Pump>) {\np.prime(1); }") == "E-WRITE-LEASE 2:1");
}
