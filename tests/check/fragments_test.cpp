// mma_unordered on matrices and on fragments (numerics, 4 and 9): each refusal beside its nearest accepted neighbour.
#include <catch2/catch.hpp>

#include <string>

#include "frontend/check/fragments.hpp"
#include "tests/check/check.hpp"

using cairn::tests::outcome;

namespace {

// ------------------------------------------------------------------------------------------------------------ matrices

/// A call with the arguments given, on line 2.
std::string multiply(const std::string& arguments) {
  return outcome(
      "fn f(n:usize, c:rw<f32>[4], r:ro<f32>[4], d:rw<f64>[4], a:ro<f16>[4], b:ro<bf16>[4], q:rw<f16>[4]) {\n"
      "  mma_unordered(" +
      arguments + ");\n}\n");
}

// ----------------------------------------------------------------------------------------------------------- fragments

const std::string kHead =
    "layout TILE = rows(16, 16); layout PAIR = rows(32, 16); layout HALF = rows(16, 8); layout ODD = rows(16, 24); "
    "layout DEEP = tile(rows(32, 16), 16, 16); layout LOOSE = pad(rows(16, 16), 2); layout PADDED = pad(rows(16, 16), "
    "8); "
    "layout TURNED = swizzle(rows(16, 16), 1, 3, 3); layout SPLIT = swizzle(rows(16, 16), 1, 2, 3); "
    "layout UPRIGHT = cols(16, 16); layout NARROW = rows(16, 8); layout SHARE = spread(rows(16, 8), 8, 4, 1, 2);\n";

/// Statements of a region of one or two warps, the first of them on line 6.
std::string region(const std::string& body, const std::string& threads = "t in 64") {
  return outcome(
      kHead +
      "fn f(n:usize, out:rw<f32>[256], x:ro<f16>[256], dev:ro<f16>[256]@unified, wide:rw<f16>[256]@unified) {\n"
      "blocks g in 2 threads " +
      threads +
      " {\n"
      "shared sa:f16[512] = zeroed; shared sb:bf16[512] = zeroed; shared sc:f32[512] = zeroed;\n"
      "shared few:f16[255] = zeroed; barrier;\n" +
      body + "\n}\n}\n");
}

const std::string kOperands =
    "let a = mma_load[WmmaA[f16, 16, 16, 16]](sa, TILE, 0, 0); let b = mma_load[WmmaB[f16, 16, 16, 16]](sa, TILE, 0, "
    "0); "
    "let c = WmmaAcc[f32, 16, 16, 16](0.0); let p = mma_load[MmaA[f16, 16, 8, 16]](sa, TILE, 0, 0); "
    "let q = mma_load[MmaB[f16, 16, 8, 16]](sa, NARROW, 0, 0); let r = MmaAcc[f32, 16, 8, 16](0.0); "
    "let h = mma_load[WmmaB[bf16, 16, 16, 16]](sb, TILE, 0, 0);\n";

std::string load(const std::string& type, const std::string& arguments) {
  return region("let v = mma_load[" + type + "](" + arguments + ");");
}

}  // namespace

TEST_CASE("a whole-matrix multiply takes three extents, an f32 accumulator and two matrices of one format",
          "[matrices]") {
  CHECK(multiply("2, n, 2, c, a, a") == "ok");
  CHECK(multiply("2, 2, 2, c, q, a") == "ok");
  CHECK(multiply("2, 2, c, a, a") == "E-ARITY@2");
  CHECK(multiply("c, a") == "E-ARITY@2");
  CHECK(multiply("2, 2.0, 2, c, a, a") == "E-TYPE-MISMATCH@2");
  CHECK(multiply("2, 2, 2, r, a, a") == "E-MMA@2");
  CHECK(multiply("2, 2, 2, d, a, a") == "E-MMA@2");
  CHECK(multiply("2, 2, 2, n, a, a") == "E-MMA@2");
  CHECK(multiply("2, 2, 2, c, a, b") == "E-MMA@2");
  CHECK(multiply("2, 2, 2, c, r, r") == "E-MMA@2");
}

