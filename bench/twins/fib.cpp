#include <cinttypes>
#include <cstdint>

#include "guards.hpp"

static std::uint64_t fib(std::uint64_t n) {
  if (n < 2) return n;
  return add(fib(sub<std::uint64_t>(n, 1)), fib(sub<std::uint64_t>(n, 2)));
}

int main() { std::printf("%" PRIu64 "\n", fib(40)); }
