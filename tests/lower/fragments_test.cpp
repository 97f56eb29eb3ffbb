// Fragments on host threads (numerics, 9.6): every family, shape and format against the whole-matrix multiply, which is
// held to an exact model of its own (tests/runtime/multiply_test.cpp).
#include <catch2/catch.hpp>

#include <string>

#include "tests/lower/support.hpp"

using cairn::test::Outcome;
using cairn::test::run;

namespace {

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size())) {
    text.replace(at, what.size(), with);
  }
  return text;
}

// One warp: c + a * b + a * b for one M x N tile, K = 16, its operands in padded tiles.
const char* const kOneTile = R"(
layout A_TILE = pad(rows(_M, 16), 8);
layout B_TILE = pad(rows(16, _N), 16);
layout C_TILE = rows(_M, _N);
const A_CELLS:usize = A_TILE.cosize();
const B_CELLS:usize = B_TILE.cosize();
const M:usize = _M;
const N:usize = _N;
const MN:usize = M * N;
const MK:usize = M * 16;
const KN:usize = 16 * N;
fn tile(out:rw<f32>[MN], c:ro<f32>[MN], a:ro<_T>[MK], b:ro<_T>[KN]) {
  blocks g in 1 threads t in 32 {
    shared sa:_T[A_CELLS] = zeroed;
    shared sb:_T[B_CELLS] = zeroed;
    shared sc:f32[MN] = zeroed;
    for i in 0..MK / 32 { let e = t + 32 * i; sa[A_TILE.at(e / 16, e % 16)] = a[e]; }
    for i in 0..KN / 32 { let e = t + 32 * i; sb[B_TILE.at(e / N, e % N)] = b[e]; }
    for i in 0..MN / 32 { sc[t + 32 * i] = c[t + 32 * i]; }
    barrier;
    let x = mma_load[_FA[_T, _M, _N, 16]](sa, A_TILE, 0, 0);
    let y = mma_load[_FB[_T, _M, _N, 16]](sb, B_TILE, 0, 0);
    let mut acc = mma_load[_FAcc[f32, _M, _N, 16]](sc, C_TILE, 0, 0);
    for _ in 0..2 { acc = mma_unordered(acc, x, y); }
    barrier;
    mma_store(sc, C_TILE, 0, 0, acc);
    barrier;
    for i in 0..MN / 32 { out[t + 32 * i] = sc[t + 32 * i]; }
  }
}
fn main() -> i32 {
  buffer a:_T[MK] = zeroed;
  buffer b:_T[KN] = zeroed;
  buffer c:f32[MN] = zeroed;
  buffer out:f32[MN] = zeroed;
  for e in 0..MK { a[e] = _T(f32(i64(e * 19 % 27) - 13) * 0.21); }
  for e in 0..KN { b[e] = _T(f32(i64(e * 23 % 33) - 16) * 0.43); }
  for e in 0..MN { c[e] = f32(e % 7) * 0.3 - 1.0; }
  tile(out, c, a, b);
  for _ in 0..2 { mma_unordered(M, N, 16, c, a, b); }
  for e in 0..MN { if to_bits(out[e]) != to_bits(c[e]) { println(e, ": ", out[e], " ", c[e]); return 1; } }
  return 0;
}
)";

struct Shape {
  const char* family;
  const char* m;
  const char* n;
};
constexpr Shape kShapes[] = {{"Wmma", "16", "16"}, {"Wmma", "32", "8"}, {"Wmma", "8", "32"}, {"Mma", "16", "8"}};

}  // namespace

TEST_CASE("a step of every family, shape and format has the bits of the whole-matrix multiply", "[fragments]") {
  for (const Shape& shape : kShapes) {
    for (const std::string format : {"f16", "bf16"}) {
      INFO(shape.family << " " << shape.m << " x " << shape.n << " of " << format);
      std::string text =
          replaced(replaced(kOneTile, "_FA", std::string(shape.family) + "A"), "_FB", std::string(shape.family) + "B");
      text = replaced(replaced(replaced(text, "_M", shape.m), "_N", shape.n), "_T", format);
      const Outcome outcome = run(text);
      CHECK(outcome.output.empty());
      CHECK(outcome.trap.empty());
      CHECK(outcome.status == 0);
    }
  }
}