TEST_CASE("a whole-matrix multiply runs outside lanes, over matrices of one side", "[matrices]") {
  const auto lane = [](const std::string& body) {
    return outcome("fn f(c:rw<f32>[4], a:ro<f16>[4]) {\n  " + body + "\n}\n");
  };
  CHECK(lane("mma_unordered(2, 2, 2, c, a, a);") == "ok");
  CHECK(lane("parallel i in 4 { mma_unordered(2, 2, 2, c, a, a); }") == "E-PARALLEL-NEST@2");
  const auto placed = [](const std::string& c, const std::string& a, const std::string& b) {
    return outcome("fn f(c:rw<f32>[4]" + c + ", a:ro<f16>[4]" + a + ", b:ro<f16>[4]" + b +
                   ") {\n  mma_unordered(2, 2, 2, c, a, b);\n}\n");
  };
  CHECK(placed("@device", "@device", "@device") == "ok");
  CHECK(placed("@pinned", "@unified", "") == "ok");
  CHECK(placed("@device", "@device", "") == "E-PLACEMENT@2");
  CHECK(placed("", "@device", "@device") == "E-PLACEMENT@2");
}

TEST_CASE("the row of a whole-matrix multiply reads its factors, writes its accumulator and may trap", "[matrices]") {
  const auto with = [](const std::string& row) {
    return outcome("fn f(c:rw<f32>[4], a:ro<f16>[4]) effects(ffi_precondition, " + row +
                   ") { mma_unordered(2, 2, 2, c, a, a); }\n");
  };
  CHECK(with("read:a, write:c, trap") == "ok");
  CHECK(with("read:a, trap") == "E-EFFECT-CEILING@1");
  CHECK(with("write:c, trap") == "E-EFFECT-CEILING@1");
  CHECK(with("read:a, write:c") == "E-EFFECT-CEILING@1");
}

TEST_CASE("an implementation multiplies in tensor cores only where its reference does", "[matrices]") {
  const std::string head = "(c:rw<f32>[4], a:ro<f16>[4])";
  const std::string multiplies = " { mma_unordered(2, 2, 2, c, a, a); }\n";
  const std::string other = " { c[0] += f32(a[0]) * f32(a[0]); }\n";
  CHECK(outcome("fn f" + head + multiplies + "fn g" + head + " implements f" + multiplies) == "ok");
  CHECK(outcome("fn f" + head + other + "fn g" + head + " implements f" + multiplies) == "E-IMPL-NUMERICS@2");
}

TEST_CASE("an accumulator is filled in a region with one f32 that is the same in a warp", "[fragments]") {
  CHECK(region("let c = WmmaAcc[f32, 16, 16, 16](0.0);") == "ok");
  CHECK(region("let c = WmmaAcc[f32, 32, 8, 16](f32(g));") == "ok");
  CHECK(region("let c = MmaAcc[f32, 16, 8, 16](f32(t / 32));") == "ok");
  CHECK(region("let c = MmaAcc[f32, 16, 8, 16](f32(t));") == "E-COOP-WARP@6");
  CHECK(region("let c = MmaAcc[f32, 16, 8, 16]();") == "E-ARITY@6");
  CHECK(region("let c = MmaAcc[f32, 16, 8, 16](n);") == "E-TYPE-MISMATCH@6");
  CHECK(region("let c = MmaAcc(0.0);") == "E-INFER@6");
  CHECK(region("let c:MmaAcc[f32, 16, 8, 16] = MmaAcc(0.0);") == "ok");
  CHECK(region("let c = MmaA[f16, 16, 8, 16](0.0);") == "E-FRAGMENT@6");
  CHECK(region("let c = WmmaAcc[f32, 16, 8, 16](0.0);") == "E-FRAGMENT@6");
  CHECK(region("let c = MmaAcc[f16, 16, 8, 16](0.0);") == "E-FRAGMENT@6");
  CHECK(region("let c = TmemAcc[f32, 64, 64, 16](0.0);") == "E-TARGET-FEATURE@6");
  CHECK(outcome("fn f() {\n  let c = MmaAcc[f32, 16, 8, 16](0.0);\n}\n") == "E-FRAGMENT@2");
  CHECK(outcome("fn f() { parallel i in 4 {\n  let c = MmaAcc[f32, 16, 8, 16](0.0);\n} }\n") == "E-FRAGMENT@2");
}

