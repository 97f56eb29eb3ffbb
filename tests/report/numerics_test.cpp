// The `numerics` of a receipt: every rounding the source writes, in source order (numerics, 10).
#include <catch2/catch.hpp>

#include <nlohmann/json.hpp>
#include <string>

#include "frontend/report/receipt.hpp"
#include "tests/check/checked_source.hpp"

using namespace cairn;
using Json = nlohmann::ordered_json;

namespace {

Json receipt_of(const std::string& text) {
  CheckedSource program(text);
  REQUIRE(program.verdict() == "accepted");
  return frontend_receipt(program.compilation, {"0", "s", "g", "r"});
}

const std::string kBound = R"-("bound":"(k + 1) * 2^-22 * (|c| + sum |a * b|)")-";

}  // namespace

TEST_CASE("each rounding that is written has an entry, in source order", "[report][numerics]") {
  const Json receipt = receipt_of(R"(
fn all(x:f32, y:f64, xs:ro<f32>[4], c:rw<f32>[4], a:ro<f16>[4], d:rw<f64>[4]) {
  let p = bf16(y);
  let q = f8e4m3(x);
  let r = quantize[i8](x, 2.0);
  let s = quantize_stochastic[f16](x, 2.0, 7);
  let t = reduce + parallel i in 4 yield xs[i];
  mma_unordered(2, 2, 2, c, a, a);
  parallel i in 4 { atomic_add_unordered(d[0], 1.0); }
}
)");
  const Json& entries = receipt["functions"]["all"]["numerics"];
  const std::string wanted[] = {
      R"({"line":3,"op":"convert","from":"f64","to":"bf16","rounding":"nearest-even","overflow":"infinity","nan":"nan"})",
      R"({"line":4,"op":"convert","from":"f32","to":"f8e4m3","rounding":"nearest-even","overflow":"trap","nan":"nan"})",
      R"({"line":5,"op":"quantize","from":"f32","to":"i8","rounding":"nearest-even","scale":"positive-finite",)"
      R"("overflow":"saturate","nan":"trap"})",
      R"({"line":6,"op":"quantize_stochastic","from":"f32","to":"f16","rounding":"stochastic-u32",)"
      R"("scale":"positive-finite","overflow":"saturate","nan":"nan"})",
      R"({"line":7,"op":"sum","from":"f32","to":"f32","rounding":"nearest-even","sum":"exact"})",
      R"({"line":8,"op":"mma","from":"f16","to":"f32","rounding":"unordered-f32","products":"exact-in-f32",)" + kBound +
          "}",
      R"({"line":9,"op":"atomic_add","from":"f64","to":"f64","rounding":"unordered-f64","bound":"over k adds, )"
      R"(k * 2^-23 * (|old| + sum |v|) + k * 2^-125 for f32 while k < 2^22, and k * 2^-52 * (|old| + sum |v|) for f64 )"
      R"(while k < 2^51","subnormals":"kept"})"};
  REQUIRE(entries.size() == std::size(wanted));
  for (std::size_t k = 0; k < std::size(wanted); ++k) CHECK(entries[k].dump() == wanted[k]);
}

TEST_CASE("widening, plain arithmetic, ordered folds and fragment loads have no entry, a fragment step names its K",
          "[report][numerics]") {
  const Json receipt = receipt_of(R"(
layout TILE = rows(16, 16);
fn none(h:f16, x:f32, xs:ro<f64>[4]) -> f32 {
  let s = reduce + for i in 4 yield xs[i];
  return f32(h) * x + f32(s);
}
fn step(out:rw<f32>[256]@device, x:ro<bf16>[256]@device) {
  blocks g in 1 threads t in 32 {
    shared sc:f32[256] = zeroed;
    let a = mma_load[WmmaA[bf16, 16, 16, 16]](x, TILE, 0, 0);
    let b = mma_load[WmmaB[bf16, 16, 16, 16]](x, TILE, 0, 0);
    mma_store(sc, TILE, 0, 0, mma_unordered(WmmaAcc[f32, 16, 16, 16](0.0), a, b));
    barrier;
    out[t] = sc[t];
  }
}
)");
  CHECK_FALSE(receipt["functions"]["none"].contains("numerics"));
  const Json& entries = receipt["functions"]["step"]["numerics"];
  REQUIRE(entries.size() == 1);
  CHECK(entries[0].dump() ==
        R"({"line":12,"op":"mma","from":"bf16","to":"f32","rounding":"unordered-f32","products":"exact-in-f32",)" +
            kBound + R"(,"k":"16"})");
  CHECK(receipt["device_features"].dump() == R"(["device_lanes","wmma","bf16"])");
  CHECK(receipt["functions"]["step"]["syntactic_check_sites"]["fragment"] == 3);
}
