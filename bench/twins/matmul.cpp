#include <cstdint>
#include <vector>

#include "guards.hpp"

[[gnu::noinline]] static void multiply(std::size_t n, std::size_t nn, const double* a, const double* b, double* c) {
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < n; ++k) {
      const double x = at(a, nn, add(mul(i, n), k));
      for (std::size_t j = 0; j < n; ++j) at(c, nn, add(mul(i, n), j)) += x * at(b, nn, add(mul(k, n), j));
    }
  }
}

int main() {
  const std::size_t n = 1000;
  std::vector<double> a(n * n), b(n * n), c(n * n);
  for (std::size_t i = 0; i < n * n; ++i) {
    a[i] = static_cast<double>(i % 7) - 3.0;
    b[i] = static_cast<double>(i % 5) * 0.5;
  }
  multiply(n, n * n, a.data(), b.data(), c.data());
  double sum = 0;
  for (std::size_t i = 0; i < n * n; ++i) sum += c[i] * static_cast<double>(i % 3);
  std::printf("%.17g\n", sum);
}
