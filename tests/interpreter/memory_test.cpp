// Loads, stores, references, views and owners.
#include "tests/interpreter/program.hpp"

namespace cairn::tests {
namespace {

struct Cell {
  ScalarKind scalar;
  RegisterKind kind;
  int row;                // of the kinds, in the order of operations.def
  std::uint64_t pattern;  // a value whose bytes all matter
};
constexpr Cell kCells[] = {
    {ScalarKind::Bool, RegisterKind::Bool, 0, 1},
    {ScalarKind::U8, RegisterKind::U8, 1, 0xfe},
    {ScalarKind::U16, RegisterKind::U16, 2, 0xfedc},
    {ScalarKind::U32, RegisterKind::U32, 3, 0xfedcba98},
    {ScalarKind::U64, RegisterKind::U64, 4, 0xfedcba9876543210},
    {ScalarKind::I8, RegisterKind::I8, 5, ~0ULL - 0x35},
    {ScalarKind::I16, RegisterKind::I16, 6, ~0ULL - 0x3456},
    {ScalarKind::I32, RegisterKind::I32, 7, ~0ULL - 0x3456789a},
    {ScalarKind::I64, RegisterKind::I64, 8, 0x8000000000000001},
    {ScalarKind::F32, RegisterKind::F32, 9, 0x40490fdb},
    {ScalarKind::F64, RegisterKind::F64, 10, 0x400921fb54442d18},
};
Op row_of(Op boolean, const Cell& cell) { return static_cast<Op>(static_cast<int>(boolean) + 6 * cell.row); }

}  // namespace

TEST_CASE("every scalar survives the frame, a reference and a view", "[interpreter]") {
  for (const Cell& cell : kCells) {
    INFO(scalar_name(cell.scalar));
    ModuleBuilder builder("cells");
    const RegisterType type{cell.kind};
    const std::uint32_t scalar = builder.scalar(cell.scalar);
    const std::uint32_t record = builder.declare_record("R");
    builder.define_record(record, {{"pad", builder.scalar(ScalarKind::U8), 0}, {"x", scalar, 0}});
    const std::uint64_t offset = builder.type(record).fields[1].offset;
    FunctionBuilder f(builder, builder.declare("f", builder.signature({{type}, type, false})));
    const std::uint64_t object = f.add_object(record);
    const std::uint64_t array = f.add_object(builder.array(scalar, 3));
    const Register a = f.add_register(type);
    const Register ref = f.add_register({RegisterKind::Ref, true, record});
    const Register view = f.add_register({RegisterKind::View, true, scalar});
    const Register index = f.add_register(kU64);
    f.emit(row_of(Op::FrameStoreBool, cell), f.parameter(0), object + offset);
    f.emit(Op::FrameRef, ref, object);
    f.emit(row_of(Op::LoadBool, cell), a, ref, offset);
    f.emit(Op::FrameView, view, array, 3);
    f.emit(Op::Const, index, 2);
    f.emit(row_of(Op::StoreAtBool, cell), view, index, a);
    f.emit(row_of(Op::LoadAtBool, cell), a, view, index);
    f.emit(row_of(Op::StoreBool, cell), ref, a, offset);
    f.emit(row_of(Op::FrameLoadBool, cell), a, object + offset);
    f.emit(Op::ReturnValue, a);
    f.finish();
    Running running(builder.take());
    const Outcome outcome = running.call(0, {cell.pattern});
    REQUIRE_FALSE(outcome.trap);
    CHECK(outcome.value == cell.pattern);
  }
}

TEST_CASE("an element access traps at the length and above, before it stores", "[interpreter]") {
  ModuleBuilder builder("bounds");
  const std::uint32_t byte = builder.scalar(ScalarKind::U8);
  const RegisterType view{RegisterKind::View, true, byte};
  FunctionBuilder load(builder, builder.declare("load", builder.signature({{view, kU64}, kU8, false})));
  const Register value = load.add_register(kU8);
  load.emit(Op::LoadAtU8, value, load.parameter(0), load.parameter(1));
  load.emit(Op::ReturnValue, value);
  load.finish();
  FunctionBuilder store(builder, builder.declare("store", builder.signature({{view, kU64, kU8}, {}, false})));
  store.emit(Op::StoreAtU8, store.parameter(0), store.parameter(1), store.parameter(2));
  store.emit(Op::Return);
  store.finish();
  const Module module = builder.take();
  std::uint8_t bytes[] = {1, 2, 3};
  const auto at = reinterpret_cast<std::uint64_t>(bytes);
  CHECK(Running(module).call("load", {at, 3, 2}).value == 3);
  CHECK(Running(module).call("load", {at, 3, 3}).trap->message == "trap: bounds: index 3, length 3");
  CHECK(Running(module).call("load", {0, 0, 0}).trap->message == "trap: bounds: index 0, length 0");
  CHECK_FALSE(Running(module).call("store", {at, 3, 0, 9}).trap);
  CHECK(bytes[0] == 9);
  CHECK(Running(module).call("store", {at, 2, 2, 7}).trap->message == "trap: bounds: index 2, length 2");
  CHECK(bytes[2] == 3);
}

TEST_CASE("a part is inside its array and as long as the callee wants", "[interpreter]") {
  ModuleBuilder builder("parts");
  const std::uint32_t word = builder.scalar(ScalarKind::U32);
  const RegisterType view{RegisterKind::View, false, word};
  FunctionBuilder f(builder, builder.declare("part", builder.signature({{view, kU64, kU64, kU64}, kU64, false})));
  const Register part = f.add_register(view);
  const Register first = f.add_register(kU32);
  const Register zero = f.add_register(kU64);
  f.emit(Op::PartExact, part, f.parameter(0), f.parameter(1), f.parameter(2), f.parameter(3), 4);
  f.emit(Op::Const, zero, 0);
  const Label empty = f.label();
  f.emit(Op::JumpEqImm, part.second(), 0, empty);
  f.emit(Op::LoadAtU32, first, part, zero);
  f.emit(Op::U64FromU, zero, first);
  f.bind(empty);
  f.emit(Op::ReturnValue, zero);
  f.finish();
  const Module module = builder.take();
  const std::uint32_t words[] = {10, 11, 12, 13};
  const auto at = reinterpret_cast<std::uint64_t>(words);
  const auto run = [&](std::uint64_t lo, std::uint64_t hi, std::uint64_t want) {
    return Running(module).call(0, {at, 4, lo, hi, want});
  };
  CHECK(run(1, 3, 2).value == 11);
  CHECK_FALSE(run(4, 4, 0).trap);
  CHECK(run(3, 2, 0).trap->message == "trap: bounds: part 3..2, length 4");
  CHECK(run(2, 5, 3).trap->message == "trap: bounds: part 2..5, length 4");
  CHECK(run(0, 3, 2).trap->message == "trap: bounds: part 0..3, 2 elements wanted");
}

TEST_CASE("copies, swaps and zeroes move whole values", "[interpreter]") {
  ModuleBuilder builder("bytes");
  const std::uint32_t pair = builder.declare_record("Pair");
  const std::uint32_t word = builder.scalar(ScalarKind::U64);
  builder.define_record(pair, {{"a", word, 0}, {"b", word, 0}});
  const RegisterType ref{RegisterKind::Ref, true, pair};
  FunctionBuilder f(builder, builder.declare("f", builder.signature({{ref, ref}, {}, false})));
  const std::uint64_t kept = f.add_object(pair);
  const Register copy = f.add_register(ref);
  f.emit(Op::FrameRef, copy, kept);
  f.emit(Op::Copy, copy, f.parameter(0), 16);
  f.emit(Op::Swap, f.parameter(0), f.parameter(1), 16);
  f.emit(Op::Swap, f.parameter(0), f.parameter(0), 16);
  f.emit(Op::Zero, f.parameter(1), 16);
  f.emit(Op::Copy, f.parameter(1), copy, 16);
  f.emit(Op::FrameZero, kept, 16);
  f.emit(Op::Return);
  f.finish();
  std::uint64_t left[] = {1, 2};
  std::uint64_t right[] = {3, 4};
  Running running(builder.take());
  running.call(0, {reinterpret_cast<std::uint64_t>(left), reinterpret_cast<std::uint64_t>(right)});
  CHECK((left[0] == 3 && left[1] == 4 && right[0] == 1 && right[1] == 2));
}

TEST_CASE("a wide access is inside its array and aligned to its own size", "[interpreter]") {
  ModuleBuilder builder("wide");
  const std::uint32_t word = builder.scalar(ScalarKind::U32);
  const RegisterType view{RegisterKind::View, false, word};
  const std::uint32_t four = builder.array(word, 4);
  FunctionBuilder f(builder, builder.declare("wide", builder.signature({{view, kU64}, kU32, false})));
  const Register ref = f.add_register({RegisterKind::Ref, false, four});
  const Register value = f.add_register(kU32);
  f.emit(Op::RefWide, ref, f.parameter(0), f.parameter(1), 4, 4);
  f.emit(Op::LoadU32, value, ref, 12);
  f.emit(Op::ReturnValue, value);
  f.finish();
  const Module module = builder.take();
  alignas(16) const std::uint32_t words[] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
  const auto at = reinterpret_cast<std::uint64_t>(words);
  CHECK(Running(module).call(0, {at, 9, 4}).value == 7);
  CHECK(Running(module).call(0, {at, 9, 6}).trap->message == "trap: wide: 4 elements at index 6, length 9");
  CHECK(Running(module).call(0, {at, 9, 2}).trap->message ==
        "trap: wide: 4 elements at index 2 are not aligned to 16 bytes");
  CHECK(Running(module).call(0, {at, 9, ~0ULL}).trap->kind == TrapKind::Wide);
}

TEST_CASE("a Buf is zeroed, counted, and given back", "[interpreter]") {
  ModuleBuilder builder("buffers");
  const std::uint32_t word = builder.scalar(ScalarKind::U64);
  FunctionBuilder f(builder, builder.declare("f", builder.signature({{kU64}, kU64, false})));
  const Register buffer = f.add_register({RegisterKind::Buf, false, word});
  const Register last = f.add_register(kU64);
  const Register value = f.add_register(kU64);
  f.emit(Op::BufNew, buffer, f.parameter(0), word);
  f.emit(Op::SubU64Imm, last, f.parameter(0), 1);
  f.emit(Op::LoadAtU64, value, buffer, last);
  f.emit(Op::AddU64, value, value, buffer.second());
  f.emit(Op::DropBuf, buffer, word);
  f.emit(Op::AddU64, value, value, buffer.second());
  f.emit(Op::ReturnValue, value);
  f.finish();
  const Module module = builder.take();
  Limits limits;
  limits.memory_bytes = 1 << 20;
  Running running(module, limits);
  CHECK(running.call(0, {1000}).value == 1000);
  CHECK(running.instance().memory().used() == 0);
  CHECK(Running(module, limits).call(0, {1 << 20}).trap->message == "trap: allocation: 1048576 elements of 8 bytes");
  CHECK(Running(module).call(0, {1ULL << 60}).trap->message ==
        "trap: allocation: 1152921504606846976 elements of 8 bytes");
}

namespace {

/// struct Node { value:u64; next:Buf[Node]; }, and functions that build and release chains and nests of them.
Module nodes() {
  ModuleBuilder builder("nodes");
  const std::uint32_t word = builder.scalar(ScalarKind::U64);
  const std::uint32_t node = builder.declare_record("Node");
  const std::uint32_t link = builder.buf(node);
  builder.define_record(node, {{"value", word, 0}, {"next", link, 0}});
  const RegisterType owner{RegisterKind::Buf, false, node};
  {
    // A chain of n nodes, each in the Buf of the one after it.
    FunctionBuilder f(builder, builder.declare("chain", builder.signature({{kU64}, owner, false})));
    const Register list = f.add_register(owner);
    const Register fresh = f.add_register(owner);
    const Register one = f.add_register(kU64);
    const Register zero = f.add_register(kU64);
    const Register i = f.add_register(kU64);
    const Register ref = f.add_register({RegisterKind::Ref, true, node});
    const Label loop = f.label();
    const Label end = f.label();
    f.emit(Op::ZeroPair, list);
    f.emit(Op::Const, one, 1);
    f.emit(Op::Const, zero, 0);
    f.emit(Op::Const, i, 0);
    f.emit(Op::JumpLeU, f.parameter(0), i, end);
    f.bind(loop);
    f.emit(Op::BufNew, fresh, one, node);
    f.emit(Op::RefAt, ref, fresh, zero, 24);
    f.emit(Op::StorePair, ref, list, 8);
    f.emit(Op::StoreU64, ref, i, 0);
    f.emit(Op::MovePair, list, fresh);
    f.emit(Op::LoopNext, i, f.parameter(0), loop);
    f.bind(end);
    f.emit(Op::ReturnPair, list);
    f.finish();
  }
  {
    FunctionBuilder f(builder, builder.declare("drop", builder.signature({{owner}, {}, false})));
    f.emit(Op::DropBuf, f.parameter(0), node);
    f.emit(Op::Return);
    f.finish();
  }
  return builder.take();
}

}  // namespace

TEST_CASE("a chain of a million owners is released without native recursion", "[interpreter]") {
  Limits limits;
  limits.memory_bytes = 1ULL << 30;
  Running running(nodes(), limits);
  const Outcome list = running.call("chain", {1000000});
  REQUIRE_FALSE(list.trap);
  CHECK(running.instance().memory().used() == 24000000);
  REQUIRE_FALSE(running.call("drop", {list.value, list.second}).trap);
  CHECK(running.instance().memory().used() == 0);
}

TEST_CASE("records, arrays and sums release what they own, by tag, and become zero", "[interpreter]") {
  ModuleBuilder builder("owners");
  const std::uint32_t byte = builder.scalar(ScalarKind::U8);
  const std::uint32_t buffer = builder.buf(byte);
  const std::uint32_t sum = builder.declare_sum("Either");
  builder.define_sum(sum, {{"Left", buffer, 0}, {"Right", buffer, 0}, {"None", kNone, 0}}, false);
  const std::uint32_t record = builder.declare_record("Holder");
  builder.define_record(record, {{"many", builder.array(buffer, 2), 0}, {"either", sum, 0}});
  const Type& holder = builder.type(record);
  REQUIRE(holder.owns);
  const std::uint64_t either = holder.fields[1].offset;
  const std::uint64_t right = builder.type(sum).variants[1].offset;
  FunctionBuilder f(builder, builder.declare("f", builder.signature({{}, kU64, false})));
  const std::uint64_t object = f.add_object(record);
  const Register n = f.add_register(kU64);
  const Register fresh = f.add_register({RegisterKind::Buf, false, byte});
  const Register tag = f.add_register(kU32);
  f.emit(Op::Const, n, 5);
  for (const std::uint64_t at : {object, object + 16, object + either + right}) {
    f.emit(Op::BufNew, fresh, n, byte);
    f.emit(Op::FrameStorePair, fresh, at);
  }
  f.emit(Op::Const, tag, 1);
  f.emit(Op::FrameStoreU32, tag, object + either);
  f.emit(Op::FrameDrop, object, record);
  f.emit(Op::FrameDrop, object, record);  // zero owners: nothing more to release
  f.emit(Op::FrameLoadPair, fresh, object + 16);
  f.emit(Op::ReturnValue, fresh.second());
  f.finish();
  Limits limits;
  limits.memory_bytes = 1 << 20;
  Running running(builder.take(), limits);
  const Outcome outcome = running.call(0);
  REQUIRE_FALSE(outcome.trap);
  CHECK(outcome.value == 0);
  CHECK(running.instance().memory().used() == 0);
}

TEST_CASE("owners in a frame are zero when a call starts", "[interpreter]") {
  ModuleBuilder builder("zeroed");
  const std::uint32_t byte = builder.scalar(ScalarKind::U8);
  const std::uint32_t buffer = builder.buf(byte);
  FunctionBuilder fill(builder, builder.declare("fill", builder.signature({{}, {}, false})));
  const std::uint64_t junk = fill.add_object(builder.array(builder.scalar(ScalarKind::U64), 2));
  const Register ones = fill.add_register(kU64);
  fill.emit(Op::Const, ones, ~0ULL);
  fill.emit(Op::FrameStoreU64, ones, junk);
  fill.emit(Op::FrameStoreU64, ones, junk + 8);
  fill.emit(Op::Return);
  fill.finish();
  FunctionBuilder drop(builder, builder.declare("drop", builder.signature({{}, kU64, false})));
  const std::uint64_t owner = drop.add_object(buffer);
  const Register pair = drop.add_register({RegisterKind::Buf, false, byte});
  drop.emit(Op::FrameLoadPair, pair, owner);
  drop.emit(Op::FrameDrop, owner, buffer);
  drop.emit(Op::ReturnValue, pair.second());
  drop.finish();
  Running running(builder.take());
  running.call("fill");
  const Outcome outcome = running.call("drop");
  REQUIRE_FALSE(outcome.trap);
  CHECK(outcome.value == 0);
}

}  // namespace cairn::tests
