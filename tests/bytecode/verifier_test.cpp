// What the verifier refuses, each beside the nearest module it accepts.
#include "vm/bytecode/verifier.hpp"

#include <catch2/catch.hpp>
#include <string>

#include "vm/bytecode/builder.hpp"
#include "vm/bytecode/text.hpp"

namespace cairn::bytecode {
namespace {

/// Tables that the functions below are written against; function 0 is the one judged, 1 is `fn(u64) -> u64`, 2 a
/// closure, 3 a lane, 4 Pair's member.
const char* const kTables = R"(
module "m"
text 0 "text"
type 0 u8
type 1 u64
type 2 record "Pair" size 16 align 8 ("a" 1 @0, "b" 1 @8)
type 3 buf 1
type 4 record "Owner" size 24 align 8 ("n" 1 @0, "xs" 3 @8)
type 5 array 1 x 4
type 6 environment "env" size 24 align 8 ("xs" 7 @0, "k" 1 @16)
type 7 view mut 1
type 8 fn 0
type 9 sum "Option" overlapping size 16 align 8 ("None", "Some" 1 @8)
type 10 record "Fn" size 8 align 8 ("f" 8 @0)
type 11 f32
signature 0 (u64) -> u64
signature 1 (view 1, u64)
signature 2 (u64, u64)
signature 3 (ref none) -> u64
signature 4 (ref 2) -> u64
signature 5 (ref mut 2, u64) through
signature 6 () -> buf 1
signature 7 (view mut 1, u64, ref mut 2, ref 4) -> u64
signature 8 ()
trait 0 "Area" ("area" 3 receiver 0)
table 0 trait 0 type 2 (4)
)";
const char* const kOthers = R"(
function 1 "one" signature 0 kind plain environment none parent none at none slots 5 memory 0 align 16
  r0 u64
  : return.value r0
end
function 2 "closure" signature 0 kind closure environment 6 parent 0 at none slots 6 memory 0 align 16
  r0 u64
  r1 ref mut 6
  : return.value r0
end
function 3 "lane" signature 2 kind lane environment 6 parent 0 at none slots 7 memory 0 align 16
  r0 u64
  r1 u64
  r2 ref mut 6
  : return
end
function 4 "Pair.area" signature 4 kind plain environment none parent none at none slots 6 memory 0 align 16
  r0 ref 2
  r1 u64
  : load.u64 r1 r0 8
  : return.value r1
end
)";

/// The judged function takes (view mut u64 r0, u64 r2, ref mut Pair r3, ref Owner r4) and has registers of every kind.
std::string with_body(std::string_view body) {
  return std::string(kTables) + R"(
function 0 "judged" signature 7 kind plain environment none parent none at none slots 60 memory 128 align 16
  r0 view mut 1
  r2 u64
  r3 ref mut 2
  r4 ref 4
  r5 u64
  r6 u8
  r7 bool
  r8 f64
  r9 i64
  r10 view 1
  r12 buf 1
  r14 ref 2
  r15 fn 0
  r16 callable 0
  r18 dyn 0
  r20 dynref mut 0
  r22 ref mut 6
  r23 view 0
  r25 ref mut 1
  r26 f32
  r27 ref mut 5
  r28 i8
  @0 2 "pair"
  @16 4 "owner"
  @48 5 "array"
  @80 6 "environment"
  @104 9 "option"
)" + std::string(body) +
         "\nend\n" + kOthers;
}

std::string judged(const std::string& text) {
  const auto module = read_text(text);
  if (!module) return "unread: " + module.error();
  const auto fault = verify(*module);
  return fault ? fault->message : "accepted";
}

struct Pair {
  const char* accepted;
  const char* refused;
  const char* message;
};

}  // namespace

