#include <cinttypes>
#include <cstdint>
#include <vector>

#include "guards.hpp"

[[gnu::noinline]] static std::uint64_t sum(std::size_t n, const std::uint8_t* bytes) {
  std::uint64_t total = 0;
  std::size_t i = 0;
  while (i < n) {
    while (i < n && at(bytes, n, i) == 32) i = add<std::size_t>(i, 1);
    std::uint64_t value = 0;
    while (i < n && at(bytes, n, i) != 32) {
      value = add<std::uint64_t>(mul<std::uint64_t>(value, 10), sub<std::uint8_t>(at(bytes, n, i), 48));
      i = add<std::size_t>(i, 1);
    }
    total = add(total, value);
  }
  return total;
}

int main() {
  const std::size_t n = 4000000;
  std::vector<std::uint8_t> bytes(n);
  std::uint32_t x = 7;
  std::uint32_t left = 0;
  for (std::size_t i = 0; i < n; ++i) {
    x = x * 1664525u + 1013904223u;
    if (left == 0) {
      bytes[i] = 32;
      left = (x >> 28) % 9 + 1;
    } else {
      bytes[i] = static_cast<std::uint8_t>((x >> 16) % 10 + 48);
      left -= 1;
    }
  }
  std::uint64_t check = 0;
  for (std::size_t round = 0; round < 40; ++round) {
    check = add(mul<std::uint64_t>(check, 31), sum(n, bytes.data())) % 1000003;
    at(bytes.data(), n, round * 11) = 57;
  }
  std::printf("%" PRIu64 "\n", check);
}
