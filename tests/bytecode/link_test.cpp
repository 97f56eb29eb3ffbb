// Two modules joined: what each says by index means the same afterwards.
#include "vm/bytecode/link.hpp"

#include <catch2/catch.hpp>

#include "vm/bytecode/text.hpp"
#include "vm/bytecode/verifier.hpp"
#include "vm/execution.hpp"

namespace cairn::bytecode {
namespace {

Module read(const std::string& text) {
  auto module = read_text(text);
  REQUIRE(module.has_value());
  return std::move(*module);
}

/// make(out) writes the function value `one` to what it is given.
Module first() {
  return read(R"(
module "first"
file 0 "a"
text 0 "of the first"
type 0 u64
type 1 fn 0
signature 0 (u64) -> u64
signature 1 (ref mut 1)
function 0 "make" signature 1 kind plain environment none parent none at 0:1:1 slots 5 memory 0 align 16
  r0 ref mut 1 "out"
  r1 fn 0
  : function r1 1 at 0:1:1
  : store.word r0 r1 0
  : return
end
function 1 "one" signature 0 kind plain environment none parent none at 0:2:1 slots 5 memory 0 align 16
  r0 u64 "x"
  r1 u64
  : add.u64.imm r1 r0 1 at 0:2:1
  : return.value r1
end
)");
}

/// call(f, x) calls what it is given; its tables stand in another order.
Module second() {
  return read(R"(
module "second"
file 0 "b"
type 0 u8
type 1 buf 0
type 2 fn 1
type 3 u64
signature 0 (u8) -> u8
signature 1 (u64) -> u64
signature 2 (ref 2, u64) -> u64
function 0 "call" signature 2 kind plain environment none parent none at 0:1:1 slots 9 memory 0 align 16
  r0 ref 2 "f"
  r1 u64 "x"
  r2 fn 1
  : load.word r2 r0 0 at 0:1:1
  : move o0 r1
  : call.value o0 r2 1
  : move r1 o0
  : return.value r1
end
function 1 "two" signature 1 kind plain environment none parent none at 0:2:1 slots 5 memory 0 align 16
  r0 u64 "x"
  r1 u64
  : mul.u64.imm r1 r0 2 at 0:2:1
  : return.value r1
end
)");
}

TEST_CASE("a function value made before two modules were joined is called by code that came with the second") {
  Module joined = first();
  const auto functions = append(joined, second());
  CHECK(functions == 2);
  CHECK_FALSE(verify(joined).has_value());
  CHECK(joined.functions[3].name == "two");
  for (const Tier tier : {Tier::Interpreter, Tier::Baseline, Tier::Optimizing}) {
    ExecutionOptions options;
    options.tier = tier;
    Execution execution(joined, options);
    std::uint64_t made = 0;
    const std::uint64_t out = reinterpret_cast<std::uint64_t>(&made);
    REQUIRE(execution.invoke(0, std::span(&out, 1), {}));
    const std::uint64_t arguments[] = {out, 41};
    std::uint64_t result = 0;
    REQUIRE(execution.invoke(functions, arguments, std::span(&result, 1)));
    CHECK(result == 42);
  }
}

TEST_CASE("an index of a table stands in a place of 32 bits, where it never outgrows it") {
  for (std::uint32_t op = 0; op < kOperationCount; ++op) {
    const OperationInfo& row = info(static_cast<Op>(op));
    for (const Operand& operand : row.all()) {
      if (operand.type < Class::FunctionIndex || operand.type > Class::SignatureIndex) continue;
      INFO(row.name);
      CHECK((operand.place == Place::N || operand.place == Place::M));
    }
  }
}

TEST_CASE("what is the same in two modules is one, and what is not stays apart") {
  Module joined = first();
  const std::size_t types = joined.types.size();
  append(joined, first());
  CHECK(joined.types.size() == types);
  CHECK(joined.signatures.size() == 2);
  CHECK(joined.functions.size() == 4);
  CHECK(joined.texts.size() == 2);
  CHECK_FALSE(verify(joined).has_value());
  append(joined, second());
  CHECK(joined.signatures.size() == 4);  // (u64) -> u64 was there
  CHECK_FALSE(verify(joined).has_value());
}

TEST_CASE("device work of the second module has its device in the joined one") {
  Module joined = first();
  Module more = second();
  more.built_for = "sm_90";
  append(joined, std::move(more));
  CHECK(joined.built_for == "sm_90");
  CHECK(joined.emulated_for.empty());
  more = second();
  more.emulated_for = "sm_80";
  joined = first();
  append(joined, std::move(more));
  CHECK(joined.emulated_for == "sm_80");
}

TEST_CASE("a record of one name and other fields is another type") {
  Module joined = read("module \"m\"\ntype 0 u64\ntype 1 record \"P\" size 8 align 8 (\"a\" 0 @0)\n");
  append(joined, read("module \"n\"\ntype 0 u64\ntype 1 record \"P\" size 16 align 8 (\"a\" 0 @0, \"b\" 0 @8)\n"));
  CHECK(joined.types.size() == 3);
  append(joined, read("module \"n\"\ntype 0 record \"P\" size 8 align 8 (\"a\" 1 @0)\ntype 1 u64\n"));
  CHECK(joined.types.size() == 3);
}

}  // namespace
}  // namespace cairn::bytecode