TEST_CASE("operands have the types of their operations", "[verifier]") {
  const Pair pairs[] = {
      {": add.u64 r5 r2 r2\n: return.value r5", ": add.u64 r5 r2 r6\n: return.value r5", "an operand of another type"},
      {": add.u64 r5 r2 r2\n: return.value r5", ": add.u64 r6 r2 r2\n: return.value r2",
       "a register of another type is written"},
      {": move r5 r2\n: return.value r5", ": move r5 r6\n: return.value r5", "a register of another type is written"},
      {": const r6 255\n: return.value r2", ": const r6 256\n: return.value r2",
       "a register of another type is written"},
      {": const r7 1\n: return.value r2", ": const r7 2\n: return.value r2", "a register of another type is written"},
      {": const r28 -128\n: return.value r2", ": const r28 128\n: return.value r2",
       "a register of another type is written"},
      {": const r15 0\n: return.value r2", ": const r15 1\n: return.value r2", "a register of another type is written"},
      {": and r5 r2 r2\n: return.value r5", ": and r9 r9 r9\n: return.value r2", "an operand of another type"},
      {": and.imm r6 r6 255\n: return.value r2", ": and.imm r6 r6 256\n: return.value r2",
       "an immediate out of its type's range"},
      {": add.u64.imm r5 r2 1\n: return.value r5", ": to.u8.u r6 r9\n: return.value r2", "an operand of another type"},
      {": lt.s r7 r9 r9\n: return.value r2", ": lt.s r7 r2 r2\n: return.value r2", "an operand of another type"},
      {": eq r7 r2 r5\n: return.value r2", ": eq r7 r2 r9\n: return.value r2", "operands of different types"},
      {": select r5 r7 r2 r5\n: return.value r5", ": select r5 r7 r2 r9\n: return.value r2",
       "operands of different types"},
      {": min.s r9 r9 r9\n: return.value r2", ": min.s r5 r2 r2\n: return.value r2", "an operand of another type"},
      {": return.value r2", ": return.value r9", "a result of another type"},
      {": return.value r2", ": return", "a return without the result"},
      {": return.value r2", ": return.pair r0", "a result of another type"},
      {": text r23 0\n: return.value r2", ": text r10 0\n: return.value r2", "a text that is no view of u8"},
      {": text r23 0\n: return.value r2", ": text r23 1\n: return.value r2", "no such text"},
      {": text r23 0\n: print 2 2 [unsigned r2 bytes r23]\n: return.value r2",
       ": print 2 2 [unsigned r2 bytes r23]\n: return.value r2", "a pointer read before it is written"},
      {": print 0 1 [signed r9]\n: return.value r2", ": print 0 1 [signed r2]\n: return.value r2",
       "no integer to print"},
  };
  for (const Pair& pair : pairs) {
    INFO(pair.accepted);
    INFO(pair.refused);
    CHECK(judged(with_body(pair.accepted)) == "accepted");
    CHECK(judged(with_body(pair.refused)) == pair.message);
  }
}

