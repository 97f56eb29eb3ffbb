// Regions, tasks, groups, locks, atomics.
#include "tests/interpreter/program.hpp"

namespace cairn::tests {
namespace {

// Lanes over a view captured in an environment {view mut u64, u64}; n indices.
const char* const kRegions = R"(
module "regions"
file 0 "r.cairn"
type 0 u64
type 1 view mut 0
type 2 environment "env" size 24 align 8 ("xs" 1 @0, "k" 0 @16)
type 3 f64
signature 0 (u64, u64)
signature 1 (u64, u64) -> u64
signature 2 (view mut 0, u64) -> u64
signature 3 (u64, u64, view mut 3)
signature 4 (u64) -> f64

function 0 "squares" signature 0 kind lane environment 2 parent 1 at 0:1:1 slots 10 memory 0 align 16
  r0 u64 "i"
  r1 u64
  r2 ref mut 2
  r3 view mut 0
  r5 u64
  : load.pair r3 r2 0 at 0:1:5
  L0:
  : mul.u64 r5 r0 r0 at 0:1:9
  : store.at.u64 r3 r0 r5
  : loop.next r0 r1 L0
  : return
end
function 1 "fill" signature 2 kind plain environment none parent none at 0:2:1 slots 10 memory 24 align 16
  r0 view mut 0
  r2 u64 "n"
  r3 ref mut 2
  @0 2
  : frame.store.pair r0 0
  : frame.ref r3 0
  : parallel r3 r2 1 0 0 at 0:2:3
  : return.value r2
end
function 2 "block_sum" signature 1 kind lane environment 2 parent 3 at 0:3:1 slots 12 memory 0 align 16
  r0 u64
  r1 u64
  r2 ref mut 2
  r3 view mut 0
  r5 u64
  r6 u64
  : load.pair r3 r2 0
  : const r5 0
  L0:
  : load.at.u64 r6 r3 r0
  : add.u64 r5 r5 r6
  : loop.next r0 r1 L0
  : return.value r5
end
function 3 "total" signature 2 kind plain environment none parent none at 0:4:1 slots 10 memory 24 align 16
  r0 view mut 0
  r2 u64 "n"
  r3 ref mut 2
  r4 u64
  @0 2
  : frame.store.pair r0 0
  : frame.ref r3 0
  : reduce r4 r3 r2 1031 2 at 0:4:3
  : return.value r4
end
function 4 "prefixes" signature 1 kind lane environment 2 parent 5 at 0:5:1 slots 12 memory 0 align 16
  r0 u64
  r1 u64
  r2 ref mut 2
  r3 view mut 0
  r5 u64
  r6 u64
  : load.pair r3 r2 0
  : const r5 0
  L0:
  : load.at.u64 r6 r3 r0
  : add.u64 r5 r5 r6
  : store.at.u64 r3 r0 r5
  : loop.next r0 r1 L0
  : return.value r5
end
function 5 "scan" signature 2 kind plain environment none parent none at 0:6:1 slots 10 memory 24 align 16
  r0 view mut 0
  r2 u64 "n"
  r3 ref mut 2
  r4 u64
  @0 2
  : frame.store.pair r0 0
  : frame.ref r3 0
  : scan r4 r3 r2 1031 r0 4 at 0:6:3
  : return.value r4
end
function 6 "terms" signature 3 kind lane environment 2 parent 7 at 0:7:1 slots 14 memory 0 align 16
  r0 u64
  r1 u64
  r2 view mut 3
  r4 ref mut 2
  r5 u64
  r6 f64
  r7 u64
  : const r5 0
  L0:
  : to.f64.u r6 r0
  : and.imm r7 r0 1
  : jump.eq.imm r7 0 L1
  : neg.f64 r6 r6
  L1:
  : store.at.f64 r2 r5 r6
  : add.u64.imm r5 r5 1
  : loop.next r0 r1 L0
  : return
end
function 7 "alternating" signature 4 kind plain environment none parent none at 0:8:1 slots 10 memory 24 align 16
  r0 u64 "n"
  r1 ref mut 2
  r2 f64
  @0 2
  : frame.ref r1 0
  : sum.exact.f64 r2 r1 r0 6
  : return.value r2
end
)";

std::uint64_t slot(const void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }

Limits lanes(std::size_t count) {
  Limits limits;
  limits.lanes = count;
  return limits;
}

}  // namespace

