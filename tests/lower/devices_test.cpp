// Programs with device work, emulated: what they compute, how they trap, and that nothing is left behind.
#include <catch2/catch.hpp>

#include "tests/lower/support.hpp"

using cairn::test::code_of;
using cairn::test::lowered;
using cairn::test::Outcome;
using cairn::test::run;

namespace {

/// Runs a program whose main returns 0 when all it checks holds, and whose memory of every kind is gone then.
void holds(std::string_view program) {
  const Outcome outcome = run(program);
  CHECK(outcome.trap.empty());
  CHECK(outcome.status == 0);
  CHECK(outcome.bytes_held == 0);
}

}  // namespace

TEST_CASE("lanes run on copies of what they name, fixed where the region starts", "[lower][devices]") {
  holds(R"(
struct P { k:u64; on:bool; }
fn fill(n:usize, d:rw<u64>[n]@device, p:ro<P>, q:P) {
  let mut z:u64 = 3;
  z += 1;
  parallel i in n { if p.on && !q.on { d[i] = p.k * u64(i) + q.k + z; } }
  z = 0;
}
fn main() -> i32 {
  let n:usize = 40000;
  buffer d:u64[n]@device = zeroed;
  buffer h:u64[n] = zeroed;
  fill(n, d, P(2, true), P(5, false));
  transfer(h, d);
  for i in 0..n { if h[i] != 2 * u64(i) + 9 { return 1; } }
  return 0;
})");
}

TEST_CASE("device memory of every placement is zeroed, copied and released", "[lower][devices]") {
  holds(R"(
fn main() -> i32 {
  let n:usize = 100;
  let none:usize = 0;
  for r in 0..3 {
    buffer d:u32[n]@device = zeroed;
    buffer p:u32[n]@pinned = zeroed;
    buffer u:u32[n]@unified = zeroed;
    buffer e:f64[none]@device = zeroed;
    buffer h:u32[n] = zeroed;
    for i in 0..n { h[i] = u32(i) + 1; }
    transfer(p, h);
    transfer(d[1..n], p[0..99]);
    transfer(u, d);
    if u[0] != 0 || u[99] != 99 || p[99] != 100 { return 1; }
    if r == 2 { return 0; }
  }
  return 2;
})");
}

TEST_CASE("collectors give the in-order answers, bound or left on the device", "[lower][devices]") {
  holds(R"(
struct V { a:u32; b:f64; }
fn main() -> i32 {
  let n:usize = 1000;
  buffer d:u64[n]@device = zeroed;
  buffer e:u64[n]@device = zeroed;
  buffer one:u64[2]@device = zeroed;
  buffer h:u64[n] = zeroed;
  parallel i in n { d[i] = u64(i) % 10; }
  let s = reduce + for i in n yield d[i];
  let m = reduce max parallel i in n yield d[i] + u64(i);
  reduce ^ one[1] for i in n yield d[i] * u64(i);
  reduce + one[0] for i in n yield u64(i);
  let t = scan + exclusive e for i in n yield d[i];
  transfer(h, e);
  if s != 4500 || m != 1008 || t != 4500 || h[0] != 0 || h[11] != 45 { return 1; }
  scan max e for i in n yield d[i];
  transfer(h, e);
  if h[8] != 8 || h[999] != 9 { return 2; }
  transfer(h[0..2], one);
  let mut x:u64 = 0;
  for i in 0..n { x = x ^ (u64(i) % 10 * u64(i)); }
  if h[0] != 499500 || h[1] != x { return 3; }
  let none:usize = 0;
  let least = reduce min for i in none yield d[i];
  if least != 18446744073709551615 { return 4; }
  buffer v:V[n]@device = zeroed;
  buffer w:V[n]@device = zeroed;
  buffer g:V[n] = zeroed;
  parallel i in n { v[i] = V(u32(i), f64(i) / 2.0); }
  let limit:u32 = 990;
  let k = compact w for i in n where v[i].a >= limit yield V(v[i].a - limit, v[i].b);
  transfer(g, w);
  if k != 10 || g[9].a != 9 || g[9].b != 499.5 || g[10].a != 0 { return 5; }
  return 0;
})");
}

