#include "vm/bytecode/text.hpp"

#include <catch2/catch.hpp>

#include "vm/bytecode/builder.hpp"
#include "vm/bytecode/bundle.hpp"

namespace cairn::bytecode {
namespace {

/// A module with a row of every table and an instruction of every operation (not a program: it is only written and
/// read).
Module everything() {
  ModuleBuilder builder("everything \"quoted\"\n");
  const std::uint32_t word = builder.scalar(ScalarKind::U64);
  builder.file("src/main.cairn");
  builder.text(std::string_view("bytes \0\xff\n\\", 11));
  const Signature plain{{{RegisterKind::U64}}, {RegisterKind::F64}, false};
  const std::uint32_t signature = builder.signature(plain);
  const std::uint32_t record = builder.declare_record("R");
  builder.define_record(record, {{"a", word, 0}, {"odd name", builder.scalar(ScalarKind::F16), 0}}, true, 1);
  const std::uint32_t sum = builder.declare_sum("S");
  builder.define_sum(sum, {{"None", kNone, 0}, {"Some", builder.buf(record), 0}}, false);
  builder.array(sum, 3);
  builder.mutex(record);
  const std::uint32_t trait = builder.trait({"T", {{"m", signature, 0}}});
  builder.dyn(trait);
  builder.function_value(signature);
  builder.handle(RegisterKind::Ticket, signature);
  builder.handle(RegisterKind::Ring, kNone);
  builder.environment("env", {{"v", builder.view(word, true), 0},
                              {"r", builder.reference(record, false), 0},
                              {"c", builder.callable(signature), 0},
                              {"d", builder.dyn_reference(trait, true), 0}});
  builder.table({trait, record, {0}});
  builder.native("std.x", signature);
  builder.foreign({"c_abs", "abs", signature, "v", SourcePosition{0, 3, 4}});
  builder.signature({{{RegisterKind::Ref, true, record}, {RegisterKind::View, false, word}}, {}, true});
  const std::uint32_t index = builder.declare("all", signature);
  FunctionBuilder f(builder, index);
  const Register pair = f.add_register({RegisterKind::Buf, false, record}, "named");
  f.add_object(record, "object");
  const Label start = f.label();
  f.bind(start);
  f.at({0, 7, 9});
  for (std::uint32_t i = 0; i < kOperationCount; ++i) {
    const Op op = static_cast<Op>(i);
    if (i % 7 == 0) f.at({0, i, 1});
    if (op == Op::Switch) {
      f.emit_switch(pair, {start, start, start});
    } else if (op == Op::Print) {
      f.emit_print(true, true, {{PrintAs::Bytes, pair}, {PrintAs::F64, f.outgoing(3)}, {PrintAs::Byte, pair}});
    } else if (op == Op::Format) {
      f.emit_format(pair, 8, 24, {{PrintAs::Unsigned, pair}});
    } else if (op == Op::Spawn || op == Op::SpawnInto) {
      f.emit_spawn(op, pair, f.outgoing(0), 0, {1, 2, 3});
    } else {
      std::vector<Argument> operands;
      for (const Operand& operand : info(op).all()) {
        if (operand.type == Class::Target) {
          operands.emplace_back(start);
        } else if (operand.is_register()) {
          operands.emplace_back(i % 2 == 0 ? pair : f.outgoing(i % 5));
        } else if (operand.type == Class::SImm) {
          operands.emplace_back(-5);
        } else {
          operands.emplace_back(operand.type == Class::TextIndex ? kNone : 1);
        }
      }
      // emit takes a list; at most five operands have one.
      switch (operands.size()) {
        case 0:
          f.emit(op, {});
          break;
        case 1:
          f.emit(op, {operands[0]});
          break;
        case 2:
          f.emit(op, {operands[0], operands[1]});
          break;
        case 3:
          f.emit(op, {operands[0], operands[1], operands[2]});
          break;
        case 4:
          f.emit(op, {operands[0], operands[1], operands[2], operands[3]});
          break;
        case 5:
          f.emit(op, {operands[0], operands[1], operands[2], operands[3], operands[4]});
          break;
        default:
          f.emit(op, {operands[0], operands[1], operands[2], operands[3], operands[4], operands[5]});
          break;
      }
    }
  }
  CHECK(f.failed().empty());
  f.finish();
  Module module = builder.take();
  module.functions[0].kind = FunctionKind::Kernel;
  KernelInfo& kernel = module.functions[0].kernel;
  kernel.threads = 64;
  kernel.shared_bytes = 512;
  kernel.arrays.push_back({0, ScalarKind::F32, 64, true, "tile"});
  kernel.pipelines.push_back({ScalarKind::U32, 16, 2, 256});
  module.entry = 0;
  module.tests = {0, 0};
  return module;
}

}  // namespace

TEST_CASE("what is written as text reads back as the same module", "[text]") {
  const Module module = everything();
  const std::string text = write_text(module);
  const auto again = read_text(text);
  if (!again) FAIL(again.error());
  CHECK(write_text(*again) == text);
  CHECK(write_bundle(*again, {}) == write_bundle(module, {}));
}

TEST_CASE("text that is no module is refused with its line", "[text]") {
  const auto error = [](std::string_view text) {
    const auto module = read_text(text);
    return module ? std::string("read") : module.error();
  };
  CHECK(error("module \"m\"\ntype 0 u8 # fine\n") == "read");
  CHECK(error("module \"m\ntype 0 u8") == "line 1: a quoted text that does not end");
  CHECK(error("module \"m\"\ntype 1 u8\n") == "line 2: rows out of order");
  CHECK(error("module \"m\"\ntype 0 word\n").starts_with("line 2: unknown type 'word'"));
  CHECK(error("rows\n").ends_with("unknown row 'rows'"));
  CHECK(error("type 0 array x\n").starts_with("line 1: expected a number"));
  const std::string head =
      "module \"m\"\nsignature 0 ()\nfunction 0 \"f\" signature 0 kind plain environment none parent none "
      "at none slots 4 memory 0 align 16\n";
  CHECK(error(head + ": return\nend\n") == "read");
  CHECK(error(head + ": return\n").ends_with("a function that does not end"));
  CHECK(error(head + ": leave\nend\n").ends_with("no operation 'leave'"));
  CHECK(error(head + ": jump L1\nL0:\nend\n").ends_with("no label L1"));
  CHECK(error(head + ": move r0\nend\n").ends_with("move: operands are missing"));
  CHECK(error(head + ": move r0 r1 r2\nend\n").ends_with("move: more than its operands"));
  CHECK(error(head + ": move r0 70000\nend\n").ends_with("expected a register, got '70000'"));
  CHECK(error(head + ": print 0 2 [byte r0]\nend\n").ends_with("a list of another length"));
  CHECK(error(head + ": ref.offset r0 r0 99999999999\nend\n").ends_with("an immediate that does not fit"));
}

TEST_CASE("types and signatures have names for people and natives", "[text]") {
  const Module module = everything();
  CHECK(signature_text(module, module.signatures[0]) == "(u64) -> f64");
  CHECK(signature_text(module, module.signatures[1]) == "(ref mut R, view u64) through");
  CHECK(type_name(module, 0) == "u64");
}

}  // namespace cairn::bytecode
