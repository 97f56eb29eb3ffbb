// Assembled templates against what their instructions mean.
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "jit/jit.hpp"

namespace cairn::jit {
namespace {

constexpr AsmRegister kWord{AsmClass::Integer, 8};
constexpr AsmRegister kHalf{AsmClass::Integer, 4};
constexpr AsmRegister kReal{AsmClass::F64, 8};

std::uint64_t run(std::string_view text, std::vector<AsmRegister> operands, std::vector<std::uint64_t> values,
                  std::vector<std::string_view> clobbers = {}) {
  const auto code = assemble_x86_64(text, operands, clobbers);
  INFO((code ? std::string() : code.error()));
  REQUIRE(code.has_value());
  (*code)->run(values.data());
  return values[0];
}

bool refused(std::string_view text, std::vector<AsmRegister> operands, std::vector<std::string_view> clobbers = {}) {
  return !assemble_x86_64(text, operands, clobbers).has_value();
}

TEST_CASE("templates name registers, addresses and numbers in AT&T order", "[jit][assembly]") {
  CHECK(run("addq %1, %0", {kWord, kWord}, {40, 2}) == 42);
  CHECK(run("leaq 5(%0,%1,2), %0", {kWord, kWord}, {10, 4}) == 23);
  CHECK(run("movq %1, %0; shlq $3, %0\n\tsubq $-1, %0", {kWord, kWord}, {0, 5}) == 41);
  CHECK(run("movl %k1, %k0", {kWord, kWord}, {0, 0x1'0000'0007}) == 7);
  CHECK(run("movzbl %b1, %0", {kHalf, kWord}, {0, 0x1234}) == 0x34);
  CHECK(run("popcntq %1, %0", {kWord, kWord}, {0, 255}) == 8);
  CHECK(run("bswapq %0", {kWord}, {1}) == std::uint64_t{1} << 56U);
}

TEST_CASE("memory is read and written through an address operand", "[jit][assembly]") {
  std::uint64_t cells[2] = {7, 0};
  const auto address = reinterpret_cast<std::uint64_t>(cells);
  CHECK(run("movq (%1), %0", {kWord, kWord}, {0, address}) == 7);
  run("movq %0, 8(%1)", {kWord, kWord}, {99, address});
  CHECK(cells[1] == 99);
}

TEST_CASE("floating operands live in vector registers", "[jit][assembly]") {
  const auto result = run("sqrtsd %1, %0", {kReal, kReal}, {0, std::bit_cast<std::uint64_t>(2.0)});
  CHECK(std::bit_cast<double>(result) == std::sqrt(2.0));
}

TEST_CASE("clobbered registers hold no operand and may be used by name", "[jit][assembly]") {
  CHECK(run("movq $9, %%rax; movq $8, %%rcx; addq %1, %0", {kWord, kWord}, {30, 12}, {"rax", "rcx"}) == 42);
  CHECK(run("movq %1, %%rbx; movq %%rbx, %0", {kWord, kWord}, {0, 6}, {"rbx"}) == 6);
}

TEST_CASE("what is no supported instruction sequence is refused", "[jit][assembly]") {
  CHECK(refused("frobnicate %0", {kWord}));
  CHECK(refused("jmp 1f", {}));
  CHECK(refused("addq %1", {kWord, kWord}));
  CHECK(refused("movq %1, %0", {kWord}));
  CHECK(refused("movq 8(%1, %0", {kWord, kWord}));
  CHECK(refused("movq (%0,%0,3), %0", {kWord}));
  CHECK(refused("nop", std::vector<AsmRegister>(20, kWord)));
}

}  // namespace
}  // namespace cairn::jit