TEST_CASE("a fragment is a value: copied, passed, kept in a record, changed element by element", "[fragments]") {
  const Outcome outcome = run(R"(
layout TILE = rows(16, 16);
layout ACC = rows(16, 8);
struct Kept { sum:MmaAcc[f32, 16, 8, 16]; count:u32; }
fn pass(r:MmaAcc[f32, 16, 8, 16]) -> MmaAcc[f32, 16, 8, 16] { let s = r; return s; }
fn work(out:rw<f32>[128], m:usize) {
  blocks g in 1 threads t in 32 {
    shared sa:f16[300] = zeroed;
    shared sc:f32[512] = zeroed;
    let mut acc:MmaAcc[f32, 16, 8, 16] = MmaAcc(f32(g) + 2.0);
    let a = mma_load[MmaA[f16, 16, 8, 16]](sa[0..256], TILE, 0, 0);
    let b = mma_load[MmaB[f16, 16, 8, 16]](sa, ACC, 0, 0);
    for i in 0..3 { acc = mma_unordered(acc, a, b); }
    let before = acc;
    acc = mma_set(acc, 1, mma_get(acc, 1) + f32(t));
    acc = pass(acc);
    let kept = Kept(acc, 4);
    let copy = kept.sum;
    acc = before;
    if m > 3 { acc = before; } else { acc = pass(copy); }
    mma_store(sc[256..384], ACC, 0, 0, mma_unordered(acc, a, b));
    barrier;
    for v in 0..4 { out[t + 32 * v] = sc[256 + t + 32 * v]; }
  }
}
fn main() -> i32 {
  buffer out:f32[128] = zeroed;
  work(out, 2);
  for e in 0..128 {
    let row = e / 8;
    let column = e % 8;
    let mut want:f32 = 2.0;
    if row < 8 && column % 2 == 1 { want += f32(row * 4 + column / 2); }
    if out[e] != want { println(e, " ", out[e]); return 1; }
  }
  return 0;
}
)");
  CHECK(outcome.output.empty());
  CHECK(outcome.trap.empty());
  CHECK(outcome.status == 0);
}

TEST_CASE("a coordinate past the grid, a short tile and a fifth value trap", "[fragments]") {
  const auto trap = [](const std::string& use, const std::string& arguments) {
    return run(R"(
layout TILE = rows(32, 16);
fn f(k:usize, out:rw<f32>[32], short:ro<f16>[k]@unified) {
  blocks g in 1 threads t in 32 {
    shared sa:f16[512] = zeroed;
    let acc = MmaAcc[f32, 16, 8, 16](3.0);
    )" + use + R"(
    out[t] = mma_get(acc, 0);
  }
}
fn main() -> i32 {
  buffer out:f32[32] = zeroed;
  let k:usize = )" +
               arguments +
               R"(;
  buffer short:f16[k]@unified = zeroed;
  f(k, out, short);
  return 0;
}
)")
        .trap;
  };
  const std::string load = "let a = mma_load[MmaA[f16, 16, 8, 16]](sa, TILE, k, 0);";
  CHECK(trap(load, "1").empty());
  CHECK(trap(load, "2").starts_with("trap: fragment"));
  const std::string tile = "let a = mma_load[MmaA[f16, 16, 8, 16]](short, TILE, 0, 0);";
  CHECK(trap(tile, "512").empty());
  CHECK(trap(tile, "511").starts_with("trap: fragment"));
  const std::string value = "let v = mma_get(acc, k);";
  CHECK(trap(value, "3").empty());
  CHECK(trap(value, "4").starts_with("trap: fragment"));
}