TEST_CASE("lanes run every index once on any number of lanes", "[interpreter][pool]") {
  for (const std::size_t count : {1UL, 2UL, 4UL}) {
    for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{100}, std::size_t{100000}}) {
      std::vector<std::uint64_t> xs(n, 7);
      Running running(from_text(kRegions), lanes(count));
      REQUIRE_FALSE(running.call("fill", {slot(xs.data()), n, n}).trap);
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < n; ++i) wrong += xs[i] != i * i;
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("a lane's trap is the region's, and names the lane", "[interpreter][pool]") {
  std::vector<std::uint64_t> xs(99999);
  Running running(from_text(kRegions), lanes(2));
  const Outcome outcome = running.call("fill", {slot(xs.data()), xs.size(), 100000});
  REQUIRE(outcome.trap);
  CHECK(outcome.trap->message == "trap: bounds: index 99999, length 99999");
  CHECK(outcome.trap->line == 1);
  CHECK(outcome.trap->notes == std::vector<std::string>{"in squares", "lane 99999"});
}

TEST_CASE("a reduction and a scan give the in-order result, or its overflow", "[interpreter][pool]") {
  for (const std::size_t count : {1UL, 3UL}) {
    for (const std::size_t n : {std::size_t{0}, std::size_t{5}, std::size_t{16384}, std::size_t{123457}}) {
      std::vector<std::uint64_t> xs(n);
      for (std::size_t i = 0; i < n; ++i) xs[i] = i * 3 + 1;
      Running running(from_text(kRegions), lanes(count));
      const std::uint64_t expected = n == 0 ? 0 : 3 * (n * (n - 1) / 2) + n;
      CHECK(running.call("total", {slot(xs.data()), n, n}).value == expected);
      CHECK(running.call("scan", {slot(xs.data()), n, n}).value == expected);
      std::uint64_t sum = 0;
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < n; ++i) wrong += xs[i] != (sum += i * 3 + 1);
      CHECK(wrong == 0);
    }
  }
  std::vector<std::uint64_t> large(100000, ~0ULL / 99999);
  const Outcome overflow =
      Running(from_text(kRegions), lanes(2)).call("total", {slot(large.data()), large.size(), large.size()});
  CHECK(overflow.trap->kind == TrapKind::Overflow);
  CHECK(Running(from_text(kRegions), lanes(2))
            .call("scan", {slot(large.data()), large.size(), large.size()})
            .trap->kind == TrapKind::Overflow);
}

TEST_CASE("a parallel float sum is exact on any number of lanes", "[interpreter][pool]") {
  for (const std::size_t count : {1UL, 4UL}) {
    Running running(from_text(kRegions), lanes(count));
    CHECK(running.call("alternating", {100000}).value == bits(-50000.0));
    CHECK(running.call("alternating", {0}).value == bits(0.0));
  }
}

TEST_CASE("CAIRN_LANES that is no lane count traps where the pool would start", "[interpreter][pool]") {
  ::setenv("CAIRN_LANES", "many", 1);
  std::vector<std::uint64_t> xs(100000);
  const Outcome outcome = Running(from_text(kRegions)).call("fill", {slot(xs.data()), xs.size(), xs.size()});
  ::unsetenv("CAIRN_LANES");
  REQUIRE(outcome.trap);
  CHECK(outcome.trap->kind == TrapKind::Lanes);
}

