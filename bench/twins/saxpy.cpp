#include <cinttypes>
#include <cstdint>
#include <vector>

#include "guards.hpp"

[[gnu::noinline]] static void saxpy(std::size_t n, float a, const float* x, float* y) {
  for (std::size_t i = 0; i < n; ++i) at(y, n, i) += a * at(x, n, i);
}

int main() {
  const std::size_t n = 100000;
  std::vector<float> x(n), y(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<float>(i % 17);
  for (int round = 0; round < 20000; ++round) saxpy(n, 0.001f, x.data(), y.data());
  std::printf("%" PRIu32 "\n", static_cast<std::uint32_t>(y[n / 2] * 1000.0f));
}
