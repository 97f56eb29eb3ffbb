// Parallel regions and their lanes (concurrency, 7).
#include <catch2/catch.hpp>

#include "tests/check/body_verdict.hpp"

using cairn::tests::body;
using cairn::tests::verdict;

namespace {

constexpr auto kHelp =
    "const S:usize = 16; fn put(p:rw<u32>) { p = 1; } fn fill(n:usize, p:rw<u32>[n]) { for i in 0..n "
    "{ p[i] = 1; } } fn all(n:usize, p:ro<u32>[n]) -> u32 = 1; fn say() { println(1); } fn "
    "eat(b:Buf[u32]) { } fn noisy() -> u32 { println(1); return 1; } fn leave() { }";

}  // namespace

TEST_CASE("a lane touches its own element of what lanes write", "[lanes]") {
  CHECK(body("let n:usize = 64; let k:usize = 4; buffer out:u32[n] = zeroed; buffer x:u32[n] = "
             "zeroed;\nparallel i in n { out[i] = x[i] + x[0] + all(x); }",
             kHelp) == "ok");
  CHECK(body("let n:usize = 64; let k:usize = 4; buffer out:u32[n] = zeroed; buffer x:u32[n] = "
             "zeroed;\nparallel i in n { out[0] = x[i]; }",
             kHelp) == "E-PARALLEL-RACE 3:19");
  CHECK(body("let n:usize = 64; let k:usize = 4; buffer out:u32[n] = zeroed; buffer x:u32[n] = "
             "zeroed;\nparallel i in n { if i + 1 < n { out[i] = out[i + 1]; } }",
             kHelp) == "E-PARALLEL-RACE 3:43");
  CHECK(body("let n:usize = 64; let k:usize = 4; buffer out:u32[n] = zeroed; buffer x:u32[n] = "
             "zeroed;\nparallel i in n { out[i + 0] = 1; }",
             kHelp) == "E-PARALLEL-RACE 3:19");
  CHECK(body("let n:usize = 64; let k:usize = 4; buffer out:u32[n] = zeroed; buffer x:u32[n] = "
             "zeroed;\nparallel i in n { out[i] = all(out); }",
             kHelp) == "E-PARALLEL-RACE 3:32");
  CHECK(body("let n:usize = 64; let k:usize = 4; buffer out:u32[n] = zeroed; buffer x:u32[n] = "
             "zeroed;\nparallel i in n { put(out[i]); }",
             kHelp) == "ok");
  CHECK(body("let n:usize = 64; let k:usize = 4; buffer out:u32[n] = zeroed; buffer x:u32[n] = "
             "zeroed;\nparallel i in n { put(out[0]); }",
             kHelp) == "E-PARALLEL-RACE 3:23");
  CHECK(body("let n:usize = 64; let k:usize = 4; buffer out:u32[n] = zeroed; buffer x:u32[n] = "
             "zeroed;\nparallel i in n { fill(out); }",
             kHelp) == "E-PARALLEL-RACE 3:24");
  CHECK(verdict("struct P { a:Buf[u32]; b:Buf[u32]; } fn f(n:usize, p:rw<P>) { parallel i in n { p.a[i] = "
                "p.b[i]; } }") == "ok");
  CHECK(verdict("struct P { a:Buf[u32]; b:Buf[u32]; } fn f(n:usize, p:rw<P>) { parallel i in n { p.a[i] = "
                "p.b[0]; } }") == "E-PARALLEL-RACE 1:90");
  CHECK(verdict("struct P { a:Buf[u32]; } fn put(x:rw<u32>) { x = 1; } fn f(n:usize, p:rw<P>) { parallel i in n "
                "{ put(p.a[i]); } }") == "E-PARALLEL-RACE 1:102");
  CHECK(verdict("struct P { a:u32; } fn f(n:usize, p:rw<P>[n]) { parallel i in n { p[i].a = 1; } }") == "ok");
}

