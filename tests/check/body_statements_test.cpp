// Statements, storage, ownership and linear values (syntax and values, 1.11 to 1.13; ownership and memory, 2 and 7).
#include <catch2/catch.hpp>

#include "tests/check/body_verdict.hpp"

using cairn::tests::body;
using cairn::tests::verdict;

TEST_CASE("an assignment writes a mutable place", "[bodies]") {
  CHECK(body("let mut a:u64 = 1; a = 2; a += 3;") == "ok");
  CHECK(body("let a:u64 = 1; a = 2;") == "E-IMMUTABLE 2:16");
  CHECK(verdict("fn f(a:u64) {\na = 2; }") == "E-IMMUTABLE 2:1");
  CHECK(verdict("fn f(a:rw<u64>, b:ro<u64>) {\na = 2; a += b; b = 1; }") == "E-IMMUTABLE 2:16");
  CHECK(body("for i in 0..2 { i = 1; }") == "E-IMMUTABLE 2:17");
  CHECK(body("buffer xs:u64[2] = zeroed; xs[0] = 1; xs[1] += 2;") == "ok");
  CHECK(body("let xs = Buf[u64](2); xs[0] = 1;") == "E-WRITE-LEASE 2:23");
  CHECK(verdict("fn f(n:usize, xs:ro<u64>[n]) {\nxs[0] = 1; }") == "E-WRITE-LEASE 2:1");
  CHECK(body("f() = 1;", "fn f() -> u64 = 1;") == "E-LVALUE 2:1");
  CHECK(body("buffer xs:u64[2] = zeroed; xs[0..1] = 1;") == "E-LVALUE 2:28");
  CHECK(body("N = 2;", "const N:u64 = 1;") == "E-IMMUTABLE 2:1");
  CHECK(body("let mut a:u64 = 1; a = true;") == "E-TYPE-MISMATCH 2:24");
  CHECK(body("let x:u64 = 1; let a = x[0];") == "E-INDEX 2:24");
  CHECK(body("let xs = Buf[u64](1); let a = xs[0, 1];") == "E-INDEX 2:31");
}

TEST_CASE("a function with a result leaves on every path", "[bodies]") {
  CHECK(verdict("fn f(a:bool) -> u64 { if a { return 1; } else { return 2; } }") == "ok");
  CHECK(verdict("fn f(a:bool) -> u64 { if a { return 1; } }") == "E-RETURN 1:1");
  CHECK(verdict("fn f() -> u64 { while true { return 1; } }") == "E-RETURN 1:1");
  CHECK(verdict("fn f() -> u64 {\nreturn; }") == "E-RETURN 2:1");
  CHECK(verdict("fn f() {\nreturn 1; }") == "E-RETURN 2:1");
  CHECK(verdict("enum O { S(u8); N; } fn f(o:O) -> u64 { match o { S(v) => { return 1; } N => { return 2; } } }") ==
        "ok");
}

TEST_CASE("a statement after one that leaves can never run", "[bodies]") {
  CHECK(verdict("fn f() {\nreturn; return; }") == "E-UNREACHABLE 2:9");
  CHECK(body("while true { break; let a:u64 = 1; }") == "E-UNREACHABLE 2:21");
  CHECK(body("while true { if true { break; } else { continue; } let a:u64 = 1; }") == "E-UNREACHABLE 2:52");
  CHECK(body("while true { if true { break; } let a:u64 = 1; }") == "ok");
  CHECK(body("break;") == "E-LOOP-CONTROL 2:1");
}

TEST_CASE("an element loop walks a name or field path of copyable elements", "[bodies]") {
  CHECK(body("let xs = Buf[u8](2); for x in xs { let a = x; } for i, x in xs { let j = i; }") == "ok");
  CHECK(body("let xs = Buf[u8](2); for x in xs[0..1] { }") == "E-ELEMENT-LOOP 2:31");
  CHECK(body("for x in f() { }", "fn f() -> Buf[u8] = Buf[u8](1);") == "E-ELEMENT-LOOP 2:10");
  CHECK(body("let n:usize = 2; for x in n { }") == "E-ELEMENT-LOOP 2:27");
  CHECK(body("let xs = Buf[Buf[u8]](2); for x in xs { }") == "E-ELEMENT-LOOP 2:36");
  CHECK(body("let xs = Buf[Buf[u8]](2); for x in xs[0] { }") == "E-ELEMENT-LOOP 2:36");
  CHECK(body("let xs = Buf[u8](2); for x in xs { x = 1; }") == "E-IMMUTABLE 2:36");
  CHECK(body("for i in 0..2.5 { }") == "E-TYPE-MISMATCH 2:13");
}