TEST_CASE("a load names its fragment", "[fragments]") {
  CHECK(load("WmmaA[f16, 16, 16, 16]", "sa, TILE, 0, 0") == "ok");
  CHECK(region("let v:WmmaA[f16, 16, 16, 16] = mma_load(sa, TILE, 0, 0);") == "ok");
  CHECK(region("let v = mma_load(sa, TILE, 0, 0);") == "E-INFER@6");
  CHECK(load("f16", "sa, TILE, 0, 0") == "E-INFER@6");
  CHECK(load("WmmaA[f16, 16, 16, 16]", "sa, TILE, 0") == "E-ARITY@6");
  CHECK(load("WmmaA[f16, 16, 8, 16]", "sa, TILE, 0") == "E-ARITY@6");
  CHECK(load("WmmaA[f16, 16, 8, 16]", "sa, TILE, 0, 0") == "E-FRAGMENT@6");
  CHECK(load("WmmaA[f8e5m2, 16, 16, 16]", "sa, TILE, 0, 0") == "E-FRAGMENT@6");
  CHECK(load("TmemAcc[f32, 64, 64, 16]", "sa, TILE, 0, 0") == "E-TARGET-FEATURE@6");
}

TEST_CASE("a tile is addressed through a 2-D layout of whole fragments", "[fragments]") {
  CHECK(load("WmmaA[f16, 16, 16, 16]", "sa, PAIR, 1, 0") == "ok");
  CHECK(load("WmmaA[f16, 16, 16, 16]", "sa, ODD, 0, 0") == "E-LAYOUT-CONSUMER@6");
  CHECK(load("WmmaA[f16, 16, 16, 16]", "sa, DEEP, 0, 0") == "E-LAYOUT-CONSUMER@6");
  CHECK(load("MmaB[f16, 16, 8, 16]", "sa, NARROW, 0, 0") == "ok");
  CHECK(load("MmaB[f16, 16, 8, 16]", "sa, SHARE, 0, 0") == "E-LAYOUT-CONSUMER@6");
  CHECK(load("WmmaA[f16, 16, 16, 16]", "sa, n, 0, 0") == "E-LAYOUT-CONSUMER@6");
  CHECK(load("WmmaA[f16, 16, 16, 16]", "sa, nothing, 0, 0") == "E-LAYOUT-CONSUMER@6");
}

TEST_CASE("a tile is a shared array of the element, or for loads a read-only device view, and long enough",
          "[fragments]") {
  CHECK(load("WmmaA[bf16, 16, 16, 16]", "sb, TILE, 0, 0") == "ok");
  CHECK(load("WmmaA[bf16, 16, 16, 16]", "sa, TILE, 0, 0") == "E-TYPE-MISMATCH@6");
  CHECK(load("WmmaA[f16, 16, 16, 16]", "n, TILE, 0, 0") == "E-TYPE-MISMATCH@6");
  CHECK(load("WmmaA[f16, 16, 16, 16]", "dev, TILE, 0, 0") == "ok");
  CHECK(load("WmmaA[f16, 16, 16, 16]", "wide, TILE, 0, 0") == "E-FRAGMENT@6");
  CHECK(load("WmmaA[f16, 16, 16, 16]", "x, TILE, 0, 0") == "E-FRAGMENT@6");
  CHECK(load("WmmaA[f16, 16, 16, 16]", "few, TILE, 0, 0") == "E-LAYOUT-CONSUMER@6");
}

