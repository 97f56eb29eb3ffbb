#include <cinttypes>
#include <cstdint>

#include "guards.hpp"

enum class Kind : std::uint32_t { Add, Xor, Multiply, Rotate, Swap, SkipIfOdd, Again };
struct Op {
  Kind kind;
  std::uint32_t k;
};

[[gnu::noinline]] static std::uint32_t execute(std::size_t n, const Op* code, std::uint32_t rounds) {
  std::uint32_t a = 1, b = 2, left = rounds;
  std::size_t i = 0;
  while (left > 0) {
    const Op op = at(code, n, i);
    switch (op.kind) {
      case Kind::Add:
        a += op.k;
        break;
      case Kind::Xor:
        a ^= op.k;
        break;
      case Kind::Multiply:
        a *= op.k;
        break;
      case Kind::Rotate: {
        require(op.k < 32);
        const auto right = sub<std::uint32_t>(32, op.k);
        require(right < 32);
        a = (a << op.k) | (a >> right);
        break;
      }
      case Kind::Swap: {
        const std::uint32_t kept = a;
        a = b;
        b = kept;
        break;
      }
      case Kind::SkipIfOdd:
        if (a % 2 == 1) i = add<std::size_t>(i, 1);
        break;
      case Kind::Again:
        left = sub<std::uint32_t>(left, 1);
        i = 0;
        continue;
    }
    i = add<std::size_t>(i, 1);
  }
  return a ^ b;
}

int main() {
  constexpr std::size_t n = 64;
  Op code[n] = {};
  std::uint32_t x = 3;
  for (std::size_t i = 0; i < n - 1; ++i) {
    x = x * 1664525u + 1013904223u;
    const std::uint32_t k = (x >> 8) % 65536 + 1;
    switch ((x >> 24) % 6) {
      case 0:
        code[i] = {Kind::Add, k};
        break;
      case 1:
        code[i] = {Kind::Xor, k};
        break;
      case 2:
        code[i] = {Kind::Multiply, 2 * k + 1};
        break;
      case 3:
        code[i] = {Kind::Rotate, k % 31 + 1};
        break;
      case 4:
        code[i] = {Kind::Swap, 0};
        break;
      default:
        code[i] = {Kind::SkipIfOdd, 0};
    }
  }
  code[n - 2] = {Kind::Swap, 0};
  code[n - 1] = {Kind::Again, 0};
  std::printf("%" PRIu32 "\n", execute(n, code, 3000000));
}
