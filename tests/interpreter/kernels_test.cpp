// Cooperative regions: barriers, shared arrays, warp operations, pipelines, finishes.
#include "tests/interpreter/program.hpp"

namespace cairn::tests {
namespace {

// out[block * 64 + t] = 63 - t through a shared array; then the finish adds a count.
const char* const kKernels = R"(
module "kernels"
file 0 "k.cairn"
type 0 u64
type 1 view mut 0
type 2 environment "env" size 16 align 8 ("out" 1 @0)
type 3 u32
signature 0 (u64, u64)
signature 1 (view mut 0, u64)

function 0 "reversed" signature 0 kind kernel environment 2 parent 1 at 0:1:1 slots 20 memory 0 align 16
  kernel threads 64 shared 512 finish 2
  shared @0 u64 x 64 "tile"
  r0 u64 "block"
  r1 u64 "thread"
  r2 ref mut 2
  r3 view mut 0
  r5 view mut 0
  r7 u64
  r8 u64
  r9 u64
  : load.pair r3 r2 0
  : shared.view r5 0 64
  : store.at.u64 r5 r1 r1
  : barrier at 0:2:5
  : const r7 63
  : sub.u64 r7 r7 r1
  : load.at.u64 r8 r5 r7
  : mul.u64.imm r9 r0 64
  : add.u64 r9 r9 r1
  : store.at.u64 r3 r9 r8 at 0:3:5
  : return
end
function 1 "run" signature 1 kind plain environment none parent none at 0:4:1 slots 10 memory 16 align 16
  r0 view mut 0
  r2 u64
  r3 ref mut 2
  @0 2
  : frame.store.pair r0 0
  : frame.ref r3 0
  : cooperative r3 r2 0 0 at 0:4:3
  : return
end
function 2 "reversed.finish" signature 0 kind kernel environment 2 parent 1 at 0:5:1 slots 12 memory 0 align 16
  kernel threads 64 shared 0 finish none
  r0 u64
  r1 u64
  r2 ref mut 2
  r3 view mut 0
  r5 u64
  r6 u64
  : jump.ne.imm r1 0 L0
  : load.pair r3 r2 0
  : load.at.u64 r5 r3 r1
  : add.u64.imm r5 r5 1000
  : store.at.u64 r3 r1 r5
  L0:
  : return
end

function 3 "warps" signature 0 kind kernel environment 2 parent 4 at 0:6:1 slots 26 memory 0 align 16
  kernel threads 32 shared 0 finish none
  r0 u64
  r1 u64
  r2 ref mut 2
  r3 view mut 0
  r5 u64
  r6 u64
  r7 bool
  r8 u32
  r9 u64
  r10 u64
  : load.pair r3 r2 0
  : const r5 1
  : warp.shuffle.down r6 r1 r5
  : const r5 3
  : warp.shuffle.xor r9 r1 r5
  : add.u64 r6 r6 r9
  : warp.shuffle.up r9 r1 r5
  : add.u64 r6 r6 r9
  : const r5 7
  : warp.shuffle r9 r1 r5
  : add.u64 r6 r6 r9
  : lt.u.imm r7 r1 4
  : warp.ballot r8 r7
  : to.u64.u r9 r8
  : add.u64 r6 r6 r9
  : warp.reduce r9 r1 1031
  : add.u64 r6 r6 r9
  : and.imm r10 r1 1
  : warp.match r8 r10
  : to.u64.u r9 r8
  : and.imm r9 r9 3
  : add.u64 r6 r6 r9
  : store.at.u64 r3 r1 r6
  : return
end
function 4 "run_warps" signature 1 kind plain environment none parent none at 0:7:1 slots 10 memory 16 align 16
  r0 view mut 0
  r2 u64
  r3 ref mut 2
  @0 2
  : frame.store.pair r0 0
  : frame.ref r3 0
  : cooperative r3 r2 0 3 at 0:7:3
  : return
end

function 5 "piped" signature 0 kind kernel environment 2 parent 6 at 0:8:1 slots 22 memory 0 align 16
  kernel threads 32 shared 512 finish none
  pipeline @0 u64 x 32 depth 2
  r0 u64
  r1 u64
  r2 ref mut 2
  r3 view mut 0
  r5 view 0
  r7 u64
  r8 u64
  r9 u64
  r10 u64
  r11 u64
  : load.pair r3 r2 0
  : const r7 0
  : const r8 32
  : pipeline.fill r3 r7 r8 0
  : const r7 32
  : const r8 16
  : pipeline.fill r3 r7 r8 0
  : pipeline.wait 0
  : pipeline.view r5 0
  : const r9 31
  : sub.u64 r9 r9 r1
  : load.at.u64 r10 r5 r9
  : pipeline.release 0
  : pipeline.wait 0
  : pipeline.view r5 0
  : load.at.u64 r11 r5 r9
  : add.u64 r10 r10 r11
  : pipeline.release 0
  : add.u64.imm r9 r1 64
  : store.at.u64 r3 r9 r10
  : return
end
function 6 "run_piped" signature 1 kind plain environment none parent none at 0:9:1 slots 10 memory 16 align 16
  r0 view mut 0
  r2 u64
  r3 ref mut 2
  @0 2
  : frame.store.pair r0 0
  : frame.ref r3 0
  : cooperative r3 r2 0 5 at 0:9:3
  : return
end

function 7 "spins" signature 0 kind kernel environment 2 parent 8 at 0:10:1 slots 16 memory 0 align 16
  kernel threads 64 shared 0 finish none
  r0 u64
  r1 u64
  r2 ref mut 2
  r3 view mut 0
  r5 ref mut 0
  r6 u64
  r7 u32
  r8 u64
  : load.pair r3 r2 0
  : const r6 0
  : const r7 0
  : ref.at r5 r3 r6 8
  : jump.eq.imm r1 63 L1
  L0:
  : atomic.load.u64 r6 r5 r7
  : jump.eq.imm r6 0 L0
  : return
  L1:
  : const r8 1
  : atomic.store.u64 r5 r8 r7
  : return
end
function 8 "run_spins" signature 1 kind plain environment none parent none at 0:11:1 slots 10 memory 16 align 16
  r0 view mut 0
  r2 u64
  r3 ref mut 2
  @0 2
  : frame.store.pair r0 0
  : frame.ref r3 0
  : cooperative r3 r2 0 7 at 0:11:3
  : return
end
)";

std::uint64_t slot(const void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }

}  // namespace