TEST_CASE("each family reads the layouts its instructions can", "[fragments]") {
  CHECK(load("WmmaA[f16, 16, 16, 16]", "sa, PADDED, 0, 0") == "ok");
  CHECK(load("WmmaA[f16, 16, 16, 16]", "sa, LOOSE, 0, 0") == "E-LAYOUT-CONSUMER@6");
  CHECK(load("WmmaA[f16, 16, 16, 16]", "sa, TURNED, 0, 0") == "E-LAYOUT-CONSUMER@6");
  CHECK(load("WmmaA[f16, 16, 16, 16]", "sa, UPRIGHT, 0, 0") == "E-LAYOUT-CONSUMER@6");
  CHECK(load("WmmaAcc[f32, 16, 16, 16]", "sc, UPRIGHT, 0, 0") == "ok");
  CHECK(load("WmmaAcc[f32, 16, 16, 16]", "sc, LOOSE, 0, 0") == "E-LAYOUT-CONSUMER@6");
  CHECK(load("MmaA[f16, 16, 8, 16]", "sa, TURNED, 0, 0") == "ok");
  CHECK(load("MmaA[f16, 16, 8, 16]", "sa, PADDED, 0, 0") == "ok");
  CHECK(load("MmaA[f16, 16, 8, 16]", "sa, SPLIT, 0, 0") == "E-LAYOUT-CONSUMER@6");
  CHECK(load("MmaA[f16, 16, 8, 16]", "dev, SPLIT, 0, 0") == "ok");
  CHECK(load("MmaAcc[f32, 16, 8, 16]", "sc, SPLIT, 0, 0") == "ok");
}

TEST_CASE("coordinates are usize and the same in a warp, which comes whole", "[fragments]") {
  CHECK(load("WmmaA[f16, 16, 16, 16]", "sa, PAIR, t / 32, 0") == "ok");
  CHECK(load("WmmaA[f16, 16, 16, 16]", "sa, PAIR, g, n") == "ok");
  CHECK(load("WmmaA[f16, 16, 16, 16]", "sa, PAIR, t % 2, 0") == "E-COOP-WARP@6");
  CHECK(load("WmmaA[f16, 16, 16, 16]", "sa, PAIR, 0, t / 33") == "E-COOP-WARP@6");
  CHECK(load("WmmaA[f16, 16, 16, 16]", "sa, PAIR, 0.0, 0") == "E-TYPE-MISMATCH@6");
  CHECK(region("if t < 32 { let v = mma_load[WmmaA[f16, 16, 16, 16]](sa, TILE, 0, 0); }") == "ok");
  CHECK(region("if t < 16 {\nlet v = mma_load[WmmaA[f16, 16, 16, 16]](sa, TILE, 0, 0); }") == "E-COOP-WARP@7");
  CHECK(region("let i = t / 32;\nlet v = mma_load[WmmaA[f16, 16, 16, 16]](sa, PAIR, i, 0);") == "ok");
}

TEST_CASE("a step takes an accumulator, an A and a B of one family, shape and format", "[fragments]") {
  const auto step = [](const std::string& arguments) {
    return region(kOperands + "let d = mma_unordered(" + arguments + ");");
  };
  CHECK(step("c, a, b") == "ok");
  CHECK(step("r, p, q") == "ok");
  CHECK(step("a, c, b") == "E-MMA@7");
  CHECK(step("c, b, a") == "E-MMA@7");
  CHECK(step("c, a, q") == "E-MMA@7");
  CHECK(step("r, a, b") == "E-MMA@7");
  CHECK(step("c, a, h") == "E-MMA@7");
  CHECK(step("c, a, n") == "E-MMA@7");
  CHECK(region(kOperands + "let mut s = c; if t == 7 { s = WmmaAcc[f32, 16, 16, 16](1.0); }") == "E-COOP-WARP@7");
  CHECK(region(kOperands + "let mut s = r; if t == 7 { s = mma_set(s, 0, 1.0); }\nlet d = mma_unordered(s, p, q);") ==
        "ok");
}

