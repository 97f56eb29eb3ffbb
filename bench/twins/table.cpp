#include <algorithm>
#include <cinttypes>
#include <cstdint>
#include <vector>

#include "guards.hpp"

static std::size_t slot_of(std::size_t n, std::uint32_t* keys, std::uint32_t key) {
  std::size_t slot = (key * 2654435769u) >> 16;
  while (at(keys, n, slot) != key) {
    if (at(keys, n, slot) == 0) {
      at(keys, n, slot) = key;
      return slot;
    }
    require(n != 0);
    slot = add<std::size_t>(slot, 1) % n;
  }
  return slot;
}

int main() {
  const std::size_t n = 65536;
  std::vector<std::uint32_t> keys(n), counts(n);
  std::uint32_t x = 1;
  for (std::size_t round = 0; round < 120000000; ++round) {
    x = x * 1664525u + 1013904223u;
    const std::size_t slot = slot_of(n, keys.data(), (x >> 8) % 40000 + 1);
    std::uint32_t& counter = at(counts.data(), n, slot);
    counter = add<std::uint32_t>(counter, 1);
  }
  std::uint32_t used = 0, most = 0;
  for (std::size_t i = 0; i < n; ++i) {
    used += keys[i] != 0;
    most = std::max(most, counts[i]);
  }
  std::printf("%" PRIu32 " %" PRIu32 "\n", used, most);
}
