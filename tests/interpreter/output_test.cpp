// print and format; asserts.
#include "tests/interpreter/program.hpp"

namespace cairn::tests {
namespace {

const char* const kOutput = R"(
module "output"
file 0 "src/main.cairn"
text 0 "n = "
text 1 "why"
type 0 u8
type 1 buf 0
type 2 u64
type 3 record "Text" size 24 align 8 ("bytes" 1 @0, "length" 2 @16)
signature 0 (u64, i8, bool, f32, f64, view 0) -> u64
signature 1 (view 0)
signature 2 (ref mut 3, u64)
signature 3 (f64, f64)
signature 4 (ref mut 3)
function 0 "all" signature 0 kind plain environment none parent none at none slots 16 memory 0 align 16
  r0 u64
  r1 i8
  r2 bool
  r3 f32
  r4 f64
  r5 view 0
  r7 view 0
  r9 u8
  : text r7 0
  : const r9 33
  : print 2 8 [bytes r7 unsigned r0 signed r1 bool r2 f32 r3 f64 r4 bytes r5 byte r9]
  : print 1 0 []
  : print 3 0 []
  : return.value r0
end
function 1 "big" signature 1 kind plain environment none parent none at none slots 8 memory 0 align 16
  r0 view 0
  r2 u8
  : const r2 63
  : print 0 3 [byte r2 bytes r0 byte r2]
  : return
end
function 2 "append" signature 2 kind plain environment none parent none at none slots 8 memory 0 align 16
  r0 ref mut 3
  r1 u64
  r2 u8
  : const r2 58
  : format r0 2 0 16 [unsigned r1 byte r2]
  : return
end
function 3 "equal" signature 3 kind plain environment none parent none at none slots 6 memory 0 align 16
  r0 f64
  r1 f64
  : jump.eq.f64 r0 r1 L0 at 0:7:3
  : fail.equal r0 r1 5 1
  L0:
  : return
end
function 4 "holds" signature 3 kind plain environment none parent none at none slots 6 memory 0 align 16
  r0 f64
  r1 f64
  : jump.lt.f64 r0 r1 L0 at 0:9:3
  : fail.assert none
  L0:
  : return
end
function 5 "drop" signature 4 kind plain environment none parent none at none slots 6 memory 0 align 16
  r0 ref mut 3
  : drop r0 3
  : return
end
)";

}  // namespace

TEST_CASE("a print is one write of all its arguments", "[interpreter]") {
  Running running(from_text(kOutput));
  const std::string text = "text";
  running.call("all", {7, static_cast<std::uint64_t>(-3), 1, bits(0.1F), bits(1e21),
                       reinterpret_cast<std::uint64_t>(text.data()), 4});
  REQUIRE(running.output.writes.size() == 2);
  CHECK(running.output.writes[0] == std::pair(false, std::string("n = 7-3true0.11e+21text!\n")));
  CHECK(running.output.writes[1] == std::pair(true, std::string("\n")));
}

TEST_CASE("up to 4096 bytes go out at once, more in pieces, in order", "[interpreter]") {
  for (const std::size_t size : {std::size_t{4094}, std::size_t{4095}, std::size_t{10000}}) {
    Running running(from_text(kOutput));
    const std::string text(size, 'x');
    running.call("big", {reinterpret_cast<std::uint64_t>(text.data()), size});
    CHECK(running.output.all() == "?" + text + "?");
    CHECK((running.output.writes.size() == 1) == (size + 2 <= 4096));
  }
}

TEST_CASE("a failed write ends its print and nothing else", "[interpreter]") {
  Running running(from_text(kOutput));
  running.output.fails = true;
  const std::string text(10000, 'x');
  CHECK_FALSE(running.call("big", {reinterpret_cast<std::uint64_t>(text.data()), text.size()}).trap);
  CHECK(running.output.writes.size() == 1);
}

TEST_CASE("format appends, growing to the larger of needed, twice the capacity, and four", "[interpreter]") {
  struct Text {
    char* bytes = nullptr;
    std::uint64_t capacity = 0;
    std::uint64_t length = 0;
  } record;
  Limits limits;
  limits.memory_bytes = 1 << 20;
  Running running(from_text(kOutput), limits);
  const auto at = reinterpret_cast<std::uint64_t>(&record);
  running.call("append", {at, 7});
  CHECK(record.capacity == 4);
  CHECK(std::string(record.bytes, record.length) == "7:");
  running.call("append", {at, 123});
  CHECK(record.capacity == 8);
  CHECK(std::string(record.bytes, record.length) == "7:123:");
  running.call("append", {at, 12345678901234567890ULL});
  CHECK(record.capacity == 27);
  CHECK(std::string(record.bytes, record.length) == "7:123:12345678901234567890:");
  record.length = ~0ULL;
  CHECK(running.call("append", {at, 1}).trap->kind == TrapKind::Allocation);
  Running other(from_text(kOutput), limits);
  record.length = 0;
  running.call("drop", {at});
  CHECK(running.instance().memory().used() == 0);
}

TEST_CASE("an assertion's line is the specification's", "[interpreter]") {
  const Outcome differs = Running(from_text(kOutput)).call("equal", {bits(0.1 + 0.2), bits(0.3)});
  CHECK(render(*differs.trap) ==
        "assertion failed at src/main.cairn:7: why: left 0.30000000000000004, right 0.29999999999999999\n"
        "  --> src/main.cairn:7:3\n"
        "  = note: in equal\n");
  CHECK_FALSE(Running(from_text(kOutput)).call("equal", {bits(2.0), bits(2.0)}).trap);
  CHECK(Running(from_text(kOutput)).call("holds", {bits(2.0), bits(2.0)}).trap->message ==
        "assertion failed at src/main.cairn:9");
}

}  // namespace cairn::tests
