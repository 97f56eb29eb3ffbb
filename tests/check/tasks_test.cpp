// Tasks and task groups (concurrency, 5 and 6).
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

TEST_CASE("a task is one call of a declared function, bound by a let", "[tasks]") {
  CHECK(body("let t = spawn sq(2); let v = wait(t);", kHelp) == "ok");
  CHECK(body("let _ = spawn sq(2);", kHelp) == "E-SPAWN 2:9");
  CHECK(body("let v = wait(spawn sq(2));", kHelp) == "E-SPAWN 2:14");
  CHECK(body("let v = spawn sq(2) + 1;", kHelp) == "E-SPAWN 2:9");
  CHECK(body("spawn sq(2);", kHelp) == "E-DISCARD 2:1");
  CHECK(body("let t = spawn min(1, 2); wait(t);", kHelp) == "E-SPAWN 2:9");
  CHECK(body("let t = spawn app(sq); wait(t);", kHelp) == "E-SPAWN 2:9");
  CHECK(body("let t = spawn appv(sq); let u = wait(t);", kHelp) == "ok");
  CHECK(body("let t = spawn Res.Ok(2); wait(t);", kHelp) == "E-SPAWN 2:9");
  CHECK(body("let t = spawn 3; wait(t);", kHelp) == "E-SPAWN 2:9");
  CHECK(body("let n:usize = 2; let t = spawn parallel i in n { } ; wait(t);", kHelp) == "E-SPAWN 2:26");
  CHECK(body("let a = spawn sq(1); let t = spawn sq(2) after a; wait(a); wait(t);", kHelp) == "E-SPAWN 2:48");
  CHECK(body("let t:Ticket[u32] = spawn sq(2); let v = wait(t);", kHelp) == "E-TYPE-MISMATCH 2:21");
  CHECK(body("let q = app(|x:u64| -> u64 { let t = spawn sq(x); return wait(t); });", kHelp) == "E-SPAWN 2:38");
  CHECK(body("let n:usize = 2; parallel i in n { let t = spawn sq(1); let q = wait(t); }", kHelp) == "E-SPAWN 2:44");
}

TEST_CASE("a ticket is waited for once on every path", "[tasks]") {
  CHECK(body("let t = spawn sq(2);", kHelp) == "E-LINEAR-LEAK 2:1");
  CHECK(body("let t = spawn sq(2); if true { let q = wait(t); }", kHelp) == "E-LINEAR-BRANCH 2:22");
  CHECK(body("let t = spawn sq(2); if true { let q = wait(t); } else { let q = wait(t); }", kHelp) == "ok");
  CHECK(body("let t = spawn sq(2); let q = wait(t); let z = wait(t);", kHelp) == "E-MOVED 2:52");
  CHECK(body("let t = spawn sq(2); for i in 0..2 { let q = wait(t); }", kHelp) == "E-MOVE-IN-LOOP 2:22");
  CHECK(body("let t = spawn sq(2); let u = t; let q = wait(u);", kHelp) == "E-PINNED 2:30");
  CHECK(body("let t = spawn sq(2); if true { return; } let q = wait(t);", kHelp) == "E-LINEAR-LEAK 2:32");
  CHECK(body("let t = spawn res(); wait(t);", kHelp) == "E-DISCARD 2:22");
  CHECK(body("let k = 1; wait(k);", kHelp) == "E-TYPE-MISMATCH 2:12");
  CHECK(body("wait();", kHelp) == "E-ARITY 2:1");
  CHECK(body("let t = spawn own(Buf[u32](3)); let b = wait(t);", kHelp) == "ok");
  CHECK(body("let b = Buf[u32](3); let t = spawn own(b); let z = len(b); let c = wait(t);", kHelp) == "E-MOVED 2:56");
}

TEST_CASE("a group holds tasks of one result type", "[tasks]") {
  CHECK(body("let g = Group[u64](3); for k in 0..3 { spawn sq(u64(k)) into g; } let mut s:u64 = 0; for k in "
             "0..3 { s += collect(g); } wait(g);",
             kHelp) == "ok");
  CHECK(body("let g = Group[u64](3); spawn sq(1) into g;", kHelp) == "E-LINEAR-LEAK 2:24");
  CHECK(body("let g = Group[u32](3); spawn sq(1) into g; wait(g);", kHelp) == "E-TYPE-MISMATCH 2:24");
  CHECK(body("let g = 1; spawn sq(1) into g;", kHelp) == "E-TYPE-MISMATCH 2:12");
  CHECK(body("let g = Group[u64](3); wait(g); spawn sq(1) into g;", kHelp) == "E-MOVED 2:33");
  CHECK(body("let g = Group[u64](3); wait(g); let q = collect(g);", kHelp) == "E-MOVED 2:49");
  CHECK(body("let g = Group[Lin](3); wait(g);", kHelp) == "E-LINEAR-STORAGE 2:9");
  CHECK(body("let g = Group[u64](3); let h = g; wait(h);", kHelp) == "E-PINNED 2:32");
  CHECK(body("let g:Group[u64] = Group(3); wait(g);", kHelp) == "ok");
  CHECK(body("let g = Group(3); wait(g);", kHelp) == "E-INFER 2:9");
  CHECK(body("let g = Group[u64](1); let n:usize = 3; parallel i in n { spawn sq(1) into g; } wait(g);", kHelp) ==
        "E-SPAWN 2:59");
}