TEST_CASE("threads of a block meet at barriers, and the finish runs once", "[interpreter][kernels]") {
  for (const std::uint64_t blocks : {0UL, 1UL, 5UL, 40UL}) {
    std::vector<std::uint64_t> out(blocks * 64 + 1);
    Running running(from_text(kKernels));
    REQUIRE_FALSE(running.call("run", {slot(out.data()), out.size(), blocks}).trap);
    std::size_t wrong = 0;
    for (std::uint64_t i = 1; i < blocks * 64; ++i) wrong += out[i] != 63 - i % 64;
    CHECK(wrong == 0);
    CHECK(out[0] == (blocks == 0 ? 1000 : 1063));
  }
}

TEST_CASE("a thread's trap names its block and thread", "[interpreter][kernels]") {
  std::vector<std::uint64_t> out(64 + 40);
  Running running(from_text(kKernels));
  const Outcome outcome = running.call("run", {slot(out.data()), out.size(), 2});
  REQUIRE(outcome.trap);
  CHECK(outcome.trap->message == "trap: bounds: index 104, length 104");
  CHECK(outcome.trap->notes == std::vector<std::string>{"in reversed", "block 1, thread 40"});
}

TEST_CASE("warp operations exchange among 32 threads", "[interpreter][kernels]") {
  std::vector<std::uint64_t> out(32);
  Running running(from_text(kKernels));
  REQUIRE_FALSE(running.call("run_warps", {slot(out.data()), out.size(), 1}).trap);
  for (std::uint64_t t = 0; t < 32; ++t) {
    const std::uint64_t down = t + 1 < 32 ? t + 1 : t;
    const std::uint64_t up = t >= 3 ? t - 3 : t;
    const std::uint64_t match = t % 2 == 0 ? 0x55555555 : 0xaaaaaaaa;
    CHECK(out[t] == down + (t ^ 3) + up + 7 + 15 + 496 + (match & 3));
  }
}

TEST_CASE("a pipeline's stages come in order, zeros after what was asked for", "[interpreter][kernels]") {
  std::vector<std::uint64_t> out(96);
  for (std::uint64_t i = 0; i < 48; ++i) out[i] = i + 1;
  for (std::uint64_t i = 48; i < 64; ++i) out[i] = 1000;
  Running running(from_text(kKernels));
  REQUIRE_FALSE(running.call("run_piped", {slot(out.data()), out.size(), 1}).trap);
  for (std::uint64_t t = 0; t < 32; ++t) {
    const std::uint64_t k = 31 - t;
    CHECK(out[64 + t] == (k + 1) + (k < 16 ? 32 + k + 1 : 0));
  }
}

TEST_CASE("a thread may spin for another of its block", "[interpreter][kernels]") {
  std::vector<std::uint64_t> out(1);
  Running running(from_text(kKernels));
  REQUIRE_FALSE(running.call("run_spins", {slot(out.data()), out.size(), 1}).trap);
  CHECK(out[0] == 1);
}

}  // namespace cairn::tests