TEST_CASE("a lane owns a block of one constant stride", "[lanes]") {
  CHECK(body("let n:usize = 64; let k:usize = 4; buffer out:u32[n] = zeroed; buffer x:u32[n] = "
             "zeroed;\nparallel b in k { for j in 0..S { out[b * S + j] = x[j]; } }",
             kHelp) == "ok");
  CHECK(body("let n:usize = 64; let k:usize = 4; buffer out:u32[n] = zeroed; buffer x:u32[n] = "
             "zeroed;\nparallel b in k { for j in 0..S + 1 { out[b * S + j] = x[j]; } }",
             kHelp) == "E-PARALLEL-RACE 3:39");
  CHECK(body("let n:usize = 64; let k:usize = 4; buffer out:u32[n] = zeroed; buffer x:u32[n] = "
             "zeroed;\nparallel b in k { for j in 0..4 { out[4 * b + j] = 1; } }",
             kHelp) == "ok");
  CHECK(body("let n:usize = 64; let k:usize = 4; buffer out:u32[n] = zeroed; buffer x:u32[n] = "
             "zeroed;\nparallel b in k { for j in 0..4 { out[j + 4 * b] = 1; } }",
             kHelp) == "E-PARALLEL-RACE 3:35");
  CHECK(body("let n:usize = 64; let k:usize = 4; buffer out:u32[n] = zeroed; buffer x:u32[n] = "
             "zeroed;\nparallel b in k { let row = b * S; out[row + usize(x[0] & 15)] = 1; }",
             kHelp) == "ok");
  CHECK(body("let n:usize = 64; let k:usize = 4; buffer out:u32[n] = zeroed; buffer x:u32[n] = "
             "zeroed;\nparallel b in k { let row = b * S; out[row + usize(x[0] & 16)] = 1; }",
             kHelp) == "E-PARALLEL-RACE 3:36");
  CHECK(body("let n:usize = 64; let k:usize = 4; buffer out:u32[n] = zeroed; buffer x:u32[n] = "
             "zeroed;\nparallel b in k { let lo = b * S; let hi = min(lo + S, n); for i in lo..hi { out[i] = "
             "1; } fill(out[lo..hi]); }",
             kHelp) == "ok");
  CHECK(body("let n:usize = 64; let k:usize = 4; buffer out:u32[n] = zeroed; buffer x:u32[n] = "
             "zeroed;\nparallel b in k { let lo = b * S; let hi = min(lo + S, n); for i in lo..hi + 1 { "
             "out[i] = 1; } }",
             kHelp) == "E-PARALLEL-RACE 3:82");
  CHECK(body("let n:usize = 64; let k:usize = 4; buffer out:u32[n] = zeroed; buffer x:u32[n] = "
             "zeroed;\nparallel b in k { let lo = b * S; let hi = min(lo + S + 1, n); fill(out[lo..hi]); }",
             kHelp) == "E-PARALLEL-RACE 3:69");
  CHECK(body("let n:usize = 64; let k:usize = 4; buffer out:u32[n] = zeroed; buffer x:u32[n] = "
             "zeroed;\nparallel b in k { let j = usize(x[0]); if j < S { out[b * S + j] = 1; } }",
             kHelp) == "ok");
  CHECK(body("let n:usize = 64; let k:usize = 4; buffer out:u32[n] = zeroed; buffer x:u32[n] = "
             "zeroed;\nparallel b in k { let j = usize(x[0]); if j <= S { out[b * S + j] = 1; } }",
             kHelp) == "E-PARALLEL-RACE 3:52");
  CHECK(body("let n:usize = 64; let k:usize = 4; buffer out:u32[n] = zeroed; buffer x:u32[n] = "
             "zeroed;\nparallel b in k { let j = usize(x[0]); if j >= S { leave(); } else { out[b * S + j] = "
             "1; } }",
             kHelp) == "ok");
  CHECK(body("let n:usize = 64; let k:usize = 4; buffer out:u32[n] = zeroed; buffer x:u32[n] = "
             "zeroed;\nparallel b in k { for r in 0..4 { for c in 0..4 { out[b * S + r * 4 + c] = 1; } } }",
             kHelp) == "ok");
  CHECK(body("let n:usize = 64; let k:usize = 4; buffer out:u32[n] = zeroed; buffer x:u32[n] = "
             "zeroed;\nparallel b in k { for r in 0..5 { for c in 0..4 { out[b * S + r * 4 + c] = 1; } } }",
             kHelp) == "E-PARALLEL-RACE 3:51");
  CHECK(body("let n:usize = 64; let k:usize = 4; buffer out:u32[n] = zeroed; buffer x:u32[n] = "
             "zeroed;\nparallel b in k { out[b * S] = 1; }",
             kHelp) == "ok");
  CHECK(body("let n:usize = 64; let k:usize = 4; buffer out:u32[n] = zeroed; buffer x:u32[n] = "
             "zeroed;\nparallel b in k { out[b * 1] = 1; out[b] = 2; }",
             kHelp) == "ok");
  CHECK(body("let n:usize = 64; let k:usize = 4; buffer out:u32[n] = zeroed; buffer x:u32[n] = "
             "zeroed;\nparallel b in k { out[b * 4] = 1; out[b * 8] = 1; }",
             kHelp) == "E-PARALLEL-RACE 3:35");
  CHECK(body("let n:usize = 64; let k:usize = 4; buffer out:u32[n] = zeroed; buffer x:u32[n] = "
             "zeroed;\nparallel b in k { let mut base = b * S; out[base] = 1; }",
             kHelp) == "E-PARALLEL-RACE 3:41");
  CHECK(body("let n:usize = 64; let k:usize = 4; buffer out:u32[n] = zeroed; buffer x:u32[n] = "
             "zeroed;\nparallel b in k { out[b * k] = 1; }",
             kHelp) == "E-PARALLEL-RACE 3:19");
}