TEST_CASE("a float total on the device is folded in index order", "[lower][devices]") {
  holds(R"(
fn main() -> i32 {
  let n:usize = 3000;
  buffer d:f32[n]@device = zeroed;
  buffer h:f32[n] = zeroed;
  parallel i in n { d[i] = 1.0 / f32(i + 1); }
  transfer(h, d);
  let total = reduce + parallel i in n yield d[i];
  let mut inorder:f32 = 0.0;
  for i in 0..n { inorder += h[i]; }
  if total != inorder { return 1; }
  let product = reduce * for i in n yield d[i] * f32(i + 1);
  if product < 0.99 || product > 1.01 { return 2; }
  return 0;
})");
}

TEST_CASE("kernel fns and pure helpers are called from lanes", "[lower][devices]") {
  holds(R"(
kernel fn cell(w:usize, n:usize, g:ro<u32>[n]@device, x:usize, y:usize) -> u32 = g[y * w + x];
kernel fn mark(n:usize, t:rw<u32>[n]@device, i:usize, v:u32) { t[i] = v; }
fn clipped(v:u32) -> u32 = min(v, 40);
fn main() -> i32 {
  let w:usize = 8;
  let n:usize = 64;
  buffer g:u32[n]@device = zeroed;
  buffer o:u32[n]@device = zeroed;
  buffer h:u32[n] = zeroed;
  parallel i in n { g[i] = u32(i); }
  parallel i in n { o[i] = clipped(cell(w, n, g, i % w, i / w)); }
  transfer(h, o);
  if h[63] != 40 || h[39] != 39 { return 1; }
  return 0;
})");
}

TEST_CASE("queued work has ended where its ticket is waited for", "[lower][devices]") {
  holds(R"(
fn work(n:usize, d:rw<u64>[n]@device, v:u64) { parallel i in n { d[i] = v * u64(i); } }
fn main() -> i32 {
  let n:usize = 256;
  let half:usize = 128;
  buffer src:u64[n]@pinned = zeroed;
  buffer dst:u64[n]@pinned = zeroed;
  buffer x:u64[n]@device = zeroed;
  buffer y:u64[n]@device = zeroed;
  for i in 0..n { src[i] = u64(i); }
  let low = spawn transfer(x[0..half], src[0..half]);
  let high = spawn transfer(x[half..n], src[half..n]);
  let squares = spawn parallel i in n after low, high { y[i] = x[i] * x[i]; };
  let down = spawn transfer(dst, y) after squares;
  wait(down);
  wait(squares);
  wait(high);
  wait(low);
  for i in 0..n { if dst[i] != u64(i) * u64(i) { return 1; } }
  let a = spawn work(x, 2);
  let b = spawn work(y, 3);
  wait(a);
  wait(b);
  transfer(dst, y);
  if dst[9] != 27 { return 2; }
  return 0;
})");
}

TEST_CASE("a deferred wait ends queued work with its block", "[lower][devices]") {
  holds(R"(
fn go(n:usize, d:rw<u64>[n]@device, h:rw<u64>[n]) -> u64 {
  let up = spawn transfer(d, h);
  defer wait(up);
  let run = spawn parallel i in n after up { d[i] = d[i] + 1; };
  defer wait(run);
  return 5;
}
fn main() -> i32 {
  let n:usize = 8;
  buffer d:u64[n]@device = zeroed;
  buffer h:u64[n] = zeroed;
  let v = go(d, h);
  if v != 5 { return 1; }
  transfer(h, d);
  if h[7] != 1 { return 2; }
  return 0;
})");
}

TEST_CASE("wide accesses move adjacent elements on either side", "[lower][devices]") {
  holds(R"(
fn turn(m:usize, n:usize, out:rw<f32>[n]@device, x:ro<f32>[n]@device) {
  parallel i in m {
    let v = load_wide[4](x, 4 * i, Cache.read_only);
    let mut w = Array[f32, 4]();
    for k in 0..4 { w[3 - k] = v[k]; }
    store_wide(out, 4 * i, w, Cache.streaming);
  }
}
fn main() -> i32 {
  let m:usize = 9;
  let n:usize = 36;
  buffer h:f32[n] = zeroed;
  for i in 0..n { h[i] = f32(i); }
  buffer x:f32[n]@device = zeroed;
  buffer out:f32[n]@device = zeroed;
  transfer(x, h);
  turn(m, n, out, x);
  transfer(h, out);
  for i in 0..n { if h[i] != f32(i / 4 * 4 + 3 - i % 4) { return 1; } }
  let mut b = Buf[u16](16);
  for i in 0..16 { b[i] = u16(i); }
  store_wide(b, 0, load_wide[8](b, 8));
  if b[7] != 15 || b[8] != 8 { return 2; }
  stack s:bool[32] = zeroed;
  s[20] = true;
  let t = load_wide[16](s, 16);
  if !t[4] { return 3; }
  return 0;
})");
}

