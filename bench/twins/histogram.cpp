#include <cinttypes>
#include <cstdint>
#include <vector>

#include "guards.hpp"

[[gnu::noinline]] static void count(std::size_t n, const std::uint8_t* bytes, std::uint64_t* counts) {
  for (std::size_t i = 0; i < n; ++i) {
    std::uint64_t& counter = at(counts, 256, static_cast<std::size_t>(at(bytes, n, i)));
    counter = add<std::uint64_t>(counter, 1);
  }
}

int main() {
  const std::size_t n = 6000000;
  std::vector<std::uint8_t> bytes(n);
  std::uint64_t counts[256] = {};
  std::uint32_t x = 12345;
  for (std::size_t i = 0; i < n; ++i) {
    x = x * 1664525u + 1013904223u;
    bytes[i] = static_cast<std::uint8_t>(x >> 24);
  }
  for (int round = 0; round < 150; ++round) count(n, bytes.data(), counts);
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < 256; ++i) sum += counts[i] * i;
  std::printf("%" PRIu64 "\n", sum);
}
