#include <catch2/catch.hpp>

#include "tests/lower/support.hpp"
#include "vm/bytecode/operation.hpp"

using cairn::test::code_of;
using cairn::test::lowered;

namespace {

std::string code(std::string_view program, std::string_view function) { return code_of(lowered(program), function); }

}  // namespace

TEST_CASE("a recursion computes its arguments in the callee's slots and reads its results there") {
  CHECK(code("fn fib(n:u32) -> u32 { if n < 2 { return n; } return fib(n - 1) + fib(n - 2); }", "fib") ==
        "jump.ge.u.imm r0 2 L0\n"
        "return.value r0\n"
        "L0:\n"
        "sub.u32.imm o0 r0 1\n"
        "call o0 0\n"
        "sub.u32.imm o4 r0 2\n"
        "call o4 0\n"
        "add.u32 r1 o0 o4\n"
        "return.value r1\n");
}

TEST_CASE("a counted loop has one instruction of overhead an iteration, and a view's extent is its length") {
  CHECK(code("fn total(n:usize, xs:ro<u64>[n]) -> u64 { let mut t:u64 = 0; for i in 0..n { t += xs[i]; } return t; }",
             "total") ==
        "const r3 0\n"
        "const r4 0\n"
        "jump.eq.imm r2 0 L1\n"
        "L0:\n"
        "load.at.u64 r5 r1 r4\n"
        "add.u64 r3 r3 r5\n"
        "loop.next r4 r2 L0\n"
        "L1:\n"
        "return.value r3\n");
}

TEST_CASE("a guard that the facts prove is marked for machine code, unless guards are to be kept") {
  const std::string_view program =
      "fn f(n:usize, a:ro<u64>[n]) -> u64 { let mut t:u64 = 0; for i in 0..n { t += a[i] + a[i / 2 + 1]; } return t; }";
  const auto proved = [&](bool keep_guards) {
    const cairn::bytecode::Module module = lowered(program, keep_guards);
    std::vector<std::string> operations;
    for (const auto& function : module.functions) {
      for (const std::uint32_t word : function.proved) {
        operations.emplace_back(cairn::bytecode::info(cairn::bytecode::op_of(function.code[word])).text);
      }
    }
    return operations;
  };
  // The other index may be n: its bound stays, and only its sum and its quotient are proved.
  CHECK(proved(false) == std::vector<std::string>{"load.at.u64", "div.u64.imm", "add.u64.imm"});
  CHECK(proved(true).empty());
}

TEST_CASE("a while loop tests once an iteration, below its body") {
  CHECK(code("fn down(n:u32) -> u32 { let mut k = n; while k > 9 { k = k / 10; } return k; }", "down") ==
        "move r1 r0\n"
        "jump L1\n"
        "L0:\n"
        "div.u32.imm r1 r1 10\n"
        "L1:\n"
        "jump.gt.u.imm r1 9 L0\n"
        "return.value r1\n");
}

TEST_CASE("a Buf that is not lent as a whole stays in registers, and numbers a loop stores are made once") {
  const std::string text = code(
      "fn marks(n:usize) -> u64 { let mut flags = Buf[bool](n); for i in 0..n { flags[i] = true; } return u64(n); }",
      "marks");
  CHECK(text ==
        "const r4 1\n"
        "buf.new r1 r0 0\n"
        "const r3 0\n"
        "jump.eq.imm r0 0 L1\n"
        "L0:\n"
        "store.at.bool r1 r3 r4\n"
        "loop.next r3 r0 L0\n"
        "L1:\n"
        "drop.buf r1 0\n"
        "return.value r0\n");
}

TEST_CASE("a scalar lives in memory only when a reference to it is made") {
  const auto module = lowered(R"(
fn bump(x:rw<u64>) { x += 1; }
fn seen(x:ro<u64>) -> u64 = x;
fn lent() -> u64 { let mut a:u64 = 1; bump(a); return a; }
fn read() -> u64 { let mut a:u64 = 1; a += 2; return seen(a); }
)");
  CHECK(code_of(module, "lent").find("frame.ref") != std::string::npos);
  CHECK(code_of(module, "read").find("frame.") == std::string::npos);
}

TEST_CASE("conditions are jumps, and a literal moves to the side that has an immediate") {
  CHECK(code("fn f(a:i32, b:f64) -> u32 { if 3 < a && !(b <= 1.5) { return 1; } return 0; }", "f") ==
        "jump.le.s.imm r0 3 L0\n"
        "const r2 0x3ff8000000000000\n"
        "jump.le.f64 r1 r2 L0\n"
        "const r3 1\n"
        "return.value r3\n"
        "L0:\n"
        "const r3 0\n"
        "return.value r3\n");
}

TEST_CASE("a compound assignment to an element finds the element first") {
  CHECK(code("fn add(n:usize, xs:rw<u32>[n], i:usize, by:u32) { xs[i] += by * 2; }", "add") ==
        "load.at.u32 r5 r1 r3\n"
        "mul.u32.imm r7 r4 2\n"
        "add.u32 r6 r5 r7\n"
        "store.at.u32 r1 r3 r6\n"
        "return\n");
}

TEST_CASE("only what the roots reach is lowered, once, in the order it is met") {
  const auto module = lowered("fn b() -> i32 = 1;\nfn a() -> i32 = b() + b();\nfn main() -> i32 = a();");
  REQUIRE(module.functions.size() == 3);
  CHECK(module.functions[module.entry].name == "main");
}