TEST_CASE("a store writes an accumulator into a shared array", "[fragments]") {
  const auto store = [](const std::string& arguments) {
    return region(kOperands + "mma_store(" + arguments + ");", "t in 32");
  };
  CHECK(store("sc, TILE, 0, 0, c") == "ok");
  CHECK(store("sc, TILE, 0, 0") == "E-ARITY@7");
  CHECK(store("sc, TILE, 0, 0, a") == "E-TYPE-MISMATCH@7");
  CHECK(store("sc, TILE, 0, 0, 1.0") == "E-TYPE-MISMATCH@7");
  CHECK(store("sa, TILE, 0, 0, c") == "E-TYPE-MISMATCH@7");
  CHECK(store("out, TILE, 0, 0, c") == "E-FRAGMENT@7");
  CHECK(region(kOperands + "let one = WmmaAcc[f32, 16, 16, 16](1.0); let mut s = c; if t == 7 { s = one; }\n"
                           "mma_store(sc, TILE, 0, 0, s);") == "E-COOP-WARP@8");
}

TEST_CASE("a lane reaches its own elements of an mma.sync accumulator, wherever it is in the region", "[fragments]") {
  CHECK(region(kOperands + "let v = mma_get(r, 0);") == "ok");
  CHECK(region(kOperands + "if t == 3 { let v = mma_get(r, t % 4); }") == "ok");
  CHECK(region(kOperands + "let v = mma_get(c, 0);") == "E-FRAGMENT@7");
  CHECK(region(kOperands + "let v = mma_get(p, 0);") == "E-TYPE-MISMATCH@7");
  CHECK(region(kOperands + "let v = mma_get(r);") == "E-ARITY@7");
  CHECK(region(kOperands + "let v = mma_get(r, 0.0);") == "E-TYPE-MISMATCH@7");
  CHECK(region(kOperands + "let v = mma_set(r, 0, 1.0);") == "ok");
  CHECK(region(kOperands + "let v = mma_set(r, 0, n);") == "E-TYPE-MISMATCH@7");
  CHECK(outcome("fn f(r:MmaAcc[f32, 16, 8, 16]) -> f32 {\n  return mma_get(r, 0);\n}\n") == "E-FRAGMENT@2");
  // What a lane gets is its own: no condition on it may split a warp before a warp operation.
  CHECK(region(kOperands + "if mma_get(r, 0) > 0.0 { let e = MmaAcc[f32, 16, 8, 16](0.0); }") == "E-COOP-WARP@7");
}

TEST_CASE("fragments are values of locals and parameters, never elements", "[fragments]") {
  CHECK(outcome("fn f(r:MmaAcc[f32, 16, 8, 16]) { let s = r; }\n") == "ok");
  CHECK(outcome("fn f(r:ro<MmaAcc[f32, 16, 8, 16]>[4]) { }\n") == "E-FRAGMENT@1");
  CHECK(outcome("fn f() { buffer r:MmaAcc[f32, 16, 8, 16][4] = zeroed; }\n") == "E-FRAGMENT@1");
  CHECK(outcome("fn f(r:Array[MmaAcc[f32, 16, 8, 16], 4]) { }\n") == "E-FRAGMENT@1");
}