TEST_CASE("a lane writes no scalar from outside", "[lanes]") {
  CHECK(body("let n:usize = 64; let k:usize = 4; buffer out:u32[n] = zeroed; buffer x:u32[n] = zeroed;\nlet "
             "mut t:u32 = 0; parallel i in n { t = x[i]; }",
             kHelp) == "E-PARALLEL-WRITE 3:38");
  CHECK(body("let n:usize = 64; let k:usize = 4; buffer out:u32[n] = zeroed; buffer x:u32[n] = zeroed;\nlet "
             "mut t:u32 = 0; parallel i in n { t += x[i]; }",
             kHelp) == "E-PARALLEL-WRITE 3:38");
  CHECK(body("let n:usize = 64; let k:usize = 4; buffer out:u32[n] = zeroed; buffer x:u32[n] = zeroed;\nlet "
             "mut t:u32 = 0; parallel i in n { put(t); }",
             kHelp) == "E-PARALLEL-WRITE 3:42");
  CHECK(body("let n:usize = 64; let k:usize = 4; buffer out:u32[n] = zeroed; buffer x:u32[n] = "
             "zeroed;\nparallel i in n { let mut t:u32 = 0; t = x[i]; put(t); out[i] = t; }",
             kHelp) == "ok");
  CHECK(verdict("struct P { a:u32; } fn f(n:usize, p:rw<P>) { parallel i in n { p.a = 1; } }") ==
        "E-PARALLEL-WRITE 1:64");
}

TEST_CASE("what a lane declares is its own", "[lanes]") {
  CHECK(body("let n:usize = 64; let k:usize = 4; buffer out:u32[n] = zeroed; buffer x:u32[n] = "
             "zeroed;\nparallel i in n { stack a:u32[4] = zeroed; a[1] = a[0]; out[i] = a[1]; }",
             kHelp) == "ok");
  CHECK(body("let n:usize = 64; let k:usize = 4; buffer out:u32[n] = zeroed; buffer x:u32[n] = "
             "zeroed;\nparallel i in n { let mut a = Buf[u32](4); a[i % 4] = 1; out[i] = a[0]; }",
             kHelp) == "ok");
  CHECK(body("let n:usize = 64; let k:usize = 4; buffer out:u32[n] = zeroed; buffer x:u32[n] = "
             "zeroed;\nparallel i in n { buffer a:u32[4] = zeroed; a[i % 4] = 1; out[i] = a[0]; }",
             kHelp) == "ok");
}

TEST_CASE("a lane does not leave its region", "[lanes]") {
  CHECK(body("let n:usize = 64; let k:usize = 4; buffer out:u32[n] = zeroed; buffer x:u32[n] = "
             "zeroed;\nparallel i in n { return; }",
             kHelp) == "E-PARALLEL-CONTROL 3:19");
  CHECK(body("let n:usize = 64; let k:usize = 4; buffer out:u32[n] = zeroed; buffer x:u32[n] = zeroed;\nfor j "
             "in 0..n { parallel i in n { break; } }",
             kHelp) == "E-LOOP-CONTROL 3:35");
  CHECK(body("let n:usize = 64; let k:usize = 4; buffer out:u32[n] = zeroed; buffer x:u32[n] = "
             "zeroed;\nparallel i in n { for j in 0..n { if j > 2 { break; } } }",
             kHelp) == "ok");
  CHECK(verdict("enum R { Ok(u64); Bad(u64); } fn g() -> R = Ok(1); fn f(n:usize) -> R { parallel i in n { let a "
                "= try g(); } return Ok(1); }") == "E-PARALLEL-CONTROL 1:99");
}

