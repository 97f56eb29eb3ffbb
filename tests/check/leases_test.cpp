// Leases of running tasks (concurrency, 4).
#include <catch2/catch.hpp>

#include "tests/check/body_verdict.hpp"

using cairn::tests::body;

namespace {

constexpr auto kHelp =
    "fn w(n:usize, o:rw<u32>[n], v:u32) { for i in 0..n { o[i] = v; } } fn rd(n:usize, x:ro<u32>[n]) "
    "-> u32 = 1; fn own(b:Buf[u32]) -> Buf[u32] = b; fn sq(k:u64) -> u64 = k * k; fn inc(x:rw<u64>) "
    "{ x += 1; } fn ow(b:rw<Buf[u32]>) { b = Buf[u32](3); } enum Res { Ok(u64); Bad(u64); } fn res() "
    "-> Res = Ok(1); struct P { lo:Buf[u32]; hi:Buf[u32]; n:u64; } fn app(g:ro<fn(u64) -> u64>) -> "
    "u64 = g(1); fn appv(g:fn(u64) -> u64) -> u64 = g(1); linear struct Lin { a:u64; }";

}  // namespace

TEST_CASE("what a task was lent is left alone until it is waited for", "[leases]") {
  CHECK(body("let mut b = Buf[u32](4); let t = spawn w(b, 1); wait(t); b[0] = 1;", kHelp) == "ok");
  CHECK(body("let mut b = Buf[u32](4); let t = spawn w(b, 1); b[0] = 1; wait(t);", kHelp) == "E-LEASED 2:49");
  CHECK(body("let mut b = Buf[u32](4); let t = spawn w(b, 1); let z = b[0]; wait(t);", kHelp) == "E-LEASED 2:57");
  CHECK(body("let mut b = Buf[u32](4); let t = spawn w(b, 1); let z = len(b); wait(t);", kHelp) == "ok");
  CHECK(body("let mut b = Buf[u32](4); let t = spawn rd(b); let z = b[0]; let u = spawn rd(b); let q = "
             "wait(t) + wait(u);",
             kHelp) == "ok");
  CHECK(body("let mut b = Buf[u32](4); let t = spawn rd(b); b[0] = 1; let q = wait(t);", kHelp) == "E-LEASED 2:47");
  CHECK(body("let mut b = Buf[u32](4); let t = spawn rd(b); b = Buf[u32](1); let q = wait(t);", kHelp) ==
        "E-LEASED 2:47");
  CHECK(body("let mut b = Buf[u32](4); let t = spawn rd(b); let c = own(b); let q = wait(t);", kHelp) ==
        "E-LEASED 2:59");
  CHECK(body("let mut b = Buf[u32](4); let t = spawn ow(b); let z = len(b); wait(t);", kHelp) == "E-LEASED 2:55");
  CHECK(body("let mut k:u64 = 1; let t = spawn inc(k); let z = k; wait(t);", kHelp) == "E-LEASED 2:50");
  CHECK(body("let mut k:u64 = 1; let t = spawn inc(k); let q = app(|x:u64| -> u64 { return x + k; }); wait(t);",
             kHelp) == "E-LEASED 2:82");
  CHECK(body("let mut b = Buf[u32](4); let t = spawn w(b, 1); defer wait(t);", kHelp) == "ok");
  CHECK(body("let mut b = Buf[u32](4); let t = spawn w(b, 1); defer wait(t); b[0] = 1;", kHelp) == "E-LEASED 2:64");
}

TEST_CASE("regions and collectors touch as well", "[leases]") {
  CHECK(body("let n:usize = 4; buffer b:u32[n] = zeroed; let t = spawn w(b, 1); parallel i in n { b[i] = 1; } "
             "wait(t);",
             kHelp) == "E-LEASED 2:85");
  CHECK(body("let n:usize = 4; buffer b:u32[n] = zeroed; let t = spawn w(b, 1); let s = reduce add_wrap for i "
             "in n yield b[i]; wait(t);",
             kHelp) == "E-LEASED 2:108");
  CHECK(body("let n:usize = 4; buffer b:u32[n] = zeroed; let t = spawn rd(b); scan + b for i in n yield 1; "
             "let q = wait(t);",
             kHelp) == "E-LEASED 2:65");
  CHECK(body("let n:usize = 4; buffer b:u32[n] = zeroed; let t = spawn rd(b); atomic_add_wrap(b[0], 1); let q "
             "= wait(t);",
             kHelp) == "E-LEASED 2:81");
}

