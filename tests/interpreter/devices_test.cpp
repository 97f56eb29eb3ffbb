// Device operations in the interpreter: lanes on the pool, copies between placements, and instances without a device.
#include "tests/interpreter/program.hpp"

namespace cairn::tests {
namespace {

const char* const kDevices = R"(
module "devices"
file 0 "d.cairn"
type 0 u64
type 1 view mut 0
type 2 environment "env" size 24 align 8 ("out" 1 @0, "k" 0 @16)
signature 0 (u64, u64)
signature 1 (view mut 0, u64, u64)
signature 2 (u64) -> u64
signature 3 (u64, u64, view mut 0) -> u64

function 0 "lanes" signature 0 kind device.lane environment 2 parent 1 at 0:1:1 slots 12 memory 0 align 16
  r0 u64
  r1 u64
  r2 ref mut 2
  r3 view mut 0
  r5 u64
  r6 u64
  : load.pair r3 r2 0
  : load.u64 r5 r2 16
L0:
  : mul.u64 r6 r0 r5
  : store.at.u64 r3 r0 r6
  : loop.next r0 r1 L0
  : return
end
function 1 "fill" signature 1 kind plain environment none parent none at 0:4:1 slots 12 memory 32 align 16
  r0 view mut 0
  r2 u64
  r3 u64
  r4 ref mut 2
  @0 2
  : frame.store.pair r0 0
  : frame.store.u64 r3 16
  : frame.ref r4 0
  : device.parallel r4 r2 0 at 0:4:3
  : return
end
function 2 "round" signature 2 kind plain environment none parent none at 0:8:1 slots 24 memory 0 align 16
  r0 u64
  r1 buf 0
  r3 buf 0
  r5 u64
  r6 view mut 0
  r8 u64
  : placed.new r1 r0 1 0 at 0:8:3
  : placed.new r3 r0 2 0
  : const r5 0
  : const r8 41
  : store.at.u64 r3 r5 r8
  : transfer r1 r3 9 8
  : store.at.u64 r3 r5 r0
  : transfer r3 r1 6 8
  : load.at.u64 r5 r3 r5
  : placed.drop r1 1 0
  : placed.drop r3 2 0
  : return.value r5
end
)";

}  // namespace

TEST_CASE("device lanes run every index once, however many there are", "[interpreter][devices]") {
  Running program(from_text(kDevices));
  for (const std::uint64_t count : {0ULL, 1ULL, 77ULL, 50000ULL}) {
    std::vector<std::uint64_t> out(count + 1, 9);
    REQUIRE_FALSE(program.call("fill", {reinterpret_cast<std::uint64_t>(out.data()), count, count, 3}).trap);
    for (std::uint64_t i = 0; i < count; ++i) REQUIRE(out[i] == 3 * i);
    CHECK(out[count] == 9);
  }
}

TEST_CASE("device memory is another memory than what is copied to it", "[interpreter][devices]") {
  Running program(from_text(kDevices), {.memory_bytes = 1 << 20});
  CHECK(program.call("round", {8}).value == 41);
  CHECK(program.instance().memory().used() == 0);
  CHECK(program.call("round", {1 << 20}).trap->kind == TrapKind::Allocation);
}

TEST_CASE("a failed guard in a lane ends the region and poisons the device", "[interpreter][devices]") {
  Running program(from_text(kDevices));
  std::vector<std::uint64_t> out(4, 0);
  const Outcome outcome = program.call("fill", {reinterpret_cast<std::uint64_t>(out.data()), 4, 5, 1});
  REQUIRE(outcome.trap);
  CHECK(outcome.trap->kind == TrapKind::Bounds);
  CHECK(outcome.trap->notes.at(1) == "lane 4");
  Thread other(program.instance());
  std::uint64_t result = 0;
  const std::uint64_t count = 1;
  const auto trap = other.call(2, {&count, 1}, {&result, 1});
  REQUIRE(trap);
  CHECK(trap->kind == TrapKind::Device);
  CHECK(trap->message == "trap: device: an earlier failure ended the device's work");
}

TEST_CASE("without a device its work traps", "[interpreter][devices]") {
  Running program(from_text(kDevices));
  program.instance().set_device(nullptr);
  CHECK(program.call("round", {1}).trap->message == "trap: device: there is no device");
}

}  // namespace cairn::tests
