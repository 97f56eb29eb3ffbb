#include "loops.hpp"

int main() {
  const std::size_t n = 16777216, g = 65536;
  std::vector<float> x(n), out(g);
#pragma omp parallel for num_threads(2)
  for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<float>(i % 257);
  least_time(5, [&] {
#pragma omp parallel for num_threads(2)
    for (std::size_t b = 0; b < g; ++b) {
      float sum = 0;
      for (std::size_t t = 0; t < 256; ++t) sum = sum + x[b * 256 + t];
      out[b] = sum;
    }
  });
  std::printf("%llu %llu %llu\n", whole(out[0]), whole(out[g / 2]), whole(out[g - 1]));
}
