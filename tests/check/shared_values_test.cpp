// Atomics, mutexes and rings (concurrency, 3, 11, 12 and 14).
#include <catch2/catch.hpp>

#include "tests/check/body_verdict.hpp"

using cairn::tests::body;
using cairn::tests::verdict;

namespace {

constexpr auto kHelp =
    "fn put(p:rw<u32>) { p = 1; } fn fill(n:usize, p:rw<u32>[n]) { for i in 0..n { p[i] = 1; } } fn "
    "all(n:usize, p:ro<u32>[n]) -> u32 = 1; fn sq(k:u64) -> u64 = k * k;";

}  // namespace

TEST_CASE("an operation of an Atomic names its orders", "[shared]") {
  CHECK(body("let a = Atomic[u32](0); a.store(1, Order.release); let v = a.load(Order.acquire); let o = "
             "a.fetch_add(1, relaxed); let mut e:u32 = 1; let q = a.compare_exchange(e, 2, Order.seq_cst, "
             "Order.relaxed);",
             kHelp) == "ok");
  CHECK(body("let a = Atomic[u32](0); let v = a.load();", kHelp) == "E-ARITY 2:33");
  CHECK(body("let a = Atomic[u32](0); a.bump(1, Order.relaxed);", kHelp) == "E-CALLEE 2:25");
  CHECK(body("let a = Atomic[bool](true); let q = a.fetch_and(true, Order.relaxed);", kHelp) == "E-CALLEE 2:37");
  CHECK(body("let a = Atomic[u32](0); a.store(true, Order.relaxed);", kHelp) == "E-TYPE-MISMATCH 2:33");
  CHECK(body("let a = Atomic[u32](0); a.store(1, 2);", kHelp) == "E-TYPE-MISMATCH 2:36");
  CHECK(body("let a = Atomic[u32](0); let e:u32 = 1; let q = a.compare_exchange(e, 2, Order.seq_cst, "
             "Order.relaxed);",
             kHelp) == "E-WRITE-LEASE 2:67");
  CHECK(body("let a = Atomic[f32](0.0);", kHelp) == "E-INFER 2:9");
  CHECK(body("let a = Atomic(0);", kHelp) == "E-INFER 2:9");
  CHECK(body("let a = Atomic[u32](0); let b = a;", kHelp) == "E-PINNED 2:33");
}

TEST_CASE("an operation of an Atomic stands alone in its expression", "[shared]") {
  CHECK(body("let a = Atomic[u32](0); let q = a.load(Order.relaxed) + a.load(Order.relaxed);", kHelp) ==
        "E-EFFECT-ORDER 2:33");
  CHECK(body("let a = Atomic[u32](0); if a.load(Order.acquire) == 3 { }", kHelp) == "ok");
  CHECK(body("let a = Atomic[u32](0); let k:u32 = 1; if a.load(Order.acquire) < k + 1 { }", kHelp) ==
        "E-EFFECT-ORDER 2:43");
}

TEST_CASE("lanes share an Atomic, not what it is compared with", "[shared]") {
  CHECK(body("let a = Atomic[u32](0); let n:usize = 2; parallel i in n { let q = a.fetch_add(1, "
             "Order.relaxed); }",
             kHelp) == "ok");
  CHECK(body("let a = Atomic[u32](0); let n:usize = 2; let mut e:u32 = 0; parallel i in n { let q = "
             "a.compare_exchange(e, 2, Order.seq_cst, Order.relaxed); }",
             kHelp) == "E-PARALLEL-WRITE 2:106");
}

