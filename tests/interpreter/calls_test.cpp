// Calls, values of functions, closures, dyn, natives; the call depth; what a trap says of calls.
#include "tests/interpreter/program.hpp"

namespace cairn::tests {
namespace {

const char* const kCalls = R"(
module "calls"
file 0 "calls.cairn"
type 0 u64
type 1 fn 0
type 2 environment "scale.closure" size 8 align 8 ("by" 0 @0)
type 3 record "Square" size 8 align 8 ("side" 0 @0)
type 4 record "Box" size 16 align 8 ("wide" 0 @0, "high" 0 @8)
type 5 dyn 0
signature 0 (u64) -> u64
signature 1 (fn 0, u64) -> u64
signature 2 (callable 0, u64) -> u64
signature 3 (u64, u64) -> u64
signature 4 (ref none) -> u64
signature 5 (ref 3) -> u64
signature 6 (ref 4) -> u64
signature 7 () -> u64
trait 0 "Shape" ("area" 4 receiver 0)
table 0 trait 0 type 3 (6)
table 1 trait 0 type 4 (7)
native 0 "twice" 0
native 1 "again" 0

function 0 "fib" signature 0 kind plain environment none parent none at 0:1:1 slots 7 memory 0 align 16
  r0 u64 "n"
  r1 u64
  : jump.ge.u.imm r0 2 L0 at 0:2:3
  : return.value r0
  L0:
  : sub.u64.imm o0 r0 1 at 0:3:10
  : call o0 0
  : move r1 o0
  : sub.u64.imm o0 r0 2
  : call o0 0
  : add.u64 r1 r1 o0
  : return.value r1
end
function 1 "apply" signature 1 kind plain environment none parent none at 0:5:1 slots 7 memory 0 align 16
  r0 fn 0
  r1 u64
  : move o0 r1 at 0:5:9
  : call.value o0 r0 0
  : return.value o0
end
function 2 "lend" signature 2 kind plain environment none parent none at 0:6:1 slots 9 memory 0 align 16
  r0 callable 0
  r2 u64
  : move o0 r2 at 0:6:9
  : call.callable o0 r0 0
  : return.value o0
end
function 3 "scale.closure" signature 0 kind closure environment 2 parent 4 at 0:8:3 slots 7 memory 0 align 16
  r0 u64 "x"
  r1 ref mut 2
  r2 u64
  : load.u64 r2 r1 0 at 0:8:12
  : mul.u64 r2 r0 r2
  : return.value r2
end
function 4 "scale" signature 3 kind plain environment none parent none at 0:7:1 slots 12 memory 8 align 16
  r0 u64 "x"
  r1 u64 "by"
  r2 ref mut 2
  r3 callable 0
  @0 2 "captured"
  : frame.store.u64 r1 0 at 0:7:9
  : frame.ref r2 0
  : callable.closure r3 r2 3
  : move.pair o0 r3
  : move o2 r0
  : call o0 2 at 0:9:10
  : return.value o0
end
function 5 "empty_value" signature 7 kind plain environment none parent none at 0:11:1 slots 8 memory 0 align 16
  r0 fn 0
  r1 u64
  : const r0 0 at 0:12:3
  : const o1 1
  : move o0 r0
  : call o0 1 at 0:12:9
  : return.value o0
end
function 6 "Square.area" signature 5 kind plain environment none parent none at 0:20:1 slots 6 memory 0 align 16
  r0 ref 3
  r1 u64
  : load.u64 r1 r0 0
  : mul.u64 r1 r1 r1
  : return.value r1
end
function 7 "Box.area" signature 6 kind plain environment none parent none at 0:21:1 slots 7 memory 0 align 16
  r0 ref 4
  r1 u64
  r2 u64
  : load.u64 r1 r0 0
  : load.u64 r2 r0 8
  : mul.u64 r1 r1 r2
  : return.value r1
end
function 8 "areas" signature 3 kind plain environment none parent none at 0:22:1 slots 18 memory 32 align 16
  r0 u64
  r1 u64
  r2 ref mut 3
  r3 ref mut 4
  r4 dynref mut 0
  r6 dynref mut 0
  r8 dyn 0
  r10 u64
  @0 3
  @16 4
  : frame.store.u64 r0 0
  : frame.store.u64 r0 16
  : frame.store.u64 r1 24
  : frame.ref r2 0
  : frame.ref r3 16
  : dyn.lend r4 r2 0
  : call.dyn o0 r4 0 0 4
  : move r10 o0
  : dyn.new r8 r3 1
  : dyn.of r6 r8
  : call.dyn o0 r6 0 0 4
  : add.u64 r10 r10 o0
  : drop.dyn r8
  : frame.load.u64 o0 16
  : add.u64 r10 r10 o0
  : return.value r10
end
function 9 "through_host" signature 0 kind plain environment none parent none at 0:30:1 slots 6 memory 0 align 16
  r0 u64
  : move o0 r0 at 0:31:3
  : call.native o0 0
  : return.value o0
end
function 10 "host_calls_back" signature 0 kind plain environment none parent none at 0:33:1 slots 6 memory 0 align 16
  r0 u64
  : move o0 r0 at 0:34:3
  : call.native o0 1
  : return.value o0
end
function 11 "forever" signature 0 kind plain environment none parent none at 0:40:1 slots 6 memory 0 align 16
  r0 u64 "n"
  : add.u64.imm o0 r0 1 at 0:41:12
  : call o0 11 at 0:41:10
  : return.value o0
end
function 12 "empty_dyn" signature 7 kind plain environment none parent none at 0:45:1 slots 12 memory 0 align 16
  r0 dyn 0
  r2 dynref mut 0
  : zero.pair r0
  : dyn.of r2 r0 at 0:46:5
  : call.dyn o0 r2 0 0 4
  : return.value o0
end
)";

void twice(NativeCall& call) {
  const auto x = call.get<std::uint64_t>(0);
  if (x == 13) return call.trap(TrapKind::Foreign, "no thirteen");
  call.result(x * 2);
}

/// Calls fib of the same module, from inside the program's own call.
void again(NativeCall& call) {
  std::uint64_t argument = call.get<std::uint64_t>(0);
  std::uint64_t result = 0;
  const auto trap =
      call.thread().call(argument == 99 ? 5 : 0, std::span(&argument, argument == 99 ? 0 : 1), std::span(&result, 1));
  if (!trap) call.result(result);
}

NativeTable natives() {
  static constexpr NativeEntry kEntries[] = {{"twice", "(u64) -> u64", Capability::None, twice},
                                             {"again", "(u64) -> u64", Capability::None, again}};
  NativeTable table;
  table.add(kEntries);
  return table;
}

Outcome run(std::string_view function, std::vector<std::uint64_t> arguments = {}, const Limits& limits = {}) {
  Running running(from_text(kCalls), limits, natives());
  return running.call(function, arguments);
}

}  // namespace