TEST_CASE("only a call stands alone, and an outcome is not dropped", "[bodies]") {
  constexpr auto kR = "enum R { Ok(u8); Err(u16); } fn r() -> R = R.Ok(1); fn f() -> u64 = 1; fn v() { }";
  CHECK(body("f(); v(); let _ = r();", kR) == "ok");
  CHECK(body("1 + 2;", kR) == "E-DISCARD 2:1");
  CHECK(body("r();", kR) == "E-DISCARD 2:1");
  CHECK(body("min(1, 2);", kR) == "E-DISCARD 2:1");
  CHECK(body("u8(1);", kR) == "E-DISCARD 2:1");
  CHECK(body("let xs = Buf[u8](1); len(xs);", kR) == "E-DISCARD 2:22");
}

TEST_CASE("storage statements hold their limits", "[bodies]") {
  CHECK(body("let n:usize = 3; buffer a:u64[n] = zeroed; stack b:u8[4] = zeroed;") == "ok");
  CHECK(body("let mut n:usize = 3; buffer a:u64[n] = zeroed;") == "E-OWNER-EXTENT 2:35");
  CHECK(body("let n:usize = 3; buffer a:u64[n + 1] = zeroed;") == "E-OWNER-EXTENT 2:31");
  CHECK(body("buffer a:u64[9223372036854775808] = zeroed;") == "E-OWNER-EXTENT 2:14");
  CHECK(body("let n:usize = 3; stack a:u64[n] = zeroed;") == "E-STACK-EXTENT 2:30");
  CHECK(verdict("fn f[K:nat]() -> usize {\nstack a:u8[K] = zeroed; return K; } fn g() -> usize = f[3]();") ==
        "E-STACK-EXTENT 2:12");
  CHECK(verdict("fn f[K:nat]() -> usize {\nbuffer a:u8[K] = zeroed; return K; } fn g() -> usize = f[3]();") == "ok");
  CHECK(body("stack p:P[4096] = zeroed;", "struct P { a:u8; b:u8; }") == "ok");
  CHECK(body("stack p:P[4097] = zeroed;", "struct P { a:u8; b:u8; }") == "E-STACK-LIMIT 2:11");
  CHECK(body("stack a:u8[40000] = zeroed; { stack b:u8[30000] = zeroed; }") == "E-STACK-LIMIT 2:42");
  CHECK(body("stack a:u8[4]@device = zeroed;") == "E-PLACE 2:1");
  CHECK(body("stack a:L[4] = zeroed;", "linear struct L { x:u8; }") == "E-LINEAR-STORAGE 2:1");
  CHECK(body("buffer a:void[4] = zeroed;") == "E-OWNER-ELEMENT 2:1");
  CHECK(body("let b = Buf(3);") == "E-INFER 2:9");
  CHECK(body("let b:Buf[u8] = Buf(3); let c:Array[u8, 4] = Array();") == "ok");
  CHECK(body("let b = Buf[u8]();") == "E-ARITY 2:9");
}

TEST_CASE("memory is indexed from its own side", "[bodies]") {
  CHECK(body("buffer a:u64[4]@device = zeroed; let b = len(a);") == "ok");
  CHECK(body("buffer a:u64[4]@device = zeroed; let b = a[0];") == "E-PLACEMENT 2:42");
  CHECK(body("buffer a:u64[4]@pinned = zeroed; buffer c:u64[4]@unified = zeroed; let b = a[0] + c[0];") == "ok");
}

TEST_CASE("a moved name is dead", "[bodies]") {
  constexpr auto kE = "fn eat(b:Buf[u8]) { } fn keep(b:Buf[u8]) -> Buf[u8] = b; struct R { b:Buf[u8]; }";
  CHECK(body("let b = Buf[u8](1); eat(b);", kE) == "ok");
  CHECK(body("let b = Buf[u8](1); eat(b); eat(b);", kE) == "E-MOVED 2:33");
  CHECK(body("let b = Buf[u8](1); eat(b); let n = len(b);", kE) == "E-MOVED 2:41");
  CHECK(body("let mut b = Buf[u8](1); eat(b); b = Buf[u8](2);", kE) == "E-MOVED 2:33");
  CHECK(body("let mut b = Buf[u8](1); b = keep(b); eat(b);", kE) == "ok");
  CHECK(body("let r = R(Buf[u8](1)); eat(r.b);", kE) == "E-PARTIAL-MOVE 2:28");
  CHECK(body("let bs = Buf[Buf[u8]](1); eat(bs[0]);", kE) == "E-PARTIAL-MOVE 2:31");
  CHECK(verdict("fn eat(b:Buf[u8]) { } fn f(b:rw<Buf[u8]>) {\neat(b); }") == "E-MOVE-BORROW 2:5");
  CHECK(verdict("fn eat(b:Buf[u8]) { } fn f(b:rw<Buf[u8]>) {\neat(take(b)); }") == "ok");
}

