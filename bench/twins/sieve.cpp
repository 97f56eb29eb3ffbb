#include <cinttypes>
#include <cstdint>
#include <vector>

#include "guards.hpp"

[[gnu::noinline]] static std::uint64_t count_primes(std::size_t n, std::uint8_t* composite) {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < n; ++i) at(composite, n, i) = 0;
  for (std::size_t p = 2; p < n; ++p) {
    if (at(composite, n, p) != 0) continue;
    count = add<std::uint64_t>(count, 1);
    for (std::size_t multiple = mul(p, p); multiple < n; multiple = add(multiple, p)) at(composite, n, multiple) = 1;
  }
  return count;
}

int main() {
  const std::size_t n = 5000000;
  std::vector<std::uint8_t> composite(n);
  std::uint64_t count = 0;
  for (int round = 0; round < 20; ++round) count = add(count, count_primes(n, composite.data()));
  std::printf("%" PRIu64 "\n", count);
}