TEST_CASE("functions call themselves, each other, and values of functions", "[interpreter]") {
  CHECK(run("fib", {20}).value == 6765);
  CHECK(run("apply", {0 + 1, 10}).value == 55);  // the value of function 0
  CHECK(run("scale", {6, 7}).value == 42);
  CHECK(run("areas", {3, 4}).value == 9 + 12);
}

TEST_CASE("an empty function value or Dyn traps where it is called or lent", "[interpreter]") {
  const Outcome call = run("empty_value");
  REQUIRE(call.trap);
  CHECK(render(*call.trap) ==
        "trap: callable: an empty function value\n"
        "  --> calls.cairn:5:9\n"
        "  = note: in apply\n"
        "  = note: called at calls.cairn:12:9, in empty_value\n");
  CHECK(run("empty_dyn").trap->message == "trap: callable: an empty Dyn");
  CHECK(run("empty_dyn").trap->line == 46);
}

TEST_CASE("natives take slots, give results, trap, and call back", "[interpreter]") {
  CHECK(run("through_host", {21}).value == 42);
  const Outcome trap = run("through_host", {13});
  CHECK(trap.trap->message == "trap: foreign: no thirteen");
  CHECK(trap.trap->line == 31);
  CHECK(run("host_calls_back", {15}).value == 610);
  CHECK(run("host_calls_back", {99}).trap->message == "trap: callable: an empty function value");
  Running without(from_text(kCalls));
  CHECK(without.call("through_host", {1}).trap->message == "trap: foreign: the host has no twice of that signature");
}

TEST_CASE("endless recursion is a trap of kind stack, not a fault", "[interpreter]") {
  Limits limits;
  limits.stack_bytes = 1 << 20;
  const Outcome outcome = run("forever", {0}, limits);
  REQUIRE(outcome.trap);
  CHECK(outcome.trap->kind == TrapKind::Stack);
  CHECK(outcome.trap->message == "trap: stack: the call depth is spent");
  CHECK(outcome.trap->line == 41);
  CHECK(outcome.trap->notes.front() == "in forever");
  CHECK(outcome.trap->notes.back().ends_with(" more calls"));
}

TEST_CASE("a host limits steps and interrupts", "[interpreter]") {
  const char* const spin = R"(
module "spin"
signature 0 () -> u64
function 0 "spin" signature 0 kind plain environment none parent none at none slots 5 memory 0 align 16
  r0 u64
  L0:
  : jump L0
end
)";
  Limits limits;
  limits.steps = 1000000;
  Running limited(from_text(spin), limits);
  CHECK(limited.call(0).trap->message == "trap: limit: the step limit is spent");
  Running stopped(from_text(spin));
  stopped.instance().watch();
  stopped.instance().interrupt();
  CHECK(stopped.call(0).trap->message == "trap: interrupt: stopped by the host");
}

TEST_CASE("memory of frames is taken, aligned, and given back by the return", "[interpreter]") {
  const char* const text = R"(
module "memory"
type 0 u64
type 1 record "Big" size 4096 align 4096 ("x" 0 @0)
signature 0 (u64) -> u64
function 0 "deep" signature 0 kind plain environment none parent none at none slots 9 memory 4096 align 4096
  r0 u64
  r1 u64
  r2 ref mut 1
  @0 1
  : frame.store.u64 r0 0
  : jump.eq.imm r0 0 L0
  : sub.u64.imm o0 r0 1
  : call o0 0
  : frame.load.u64 r1 0
  : add.u64 r1 r1 o0
  : return.value r1
  L0:
  : return.value r0
end
)";
  Running running(from_text(text));
  CHECK(running.call(0, {100}).value == 5050);
  CHECK(running.call(0, {100}).value == 5050);
  Limits limits;
  limits.stack_bytes = 1 << 20;
  Running small(from_text(text), limits);
  CHECK(small.call(0, {1000}).trap->kind == TrapKind::Stack);
}

}  // namespace cairn::tests
