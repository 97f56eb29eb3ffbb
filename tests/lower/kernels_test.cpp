// Cooperative regions on host threads: what they compute, what traps, what a block finds where it starts.
#include <catch2/catch.hpp>

#include "tests/lower/support.hpp"

using cairn::test::code_of;
using cairn::test::Outcome;
using cairn::test::run;

namespace {

void holds(std::string_view program) {
  const Outcome outcome = run(program);
  CHECK(outcome.trap.empty());
  CHECK(outcome.status == 0);
  CHECK(outcome.bytes_held == 0);
}

}  // namespace

TEST_CASE("blocks and threads are numbered fastest first, in every number of names", "[lower][kernels]") {
  holds(R"(
fn three(x:usize, y:usize, z:usize, n:usize, out:rw<usize>[n]) {
  blocks bx, by, bz in x, y, z threads tx, ty, tz in 4, 4, 2 {
    let block = bx + x * (by + y * bz);
    out[(bx + x * (by + y * bz)) * 32 + tx + 4 * (ty + 4 * tz)] = block * 1000 + tx + 10 * ty + 100 * tz;
  }
}
fn main() -> i32 {
  let n:usize = 960;
  buffer out:usize[n] = zeroed;
  three(3, 5, 2, n, out);
  for i in 0..n {
    let t = i % 32;
    if out[i] != i / 32 * 1000 + t % 4 + 10 * (t / 4 % 4) + 100 * (t / 16) { return 1; }
  }
  return 0;
})");
}

TEST_CASE("a grid's extents are evaluated once, in order, and their product is checked", "[lower][kernels]") {
  holds(R"(
fn two(a:usize, c:usize, out:rw<u32>[4]) {
  let mut seen:usize = 0;
  let w = a + seen;
  blocks bx, by in w, c threads t in 32 {
    if t == 0 && bx == 0 && by == 0 { out[0] = u32(w); }
  }
  seen = 1;
  blocks bx in a + seen threads t in 32 { if t == 0 { out[bx + 1] = u32(seen); } }
}
fn main() -> i32 {
  buffer out:u32[4] = zeroed;
  two(2, 3, out);
  if out[0] != 2 || out[1] != 1 || out[2] != 1 || out[3] != 1 { return 1; }
  return 0;
})");
  CHECK(run("fn main() -> i32 { let n:usize = 1 ; let big = n * 9223372036854775808;\nblocks a, c in big, 2 * n "
            "threads t "
            "in 32 { let v = a + c + t; }\nreturn 0; }")
            .trap.find("overflow") != std::string::npos);
}

TEST_CASE("every block finds its zeroed arrays zero and the others full of 0x7f", "[lower][kernels]") {
  holds(R"(
fn f(g:usize, n:usize, out:rw<u32>[n], dirt:rw<u32>[n]) {
  blocks b in g threads t in 64 {
    shared a:u32[64] = zeroed;
    shared c:u8[64];
    out[b * 64 + t] = a[t];
    a[t] = 7;
    c[t] = 1;
    barrier;
    dirt[b * 64 + t] = a[63 - t] + u32(c[63 - t]);
  }
}
fn main() -> i32 {
  let n:usize = 640;
  buffer out:u32[n] = zeroed;
  buffer dirt:u32[n] = zeroed;
  for i in 0..n { out[i] = 9; }
  f(10, n, out, dirt);
  for i in 0..n { if out[i] != 0 || dirt[i] != 8 { return 1; } }
  return 0;
})");
}

TEST_CASE("a block starts anew on the lane that ran another: stages, arrays and locals", "[lower][kernels]") {
  holds(R"(
fn f(g:usize, n:usize, x:ro<u64>[n], out:rw<u64>[n]) {
  blocks b in g threads t in 32 {
    pipeline p:u64[32] depth 3;
    shared s:u64[32] = zeroed;
    stack local:u64[3] = zeroed;
    p.fill(x, b * 32, 32);
    p.fill(x, 0, 7);
    p.wait();
    local[1] = local[1] + p[31 - t];
    s[t] = s[t] + local[0] + local[1] + local[2];
    local[2] = 5;
    p.release();
    barrier;
    p.wait();
    out[b * 32 + t] = s[31 - t] * 100 + p[t];
    p.release();
    barrier;
    p.fill(x, 0, 32);
  }
}
fn main() -> i32 {
  let g:usize = 300;
  let n = g * 32;
  buffer x:u64[n] = zeroed;
  buffer out:u64[n] = zeroed;
  for i in 0..n { x[i] = u64(i % 50); }
  f(g, n, x, out);
  for i in 0..n {
    let t = i % 32;
    let mut want = x[i] * 100;
    if t < 7 { want += x[t]; }
    if out[i] != want { return 1; }
  }
  return 0;
})");
}

