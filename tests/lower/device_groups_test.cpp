// Lanes and threads that machine code runs in groups of eight: groups that part, that cannot go on, that have nothing
// to do. What a host loop computes is what they compute.
#include <catch2/catch.hpp>

#include "tests/lower/support.hpp"

using cairn::test::Outcome;
using cairn::test::run;

namespace {

void holds(std::string_view program) {
  const Outcome outcome = run(program);
  CHECK(outcome.trap.empty());
  CHECK(outcome.status == 0);
}

}  // namespace

TEST_CASE("lanes of a group go ways of their own, and come together, up to the last index", "[lower][devices]") {
  holds(R"(
fn steps(n:usize, out:rw<u64>[n]@device, x:ro<u64>[n]@device) {
  parallel i in n {
    let mut v = x[i];
    let mut count:u64 = 0;
    while v != 1 {
      if v % 2 == 0 { v = v / 2; } else { v = 3 * v + 1; }
      count += 1;
      if count == 90 { break; }
    }
    if i > 0 && i + 1 < n { out[i] = count + x[i - 1] + x[i + 1]; } else { out[i] = count; }
  }
}
fn main() -> i32 {
  let n:usize = 16411;
  buffer h:u64[n] = zeroed;
  for i in 0..n { h[i] = u64(i * 7919 % 1000) + 1; }
  buffer x:u64[n]@device = zeroed;
  buffer out:u64[n]@device = zeroed;
  buffer got:u64[n] = zeroed;
  transfer(x, h);
  steps(n, out, x);
  transfer(got, out);
  for i in 0..n {
    let mut v = h[i];
    let mut count:u64 = 0;
    while v != 1 && count != 90 {
      if v % 2 == 0 { v = v / 2; } else { v = 3 * v + 1; }
      count += 1;
    }
    if i > 0 && i + 1 < n { count += h[i - 1] + h[i + 1]; }
    if got[i] != count { return 1; }
  }
  return 0;
})");
}

TEST_CASE("lanes whose group cannot go on end one by one, seldom or always", "[lower][devices]") {
  // Vectors have no exact product of words above 32 bits.
  holds(R"(
fn scale(n:usize, out:rw<u64>[n]@device, x:ro<u64>[n]@device) {
  parallel i in n { out[i] = out[i] + x[i] * 3; }
}
fn hold(n:usize, h:ro<u64>[n]) -> bool {
  buffer x:u64[n]@device = zeroed;
  buffer out:u64[n]@device = zeroed;
  buffer got:u64[n] = zeroed;
  transfer(x, h);
  scale(n, out, x);
  scale(n, out, x);
  transfer(got, out);
  for i in 0..n { if got[i] != 6 * h[i] { return false; } }
  return true;
}
fn main() -> i32 {
  let n:usize = 20003;
  buffer h:u64[n] = zeroed;
  for i in 0..n { h[i] = u64(i); }
  for k in 0..20 { h[k * 997] = 8589934592 + u64(k); }
  if !hold(n, h) { return 1; }
  for i in 0..n { h[i] = 8589934592 + u64(i); }
  if !hold(n, h) { return 2; }
  return 0;
})");
}

TEST_CASE("the lane of a group whose guard fails is the trap's, and those before it have written", "[lower][devices]") {
  const Outcome outcome = run(R"(
fn main() -> i32 {
  let n:usize = 9001;
  buffer h:u32[n] = zeroed;
  for i in 0..n { h[i] = u32(i % 100) + 1; }
  h[8997] = 0;
  buffer d:u32[n]@device = zeroed;
  transfer(d, h);
  parallel i in n { d[i] = 7 / d[i]; }
  return 0;
})");
  CHECK(outcome.trap == "trap: division: 7 / 0");
  CHECK(outcome.line == 9);
}

TEST_CASE("groups with nothing to do before a barrier are as the last, those with something are not",
          "[lower][kernels]") {
  holds(R"(
fn tree(n:usize, g:usize, out:rw<u64>[g], x:ro<u64>[n]) {
  blocks b in g threads t in 256 {
    shared part:u64[256];
    part[t] = x[b * 256 + t];
    barrier;
    let mut width:usize = 128;
    while width > 0 {
      if t < width { part[t] = part[t] + part[t + width]; }
      barrier;
      width = width / 2;
    }
    if t == 0 { out[b] = part[0]; }
  }
}
// The second condition comes after work of every group, the third under another, the last is the greater threads'.
fn mixed(n:usize, g:usize, out:rw<u64>[n], x:ro<u64>[n]) {
  blocks b in g threads t in 128 {
    shared s:u64[128];
    let mut mine:u64 = 1;
    if t < 8 { mine = 2; }
    s[t] = x[b * 128 + t] + mine;
    if t < 16 { mine += 10; }
    barrier;
    if t < 100 {
      if t < 50 { mine += 100; }
    } else {
      mine += 1000;
    }
    barrier;
    if t >= 120 { s[t] = s[t] + mine; }
    barrier;
    out[b * 128 + t] = s[127 - t] + mine;
  }
}
// Nothing of a thread's own is alive at the barriers.
fn idle(n:usize, g:usize, out:rw<u64>[n], x:ro<u64>[n]) {
  blocks b in g threads t in 128 {
    shared s:u64[128];
    shared z:u64[128] = zeroed;
    s[t] = x[b * 128 + t];
    if t < 8 { z[t] = 5; }
    barrier;
    if t < 100 {
      if t < 50 { z[t] = z[t] + 1; }
    } else {
      z[t] = 2;
    }
    barrier;
    out[b * 128 + t] = s[127 - t] + z[t];
  }
}
fn main() -> i32 {
  let n:usize = 16384;
  let g:usize = 64;
  let h:usize = 128;
  buffer x:u64[n] = zeroed;
  for i in 0..n { x[i] = u64(i * 31 % 101); }
  buffer sums:u64[g] = zeroed;
  tree(n, g, sums, x);
  for b in 0..g {
    let mut sum:u64 = 0;
    for t in 0..256 { sum += x[b * 256 + t]; }
    if sums[b] != sum { return 1; }
  }
  buffer out:u64[n] = zeroed;
  mixed(n, h, out, x);
  buffer seen:u64[n] = zeroed;
  idle(n, h, seen, x);
  for i in 0..n {
    let k = i % 128;
    let mut want = x[i - k + 127 - k];
    if k < 8 { want += 5; }
    if k < 50 { want += 1; }
    if k >= 100 { want += 2; }
    if seen[i] != want { return 3; }
  }
  buffer s:u64[128] = zeroed;
  buffer own:u64[128] = zeroed;
  for b in 0..h {
    for t in 0..128 {
      own[t] = 1;
      if t < 8 { own[t] = 2; }
      s[t] = x[b * 128 + t] + own[t];
      if t < 16 { own[t] += 10; }
      if t < 50 { own[t] += 100; }
      if t >= 100 { own[t] += 1000; }
      if t >= 120 { s[t] += own[t]; }
    }
    for t in 0..128 { if out[b * 128 + t] != s[127 - t] + own[t] { return 2; } }
  }
  return 0;
})");
}