TEST_CASE("moves follow the paths that go on", "[bodies]") {
  constexpr auto kE = "fn eat(b:Buf[u8]) { }";
  CHECK(body("let b = Buf[u8](1); if true { eat(b); } eat(b);", kE) == "E-MOVED 2:45");
  CHECK(body("let b = Buf[u8](1); if true { eat(b); return; } eat(b);", kE) == "ok");
  CHECK(body("let b = Buf[u8](1); if true { eat(b); } else { eat(b); }", kE) == "ok");
  CHECK(body("let b = Buf[u8](1); while true { eat(b); }", kE) == "E-MOVE-IN-LOOP 2:21");
  CHECK(body("let b = Buf[u8](1); while true { eat(b); return; }", kE) == "ok");
  CHECK(body("let b = Buf[u8](1); for i in 0..2 { if i > 0 { eat(b); break; } }", kE) == "E-MOVE-IN-LOOP 2:21");
  CHECK(body("for i in 0..2 { let b = Buf[u8](1); eat(b); }", kE) == "ok");
}

TEST_CASE("take and swap exchange writable places", "[bodies]") {
  constexpr auto kT = "struct T { kids:Buf[T]; } linear struct L { x:u8; }";
  CHECK(body("let mut a:u8 = 1; let mut b:u8 = 2; swap(a, b); let c = take(a);", kT) == "ok");
  CHECK(body("let a:u8 = 1; let mut b:u8 = 2; swap(a, b);", kT) == "E-IMMUTABLE 2:38");
  CHECK(body("let mut a:u8 = 1; let mut b:u16 = 2; swap(a, b);", kT) == "E-TYPE-MISMATCH 2:38");
  CHECK(body("let mut x = Buf[u8](2); swap(x[0], x[1]);", kT) == "ok");
  CHECK(body("let mut t = T(Buf[T](1)); swap(t, t.kids[0]);", kT) == "E-ALIAS 2:27");
  CHECK(body("let mut t = T(Buf[T](1)); t.kids[0] = t;", kT) == "E-ALIAS 2:27");
  CHECK(verdict(std::string(kT) + " fn f(l:rw<L>) {\nlet m = take(l); }") == "E-LINEAR-STORAGE 2:9");
  CHECK(body("let mut a:u8 = 1; swap(a);", kT) == "E-ARITY 2:19");
}

TEST_CASE("a linear value is consumed exactly once on every path", "[bodies]") {
  constexpr auto kL =
      "linear struct L { x:u8; } fn make() -> L = L(1); fn end(l:L) { } fn renew(l:L) -> L = l;"
      " enum R { Ok(u8); Err(u8); } fn risky() -> R = R.Ok(1);";
  CHECK(body("let l = make(); end(l);", kL) == "ok");
  CHECK(body("let l = make();", kL) == "E-LINEAR-LEAK 2:1");
  CHECK(body("let l = make(); let a:u8 = 1;", kL) == "E-LINEAR-LEAK 2:17");
  CHECK(body("make();", kL) == "E-LINEAR-LEAK 2:1");
  CHECK(body("let _ = make();", kL) == "E-LINEAR-LEAK 2:1");
  CHECK(body("let l = make(); if true { end(l); }", kL) == "E-LINEAR-BRANCH 2:17");
  CHECK(body("let l = make(); if true { end(l); } else { let L(x) = l; }", kL) == "ok");
  CHECK(body("let l = make(); if true { return; } end(l);", kL) == "E-LINEAR-LEAK 2:27");
  CHECK(body("while true { let l = make(); if true { break; } end(l); }", kL) == "E-LINEAR-LEAK 2:40");
  CHECK(body("let mut l = make(); l = renew(l); end(l);", kL) == "ok");
  CHECK(body("let mut l = make(); l = make(); end(l);", kL) == "E-LINEAR-LEAK 2:21");
  CHECK(body("let l = make(); defer end(l);", kL) == "ok");
  CHECK(verdict(std::string(kL) + "fn f() -> R {\nlet l = make(); let v = try risky(); end(l); return Ok(v); }") ==
        "E-LINEAR-LEAK 2:25");
  CHECK(verdict("linear struct T { id:u64; }\nfn close(t:T) -> u64 = t.id;") == "E-LINEAR-LEAK 2:24");
}

TEST_CASE("a pending defer holds what it names", "[bodies]") {
  constexpr auto kD = "fn eat(b:Buf[u8]) { } fn look(b:ro<Buf[u8]>) { }";
  CHECK(body("let b = Buf[u8](1); defer look(b); look(b);", kD) == "ok");
  CHECK(body("let b = Buf[u8](1); defer look(b); eat(b);", kD) == "E-LEASED 2:40");
  CHECK(body("let b = Buf[u8](1); { defer look(b); } eat(b);", kD) == "ok");
  CHECK(body("let b = Buf[u8](1); defer eat(b); look(b);", kD) == "ok");
  CHECK(body("let b = Buf[u8](1); defer eat(b); eat(b);", kD) == "E-MOVED 2:39");
  CHECK(body("let b = Buf[u8](1); { defer eat(b); } look(b);", kD) == "E-MOVED 2:44");
  CHECK(body("let a:u8 = 1; defer { }", kD) == "E-DEFER 2:15");
}

