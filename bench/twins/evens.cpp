#include <cinttypes>
#include <cstdint>
#include <vector>

#include "guards.hpp"

[[gnu::noinline]] static std::size_t evens(std::size_t n, const std::uint32_t* x, std::uint32_t* out) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (at(x, n, i) % 2 == 0) at(out, n, kept++) = at(x, n, i);
  }
  return kept;
}

int main() {
  const std::size_t n = 2000000;
  std::vector<std::uint32_t> x(n), out(n);
  std::uint32_t seed = 9;
  for (std::size_t i = 0; i < n; ++i) {
    seed = seed * 1664525u + 1013904223u;
    x[i] = seed >> 8;
  }
  std::uint32_t check = 0;
  for (int round = 0; round < 150; ++round) {
    const std::size_t kept = evens(n, x.data(), out.data());
    check = check * 31 + at(out.data(), n, kept / 2);
    x[0] += 1;
  }
  std::printf("%" PRIu32 "\n", check);
}
