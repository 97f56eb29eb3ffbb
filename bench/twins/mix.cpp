#include <cinttypes>
#include <cstdint>

#include "guards.hpp"

int main() {
  volatile std::uint32_t rounds = 300000000;
  const std::uint32_t n = rounds;
  std::uint32_t h = 2166136261u;
  for (std::uint32_t x = 0; x < n; x = add<std::uint32_t>(x, 1)) {
    h = (h ^ x) * 16777619u;
    h ^= h >> 15;
  }
  std::printf("%" PRIu32 "\n", h);
}