TEST_CASE("parts that meet at known bounds do not overlap", "[leases]") {
  CHECK(body("let mut b = Buf[u32](4); let t = spawn w(b[0..2], 1); let u = spawn w(b[2..4], 1); wait(t); "
             "wait(u);",
             kHelp) == "ok");
  CHECK(body("let mut b = Buf[u32](4); let t = spawn w(b[0..3], 1); let u = spawn w(b[2..4], 1); wait(t); "
             "wait(u);",
             kHelp) == "E-LEASED 2:71");
  CHECK(body("let mut b = Buf[u32](4); let t = spawn w(b[0..1 + 1], 1); let u = spawn w(b[2..4], 1); wait(t); "
             "wait(u);",
             kHelp) == "ok");
  CHECK(body("let mut b = Buf[u32](4); let t = spawn w(b[0..2], 1); b[3] = 1; wait(t);", kHelp) == "E-LEASED 2:55");
  CHECK(body("let p:usize = 1; let q:usize = 2; let mut b = Buf[u32](4); let t = spawn w(b[0..p], 1); let u = "
             "spawn w(b[q..4], 1); wait(t); wait(u);",
             kHelp) == "E-LEASED 2:105");
  CHECK(body("let p:usize = 1; let q:usize = 2; let mut b = Buf[u32](4); let t = spawn w(b[0..p], 1); let m = "
             "spawn w(b[p..q], 1); let u = spawn w(b[q..4], 1); wait(t); wait(u); wait(m);",
             kHelp) == "ok");
  CHECK(body("let mut q:usize = 2; let mut b = Buf[u32](4); let t = spawn w(b[0..q], 1); let u = spawn "
             "w(b[q..4], 1); wait(t); wait(u);",
             kHelp) == "E-LEASED 2:92");
}

TEST_CASE("two fields of a record are two places", "[leases]") {
  CHECK(body("let mut p = P(Buf[u32](4), Buf[u32](4), 1); let a = spawn w(p.lo, 0); let b = spawn w(p.hi, 1); "
             "let z = len(p.lo) + len(p.hi); p.n = 3; wait(a); wait(b);",
             kHelp) == "ok");
  CHECK(body("let mut p = P(Buf[u32](4), Buf[u32](4), 1); let a = spawn w(p.lo, 0); p.lo = Buf[u32](1); "
             "wait(a);",
             kHelp) == "E-LEASED 2:71");
}

TEST_CASE("a group holds what its submissions lent until it is waited for", "[leases]") {
  CHECK(body("let g = Group[void](3); let mut b = Buf[u32](4); spawn w(b, 1) into g; wait(g); b[0] = 1;", kHelp) ==
        "ok");
  CHECK(body("let g = Group[void](3); let mut b = Buf[u32](4); spawn w(b, 1) into g; collect(g); b[0] = 1; "
             "wait(g);",
             kHelp) == "E-LEASED 2:84");
  CHECK(body("let g = Group[void](3); let mut b = Buf[u32](4); for k in 0..2 { spawn w(b, 1) into g; } "
             "wait(g);",
             kHelp) == "E-LEASED 2:66");
  CHECK(body("let mut b = Buf[u32](4); for k in 0..2 { let g = Group[void](3); spawn w(b, 1) into g; wait(g); "
             "}",
             kHelp) == "ok");
  CHECK(body("let g = Group[u32](3); let mut b = Buf[u32](4); for k in 0..2 { spawn rd(b) into g; } wait(g);", kHelp) ==
        "ok");
  CHECK(body("let g = Group[u32](3); let mut b = Buf[u32](4); for k in 0..2 { b[0] = 1; spawn rd(b) into g; } "
             "wait(g);",
             kHelp) == "E-LEASED 2:65");
  CHECK(body("let g = Group[Buf[u32]](3); for k in 0..2 { let b = Buf[u32](1); spawn own(b) into g; } wait(g);",
             kHelp) == "ok");
}

TEST_CASE("after a join a holder holds what any arm lent it", "[leases]") {
  CHECK(body("let g = Group[void](3); let mut b = Buf[u32](4); if true { spawn w(b[0..2], 1) into g; } b[3] = "
             "1; wait(g);",
             kHelp) == "E-LEASED 2:90");
  CHECK(body("let g = Group[void](3); let mut b = Buf[u32](4); if true { spawn w(b[0..2], 1) into g; } let t "
             "= spawn w(b[2..4], 1); wait(t); wait(g);",
             kHelp) == "E-LEASED 2:106");
  CHECK(body("let g = Group[void](3); let mut b = Buf[u32](4); if true { spawn w(b[0..2], 1) into g; } else { "
             "spawn w(b[0..2], 2) into g; } let t = spawn w(b[2..4], 1); wait(t); wait(g);",
             kHelp) == "ok");
}