TEST_CASE("the phase rule sees what fragments read and write", "[fragments]") {
  const std::string one = "t in 32";
  const std::string fill = "sa[t] = f16(1.0);\n";
  CHECK(region(fill + "let a = mma_load[WmmaA[f16, 16, 16, 16]](sa, TILE, 0, 0);", one) == "E-COOP-UNORDERED@7");
  CHECK(region(fill + "barrier; let a = mma_load[WmmaA[f16, 16, 16, 16]](sa, TILE, 0, 0);", one) == "ok");
  CHECK(region("let a = mma_load[WmmaA[f16, 16, 16, 16]](sa, TILE, 0, 0);\nsa[t] = f16(1.0);", one) ==
        "E-COOP-REUSE@7");
  const std::string wmma = "mma_store(sc, TILE, 0, 0, WmmaAcc[f32, 16, 16, 16](0.0));\n";
  const std::string mma = "mma_store(sc, HALF, 0, 0, MmaAcc[f32, 16, 8, 16](0.0));\n";
  const std::string own = "let v = sc[t / 4 * 8 + 2 * (t % 4)];";  // value 0 of the lane
  CHECK(region(mma + own, one) == "ok");
  CHECK(region(mma + "let v = sc[t];", one) == "E-COOP-UNORDERED@7");
  CHECK(region(mma + mma, one) == "ok");
  CHECK(region(wmma + "let v = sc[t / 4 * 16 + 2 * (t % 4)];", one) == "E-COOP-UNORDERED@7");
  CHECK(region(wmma + wmma, one) == "E-COOP-CONFLICT@7");
  CHECK(region(wmma + "barrier;" + wmma, one) == "ok");
  CHECK(region("mma_store(sc, PAIR, t / 32, 0, WmmaAcc[f32, 16, 16, 16](0.0));") == "ok");
  CHECK(region("mma_store(sc, PAIR, 0, 0, WmmaAcc[f32, 16, 16, 16](0.0));") == "E-COOP-CONFLICT@6");
  CHECK(region("mma_store(sc, PAIR, n, 0, WmmaAcc[f32, 16, 16, 16](0.0));\nlet v = sc[t];", one) ==
        "E-COOP-UNDECIDED@7");
}

TEST_CASE("device code with fragments needs a target that has the family", "[fragments]") {
  const auto on_target = [](const std::string& load, const std::string& target) {
    cairn::CheckOptions options;
    options.device_target = target;
    options.emulate = true;
    return outcome(kHead +
                       "fn f(out:rw<f32>[256]@device, x:ro<f16>[256]@device, y:ro<bf16>[256]@device) { blocks g in 1 "
                       "threads t in 32 { " +
                       load + " out[t] = 0.0; } }\n",
                   options);
  };
  const std::string wmma = "let a = mma_load[WmmaA[f16, 16, 16, 16]](x, TILE, 0, 0);";
  const std::string brain = "let a = mma_load[WmmaA[bf16, 16, 16, 16]](y, TILE, 0, 0);";
  const std::string sync = "let a = mma_load[MmaA[f16, 16, 8, 16]](x, TILE, 0, 0);";
  CHECK(on_target(wmma, "sm_75") == "ok");
  CHECK(on_target(brain, "sm_75") == "E-TARGET-FEATURE");
  CHECK(on_target(sync, "sm_75") == "E-TARGET-FEATURE");
  CHECK(on_target(brain, "sm_80") == "ok");
  CHECK(on_target(sync, "sm_80") == "ok");
}

TEST_CASE("a fragment's store writes an unzeroed array only where each lane owns its elements", "[fragments]") {
  CHECK(region("shared un:f32[128];\nmma_store(un, HALF, 0, 0, MmaAcc[f32, 16, 8, 16](0.0));", "t in 32") == "ok");
  CHECK(region("shared un:f32[256] = zeroed;\nmma_store(un, TILE, 0, 0, WmmaAcc[f32, 16, 16, 16](0.0));", "t in 32") ==
        "ok");
  CHECK(region("shared un:f32[256];\nmma_store(un, TILE, 0, 0, WmmaAcc[f32, 16, 16, 16](0.0));", "t in 32") ==
        "E-COOP-UNWRITTEN@7");
}
