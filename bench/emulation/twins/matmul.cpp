#include "loops.hpp"

int main() {
  const std::size_t n = 1024, l = n * n;
  std::vector<float> a(l), b(l), c(l);
  for (std::size_t i = 0; i < l; ++i) {
    a[i] = static_cast<float>(i % 13);
    b[i] = static_cast<float>(i % 11);
  }
  least_time(3, [&] {
#pragma omp parallel for num_threads(2)
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) c[i * n + j] = 0;
      for (std::size_t k = 0; k < n; ++k) {
        for (std::size_t j = 0; j < n; ++j) c[i * n + j] = c[i * n + j] + a[i * n + k] * b[k * n + j];
      }
    }
  });
  std::printf("%llu %llu %llu\n", whole(c[0]), whole(c[l / 2 + 77]), whole(c[l - 1]));
}
