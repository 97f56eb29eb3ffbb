// Foreign functions through libffi, and typed assembly, as whole programs (abstractions, 14).
#include <catch2/catch.hpp>

#include "tests/lower/support.hpp"
#include "vm/foreign/foreign_library.hpp"

namespace cairn::test {
namespace {

/// Why the program's foreign functions cannot be called; empty when they can.
std::string refusal(std::string_view program) {
  const bytecode::Module module = lowered(program);
  return ForeignLibrary(module).missing().value_or("");
}

TEST_CASE("scalars go to C and come back in the types of their width", "[foreign]") {
  const Outcome outcome =
      run("extern fn labs(x:i64) -> i64 effects(); extern \"ldexp\" fn scaled(x:f64, k:i32) -> f64 effects();"
          " extern \"toupper\" fn upper(c:i32) -> i32 effects();"
          " fn main() -> i32 { unsafe { let a = labs(-9); println(a); let s = scaled(1.5, 4); println(s);"
          " let u = upper(97); println(u); } return 0; }");
  CHECK(outcome.output == "9\n24\n65\n");
}

TEST_CASE("a record is returned by C as the struct of its fields", "[foreign]") {
  const Outcome outcome =
      run("struct Div { quot:i32; rem:i32; } extern fn div(a:i32, b:i32) -> Div effects();"
          " fn main() -> i32 { unsafe { let d = div(-17, 5); println(d.quot, \" \", d.rem); } return 0; }");
  CHECK(outcome.output == "-3 -2\n");
}

TEST_CASE("C reads the elements of a view and writes through a borrow", "[foreign]") {
  const Outcome outcome =
      run("extern \"strlen\" fn length(s:ro<u8>[1]) -> usize effects();"
          " extern \"frexp\" fn split(x:f64, k:rw<i32>) -> f64 effects();"
          " fn main() -> i32 { unsafe { let t = \"hello\\0\"; let n = length(t[0..1]); println(n);"
          " let mut k:i32 = 0; let m = split(40.0, k); println(m, \" \", k); } return 0; }");
  CHECK(outcome.output == "5\n0.625 6\n");
}

TEST_CASE("what cannot be called is said before the program starts", "[foreign]") {
  CHECK(refusal("extern fn labs(x:i64) -> i64 effects(); fn main() -> i32 { unsafe { let y = labs(1); } return 0; }")
            .empty());
  CHECK(refusal("extern fn cairn_no_such_symbol(x:i64) -> i64 effects();"
                " fn main() -> i32 { unsafe { let y = cairn_no_such_symbol(1); } return 0; }") ==
        "cairn_no_such_symbol is foreign, and neither the host nor a system library has the symbol "
        "cairn_no_such_symbol.");
  CHECK(refusal("struct P { a:u8; b:u32; } extern \"abs\" fn f(p:P) -> i32 effects();"
                " fn main() -> i32 { unsafe { let y = f(P(1, 2)); } return 0; }")
            .empty());
  CHECK(refusal("fn one() -> u64 = 1; struct P { f:fn() -> u64; } extern \"abs\" fn f(p:P) -> i32 effects();"
                " fn main() -> i32 { unsafe { let y = f(P(one)); } return 0; }") ==
        "f takes a value that C's calling convention cannot carry.");
}

TEST_CASE("what an operand of assembly does to a local is seen after it", "[foreign][assembly]") {
  const Outcome outcome =
      run("fn bump(x:rw<u64>) -> u64 { x += 5; return x; } fn second(n:usize, xs:ro<u64>[n]) -> u64 = xs[1];"
          " fn main() -> i32 { let mut x:u64 = 1; let mut grid = Array[u64, 2](); unsafe {"
          " asm x86_64 \"movq %1, %0\" (out r:u64, bump(x)); println(r, \" \", x);"
          " asm x86_64 \"movq $7, 8(%0)\" (grid) effects(write:grid); } println(second(2, grid)); return 0; }");
  CHECK(outcome.output == "6 6\n7\n");
}

}  // namespace
}  // namespace cairn::test
