// Programs of tasks, regions, collectors and shared values: what they compute, and that nothing is left behind.
#include <catch2/catch.hpp>

#include "tests/lower/support.hpp"

using cairn::test::Outcome;
using cairn::test::run;

namespace {

/// Runs a program whose main returns 0 when all it checks holds, and whose owners are all gone then.
void holds(std::string_view program) {
  const Outcome outcome = run(program);
  CHECK(outcome.trap.empty());
  CHECK(outcome.status == 0);
  CHECK(outcome.bytes_held == 0);
}

}  // namespace

TEST_CASE("a task gives its result to its wait, whatever its type", "[lower][concurrency]") {
  holds(R"(
struct R { a:u64; b:Buf[u32]; }
struct P { x:u64; y:f32; }
fn make(n:usize, k:u32) -> R { let mut b = Buf[u32](n); for i in 0..n { b[i] = k; } return R(u64(n), b); }
fn total(r:ro<R>) -> u64 { let mut s:u64 = r.a; for x in r.b { s += u64(x); } return s; }
fn eat(r:R) -> u64 { return total(r); }
fn twice(p:P) -> P = P(p.x * 2, p.y);
fn half(x:f32) -> f32 = x / 2.0;
fn count(n:usize, text:ro<u8>[n]) -> usize = n;
fn apply(f:fn(u64) -> u64, x:u64) -> u64 = f(x);
fn dbl(x:u64) -> u64 = x * 2;
fn grow(b:rw<Buf[u32]>) { b = Buf[u32](9); }
fn main() -> i32 {
  let made = spawn make(5, 10);
  let r = wait(made);
  let lent = spawn total(r);
  let temporary = spawn total(R(3, Buf[u32](3)));
  let a = wait(lent);
  let b = wait(temporary);
  let given = spawn eat(r);
  let c = wait(given);
  let p = P(7, 2.5);
  let record = spawn twice(p);
  let q = wait(record);
  let scalar = spawn half(q.y);
  let h = wait(scalar);
  let view = spawn count("hello");
  let n = wait(view);
  let value = spawn apply(dbl, 21);
  let v = wait(value);
  let mut owner = Buf[u32](2);
  let grown = spawn grow(owner);
  wait(grown);
  if a != 55 || b != 3 || c != 55 || q.x != 14 || h != 1.25 || n != 5 || v != 42 || len(owner) != 9 { return 1; }
  return 0;
})");
}

TEST_CASE("a group hands results back, and drops those nobody collected", "[lower][concurrency]") {
  holds(R"(
fn fill(n:usize, k:u32) -> Buf[u32] { let mut b = Buf[u32](n); for i in 0..n { b[i] = k; } return b; }
fn bump(a:ro<Atomic[u64]>, n:usize) { for i in 0..n { let old = a.fetch_add(1, Order.relaxed); } }
fn main() -> i32 {
  let g = Group[Buf[u32]](4);
  for k in 0..4 { spawn fill(3, u32(k)) into g; }
  let first = collect(g);
  wait(g);
  let a = Atomic[u64](0);
  let counts = Group[void](8);
  for k in 0..8 { spawn bump(a, 1000) into counts; }
  for k in 0..3 { collect(counts); }
  wait(counts);
  if len(first) != 3 { return 1; }
  if a.load(Order.seq_cst) != 8000 { return 2; }
  return 0;
})");
  CHECK(run("fn f() { } fn main() -> i32 { let g = Group[void](1); spawn f() into g; spawn f() into g; wait(g); "
            "return 0; }")
            .trap == "trap: group");
  CHECK(run("fn main() -> i32 { let g = Group[void](1); collect(g); wait(g); return 0; }").trap == "trap: group");
}

TEST_CASE("lanes run every index, with storage of their own", "[lower][concurrency]") {
  holds(R"(
const B:usize = 64;
fn lanes(n:usize, out:rw<u64>[n]) {
  parallel i in n {
    let mut part = Buf[u64](4);
    for j in 0..4 { if j == 3 { continue; } part[j] = u64(i + j); }
    let mut s:u64 = 0;
    for v in part { s += v; }
    if i % 2 == 0 { let moved = part; s += u64(len(moved)); }
    out[i] = s;
  }
}
fn through(f:ro<fn(u64) -> u64>, n:usize, out:rw<u64>[n]) { parallel i in n { out[i] = f(u64(i)); } }
fn main() -> i32 {
  let n:usize = 50000;
  buffer o:u64[n] = zeroed;
  lanes(o);
  if o[10] != 37 || o[11] != 36 { return 1; }
  let k:u64 = 5;
  through(|v:u64| -> u64 { return v * k; }, o);
  if o[49999] != 249995 { return 2; }
  parallel b in n / B { let lo = b * B; let hi = min(lo + B, n); for i in lo..hi { o[i] = u64(b); } }
  if o[640] != 10 || o[703] != 10 { return 3; }
  parallel i in 0 { o[i] = 1; }
  if o[0] != 0 { return 4; }
  return 0;
})");
  const Outcome lane =
      run("fn main() -> i32 { let n:usize = 4; buffer o:u32[n] = zeroed;\n"
          "parallel i in n { o[i] = 1 / (2 - u32(i)); } return 0; }");
  CHECK(lane.trap.starts_with("trap: division"));
  CHECK(lane.line == 2);
}

