#include "loops.hpp"

int main() {
  const std::size_t n = 16777216;
  std::vector<float> x(n), y(n);
#pragma omp parallel for num_threads(2)
  for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<float>(i % 64);
  least_time(10, [&] {
#pragma omp parallel for num_threads(2)
    for (std::size_t i = 0; i < n; ++i) y[i] = 2.5f * x[i] + y[i];
  });
  std::printf("%llu %llu %llu\n", whole(y[1]), whole(y[n / 2 + 7]), whole(y[n - 1]));
}