TEST_CASE("shared arrays hold every scalar, and are lent to helpers whole, in parts and by element",
          "[lower][kernels]") {
  holds(R"(
fn sum(n:usize, v:ro<i16>[n]) -> i32 {
  let mut s:i32 = 0;
  for i in 0..n { s = s + i32(v[i]); }
  return s;
}
fn raise(v:rw<i16>, by:i16) { v = v + by; }
fn fill(n:usize, v:rw<f64>[n], x:f64) { for i in 0..n { v[i] = x; } }
fn f(out:rw<f64>[32]) {
  blocks b in 1 threads t in 32 {
    shared a:i16[64] = zeroed;
    shared c:f64[128] = zeroed;
    shared d:bool[32] = zeroed;
    shared e:f16[32] = zeroed;
    raise(a[t], 2);
    raise(a[t + 32], 3);
    fill(c[t * 4..t * 4 + 4], f64(t));
    d[t] = t % 2 == 1;
    e[t] = f16(f32(t));
    barrier;
    let mut v = f64(sum(a)) + c[(31 - t) * 4 + 3];
    if d[31 - t] { v = v + 1000.0; }
    out[t] = v + f64(e[31 - t]);
  }
}
fn main() -> i32 {
  buffer out:f64[32] = zeroed;
  f(out);
  for t in 0..32 {
    let mut want = 160.0 + f64(31 - t) * 2.0;
    if (31 - t) % 2 == 1 { want = want + 1000.0; }
    if out[t] != want { return 1; }
  }
  return 0;
})");
}

TEST_CASE("warp exchanges go by lane, whatever the type, and two in one expression in order", "[lower][kernels]") {
  holds(R"(
fn f(n:usize, out:rw<i64>[n]) {
  blocks b in 1 threads t in 64 {
    let v = i8(t % 32) - 16;
    let up = shuffle_up(v, 1);
    let far = shuffle(f32(t), 31 - t % 32);
    let odd = shuffle_xor(t % 2 == 1, 1);
    let both = shuffle_down(i64(t), 1) * 100 + shuffle_down(i64(t), 2);
    let mut w = i64(up) + i64(far) * 1000 + both * 1000000;
    if odd { w = w + 500; }
    out[t] = w;
  }
}
fn main() -> i32 {
  let n:usize = 64;
  buffer out:i64[n] = zeroed;
  f(n, out);
  for t in 0..n {
    let l = t % 32;
    let mut up = i64(l) - 16;
    if l > 0 { up = up - 1; }
    let mut one = i64(t);
    let mut two = i64(t);
    if l + 1 < 32 { one = one + 1; }
    if l + 2 < 32 { two = two + 2; }
    let mut want = up + i64(t - l + 31 - l) * 1000 + (one * 100 + two) * 1000000;
    if t % 2 == 0 { want = want + 500; }
    if out[t] != want { return 1; }
  }
  return 0;
})");
}

TEST_CASE("a warp's fold has one order, and its checked sum traps when the total overflows", "[lower][kernels]") {
  // In this order the parts that cancel meet first; in index order the small ones would be lost.
  holds(R"(
fn f(out:rw<f32>[32]) {
  blocks b in 1 threads t in 32 {
    let mut v:f32 = 1.0;
    if t == 0 { v = 100000000.0; }
    if t == 16 { v = -100000000.0; }
    let s = reduce + warp yield v;
    out[t] = s;
  }
}
fn main() -> i32 {
  buffer out:f32[32] = zeroed;
  f(out);
  for t in 0..32 { if out[t] != 30.0 { return 1; } }
  return 0;
})");
  const auto summed = [](const char* value) {
    return run("fn main() -> i32 {\nblocks b in 1 threads t in 32 {\nlet s = reduce + warp yield " +
               std::string(value) + ";\n}\nreturn 0; }");
  };
  CHECK(summed("u8(t % 8)").trap.empty());
  CHECK(summed("u8(t)").trap.find("overflow") != std::string::npos);
}