TEST_CASE("an atomic update names one element of a writable array", "[shared]") {
  CHECK(body("let n:usize = 64; let k:usize = 4; buffer out:u32[n] = zeroed; buffer x:u32[n] = "
             "zeroed;\natomic_add_wrap(out[0], 1); out[0] = 1; let a = atomic_cas(out[0], 1, 2); "
             "atomic_min(out[0], 3);",
             kHelp) == "ok");
  CHECK(body("let n:usize = 64; let k:usize = 4; buffer out:u32[n] = zeroed; buffer x:u32[n] = "
             "zeroed;\nout[0] = 1 + atomic_add_wrap(out[0], 1);",
             kHelp) == "E-EFFECT-ORDER 3:14");
  CHECK(body("let n:usize = 64; let k:usize = 4; buffer out:u32[n] = zeroed; buffer x:u32[n] = "
             "zeroed;\natomic_add_wrap(out[0]);",
             kHelp) == "E-ARITY 3:1");
  CHECK(body("let n:usize = 64; let k:usize = 4; buffer out:u32[n] = zeroed; buffer x:u32[n] = "
             "zeroed;\natomic_add_wrap(k, 1);",
             kHelp) == "E-ATOMIC 3:17");
  CHECK(body("let n:usize = 64; let k:usize = 4; buffer out:u32[n] = zeroed; buffer x:u32[n] = "
             "zeroed;\natomic_add_wrap(k[0], 1);",
             kHelp) == "E-ATOMIC 3:17");
  CHECK(body("let n:usize = 64; let k:usize = 4; buffer out:u32[n] = zeroed; buffer x:u32[n] = "
             "zeroed;\natomic_add_wrap(out[0], 1.0);",
             kHelp) == "E-TYPE-MISMATCH 3:25");
  CHECK(verdict("fn f(n:usize, x:ro<u32>[n]) { atomic_add_wrap(x[0], 1); }") == "E-WRITE-LEASE 1:47");
  CHECK(verdict("fn f(n:usize, o:rw<i32>[n]) { atomic_add_wrap(o[0], 1); }") == "E-ATOMIC 1:47");
  CHECK(verdict("fn f(n:usize, o:rw<u8>[n]) { atomic_max(o[0], 1); }") == "E-ATOMIC 1:41");
  CHECK(verdict("fn f(n:usize, o:rw<f32>[n]) { atomic_add_unordered(o[0], 1.0); }") == "ok");
  CHECK(verdict("fn f(n:usize, o:rw<u32>[n]) { atomic_add_unordered(o[0], 1); }") == "E-ATOMIC 1:52");
}

TEST_CASE("a region touches an array atomically or plainly", "[shared]") {
  CHECK(body("let n:usize = 64; let k:usize = 4; buffer out:u32[n] = zeroed; buffer x:u32[n] = "
             "zeroed;\nparallel i in n { atomic_add_wrap(out[0], 1); }",
             kHelp) == "ok");
  CHECK(body("let n:usize = 64; let k:usize = 4; buffer out:u32[n] = zeroed; buffer x:u32[n] = "
             "zeroed;\nparallel i in n { atomic_add_wrap(out[0], 1); out[i] = 1; }",
             kHelp) == "E-ATOMIC-MIXED 3:47");
  CHECK(body("let n:usize = 64; let k:usize = 4; buffer out:u32[n] = zeroed; buffer x:u32[n] = "
             "zeroed;\nparallel i in n { let a = out[i]; atomic_add_wrap(out[0], 1); }",
             kHelp) == "E-ATOMIC-MIXED 3:27");
}