TEST_CASE("both guards of a wide access hold on the host too", "[lower][devices]") {
  const auto loaded = [](std::string_view what) {
    return run("fn f(n:usize, x:ro<u32>[n], i:usize) { let v = load_wide[4](x, i); } fn main() -> i32 { buffer "
               "x:u32[16] "
               "= zeroed; " +
               std::string(what) + " return 0; }")
        .trap;
  };
  CHECK(loaded("f(16, x, 12);").empty());
  CHECK(loaded("f(16, x, 13);") == "trap: wide: 4 elements at index 13, length 16");
  CHECK(loaded("f(16, x, 18446744073709551615);") == "trap: wide: 4 elements at index 18446744073709551615, length 16");
  CHECK(loaded("f(16, x, 2);") == "trap: wide: 4 elements at index 2 are not aligned to 16 bytes");
  CHECK(loaded("f(12, x[1..13], 4);") == "trap: wide: 4 elements at index 4 are not aligned to 16 bytes");
}

TEST_CASE("a guard that fails in a lane traps before anything is observed", "[lower][devices]") {
  const Outcome lane = run(R"(
fn main() -> i32 {
  let n:usize = 40;
  buffer d:u64[n]@device = zeroed;
  println("before");
  parallel i in n { d[i] = 1 / (39 - u64(i)); }
  println("after");
  return 0;
})");
  CHECK(lane.trap == "trap: division: 1 / 0");
  CHECK(lane.line == 6);
  CHECK(lane.output == "before\n");
  const Outcome sum = run(R"(
fn main() -> i32 {
  let n:usize = 3;
  buffer d:u8[n]@device = zeroed;
  parallel i in n { d[i] = 100; }
  buffer one:u8[1]@device = zeroed;
  reduce + one[0] for i in n yield d[i];
  println("after");
  return 0;
})");
  CHECK(sum.trap == "trap: overflow: 200 + 100 does not fit u8");
  CHECK(sum.output.empty());
  const Outcome queued = run(R"(
fn main() -> i32 {
  let n:usize = 3;
  buffer d:u8[n]@device = zeroed;
  buffer h:u8[n] = zeroed;
  let k:usize = 2;
  let t = spawn transfer(d[0..k], h);
  println("after");
  wait(t);
  return 0;
})");
  CHECK(queued.trap == "trap: bounds: lengths 2 and 3");
  CHECK(queued.output.empty());
}

TEST_CASE("what runs on the device is a kernel of its own whose environment holds copies", "[lower][devices]") {
  const auto module = lowered(R"(
struct P { a:u64; b:u64; }
fn f(n:usize, d:rw<u64>[n]@device, p:P) {
  let mut k:u64 = 1;
  k += 1;
  parallel i in n { d[i] = p.b + k; }
  let kept = compact d for i in n where u64(i) > k yield p.a;
})");
  std::size_t kernels = 0;
  for (const auto& function : module.functions) {
    if (function.kind != cairn::bytecode::FunctionKind::DeviceLane) continue;
    ++kernels;
    for (const auto& field : module.types[function.environment].fields) {
      CHECK(module.types[field.type].kind != cairn::bytecode::TypeKind::Reference);
    }
  }
  CHECK(kernels == 2);
  CHECK(has_device_work(module));
  const std::string code = code_of(module, "f");
  CHECK(code.find("device.parallel") != std::string::npos);
  CHECK(code.find("device.compact") != std::string::npos);
  CHECK_FALSE(has_device_work(lowered("fn main() -> i32 { return 0; }")));
}

TEST_CASE("a foreign kernel is launched over the threads its declaration counts", "[lower][devices]") {
  const auto module = lowered(R"(
extern "soften" fn soften(k:u32, n:usize, d:rw<f32>[n]@device) launch(n, 128) effects();
extern "once" fn once(v:u64) launch(96, 32) effects();
fn go(n:usize, d:rw<f32>[n]@device) { unsafe { soften(7, n, d); once(3); } })");
  const std::string code = code_of(module, "go");
  CHECK(code.find("device.launch") != std::string::npos);
  CHECK(code.find("128") != std::string::npos);
  CHECK(code.find("call.foreign") == std::string::npos);
  CHECK(has_device_work(module));
}