TEST_CASE("a warp operation that traps finds its threads with the values they had", "[lower][kernels]") {
  const Outcome shuffled = run(R"(
fn f(n:usize, k:usize, out:rw<usize>[n], g:usize) {
  blocks b in g threads t in 64 {
    let v = shuffle(t, k + b);
    out[b * 64 + t] = v + b;
  }
}
fn main() -> i32 {
  let n:usize = 256;
  buffer out:usize[n] = zeroed;
  f(n, 30, out, 4);
  return 0;
})");
  CHECK(shuffled.trap == "trap: shuffle");
  CHECK(shuffled.line == 4);
  // A fold has no two operands that its message could show.
  CHECK(run("fn main() -> i32 {\nblocks b in 1 threads t in 32 {\nlet s = reduce + warp yield u8(t);\n}\nreturn 0; }")
            .trap == "trap: overflow");
}

TEST_CASE("threads that begin an endless loop again leave those behind them in it alone", "[lower][kernels]") {
  const auto program = [](const std::string& loop) {
    const std::string body = "let mut k:usize = 0;\nlet mut sum:usize = 0;\nwhile true {\n" + loop + "\n}\n";
    return "fn one(n:usize, a:ro<usize>[n], i:usize, t:usize) -> usize {\n" + body + R"(return sum; }
fn f(n:usize, a:ro<usize>[n], out:rw<usize>[n], g:usize) {
  blocks b in g threads t in 64 {
    let i = b * 64 + t;
)" + body + R"(    out[i] = sum;
  }
}
fn main() -> i32 {
  let n:usize = 256;
  buffer a:usize[n] = zeroed;
  buffer out:usize[n] = zeroed;
  for i in 0..n { a[i] = i * 7919 % 101; }
  f(n, a, out, 4);
  for i in 0..n { if out[i] != one(a, i, i % 64) { return 1; } }
  return 0;
})";
  };
  holds(
      program("let v = a[(i + k) % n];\nk += 1;\nif k > 40 + t % 7 { break; }\nif v % 3 == 0 { continue; }\n"
              "sum = sum * 3 % 1003 + v;\nif sum > 900 - t { break; }"));
  holds(
      program("let v = a[(i + k) % n];\nk += 1;\nif v % 3 == 0 { if k > 40 { break; } continue; }\n"
              "sum = sum * 3 % 1003 + v;\nif sum > 900 - t { break; }"));
  holds(
      program("let v = a[(i + k) % n];\nk += 1;\nif v % 3 == 0 { continue; }\n"
              "sum = sum + v;\nif sum > 900 - t { break; }\nif k > 40 { break; }"));
}

TEST_CASE("stages are filled in ring order, with zeros past the count", "[lower][kernels]") {
  holds(R"(
fn f(n:usize, x:ro<i32>[n], out:rw<i32>[64]) {
  blocks b in 1 threads t in 64 {
    pipeline p:i32[64] depth 3;
    p.fill(x, 0, 64);
    p.fill(x, 64, 10);
    let mut s:i32 = 0;
    for k in 0..5 {
      p.fill(x, k, 2);
      p.wait();
      s = s * 3 + p[63 - t];
      p.release();
      barrier;
    }
    p.wait();
    s = s + p[t] * 100000;
    p.release();
    out[t] = s;
  }
}
fn main() -> i32 {
  let n:usize = 80;
  buffer x:i32[n] = zeroed;
  for i in 0..n { x[i] = i32(i) + 1; }
  buffer out:i32[64] = zeroed;
  f(n, x, out);
  for t in 0..64 {
    let r = 63 - t;
    let mut s:i32 = x[r];
    let mut second:i32 = 0;
    if r < 10 { second = x[64 + r]; }
    s = s * 3 + second;
    for k in 0..3 {
      let mut v:i32 = 0;
      if r < 2 { v = x[k + r]; }
      s = s * 3 + v;
    }
    if t < 2 { s = s + x[3 + t] * 100000; }
    if out[t] != s { return 1 + i32(t); }
  }
  return 0;
})");
}