namespace {

const char* const kTasks = R"(
module "tasks"
file 0 "t.cairn"
type 0 u64
type 1 record "Pair" size 16 align 8 ("a" 0 @0, "b" 0 @8)
type 2 buf 0
signature 0 (u64) -> u64
signature 1 () -> u64
signature 2 (ref mut 1, ref 1) through
signature 3 (ref mut 1) through
signature 4 (u64) -> buf 0
signature 5 () -> buf 0
signature 6 (ref mut 0)
function 0 "square" signature 0 kind plain environment none parent none at 0:1:1 slots 6 memory 0 align 16
  r0 u64
  : mul.u64 r0 r0 r0 at 0:1:9
  : return.value r0
end
function 1 "swapped" signature 2 kind plain environment none parent none at 0:2:1 slots 9 memory 0 align 16
  r0 ref mut 1
  r1 ref 1
  r2 u64
  r3 u64
  : load.u64 r2 r1 0
  : load.u64 r3 r1 8
  : store.u64 r0 r3 0
  : store.u64 r0 r2 8
  : return
end
function 2 "by_value" signature 0 kind plain environment none parent none at 0:3:1 slots 14 memory 32 align 16
  r0 u64
  r1 ref mut 1
  r2 ref mut 1
  r3 ticket 3
  r4 u64
  r5 u64
  @0 1
  @16 1
  : frame.store.u64 r0 0
  : const r4 5
  : frame.store.u64 r4 8
  : frame.ref r1 0
  : frame.ref r2 16
  : move o1 r1
  : spawn r3 o0 1 1 [1]
  : zero r1 16
  : move o0 r2
  : wait o0 r3
  : frame.load.u64 r4 16
  : frame.load.u64 r5 24
  : sub.u64 r5 r4 r5
  : return.value r5
end
function 3 "two" signature 0 kind plain environment none parent none at 0:4:1 slots 12 memory 0 align 16
  r0 u64
  r1 ticket 1
  r2 ticket 1
  r3 u64
  : move o0 r0
  : spawn r1 o0 0 0 [] at 0:4:9
  : const o0 2
  : spawn r2 o0 0 0 []
  : wait o0 r1 at 0:5:9
  : move r3 o0
  : wait o0 r2
  : add.u64 r3 r3 o0
  : return.value r3
end
function 4 "grouped" signature 0 kind plain environment none parent none at 0:6:1 slots 14 memory 0 align 16
  r0 u64 "tasks"
  r1 group 1
  r2 u64
  r3 u64
  r4 u64
  : const r4 3
  : group.new r1 r4
  : const r2 0
  : const r3 0
  : jump.eq.imm r0 0 L1
  L0:
  : move o0 r2
  : spawn.into r1 o0 0 0 [] at 0:7:3
  : loop.next r2 r0 L0
  L1:
  : const r2 0
  : jump.eq.imm r0 0 L3
  L2:
  : collect o0 r1 at 0:8:3
  : add.u64 r3 r3 o0
  : loop.next r2 r0 L2
  L3:
  : wait.group r1
  : return.value r3
end
function 5 "make" signature 4 kind plain environment none parent none at 0:9:1 slots 8 memory 0 align 16
  r0 u64
  r1 buf 0
  : buf.new r1 r0 0
  : return.pair r1
end
function 6 "uncollected" signature 0 kind plain environment none parent none at 0:10:1 slots 12 memory 0 align 16
  r0 u64
  r1 group 5
  r2 u64
  : const r2 2
  : group.new r1 r2
  : move o0 r0
  : spawn.into r1 o0 0 5 []
  : move o0 r0
  : spawn.into r1 o0 0 5 []
  : collect o0 r1
  : move r2 o1
  : move.pair o2 o0
  : wait.group r1
  : return.value r2
end
function 7 "nothing" signature 1 kind plain environment none parent none at 0:11:1 slots 8 memory 0 align 16
  r0 group 1
  r1 u64
  : const r1 1
  : group.new r0 r1
  : collect o0 r0 at 0:11:9
  : return.value o0
end
)";

}  // namespace

TEST_CASE("tasks carry values, give results, and pass traps on", "[interpreter][tasks]") {
  Running running(from_text(kTasks));
  CHECK(running.call("two", {7}).value == 53);
  CHECK(running.call("by_value", {2}).value == 5 - 2);
  const Outcome trap = Running(from_text(kTasks)).call("two", {1ULL << 40});
  REQUIRE(trap.trap);
  CHECK(trap.trap->message == "trap: overflow: 1099511627776 * 1099511627776 does not fit u64");
  CHECK(trap.trap->notes.front() == "in square");
}

TEST_CASE("a group has room for its count and gives results as they come", "[interpreter][tasks]") {
  CHECK(Running(from_text(kTasks)).call("grouped", {3}).value == 0 + 1 + 4);
  CHECK(Running(from_text(kTasks)).call("grouped", {0}).value == 0);
  CHECK(Running(from_text(kTasks)).call("grouped", {4}).trap->kind == TrapKind::Group);
  CHECK(Running(from_text(kTasks)).call("nothing").trap->kind == TrapKind::Group);
}

TEST_CASE("results nobody collects are released", "[interpreter][tasks]") {
  Limits limits;
  limits.memory_bytes = 1 << 20;
  Running running(from_text(kTasks), limits);
  CHECK(running.call("uncollected", {10}).value == 10);
  CHECK(running.instance().memory().used() == 80);  // the one collected, which its caller holds
}