TEST_CASE("memory is accessed only where a value of that kind lies", "[verifier]") {
  const Pair pairs[] = {
      {": load.u64 r5 r3 8\n: return.value r5", ": load.u64 r5 r3 4\n: return.value r5", "no such scalar lies there"},
      {": load.u64 r5 r3 8\n: return.value r5", ": load.u64 r5 r3 16\n: return.value r5", "no such scalar lies there"},
      {": load.u64 r5 r3 0\n: return.value r5", ": load.f64 r8 r3 0\n: return.value r5", "no such scalar lies there"},
      {": load.u64 r5 r4 0\n: return.value r5", ": load.u64 r5 r4 8\n: return.value r5", "no such scalar lies there"},
      {": load.pair r12 r4 8\n: return.value r2", ": load.pair r12 r4 0\n: return.value r2",
       "no such value lies there"},
      {": load.pair r10 r4 8\n: return.value r2", ": load.pair r18 r4 8\n: return.value r2",
       "a register of another type is written"},
      {": store.u64 r3 r2 0\n: return.value r2", ": store.u64 r4 r2 0\n: return.value r2",
       "an operand of another type"},
      {": frame.store.u64 r2 8\n: return.value r2", ": frame.store.u64 r2 12\n: return.value r2",
       "no such scalar lies there"},
      {": frame.store.u64 r2 16\n: return.value r2", ": frame.store.u64 r2 24\n: return.value r2",
       "no such scalar lies there"},
      {": frame.load.u64 r5 72\n: return.value r2", ": frame.load.u64 r5 120\n: return.value r2",
       "no object there in the frame's memory"},
      {": frame.load.u32 o0 104\n: return.value r2", ": frame.load.u32 o0 112\n: return.value r2",
       "no such scalar lies there"},
      {": load.at.u64 r5 r0 r2\n: return.value r5", ": load.at.u8 r6 r0 r2\n: return.value r5",
       "elements of another type"},
      {": store.at.u64 r0 r2 r2\n: return.value r2",
       ": load.pair r10 r4 8\n: store.at.u64 r10 r2 r2\n: return.value r2", "an operand of another type"},
      {": frame.ref r25 8\n: return.value r2", ": frame.ref r25 16\n: frame.ref r14 8\n: return.value r2",
       "a register of another type is written"},
      {": frame.ref r27 48\n: return.value r2", ": frame.ref r27 0\n: return.value r2",
       "a register of another type is written"},
      {": ref.offset r25 r3 8\n: return.value r2", ": ref.offset r25 r4 0\n: return.value r2",
       "a register of another type is written"},
      {": ref.at r25 r0 r2 8\n: return.value r2", ": ref.at r25 r0 r2 16\n: return.value r2",
       "a stride that is not the elements' size"},
      {": frame.view r10 48 4\n: return.value r2", ": frame.view r10 48 5\n: return.value r2",
       "no such Array lies there"},
      {": part r10 r0 r2 r5 8\n: return.value r2", ": part r10 r0 r2 r5 4\n: return.value r2",
       "a stride that is not the elements' size"},
      {": frame.ref r14 0\n: copy r3 r14 16\n: return.value r2", ": copy r3 r4 16\n: return.value r2",
       "values of different types"},
      {": zero r3 16\n: return.value r2", ": zero r3 24\n: return.value r2", "no value of that size lies there"},
      {": frame.zero 48 32\n: return.value r2", ": frame.zero 48 40\n: return.value r2",
       "no value of that size lies there"},
      {": frame.drop 16 4\n: return.value r2", ": frame.drop 0 4\n: return.value r2", "no such value lies there"},
      {": buf.new r12 r2 1\n: drop.buf r12 1\n: return.value r2", ": buf.new r12 r2 0\n: return.value r2",
       "a register of another type is written"},
      {": buf.new r12 r2 1\n: drop.buf r12 1\n: return.value r2",
       ": buf.new r12 r2 1\n: drop.buf r12 0\n: return.value r2", "a Buf of another type"},
      {": buf.new r12 r2 1\n: return.value r13", ": buf.new r12 r2 6\n: return.value r2", "no element of a Buf"},
      {": frame.ref r22 80\n: return.value r2", ": view.copy r0 r23 8\n: return.value r2",
       "a pointer read before it is written"},
      {": frame.ref r25 8\n: const o0 0\n: atomic.add.u64 r5 r25 r2 o0\n: return.value r2",
       ": frame.ref r25 8\n: const o0 0\n: atomic.add.u32 o1 r25 o0 o0\n: return.value r2",
       "no such scalar lies there"},
  };
  for (const Pair& pair : pairs) {
    INFO(pair.accepted);
    INFO(pair.refused);
    CHECK(judged(with_body(pair.accepted)) == "accepted");
    CHECK(judged(with_body(pair.refused)) == pair.message);
  }
}