TEST_CASE("the finish runs once, after every block, with or without blocks", "[lower][kernels]") {
  holds(R"(
fn f(g:usize, part:rw<u64>[g], out:rw<u64>[1], runs:rw<u64>[1], bonus:u64) {
  blocks b in g threads t in 32 {
    shared a:u64[32] = zeroed;
    a[t] = u64(b + t);
    barrier;
    if t == 0 { part[b] = a[31]; }
  } then threads x, y in 16, 2 {
    shared c:u64[32];
    c[y * 16 + x] = bonus;
    barrier;
    if x == 0 && y == 0 {
      let mut s:u64 = 0;
      for k in 0..g { s += part[k]; }
      for k in 0..32 { s += c[k]; }
      out[0] = s;
      atomic_add_wrap(runs[0], 1);
    }
  }
}
fn main() -> i32 {
  let g:usize = 20;
  let none:usize = 0;
  buffer part:u64[g] = zeroed;
  buffer empty:u64[none] = zeroed;
  buffer out:u64[1] = zeroed;
  buffer runs:u64[1] = zeroed;
  f(g, part, out, runs, 5);
  if out[0] != 970 || runs[0] != 1 { return 1; }
  f(none, empty, out, runs, 1);
  if out[0] != 32 || runs[0] != 2 { return 2; }
  return 0;
})");
}

TEST_CASE("a guard that fails in a thread ends the run, and names block and thread", "[lower][kernels]") {
  const Outcome outcome = run(R"(
fn f(n:usize, out:rw<u32>[n], g:usize) {
  blocks b in g threads t in 32 { out[b * 32 + t] = 1; }
}
fn main() -> i32 {
  let n:usize = 40;
  buffer out:u32[n] = zeroed;
  f(n, out, 2);
  return 0;
})");
  CHECK(outcome.trap.find("bounds") != std::string::npos);
}

TEST_CASE("element atomics of a block's own array count every thread", "[lower][kernels]") {
  holds(R"(
fn f(g:usize, n:usize, x:ro<u32>[n], bins:rw<u32>[8]) {
  blocks b in g threads t in 128 {
    shared mine:u32[8] = zeroed;
    let i = b * 128 + t;
    if i < n { atomic_add_wrap(mine[usize(x[i] % 8)], 1); }
    barrier;
    if t < 8 { atomic_add_wrap(bins[t], mine[t]); }
  }
}
fn main() -> i32 {
  let n:usize = 1000;
  buffer x:u32[n] = zeroed;
  for i in 0..n { x[i] = u32(i * i % 97); }
  buffer bins:u32[8] = zeroed;
  f(8, n, x, bins);
  buffer want:u32[8] = zeroed;
  for i in 0..n { want[usize(x[i] % 8)] += 1; }
  for k in 0..8 { if bins[k] != want[k] { return 1; } }
  return 0;
})");
}

TEST_CASE("a readable stage is walked, lent whole and in parts, and asked its length", "[lower][kernels]") {
  holds(R"(
fn total(n:usize, v:ro<u32>[n]) -> u32 {
  let mut s:u32 = 0;
  for e in v { s += e; }
  return s;
}
fn f(n:usize, x:ro<u32>[n], out:rw<u32>[32]) {
  blocks b in 1 threads t in 32 {
    pipeline p:u32[32] depth 2;
    p.fill(x, 0, 32);
    p.fill(x, 32, 8);
    p.wait();
    let mut sum:u32 = 0;
    for v in p { sum += v; }
    sum += total(p) + total(p[0..8]) + u32(len(p));
    p.release();
    p.wait();
    sum += total(p);
    out[t] = sum;
    p.release();
  }
}
fn main() -> i32 {
  let n:usize = 40;
  buffer x:u32[n] = zeroed;
  buffer out:u32[32] = zeroed;
  for i in 0..n { x[i] = u32(i); }
  f(n, x, out);
  for t in 0..32 { if out[t] != 496 * 2 + 28 + 32 + 284 { return 1; } }
  return 0;
})");
}
