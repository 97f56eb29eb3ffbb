// Plans in device code: a region's blocks, its grid and the form of its lanes are what its plan says; what a plan
// cannot have stays as written. That results are the same bits is held in kernel_text_test.cpp
// (programs/planned_regions.cairn).
#include <catch2/catch.hpp>
#include <string>

#include "cuda/compiler.hpp"
#include "tests/lower/support.hpp"
#include "vm/bytecode/device_plans.hpp"

namespace {

using namespace cairn;  // NOLINT
using Catch::Contains;

/// The text of the first region of a program.
cuda::KernelText region_of(const std::string& program) {
  const bytecode::Module module = test::lowered(program);
  for (const cuda::KernelUse& use : cuda::kernels_of(module)) {
    if (use.use != cuda::Use::Region) continue;
    auto text = cuda::write_kernel(module, use);
    REQUIRE(text);
    return std::move(*text);
  }
  FAIL("no region");
  return {};
}

const std::string kSaxpy =
    "fn f(n:usize, y:rw<f32>[n]@device, x:ro<f32>[n]@device) { parallel i in n { y[i] = 2.5 * x[i] + y[i]; } }\n";
const std::string kStencil =
    "fn f(n:usize, y:rw<f32>[n]@device, x:ro<f32>[n]@device) {\n"
    "  parallel i in n { if i > 0 && i + 1 < n { y[i] = x[i - 1] + x[i + 1]; } else { y[i] = x[i]; } }\n}\n";
const std::string kMain =
    "fn main() -> i32 { let n:usize = 8; buffer a:f32[n]@device = zeroed; buffer b:f32[n]@device = zeroed;\n"
    "  f(n, a, b); return 0; }\n";

}  // namespace

TEST_CASE("a region without a plan has blocks of 256 threads, an index each", "[cuda][plans]") {
  const cuda::KernelText text = region_of(kSaxpy + kMain);
  CHECK(text.entries.front().threads == 256);
  CHECK(text.entries.front().per_thread == 1);
  CHECK_THAT(text.text, Contains("each_index(count, ") && !Contains("plans.hpp"));
}

TEST_CASE("a plan's block and indices a thread cut the grid, and its loop is unrolled", "[cuda][plans]") {
  const cuda::KernelText text = region_of(kSaxpy + "plan f { block 96; per_lane 7; unroll 4; }\n" + kMain);
  CHECK(text.entries.front().threads == 96);
  CHECK(text.entries.front().per_thread == 7);
  CHECK_THAT(text.text, Contains("__launch_bounds__(96)") && Contains("each_index_unrolled<4>(count, "));
}

TEST_CASE("a vector takes adjacent indices with one access an array, a thread a run", "[cuda][plans]") {
  const cuda::KernelText text = region_of(kSaxpy + "plan f { vector 4; }\n" + kMain);
  CHECK(text.entries.front().per_thread == 4);
  CHECK_THAT(text.text, Contains("each_run<4, 1>(count, ") && Contains("load_pack<float, 4>(v_") &&
                            Contains("store_pack<float, 4>(v_"));
  // Only x is read elsewhere than at the lane's own index.
  const cuda::KernelText mixed = region_of(
      "fn f(n:usize, y:rw<f32>[n]@device, x:ro<f32>[n]@device) { parallel i in n { y[i] = x[n - 1 - i] + y[i]; } }\n"
      "plan f { vector 2; }\n" +
      kMain);
  CHECK_THAT(mixed.text, Contains("load_pack<float, 2>"));
  CHECK(mixed.text.find("load_pack<float, 2>") == mixed.text.rfind("load_pack<float, 2>"));
}

TEST_CASE("a stage holds a block's elements and those within its reach, of arrays that are only read",
          "[cuda][plans]") {
  const cuda::KernelText text = region_of(kStencil + "plan f { stage 2; block 64; }\n" + kMain);
  CHECK(text.entries.front().shared_bytes == (64 + 2 * 2) * sizeof(float));
  CHECK_THAT(text.text, Contains("stage_elements<float, 2>(memory_") && Contains("staged_element<float>(staged_"));
  CHECK(text.text.find("stage_elements<") == text.text.rfind("stage_elements<"));
}

TEST_CASE("a plan travels with its module as a row, and a damaged row is none", "[cuda][plans]") {
  const bytecode::LanePlan plan{64, 3, 2, 4, 0};
  const bytecode::Foreign row = bytecode::foreign_of("m.f[u64]", plan, 0);
  CHECK(row.name == "m.f");
  CHECK(bytecode::lane_plan(row) == plan);
  for (const auto& [from, to] : {std::pair("block 64", "block 63"), std::pair("vector 4", "vector 3"),
                                 std::pair("unroll 2", "unroll 33"), std::pair("stage 0", "stage 64"),
                                 std::pair("per_lane 3", "per_lane"), std::pair("device plan", "device plans")}) {
    bytecode::Foreign damaged = row;
    damaged.symbol.replace(damaged.symbol.find(from), std::string(from).size(), to);
    INFO(damaged.symbol);
    CHECK_FALSE(bytecode::lane_plan(damaged));
  }
  bytecode::Foreign called = row;
  called.launched = false;
  CHECK_FALSE(bytecode::lane_plan(called));
}