TEST_CASE("collectors fold, scan and keep in index order", "[lower][concurrency]") {
  holds(R"(
fn main() -> i32 {
  let n:usize = 50000;
  buffer x:u64[n] = zeroed;
  for i in 0..n { x[i] = u64(i); }
  stack total:u64[2] = zeroed;
  reduce + total[1] parallel i in n yield x[i];
  reduce max total[0] for i in n yield x[i];
  if total[1] != 1249975000 || total[0] != 49999 { return 1; }
  let least = reduce min parallel i in n yield i32(i) - 7;
  let none = reduce max for i in 0 yield i32(i);
  let all = reduce & for i in 0 yield u16(i);
  if least != -7 || none != -2147483648 || all != 65535 { return 2; }
  let exact = reduce + parallel i in 10 yield 0.1;
  let folded = reduce + for i in 10 yield 0.1;
  if exact != 1.0 || folded == 1.0 { return 3; }
  let one = reduce * for i in 0 yield 1.5;
  if one != 1.0 { return 4; }
  buffer kept:u64[n] = zeroed;
  let count = compact kept for i in n where x[i] % 5 == 0 yield x[i] / 5;
  if count != 10000 || kept[9999] != 9999 || kept[10000] != 0 { return 5; }
  let sum = scan + exclusive x parallel i in n yield 1;
  if sum != 50000 || x[49999] != 49999 { return 6; }
  scan max kept for i in n yield kept[i];
  if kept[49999] != 9999 { return 7; }
  return 0;
})");
  CHECK(run("fn main() -> i32 { let s = reduce + parallel i in 3 yield u8(100); return 0; }")
            .trap.starts_with("trap: overflow"));
}

TEST_CASE("atomics of every width hold one value for all lanes", "[lower][concurrency]") {
  holds(R"(
fn main() -> i32 {
  let n:usize = 20000;
  buffer count:u32[16] = zeroed;
  parallel i in n { atomic_add_wrap(count[i % 16], 1); }
  let all = reduce + for i in 16 yield count[i];
  if all != 20000 { return 1; }
  buffer sum:f32[1] = zeroed;
  parallel i in 1000 { atomic_add_unordered(sum[0], 1.0); }
  if sum[0] != 1000.0 { return 2; }
  buffer most:i64[1] = zeroed;
  parallel i in n { atomic_max(most[0], i64(i)); }
  if most[0] != 19999 { return 3; }
  let a = Atomic[u8](250);
  let old = a.fetch_add(10, Order.relaxed);
  let s = Atomic[i16](-5);
  let before = s.fetch_sub(10, Order.acquire_release);
  let b = Atomic[bool](false);
  let was = b.swap(true, Order.seq_cst);
  let mut e:u8 = 4;
  let done = a.compare_exchange(e, 9, Order.seq_cst, Order.acquire);
  let not = a.compare_exchange(e, 1, Order.seq_cst, Order.acquire);
  if old != 250 || before != -5 || was || !done || not || e != 9 { return 4; }
  if s.load(Order.relaxed) != -15 { return 5; }
  return 0;
})");
  CHECK(run("fn main() -> i32 { let a = Atomic[u32](0); let v = a.load(Order.release); return 0; }").trap ==
        "trap: order");
}

TEST_CASE("a mutex guards a value that owns", "[lower][concurrency]") {
  holds(R"(
struct R { a:u64; b:Buf[u32]; }
fn note(m:ro<Mutex[R]>, k:u32) { m.with(|r:rw<R>| { r.a += 1; r.b[usize(k % 4)] = k; }); }
fn main() -> i32 {
  let seed = R(0, Buf[u32](4));
  let m = Mutex[R](seed);
  let g = Group[void](16);
  for k in 0..16 { spawn note(m, u32(k)) into g; }
  wait(g);
  let n:usize = 1000;
  parallel i in n { m.with(|r:rw<R>| { r.a += 1; }); }
  let taken = m.with(|r:rw<R>| -> R { let mut other = R(0, Buf[u32](1)); swap(other, r); return other; });
  if taken.a != 1016 || len(taken.b) != 4 { return 1; }
  return 0;
})");
}

TEST_CASE("a ring gives every submission back once", "[lower][concurrency]") {
  holds(R"(
fn main() -> i32 {
  let mut q = IoRing(4);
  let data = Buf[u8](3);
  q.read(-1, data, 3, 0, 7);
  q.timeout(3000000000000, 9);
  q.cancel(9);
  let mut tag:u64 = 0;
  let mut result:i64 = 0;
  let mut tags:u64 = 0;
  let mut bytes:usize = 0;
  for _ in 0..2 {
    let back = q.next(tag, result);
    if result >= 0 { wait(q); return 1; }
    tags += tag;
    bytes += len(back);
  }
  let room = q.room();
  let left = Buf[u8](2);
  q.write(-1, left, 2, 0, 1);
  wait(q);
  if tags != 16 || bytes != 3 || room != 4 { return 2; }
  return 0;
})");
  CHECK(run("fn main() -> i32 { let mut q = IoRing(0); wait(q); return 0; }").trap.starts_with("trap: ring"));
}

TEST_CASE("a foreign function is a task as any other: scalars, views, borrows, a group", "[lower][concurrency]") {
  holds(R"(
extern "labs" fn magnitude(v:i64) -> i64 effects();
extern "memset" fn paint(out:rw<u8>[n], value:i32, n:usize) -> usize effects();
extern "frexp" fn split(v:f64, e:rw<i32>) -> f64 effects();
fn main() -> i32 {
  buffer xs:u8[16] = zeroed;
  let mut e:i32 = 0;
  let mut sum:i64 = 0;
  let mut m:f64 = 0.0;
  let g = Group[i64](2);
  unsafe {
    let p = spawn paint(xs[0..8], 7, 8);
    let s = spawn split(12.0, e);
    spawn magnitude(-42) into g;
    spawn magnitude(8) into g;
    let painted = wait(p);
    m = wait(s);
  }
  for _ in 0..2 { sum += collect(g); }
  wait(g);
  if xs[7] != 7 || xs[8] != 0 { return 1; }
  if m != 0.75 || e != 4 || sum != 50 { return 2; }
  return 0;
}
)");
}