TEST_CASE("a linear or private record is taken apart in its own module", "[bodies]") {
  CHECK(verdict("module a; pub linear struct L { x:u8; } pub fn make() -> L = L(1); pub fn end(l:L) { let L(x) = l; }\n"
                "module b; import a; fn f() {\nlet l = a.make(); let a.L(x) = l; }") == "E-PRIVATE 3:19");
  CHECK(verdict("module a; struct P { x:u8; } pub fn make() -> P = P(1);\nmodule b; import a; fn f() {\nlet p = "
                "a.make(); let x = p.x; }") == "E-PRIVATE 3:27");
}

TEST_CASE("machine access stands inside unsafe and names its width", "[bodies]") {
  CHECK(
      body("unsafe { let a = mmio_read[u32](64); let b:u8 = mmio_read(64); mmio_write[u16](64, 1); asm(\"nop\"); }") ==
      "ok");
  CHECK(body("let a = mmio_read[u32](64);") == "E-UNSAFE 2:9");
  CHECK(body("unsafe { let a = mmio_read(64); }") == "E-INFER 2:18");
  CHECK(body("unsafe { mmio_write(64, 1); }") == "E-INFER 2:10");
  CHECK(body("unsafe { let s = \"nop\"; asm(s); }") == "E-ARITY 2:25");
}

TEST_CASE("a transfer copies between two arrays of one length", "[bodies]") {
  constexpr auto kN = "";
  CHECK(body("buffer a:u8[4] = zeroed; buffer b:u8[4]@device = zeroed; transfer(b, a); transfer(a[0..2], b[2..4]);",
             kN) == "ok");
  CHECK(body("let a = Buf[u8](4); buffer b:u8[4] = zeroed; transfer(a, b);", kN) == "E-WRITE-LEASE 2:46");
  CHECK(body("buffer a:u8[4] = zeroed; buffer b:u8[5] = zeroed; transfer(a, b);", kN) == "E-TYPE-MISMATCH 2:51");
  CHECK(body("buffer a:u8[4] = zeroed; transfer(a[0..2], a[1..3]);", kN) == "E-ALIAS 2:26");
  CHECK(body("buffer a:u8[4] = zeroed; transfer(a);", kN) == "E-ARITY 2:26");
}

TEST_CASE("what prints is a scalar or bytes", "[bodies]") {
  constexpr auto kP = "struct R { a:u8; } struct V { data:Buf[u8]; n:usize; lends data[0..n]; }";
  CHECK(body("println(1, ' ', true, 1.5, \"x\"); let b = Buf[u8](2); print(b, b[0..1]); eprint();", kP) == "ok");
  CHECK(body("println(R(1));", kP) == "E-PRINT-ARG 2:9");
  CHECK(body("let b = Buf[u16](2); print(b);", kP) == "E-PRINT-ARG 2:28");
  CHECK(body("println[u8](1);", kP) == "E-ARITY 2:1");
  CHECK(body("let mut v = V(Buf[u8](2), 0); format(v, \"x\", 1); print(v);", kP) == "ok");
  CHECK(body("let v = V(Buf[u8](2), 0); format(v, \"x\");", kP) == "E-IMMUTABLE 2:34");
  CHECK(body("let mut b = Buf[u8](2); format(b, \"x\");", kP) == "E-FORMAT-TARGET 2:32");
  CHECK(body("let mut v = V(Buf[u8](2), 0); format(v, v);", kP) == "E-ALIAS 2:31");
}

TEST_CASE("assert takes a bool and a literal message, assert_eq two scalars", "[bodies]") {
  constexpr auto kC = "enum C { A; B; } struct R { a:u8; }";
  CHECK(body("assert(1 < 2); assert(true, \"why\"); assert_eq(1, 1); assert_eq(1.5, 2.5, \"why\");", kC) == "ok");
  CHECK(body("assert(1);", kC) == "E-TYPE-MISMATCH 2:8");
  CHECK(body("let s = \"x\"; assert(true, s);", kC) == "E-ARITY 2:14");
  CHECK(body("assert_eq(C.A, C.B);", kC) == "E-ASSERT-EQ 2:1");
  CHECK(body("assert_eq(R(1), R(1));", kC) == "E-OPERATOR 2:1");
  CHECK(body("assert_eq(1, true);", kC) == "E-TYPE-MISMATCH 2:11");
}
