#include <catch2/catch.hpp>

#include "tests/check/check.hpp"

using cairn::tests::judged;
using cairn::tests::outcome;

namespace {

/// A constant's value, seen as the extent of a view.
std::string natural(const std::string& expression) {
  const auto program = judged("const N:usize = " + expression + ";\nfn f(x:ro<u8>[N]) { }");
  if (!program->verdict.accepted()) return std::string(cairn::text(program->verdict.refusals.front().code));
  return std::to_string(program->program.functions.back()->parameters.front()->type->extent.literal);
}

}  // namespace

TEST_CASE("integers fold exactly, and only the result must fit", "[check][constants]") {
  CHECK(natural("18446744073709551615 * 18446744073709551615 / 18446744073709551615 % 1000") == "615");
  CHECK(natural("2 - 3 + 4") == "3");
  CHECK(natural("usize(-7 / 2 + 4)") == "1");
  CHECK(natural("usize(-7 % 2 + 4)") == "3");
  CHECK(natural("6 & 3 | 8 ^ 1") == "11");
  CHECK(natural("0xFF") == "255");
  CHECK(natural("'a'") == "97");
  CHECK(natural("340282366920938463463374607431768211456 / 340282366920938463463374607431768211455") == "1");
}

TEST_CASE("floats fold as the machine computes them", "[check][constants]") {
  CHECK(outcome("const A:f64 = 1 / 2;\nconst B:bool = A == 0.5;\nconst C:u8 = 1;") == "ok");
  CHECK(natural("usize(2.75 * 2.0)") == "5");
  CHECK(outcome("const A:f32 = 16777217.0;\nconst N:usize = usize(A) - 16777216;\nfn f(x:Array[u8, N]) { }") == "ok");
  CHECK(outcome("const A:f32 = 3.5e38;") == "E-LITERAL-RANGE@1");
  CHECK(outcome("const A:f64 = 9007199254740993;") == "E-LITERAL-RANGE@1");
  CHECK(outcome("const A:f64 = 1e308 * 10.0;") == "E-CONST@1");
  CHECK(outcome("const A:f64 = 1.0 / 0.0;") == "E-CONST@1");
}

TEST_CASE("a result of another kind, sign or size is refused at the expression", "[check][constants]") {
  CHECK(outcome("const A:u8 = 300;") == "E-LITERAL-RANGE@1");
  CHECK(outcome("const A:u8 = 3 - 4;") == "E-OPERATOR@1");
  CHECK(outcome("const A:i8 = -128;") == "ok");
  CHECK(outcome("const A:i8 = -129;") == "E-LITERAL-RANGE@1");
  CHECK(outcome("const A:u64 = 2.5;") == "E-TYPE-MISMATCH@1");
  CHECK(outcome("const A:bool = 1;") == "E-TYPE-MISMATCH@1");
  CHECK(outcome("const A:u64 = true;") == "E-TYPE-MISMATCH@1");
  CHECK(outcome("const A:bool = 1 < 2 && !false;") == "ok");
}

TEST_CASE("a constant is made of constant expressions", "[check][constants]") {
  CHECK(outcome("fn f() -> u64 = 1;\nconst A:u64 = f();") == "E-CONST@2");
  CHECK(outcome("const A:u64 = ~1;") == "E-CONST@1");
  CHECK(outcome("const A:u64 = add_wrap(1, 2);") == "E-CONST@1");
  CHECK(outcome("const A:u64 = gone;") == "E-CONST@1");
  CHECK(outcome("const A:u64 = 1 / 0;") == "E-CONST@1");
  CHECK(outcome("const A:u64 = u64(u8(300));") == "E-CONST@1");
  CHECK(outcome("struct S { x:u64; }\nconst A:S = 1;") == "E-CONST@2");
  CHECK(outcome("const A:u64 = true + 1;") == "E-CONST@1");
}

TEST_CASE("constants name each other in any order, but not themselves", "[check][constants]") {
  CHECK(outcome("const A:u64 = B + 1;\nconst B:u64 = 2;") == "ok");
  CHECK(outcome("const A:u64 = B;\nconst B:u64 = A;") == "E-CONST@1");
  CHECK(outcome("const X:u64 = A;\nconst A:u64 = B;\nconst B:u64 = A;") == "E-CONST@2");
  CHECK(outcome("module m;\npub const A:u64 = 3;\nconst P:u64 = 4;\nmodule n;\nconst B:u64 = m.A;") == "ok");
  CHECK(outcome("module m;\nconst P:u64 = 4;\nmodule n;\nconst B:u64 = m.P;") == "E-PRIVATE@4");
}

TEST_CASE("a long chain of operands is folded without deep recursion", "[check][constants]") {
  std::string sum = "1";
  for (int i = 0; i < 50'000; ++i) sum += " + 1";
  CHECK(natural(sum) == "50001");
}
