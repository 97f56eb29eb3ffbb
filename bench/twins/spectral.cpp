#include <cinttypes>
#include <cmath>
#include <cstdint>
#include <vector>

#include "guards.hpp"

static double entry(std::size_t i, std::size_t j) {
  const std::size_t s = add(i, j);
  return 1.0 / static_cast<double>(add<std::size_t>(add(mul(s, add<std::size_t>(s, 1)) / 2, i), 1));
}

[[gnu::noinline]] static void times(std::size_t n, const double* v, double* out) {
  for (std::size_t i = 0; i < n; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < n; ++j) sum += entry(i, j) * at(v, n, j);
    at(out, n, i) = sum;
  }
}

[[gnu::noinline]] static void transposed(std::size_t n, const double* v, double* out) {
  for (std::size_t i = 0; i < n; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < n; ++j) sum += entry(j, i) * at(v, n, j);
    at(out, n, i) = sum;
  }
}

int main() {
  const std::size_t n = 4000;
  std::vector<double> u(n, 1.0), v(n), between(n);
  for (int round = 0; round < 10; ++round) {
    times(n, u.data(), between.data());
    transposed(n, between.data(), v.data());
    times(n, v.data(), between.data());
    transposed(n, between.data(), u.data());
  }
  double uv = 0, vv = 0;
  for (std::size_t i = 0; i < n; ++i) {
    uv += u[i] * v[i];
    vv += v[i] * v[i];
  }
  std::printf("%" PRIu64 "\n", static_cast<std::uint64_t>(std::sqrt(uv / vv) * 1.0e12));
}
