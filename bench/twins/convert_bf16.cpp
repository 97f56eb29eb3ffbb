// Copies half of the bytes that a conversion of 16M f32 to bf16 moves: each is read and written.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

int main() {
  constexpr std::size_t kElements = 16777216;
  constexpr std::size_t kBytes = kElements * (4 + 2) / 2;
  std::vector<float> from(kElements);
  std::vector<std::uint8_t> to(kBytes);
  for (std::size_t i = 0; i < kElements; ++i) from[i] = static_cast<float>(i % 997) * 0.25F;
  for (int round = 0; round < 40; ++round) {
    std::memcpy(to.data(), from.data(), kBytes);
    asm volatile("" : : "r"(to.data()) : "memory");
  }
  std::puts("40");
}
