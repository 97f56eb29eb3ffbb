// What the verifier asks of device work, each fault beside the nearest module it accepts.
#include <catch2/catch.hpp>
#include <string>

#include "vm/bytecode/text.hpp"
#include "vm/bytecode/verifier.hpp"

namespace cairn::bytecode {
namespace {

/// Function 0 is judged; 1 a region's kernel, 2 one that folds, 3 one that selects, 4 a host lane.
std::string module_with(std::string_view body, std::string_view environment = "view mut 0",
                        std::string_view kind = "plain") {
  return R"(
module "devices"
type 0 u64
type 1 )" +
         std::string(environment) +
         R"(
type 2 environment "env" size 16 align 8 ("out" 3 @0)
type 3 view mut 0
type 4 environment "other" size 16 align 8 ("x" 1 @0)
type 5 u32
signature 0 (u64, u64)
signature 1 (u64, u64) -> u64
signature 2 (u64, u64, view mut 0) -> u64
signature 3 (view mut 0, u64, view mut 5, ref mut 0)
signature 4 ()
signature 5 () -> u64

function 0 "judged" signature 3 kind )" +
         std::string(kind) + R"( environment none parent none at none slots 40 memory 32 align 16
  r0 view mut 0
  r2 u64
  r3 view mut 5
  r5 ref mut 0
  r6 ref mut 2
  r7 ticket 4
  r8 ticket 5
  r9 u64
  r10 u32
  @0 2 "environment"
  : frame.store.pair r0 0
  : frame.ref r6 0
)" + std::string(body) +
         R"(
  : return
end
function 1 "region" signature 0 kind device.lane environment 2 parent 0 at none slots 8 memory 0 align 16
  r0 u64
  r1 u64
  r2 ref mut 2
  : return
end
function 2 "fold" signature 1 kind device.lane environment 2 parent 0 at none slots 8 memory 0 align 16
  r0 u64
  r1 u64
  r2 ref mut 2
  : return.value r0
end
function 3 "select" signature 2 kind device.lane environment 2 parent 0 at none slots 9 memory 0 align 16
  r0 u64
  r1 u64
  r2 view mut 0
  r4 ref mut 2
  : return.value r0
end
function 4 "host" signature 0 kind lane environment 2 parent 0 at none slots 8 memory 0 align 16
  r0 u64
  r1 u64
  r2 ref mut 2
  : return
end
function 5 "other" signature 0 kind device.lane environment 4 parent 0 at none slots 8 memory 0 align 16
  r0 u64
  r1 u64
  r2 ref mut 4
  : return
end
)";
}

std::string judged(const std::string& text) {
  const auto module = read_text(text);
  if (!module) return "unread: " + module.error();
  const auto fault = verify(*module);
  return fault ? fault->message : "accepted";
}

std::string body(std::string_view line) { return judged(module_with("  : " + std::string(line))); }

// add_wrap of u64, and of u32.
const char* const kReduce = "device.reduce r9 r6 r2 1024 2";

}  // namespace

TEST_CASE("regions on the device run kernels of their shape", "[verifier][devices]") {
  CHECK(body("device.parallel r6 r2 1") == "accepted");
  CHECK(body("device.parallel r6 r2 2") == "a lane of another signature");
  CHECK(body("device.parallel r6 r2 4") == "no device lane function");
  CHECK(body("device.parallel r5 r2 1") == "an environment of another type");
  CHECK(body("parallel r6 r2 1 0 4") == "accepted");
  CHECK(body("parallel r6 r2 1 0 1") == "no lane function");
}

TEST_CASE("collectors on the device fold and select what their kernels give", "[verifier][devices]") {
  CHECK(body(kReduce) == "accepted");
  CHECK(body("device.reduce r9 r6 r2 768 2") == "no such fold");
  CHECK(body("device.reduce r10 r6 r2 1024 2") == "a register of another type is written");
  CHECK(body("device.reduce r9 r6 r2 1024 1") == "no such fold");
  CHECK(body("device.reduce.to r5 r6 r2 1024 2") == "accepted");
  CHECK(body("device.reduce.to r6 r6 r2 1024 2") == "no such scalar lies there");
  CHECK(body("device.scan r9 r6 r2 1024 r0 2") == "accepted");
  CHECK(body("device.scan r9 r6 r2 1024 r3 2") == "elements of another type");
  CHECK(body("device.prefixes r6 r2 1024 r0 2") == "accepted");
  CHECK(body("device.prefixes r6 r2 1024 r3 2") == "elements of another type");
  CHECK(body("device.compact r9 r6 r2 r0 3") == "accepted");
  CHECK(body("device.compact r9 r6 r2 r3 3") == "elements of another type");
  CHECK(body("device.compact r9 r6 r2 r0 2") == "a lane of another signature");
}

TEST_CASE("tickets of queued work give nothing", "[verifier][devices]") {
  CHECK(body("queue.parallel r7 r6 r2 1\n  : queue.after r7\n  : queue.wait r7") == "accepted");
  CHECK(body("queue.parallel r8 r6 r2 1") == "a ticket of work that gives something");
  CHECK(body("queue.transfer r7 r0 r0 5 8") == "accepted");
  CHECK(body("queue.transfer r7 r0 r3 5 8") == "elements of different types");
  CHECK(body("queue.transfer r7 r0 r0 5 4") == "elements of different types");
  CHECK(body("transfer r0 r0 5 8") == "accepted");
  CHECK(body("transfer r0 r3 5 8") == "elements of different types");
}

TEST_CASE("a kernel's environment refers to nothing of the host", "[verifier][devices]") {
  CHECK(judged(module_with("")) == "accepted");
  CHECK(judged(module_with("", "ref mut 0")) == "a device lane that refers to the host");
  CHECK(judged(module_with("", "buf 0")) == "a device lane that refers to the host");
}

TEST_CASE("the text form keeps what a module is emulated for", "[text][devices]") {
  auto module = read_text(module_with("  : device.parallel r6 r2 1"));
  REQUIRE(module);
  CHECK(has_device_work(*module));
  module->emulated_for = "sm_90a";
  const auto again = read_text(write_text(*module));
  REQUIRE(again);
  CHECK(again->emulated_for == "sm_90a");
  module->emulated_for.clear();
  module->built_for = "sm_80";
  const auto built = bytecode::read_text(bytecode::write_text(*module));
  REQUIRE(built.has_value());
  CHECK(built->built_for == "sm_80");
  CHECK(built->emulated_for.empty());
  CHECK_FALSE(has_device_work(*read_text(module_with(""))));
}

}  // namespace cairn::bytecode
