#include <catch2/catch.hpp>
#include <set>

#include "vm/bytecode/builder.hpp"
#include "vm/bytecode/operation.hpp"

namespace cairn::bytecode {

TEST_CASE("every operation is found by its text, and no two share one", "[operations]") {
  std::set<std::string_view> texts;
  for (std::uint32_t i = 0; i < kOperationCount; ++i) {
    const OperationInfo& row = info(static_cast<Op>(i));
    CHECK(find_operation(row.text) == static_cast<Op>(i));
    CHECK(texts.insert(row.text).second);
    CHECK_FALSE(row.meaning.empty());
  }
  CHECK(find_operation("add") == Op::Count);
  CHECK(find_operation("") == Op::Count);
  CHECK(find_operation("zzz") == Op::Count);
}

TEST_CASE("operands of one operation do not share bits", "[operations]") {
  const auto bits_of = [](Place place) -> std::pair<unsigned, unsigned> {
    switch (place) {
      case Place::A:
        return {16, 32};
      case Place::B:
        return {32, 48};
      case Place::C:
        return {48, 64};
      case Place::N:
        return {32, 64};
      case Place::D:
        return {64, 80};
      case Place::E:
        return {80, 96};
      case Place::T:
        return {64, 96};
      case Place::M:
        return {96, 128};
      case Place::I:
        return {64, 128};
      case Place::List:
        return {128, 128};
    }
    return {0, 0};
  };
  for (std::uint32_t i = 0; i < kOperationCount; ++i) {
    const OperationInfo& row = info(static_cast<Op>(i));
    INFO(row.text);
    unsigned used[129] = {};
    for (const Operand& operand : row.all()) {
      const auto [first, last] = bits_of(operand.place);
      for (unsigned bit = first; bit < last; ++bit) CHECK(++used[bit] == 1);
      CHECK((first < 64 || row.words == 2 || operand.place == Place::List));
    }
  }
}

TEST_CASE("names come apart into verb, type and form", "[operations]") {
  const OpName wrapping = split_name("add.wrap.u32.imm");
  CHECK(wrapping.verb == "add.wrap");
  CHECK(wrapping.type == "u32");
  CHECK(wrapping.immediate);
  CHECK(split_name("jump.lt.u").verb == "jump.lt.u");
  CHECK(split_name("jump.lt.u").type.empty());
  CHECK(split_name("frame.load.f64").type == "f64");
}

TEST_CASE("the builder tells what it cannot encode", "[builder]") {
  const auto failure = [](auto use) {
    ModuleBuilder builder("m");
    FunctionBuilder f(builder, builder.declare("f", builder.signature({})));
    use(f);
    f.finish();
    return f.failed();
  };
  CHECK(failure([](FunctionBuilder& f) { f.emit(Op::Return); }).empty());
  CHECK(failure([](FunctionBuilder& f) { f.emit(Op::Jump, f.label()); }) == "a label is used but never bound");
  CHECK(failure([](FunctionBuilder& f) { f.emit(Op::Move, f.outgoing(0)); }) == "move: wrong number of operands");
  CHECK(failure([](FunctionBuilder& f) { f.emit(Op::Move, f.outgoing(0), 3); }) ==
        "move: an operand of the wrong sort");
  CHECK(failure([](FunctionBuilder& f) { f.emit(Op::LoadU8, f.outgoing(0), f.outgoing(1), 70000); }) ==
        "load.u8: an immediate past 16 bits");
  CHECK(failure([](FunctionBuilder& f) { f.outgoing(66000); }) == "it needs more than 65535 slots");
}

TEST_CASE("temporaries are taken again once released", "[builder]") {
  ModuleBuilder builder("m");
  FunctionBuilder f(builder, builder.declare("f", builder.signature({})));
  const RegisterType word{RegisterKind::U64};
  const Register first = f.temporary(word);
  f.release(first);
  CHECK(f.temporary(word) == first);
  CHECK_FALSE(f.temporary(word) == first);
  CHECK_FALSE(f.temporary({RegisterKind::I64}) == first);
}

TEST_CASE("types are laid out as C lays them out", "[builder]") {
  ModuleBuilder builder("m");
  const std::uint32_t byte = builder.scalar(ScalarKind::U8);
  const std::uint32_t word = builder.scalar(ScalarKind::U64);
  const std::uint32_t half = builder.scalar(ScalarKind::BF16);
  const auto record = [&](std::vector<Field> fields, bool packed, std::uint32_t align) {
    const std::uint32_t index = builder.declare_record("R");
    builder.define_record(index, std::move(fields), packed, align);
    return builder.type(index);
  };
  const Type natural = record({{"a", byte, 0}, {"b", word, 0}, {"c", half, 0}}, false, 1);
  CHECK((natural.size == 24 && natural.align == 8 && natural.fields[1].offset == 8 && natural.fields[2].offset == 16));
  const Type packed = record({{"a", byte, 0}, {"b", word, 0}, {"c", half, 0}}, true, 1);
  CHECK((packed.size == 11 && packed.align == 1 && packed.fields[1].offset == 1 && packed.fields[2].offset == 9));
  const Type aligned = record({{"a", byte, 0}}, false, 64);
  CHECK((aligned.size == 64 && aligned.align == 64));
  const std::uint32_t copyable = builder.declare_sum("C");
  builder.define_sum(copyable, {{"A", byte, 0}, {"B", word, 0}, {"N", kNone, 0}}, true);
  CHECK((builder.type(copyable).size == 16 && builder.type(copyable).variants[0].offset == 8));
  const std::uint32_t owning = builder.declare_sum("O");
  builder.define_sum(owning, {{"A", byte, 0}, {"B", builder.buf(word), 0}}, false);
  const Type& sum = builder.type(owning);
  CHECK((sum.size == 24 && sum.variants[0].offset == 4 && sum.variants[1].offset == 8 && sum.owns));
  CHECK(builder.buf(word) == builder.buf(word));
}

}  // namespace cairn::bytecode