TEST_CASE("a Mutex is used through with alone", "[shared]") {
  CHECK(body("let m = Mutex[u64](0); m.with(|x:rw<u64>| { x += 1; }); let v = m.with(|x:rw<u64>| -> u64 { "
             "return x; });",
             kHelp) == "ok");
  CHECK(body("let m = Mutex[u64](0); m.lock();", kHelp) == "E-CALLEE 2:24");
  CHECK(body("let m = Mutex[u64](0); m.with(sq);", kHelp) == "E-CALLEE 2:24");
  CHECK(body("let m = Mutex[u64](0); m.with();", kHelp) == "E-CALLEE 2:24");
  CHECK(body("let m = Mutex[u64](0); m.with(|x:rw<u32>| { x += 1; });", kHelp) == "E-TYPE-MISMATCH 2:31");
  CHECK(body("let m = Mutex[u64](0); m.with(|x:rw<u64>| { let q = m.with(|y:rw<u64>| -> u64 { return y; }); x "
             "+= q; });",
             kHelp) == "E-ALIAS 2:24");
  CHECK(body("let m = Mutex[u64](0); let n:usize = 2; parallel i in n { m.with(|x:rw<u64>| { x += 1; }); }", kHelp) ==
        "ok");
  CHECK(body("let m = Mutex[u64](0); let n:usize = 2; let mut s:u64 = 0; parallel i in n { m.with(|x:rw<u64>| "
             "{ s = x; }); }",
             kHelp) == "E-PARALLEL-WRITE 2:99");
  CHECK(body("let m = Mutex[Buf[u32]](Buf[u32](3)); m.with(|b:rw<Buf[u32]>| { b[0] = 1; });", kHelp) == "ok");
}

TEST_CASE("a pinned value stays where it was declared", "[shared]") {
  CHECK(verdict("fn f(g:ro<Group[u64]>) { }") == "E-PINNED 1:1");
  CHECK(verdict("fn f(t:Ticket[u64]) { }") == "E-PINNED 1:1");
  CHECK(verdict("fn f(a:Atomic[u64]) { }") == "E-PINNED 1:1");
  CHECK(verdict("fn f(a:ro<Atomic[u64]>) { a.store(1, Order.relaxed); }") == "ok");
  CHECK(verdict("struct S { a:Atomic[u64]; }") == "E-PINNED 1:1");
  CHECK(verdict("fn f(a:ro<Atomic[u64]>) { a.store(1, Order.relaxed); } fn g() { f(Atomic[u64](1)); }") ==
        "E-PINNED 1:67");
}

TEST_CASE("a ring owns what is submitted until it comes back", "[shared]") {
  CHECK(body("let mut q = IoRing(3); let b = Buf[u8](4); q.read(0, b, 4, 0, 1); let mut t:u64 = 0; let mut "
             "z:i64 = 0; let got = q.next(t, z); wait(q);",
             kHelp) == "ok");
  CHECK(body("let mut q = IoRing(3); let b = Buf[u8](4); q.read(0, b, 4, 0, 1); let k = len(b); wait(q);", kHelp) ==
        "E-MOVED 2:79");
  CHECK(body("let mut q = IoRing(3); q.timeout(1); wait(q);", kHelp) == "E-ARITY 2:24");
  CHECK(body("let mut q = IoRing(3); q.flush(); wait(q);", kHelp) == "E-CALLEE 2:24");
  CHECK(body("let mut q = IoRing(3); q.timeout(1, 2);", kHelp) == "E-LINEAR-LEAK 2:24");
  CHECK(body("let mut q = IoRing(3); let s = q.status(); let r = q.room() + q.pending(); wait(q);", kHelp) == "ok");
  CHECK(verdict("fn f(q:ro<IoRing>) { q.timeout(1, 2); }") == "E-WRITE-LEASE 1:22");
  CHECK(verdict("fn f(q:rw<IoRing>) { wait(q); }") == "E-MOVE-BORROW 1:27");
  CHECK(verdict("fn f(q:rw<IoRing>) { q.timeout(1, 2); } fn g() { let mut q = IoRing(2); let t = spawn f(q); "
                "q.timeout(1, 2); wait(t); wait(q); }") == "E-LEASED 1:93");
  CHECK(verdict("fn f(n:usize, q:rw<IoRing>) { parallel i in n { q.timeout(1, 2); } }") == "E-PARALLEL-CALL 1:31");
  CHECK(verdict("fn f(n:usize, q:rw<IoRing>, o:rw<usize>[n]) { parallel i in n { o[i] = q.room(); } }") == "ok");
}