TEST_CASE("a pointer is written before it is read, on every path", "[verifier]") {
  CHECK(judged(with_body(
            ": jump.eq r2 r2 L0\n: frame.ref r25 8\n: jump L1\nL0:\n: frame.ref r25 0\nL1:\n: load.u64 r5 r25 0\n"
            ": return.value r5")) == "accepted");
  CHECK(judged(with_body(
            ": jump.eq r2 r2 L0\n: frame.ref r25 8\n: jump L1\nL0:\nL1:\n: load.u64 r5 r25 0\n: return.value r5")) ==
        "a pointer read before it is written");
  // A loop that writes it at its end does not help its first round.
  CHECK(judged(with_body("L0:\n: load.u64 r5 r25 0\n: frame.ref r25 0\n: jump.ne r2 r5 L0\n: return.value r5")) ==
        "a pointer read before it is written");
  CHECK(judged(with_body(": return.value r1")) == "accepted");  // the length of a view given
  CHECK(judged(with_body(": return.value r11")) == "a pointer read before it is written");
  CHECK(judged(with_body(": const r17 0\n: return.value r2")) == "half of a pair is written");
}

TEST_CASE("calls find their arguments in the window, and leave only the result", "[verifier]") {
  const Pair pairs[] = {
      {": move o0 r2\n: call o0 1\n: return.value o0", ": call o0 1\n: return.value o0",
       "an argument that is not there"},
      {": move o0 r2\n: call o0 1\n: return.value o0", ": move o0 r9\n: call o0 1\n: return.value o0",
       "an argument of another type"},
      {": const o0 5\n: call o0 1\n: return.value o0", ": const o1 5\n: call o0 1\n: return.value o0",
       "an argument that is not there"},
      {": move o0 r2\n: call o0 1\n: return.value o0", ": move o0 r2\n: call o0 1\n: return.value o1",
       "an outgoing slot that holds nothing known"},
      {": move o1 r2\n: move o0 r2\n: call o0 1\n: return.value r2",
       ": move o3 r2\n: move o5 r2\n: call o5 1\n: return.value o3", "an outgoing slot that holds nothing known"},
      {": move o5 r2\n: call o5 1\n: return.value o5", ": move r5 r2\n: call r5 1\n: return.value r5",
       "a call window over registers"},
      {": frame.ref o0 0\n: call o0 4\n: return.value o0", ": frame.ref o0 16\n: call o0 4\n: return.value o0",
       "an argument of another type"},
      {": move o0 r2\n: function r15 1\n: call.value o0 r15 0\n: return.value o0",
       ": move o0 r2\n: function r15 1\n: call.value o0 r15 2\n: return.value r2", "a callee of another signature"},
      {": move o0 r2\n: const r15 0\n: call.value o0 r15 0\n: return.value o0", ": function r15 2\n: return.value r2",
       "no plain function"},
      {": frame.ref r22 80\n: callable.closure r16 r22 2\n: move o0 r2\n: call.callable o0 r16 0\n: return.value o0",
       ": frame.ref r25 0\n: callable.closure r16 r25 2\n: return.value r2", "an environment of another type"},
      {": frame.ref r22 80\n: callable.closure r16 r22 2\n: return.value r2",
       ": frame.ref r22 80\n: callable.closure r16 r22 3\n: return.value r2", "no closure"},
      {": frame.ref r22 80\n: parallel r22 r2 1 0 3\n: return.value r2",
       ": frame.ref r22 80\n: parallel r22 r2 1 0 2\n: return.value r2", "no lane function"},
      {": move o0 r2\n: call o0 1\n: return.value o0", ": move o0 r2\n: call o0 2\n: return.value o0",
       "a function that is not called so"},
      {": dyn.lend r20 r3 0\n: call.dyn o0 r20 0 0 3\n: return.value o0",
       ": dyn.lend r20 r3 0\n: call.dyn o0 r20 1 0 3\n: return.value o0", "no such member"},
      {": dyn.lend r20 r3 0\n: call.dyn o0 r20 0 0 3\n: return.value o0",
       ": dyn.lend r20 r3 0\n: call.dyn o0 r20 0 1 3\n: return.value o0",
       "the object in another slot than the receiver's"},
      {": dyn.lend r20 r3 0\n: return.value r2", ": dyn.lend r20 r4 0\n: return.value r2",
       "a value the table is not for"},
      {": return.value r2", ": barrier\n: return.value r2", "an operation of kernels"},
  };
  for (const Pair& pair : pairs) {
    INFO(pair.accepted);
    INFO(pair.refused);
    CHECK(judged(with_body(pair.accepted)) == "accepted");
    CHECK(judged(with_body(pair.refused)) == pair.message);
  }
}