TEST_CASE("regions do not nest, and their names are fresh", "[lanes]") {
  CHECK(body("let n:usize = 64; let k:usize = 4; buffer out:u32[n] = zeroed; buffer x:u32[n] = "
             "zeroed;\nparallel i in n { parallel j in n { } }",
             kHelp) == "E-PARALLEL-NEST 3:19");
  CHECK(body("let n:usize = 64; let k:usize = 4; buffer out:u32[n] = zeroed; buffer x:u32[n] = "
             "zeroed;\nparallel i in n { let s = reduce add_wrap for j in n yield x[j]; }",
             kHelp) == "E-PARALLEL-NEST 3:19");
  CHECK(body("let n:usize = 64; let k:usize = 4; buffer out:u32[n] = zeroed; buffer x:u32[n] = "
             "zeroed;\nparallel i in n { let q = compact out for j in n where true yield x[j]; }",
             kHelp) == "E-PARALLEL-NEST 3:19");
  CHECK(body("let n:usize = 64; let k:usize = 4; buffer out:u32[n] = zeroed; buffer x:u32[n] = "
             "zeroed;\nparallel n in k { }",
             kHelp) == "E-SHADOW 3:1");
  CHECK(body("let n:usize = 64; let k:usize = 4; buffer out:u32[n] = zeroed; buffer x:u32[n] = "
             "zeroed;\nparallel i in n { let k = 1; }",
             kHelp) == "E-SHADOW 3:19");
  CHECK(body("let n:usize = 64; let k:usize = 4; buffer out:u32[n] = zeroed; buffer x:u32[n] = "
             "zeroed;\nparallel _ in n { } parallel i in n { } parallel i in n { }",
             kHelp) == "ok");
  CHECK(body("let n:usize = 64; let k:usize = 4; buffer out:u32[n] = zeroed; buffer x:u32[n] = "
             "zeroed;\nparallel i in n after t { }",
             kHelp) == "E-SPAWN 3:1");
}

TEST_CASE("a lane may not move what comes from outside", "[lanes]") {
  CHECK(body("let n:usize = 64; let k:usize = 4; buffer out:u32[n] = zeroed; buffer x:u32[n] = zeroed;\nlet b "
             "= Buf[u32](1); parallel i in n { eat(b); }",
             kHelp) == "E-MOVE-IN-LOOP 3:22");
  CHECK(body("let n:usize = 64; let k:usize = 4; buffer out:u32[n] = zeroed; buffer x:u32[n] = "
             "zeroed;\nparallel i in n { let b = Buf[u32](1); eat(b); }",
             kHelp) == "ok");
}

TEST_CASE("a lane does no I/O, and calls nothing that does", "[lanes]") {
  CHECK(body("let n:usize = 64; let k:usize = 4; buffer out:u32[n] = zeroed; buffer x:u32[n] = "
             "zeroed;\nparallel i in n { println(i); }",
             kHelp) == "E-PARALLEL-CALL 3:1");
  CHECK(body("let n:usize = 64; let k:usize = 4; buffer out:u32[n] = zeroed; buffer x:u32[n] = "
             "zeroed;\nparallel i in n { say(); }",
             kHelp) == "E-PARALLEL-CALL 3:19");
  CHECK(body("let n:usize = 64; let k:usize = 4; buffer out:u32[n] = zeroed; buffer x:u32[n] = zeroed;\nlet s "
             "= reduce add_wrap for i in n yield noisy();",
             kHelp) == "E-PARALLEL-CALL 3:42");
  CHECK(verdict("trait T { fn m(self:ro<Self>) -> u32; } struct A { a:u32; } impl T for A { fn m(self:ro<A>) -> "
                "u32 { println(1); return self.a; } } fn f(n:usize, t:ro<dyn T>) { parallel i in n { let a = "
                "t.m(); } } fn g() { let a = A(1); f(2, a); }") == "E-PARALLEL-CALL 1:188");
}

TEST_CASE("lanes call a function parameter, and what is passed for it is judged", "[lanes]") {
  CHECK(verdict("fn f(n:usize, g:fn(u32) -> u32) { parallel i in n { let a = g(1); } } fn id(x:u32) -> u32 = x; "
                "fn m() { f(2, id); }") == "ok");
  CHECK(verdict("fn f(n:usize, g:fn(u32) -> u32) { let h = g; parallel i in n { let a = h(1); } }") ==
        "E-PARALLEL-CALL 1:72");
  CHECK(verdict("fn f(n:usize, g:ro<fn(u32) -> u32>) { parallel i in n { let a = g(1); } } fn m() { let k:u32 = "
                "2; f(2, |x:u32| -> u32 { return x + k; }); }") == "ok");
  CHECK(verdict("fn f(n:usize, g:ro<fn(u32) -> u32>) { parallel i in n { let a = g(1); } } fn m() { let mut "
                "k:u32 = 2; f(2, |x:u32| -> u32 { k += 1; return x; }); }") == "E-PARALLEL-CALL 1:108");
  CHECK(verdict("fn f(n:usize, g:ro<fn(u32) -> u32>) { parallel i in n { let a = g(1); } } fn loud(x:u32) -> u32 "
                "{ println(x); return x; } fn m() { f(2, loud); }") == "E-PARALLEL-CALL 1:137");
  CHECK(verdict("fn f(n:usize, g:fn(u32) -> u32) { parallel i in n { let a = g(1); } } fn h(n:usize, g:fn(u32) "
                "-> u32) { f(n, g); } fn loud(x:u32) -> u32 { println(x); return x; } fn m() { h(2, loud); }") ==
        "E-PARALLEL-CALL 1:178");
}
