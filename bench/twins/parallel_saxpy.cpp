#include <cstdint>
#include <vector>

#include "guards.hpp"

int main() {
  const std::size_t n = 10000000;
  std::vector<float> xs(n);
  std::vector<float> ys(n);
  float* x = xs.data();
  float* y = ys.data();
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < n; ++i) at(x, n, i) = static_cast<float>(static_cast<std::uint32_t>(i % 1000)) * 0.5f;
  for (int round = 0; round < 3; ++round) {
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < n; ++i) at(y, n, i) = 0.25f * at(x, n, i) + at(y, n, i);
  }
  std::printf("%g %g\n", y[999], y[n - 1]);
}