TEST_CASE("outgoing slots keep their types along every path", "[verifier]") {
  CHECK(judged(with_body(
            ": jump.eq r2 r2 L0\n: move o0 r2\n: jump L1\nL0:\n: move o0 r5\nL1:\n: call o0 1\n: return.value o0")) ==
        "accepted");
  CHECK(judged(with_body(
            ": jump.eq r2 r2 L0\n: move o0 r2\n: jump L1\nL0:\n: move o0 r9\nL1:\n: call o0 1\n: return.value o0")) ==
        "an argument that is not there");
  // Of two constants, or a constant and a value, what fits both ways is known.
  const auto either = [](std::string_view one, std::string_view other, std::string_view read) {
    return judged(with_body(": jump.eq r2 r2 L0\n: " + std::string(one) + "\n: jump L1\nL0:\n: " + std::string(other) +
                            "\nL1:\n: move " + std::string(read) + " o0\n: return.value r2"));
  };
  CHECK(either("const o0 0", "const o0 1", "r7") == "accepted");
  CHECK(either("const o0 0", "const o0 2", "r7") == "a register of another type is written");
  CHECK(either("const o0 0", "const o0 2", "r6") == "accepted");
  CHECK(either("const o0 1", "const o0 -1", "r9") == "accepted");
  CHECK(either("const o0 1", "const o0 -1", "r6") == "a register of another type is written");
  CHECK(either("const o0 0", "move o0 r7", "r7") == "accepted");
  CHECK(either("move o0 r7", "const o0 1", "r7") == "accepted");
  CHECK(either("move o0 r7", "const o0 1", "r6") == "a register of another type is written");
  CHECK(either("move o0 r7", "const o0 2", "r7") == "an outgoing slot that holds nothing known");
  CHECK(judged(with_body(": move.pair o0 r0\n: move o1 r2\n: move o2 r2\n: return.value o0")) ==
        "an outgoing slot that holds nothing known");
  CHECK(judged(with_body(": move.pair o0 r0\n: return.value o1")) == "accepted");
}

namespace {

/// The judged function with its first words replaced.
std::string with_words(std::vector<Word> words) {
  auto module = read_text(with_body(": return.value r2"));
  REQUIRE(module);
  words.push_back(module->functions[0].code[0]);
  module->functions[0].code = std::move(words);
  const auto fault = verify(*module);
  return fault ? fault->message : "accepted";
}

Word op(Op op, unsigned a = 0, unsigned b = 0, unsigned c = 0) {
  return static_cast<Word>(op) | Word{a} << 16 | Word{b} << 32 | Word{c} << 48;
}

}  // namespace

TEST_CASE("code that does not decode is refused", "[verifier]") {
  CHECK(with_words({op(Op::Move, 5, 2)}) == "accepted");
  CHECK(with_words({kOperationCount}) == "no operation");
  CHECK(with_words({0xffff}) == "no operation");
  CHECK(with_words({op(Op::Const, 5)}) == "control falls off the end");  // the return became its immediate
  CHECK(with_words({op(Op::Move, 5, 900)}) == "a slot past the frame");
  CHECK(with_words({op(Op::Move, 5, 30)}) == "a slot that belongs to calls");
  CHECK(with_words({op(Op::Jump, 0, 1)}) == "accepted");
  CHECK(with_words({op(Op::Jump, 0, 2)}) == "a jump into nowhere");
  CHECK(with_words({op(Op::Jump, 0, 0xffff, 0xffff)}) == "a jump into nowhere");
  CHECK(with_words({op(Op::Const, 5), 0, op(Op::Jump, 0, 0xffff, 0xffff)}) ==
        "a jump into nowhere");  // into an immediate
  CHECK(with_words({op(Op::Const, 5), 0, op(Op::Jump, 0, 0xfffe, 0xffff)}) == "accepted");
  CHECK(with_words({op(Op::Switch, 2, 2), 0x0000000200000002}) == "accepted");
  CHECK(with_words({op(Op::Switch, 2, 2), 0x0000000100000002}) == "a jump into nowhere");
  CHECK(with_words({op(Op::Switch, 2, 0xffff, 0xffff)}) == "an instruction cut short");
  CHECK(with_words({op(Op::Call, 31, 9)}) == "no such function");
  CHECK(with_words({op(Op::Fail, 77, 0xffff, 0xffff)}) == "no such trap");
}

