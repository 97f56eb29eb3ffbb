#include "loops.hpp"

int main() {
  const std::size_t rows = 4096, n = rows * rows;
  std::vector<float> x(n), y(n);
#pragma omp parallel for num_threads(2)
  for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<float>(i % 1000003);
  least_time(5, [&] {
#pragma omp parallel for num_threads(2)
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t c = 0; c < rows; ++c) y[c * rows + r] = x[r * rows + c];
    }
  });
  std::printf("%llu %llu %llu\n", whole(y[1]), whole(y[4096 * 77 + 1234]), whole(y[n - 2]));
}
