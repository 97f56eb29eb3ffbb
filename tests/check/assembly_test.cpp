// Typed assembly (abstractions, 14.5): each rule's refusals beside the nearest accepted statement.
#include <catch2/catch.hpp>

#include "tests/check/body_verdict.hpp"

using cairn::tests::verdict;

namespace {

std::string statement(std::string text) {
  return verdict("fn f(n:usize, xs:rw<u64>[n], a:u64, b:u32, c:u8, t:bool, x:f32) { unsafe {\n" + text + "\n} }");
}

}  // namespace

TEST_CASE("assembly stands inside unsafe and names a machine it can be for", "[assembly]") {
  CHECK(statement("asm x86_64 \"movq %1, %0\" (out r:u64, a);") == "ok");
  CHECK(statement("asm aarch64 \"mov %0, %1\" (out r:u64, a);") == "ok");
  CHECK(verdict("fn f(a:u64) {\nasm x86_64 \"movq %1, %0\" (out r:u64, a);\n}") == "E-UNSAFE 2:1");
  CHECK(statement("asm mips \"move %0, %1\" (out r:u64, a);") == "E-ASM-TARGET 2:1");
  CHECK(statement("asm ptx sm_80 \"mov.u64 %0, %1;\" (out r:u64, a);") == "E-ASM-TARGET 2:1");
  CHECK(statement("asm x86_64 sm_80 \"movq %1, %0\" (out r:u64, a);") == "E-ASM-TARGET 2:1");
}

TEST_CASE("an assembly template names every operand and nothing else", "[assembly]") {
  CHECK(statement("asm x86_64 \"movl %k1, %0 # 100%%\" (out r:u32, a);") == "ok");
  CHECK(statement("asm x86_64 \"notq %0\" (out r:u64 = a, b);") == "E-ASM-OPERANDS 2:1");
  CHECK(statement("asm x86_64 \"movq %2, %0; notq %1\" (out r:u64, a);") == "E-ASM-OPERANDS 2:1");
  CHECK(statement("asm x86_64 \"movq %1, %0 %\" (out r:u64, a);") == "E-ASM-OPERANDS 2:1");
}

TEST_CASE("an assembly operand has a type that a register holds", "[assembly]") {
  CHECK(statement("asm x86_64 \"movb %1, %0\" (out r:u8, c);") == "ok");
  CHECK(statement("asm x86_64 \"movss %1, %0\" (out r:f32, x);") == "ok");
  CHECK(statement("asm x86_64 \"movb %1, %0\" (out r:u8, t);") == "E-ASM-CONSTRAINT 2:37");
  CHECK(statement("asm x86_64 \"movb %1, %0\" (out r:bool, c);") == "E-ASM-CONSTRAINT 2:31");
}

TEST_CASE("assembly clobbers registers of its machine, each once", "[assembly]") {
  CHECK(statement("asm x86_64 \"movq %1, %0\" (out r:u64, a) clobbers(rax, r15, xmm15);") == "ok");
  CHECK(statement("asm x86_64 \"movq %1, %0\" (out r:u64, a) clobbers(rax, rax);") == "E-ASM-CLOBBER 2:1");
  CHECK(statement("asm x86_64 \"movq %1, %0\" (out r:u64, a) clobbers(rsp);") == "E-ASM-CLOBBER 2:1");
  CHECK(statement("asm x86_64 \"movq %1, %0\" (out r:u64, a) clobbers(xmm16);") == "E-ASM-CLOBBER 2:1");
  CHECK(statement("asm aarch64 \"mov %0, %1\" (out r:u64, a) clobbers(x28, v31);") == "ok");
  CHECK(statement("asm aarch64 \"mov %0, %1\" (out r:u64, a) clobbers(x18);") == "E-ASM-CLOBBER 2:1");
}

TEST_CASE("assembly says what it does to each array it is given", "[assembly]") {
  CHECK(statement("asm x86_64 \"movq (%1), %0\" (out r:u64, xs) effects(read:xs);") == "ok");
  CHECK(statement("asm x86_64 \"movq %0, (%1)\" (a, xs) effects(write:xs, fence);") == "ok");
  CHECK(statement("asm x86_64 \"movq (%1), %0\" (out r:u64, xs);") == "E-ASM-EFFECT 2:1");
  CHECK(statement("asm x86_64 \"movq %1, %0\" (out r:u64, a) effects(read:a);") == "E-ASM-EFFECT 2:1");
  CHECK(statement("asm x86_64 \"movq %1, %0\" (out r:u64, a) effects(alloc);") == "E-ASM-EFFECT 2:1");
  CHECK(verdict("fn f(n:usize, xs:ro<u64>[n]) { unsafe {\nasm x86_64 \"movq $1, (%0)\" (xs) effects(write:xs);\n} }") ==
        "E-WRITE-LEASE 2:29");
}

TEST_CASE("an assembly output is a new local", "[assembly]") {
  CHECK(statement("asm x86_64 \"movq %1, %0\" (out r:u64, a); let s = r + 1;") == "ok");
  CHECK(statement("asm x86_64 \"movq %1, %0\" (out b:u64, a);") == "E-SHADOW 2:1");
  CHECK(statement("asm x86_64 \"movq %1, %0\" (out r:u64, a); r = 2;") == "E-IMMUTABLE 2:42");
}