namespace {

/// Runs an atomic operation on a value in memory; its operands are registers.
std::uint64_t atomic(Op op, RegisterKind kind, ScalarKind scalar, std::uint64_t& value, std::uint64_t operand,
                     std::uint64_t order, std::optional<TrapKind>* trap = nullptr) {
  ModuleBuilder builder("atomics");
  const std::uint32_t type = builder.scalar(scalar);
  const OpName name = split_name(info(op).text);
  const bool loads = name.verb == "atomic.load";
  const bool stores = name.verb == "atomic.store";
  const RegisterType reg{kind};
  FunctionBuilder f(
      builder, builder.declare("f", builder.signature({{{RegisterKind::Ref, true, type}, reg, kU32}, reg, false})));
  const Register old = f.add_register(reg);
  if (loads) {
    f.emit(op, old, f.parameter(0), f.parameter(2));
  } else if (stores) {
    f.emit(op, f.parameter(0), f.parameter(1), f.parameter(2));
  } else if (info(op).operand_count == 3) {
    f.emit(op, old, f.parameter(0), f.parameter(1));
  } else {
    f.emit(op, old, f.parameter(0), f.parameter(1), f.parameter(2));
  }
  f.emit(Op::ReturnValue, old);
  f.finish();
  Running running(builder.take());
  const Outcome outcome = running.call(0, {reinterpret_cast<std::uint64_t>(&value), operand, order});
  if (trap != nullptr) *trap = outcome.trap ? std::optional(outcome.trap->kind) : std::nullopt;
  return outcome.value;
}

}  // namespace

TEST_CASE("atomic operations give the old value and leave the new one", "[interpreter][atomics]") {
  std::uint64_t value = 250;
  CHECK(atomic(Op::AtomicAddU8, RegisterKind::U8, ScalarKind::U8, value, 10, 0) == 250);
  CHECK(value == 4);  // wraps in its own width
  CHECK(atomic(Op::AtomicSubU64, RegisterKind::U64, ScalarKind::U64, value, 5, 4) == 4);
  CHECK(value == ~0ULL);
  CHECK(atomic(Op::AtomicAndU32, RegisterKind::U32, ScalarKind::U32, value, 0xff, 1) == 0xffffffff);
  CHECK(value == 0xffffffff000000ff);
  CHECK(atomic(Op::AtomicOrU16, RegisterKind::U16, ScalarKind::U16, value, 0x1000, 2) == 0xff);
  CHECK(atomic(Op::AtomicXorU64, RegisterKind::U64, ScalarKind::U64, value, ~0ULL, 3) == 0xffffffff000010ff);
  CHECK(atomic(Op::AtomicSwapI32, RegisterKind::I32, ScalarKind::I32, value, 9, 0) ==
        static_cast<std::uint64_t>(std::int64_t{-4352}));
  value = 5;
  CHECK(atomic(Op::AtomicMinI64, RegisterKind::I64, ScalarKind::I64, value, ~0ULL, 0) == 5);
  CHECK(value == ~0ULL);
  CHECK(atomic(Op::AtomicMaxU64, RegisterKind::U64, ScalarKind::U64, value, 3, 0) == ~0ULL);
  CHECK(value == ~0ULL);
  value = bits(1.5);
  CHECK(atomic(Op::AtomicAddF64, RegisterKind::F64, ScalarKind::F64, value, bits(0.25), 0) == bits(1.5));
  CHECK(value == bits(1.75));
}

TEST_CASE("an order the operation cannot carry traps", "[interpreter][atomics]") {
  std::uint64_t value = 0;
  const auto traps = [&](Op op, std::uint64_t order) {
    std::optional<TrapKind> trap;
    atomic(op, RegisterKind::U64, ScalarKind::U64, value, 1, order, &trap);
    return trap == TrapKind::Order;
  };
  for (std::uint64_t order = 0; order < 6; ++order) {
    CHECK(traps(Op::AtomicLoadU64, order) == (order == 2 || order == 3 || order > 4));
    CHECK(traps(Op::AtomicStoreU64, order) == (order == 1 || order == 3 || order > 4));
    CHECK(traps(Op::AtomicAddU64, order) == (order > 4));
  }
}

}  // namespace cairn::tests
