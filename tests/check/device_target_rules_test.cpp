// What a program asks of a device target, and what emulation refuses (devices, 18 and 19).
#include <catch2/catch.hpp>

#include "tests/check/checked_source.hpp"

using cairn::CheckedSource;
using cairn::CheckOptions;

namespace {

std::string judged(std::string program, std::string target, bool emulate = false) {
  CheckOptions options;
  options.device_target = std::move(target);
  options.emulate = emulate;
  return CheckedSource(std::move(program), options).verdict();
}

const std::string kLanes = "fn f(n:usize, d:rw<u64>[n]@device) { parallel i in n { d[i] = 1; } }";
const std::string kHost = "fn f(n:usize, d:rw<u64>[n]) { parallel i in n { d[i] = 1; } }";
const std::string kPtx =
    "fn f(n:usize, d:rw<u32>[n]@device) { parallel i in n { unsafe {\nasm ptx sm_80 \"clz.b32 %0, %1;\" (out r:u32, "
    "d[i]);\nd[i] = r; } } }";

}  // namespace

TEST_CASE("a target is judged when one is named, and asked for when the program is to be emulated",
          "[devices][targets]") {
  CHECK(judged(kLanes, "") == "accepted");
  CHECK(judged(kLanes, "sm_75") == "accepted");
  CHECK(judged(kLanes, "sm_70") == "E-TARGET-FEATURE");
  CHECK(judged(kLanes, "", true) == "E-TARGET");
  CHECK(judged(kLanes, "sm_90", true) == "accepted");
  CHECK(judged(kLanes, "sm_70", true) == "E-TARGET-FEATURE");
}

TEST_CASE("a program without device work needs no target", "[devices][targets]") {
  CHECK(judged(kHost, "", true) == "accepted");
  CHECK(judged(kHost, "sm_70", true) == "accepted");
  CHECK(judged("kernel fn k(v:u64) -> u64 = v;", "sm_70", true) == "accepted");
}

TEST_CASE("PTX is part of a device program whose target it was written for", "[devices][targets]") {
  CHECK(judged(kPtx, "sm_80") == "accepted");
  CHECK(judged(kPtx, "sm_90a") == "accepted");
  CHECK(judged(kPtx, "sm_75") == "E-ASM-TARGET 2:1");
  CHECK(judged(kPtx, "sm_90", true) == "E-EMULATE 2:1");
  CHECK(judged(kPtx, "sm_75", true) == "E-ASM-TARGET 2:1");
}

TEST_CASE("a launched kernel has no body to emulate", "[devices][targets]") {
  const std::string launched = "extern \"k\" fn k(n:usize, d:rw<u64>[n]@device) launch(n, 128) effects();";
  CHECK(judged(launched, "sm_90") == "accepted");
  CHECK(judged(launched, "sm_90", true) == "E-EMULATE 1:1");
}

TEST_CASE("what a selected implementation needs is asked of the target", "[devices][targets]") {
  const auto program = [](std::string_view need) {
    return "fn f(n:usize, d:rw<u64>[n]@device) { parallel i in n { d[i] = 1; } }\n"
           "fn g(n:usize, d:rw<u64>[n]@device) implements f needs(" +
           std::string(need) + ") { parallel i in n { d[i] = 1; } }\n" + "plan f use g;";
  };
  CHECK(judged(program("cp_async"), "") == "accepted");
  CHECK(judged(program("cp_async"), "sm_80") == "accepted");
  CHECK(judged(program("cp_async"), "sm_75") == "E-IMPL-TARGET");
  CHECK(judged(program("wgmma"), "sm_90") == "E-IMPL-TARGET");
  CHECK(judged(program("wgmma"), "sm_90a") == "accepted");
  CHECK(judged(program("wgmma"), "sm_90a", true) == "E-EMULATE");
}

TEST_CASE("a pipeline on the device is copies in flight", "[devices][targets]") {
  const auto program = [](std::string_view place) {
    return "fn f(n:usize, x:ro<u32>[n]" + std::string(place) + ", out:rw<u32>[64]" + std::string(place) +
           ") { blocks b in 1 threads t in 64 { pipeline p:u32[64] depth 1; p.fill(x, 0, min(n, 64)); p.wait(); out[t] "
           "= "
           "p[t]; } }";
  };
  CHECK(judged(program("@device"), "sm_80") == "accepted");
  CHECK(judged(program("@device"), "sm_75") == "E-TARGET-FEATURE");
  CHECK(judged(program(""), "sm_75") == "accepted");
}