TEST_CASE("tables that do not fit together are refused", "[verifier]") {
  const auto with = [](auto change) {
    auto module = read_text(with_body(": return.value r2"));
    REQUIRE(module);
    change(*module);
    const auto fault = verify(*module);
    return fault ? fault->message : std::string("accepted");
  };
  CHECK(with([](Module&) {}) == "accepted");
  CHECK(with([](Module& m) { m.types[2].size = 8; }) == "type 2: a part past its end");
  CHECK(with([](Module& m) { m.types[2].fields[1].offset = 4; }) == "type 2: parts that overlap");
  CHECK(with([](Module& m) { m.types[2].fields[0].type = 2; }) == "type 2: it contains itself, or is nested too deep");
  CHECK(with([](Module& m) { m.types[4].owns = false; }) == "type 4: flags that do not fit its parts");
  CHECK(with([](Module& m) { m.types[3].element = 99; }) == "type 3: an element of no type");
  CHECK(with([](Module& m) { m.types[9].variants[1].offset = 0; }) == "type 9: a payload over its tag");
  CHECK(with([](Module& m) { m.types[9].variants[1].payload = 3; }) == "type 9: owners or pointers that overlap");
  CHECK(with([](Module& m) { m.types[5].count = 5; }) == "type 5: a size that is not its elements'");
  CHECK(with([](Module& m) { m.types[2].align = 3; }) == "type 2: its alignment is no power of two up to 65536");
  CHECK(with([](Module& m) { m.types[2].fields[0].type = 7; }) == "type 2: a pointer outside environments");
  CHECK(with([](Module& m) { m.signatures[0].result = {RegisterKind::Ref, true, 2}; }) == "a result that is no value");
  CHECK(with([](Module& m) { m.signatures[0].parameters[0].type = 4; }) == "a parameter of no type");
  CHECK(with([](Module& m) { m.tables[0].functions.clear(); }) == "a table without all members");
  CHECK(with([](Module& m) { m.tables[0].functions[0] = 1; }) == "a table's function that is not its member");
  CHECK(with([](Module& m) { m.functions[0].slots = 10; }) == "too many slots");
  CHECK(with([](Module& m) { m.functions[0].registers[1].type = {RegisterKind::U64}; }) == "half a pair of registers");
  CHECK(with([](Module& m) { m.functions[0].registers[2].type = {RegisterKind::I64}; }) ==
        "registers that are not the parameters");
  CHECK(with([](Module& m) { m.functions[0].objects[1].offset = 8; }) == "objects that overlap or are not aligned");
  CHECK(with([](Module& m) { m.functions[0].memory_bytes = 100; }) == "an object past the memory");
  CHECK(with([](Module& m) { m.functions[0].positions.push_back({0, {3, 1, 1}}); }) == "an instruction in no file");
  CHECK(with([](Module& m) { m.functions[3].environment = 2; }) == "an environment of no type");
  CHECK(with([](Module& m) { m.entry = 0; }) == "an entry that is not fn() -> i32");
  CHECK(with([](Module& m) { m.tests.push_back(1); }) == "a test that is not fn()");
}

TEST_CASE("types nested past the bound are refused, up to it accepted", "[verifier]") {
  for (const std::uint32_t depth : {200U, 2000U}) {
    ModuleBuilder builder("deep");
    std::uint32_t inner = builder.scalar(ScalarKind::U64);
    for (std::uint32_t i = 0; i < depth; ++i) inner = builder.array(inner, 1);
    const auto fault = verify(builder.module());
    CHECK(fault.has_value() == (depth > 256));
  }
}

}  // namespace cairn::bytecode
