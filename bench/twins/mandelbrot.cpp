#include <cinttypes>
#include <cstdint>

#include "guards.hpp"

static std::uint32_t escape(double re, double im, std::uint32_t most) {
  double x = 0, y = 0;
  std::uint32_t n = 0;
  while (n < most) {
    const double xx = x * x;
    const double yy = y * y;
    if (xx + yy > 4.0) return n;
    y = 2.0 * x * y + im;
    x = xx - yy + re;
    n = add<std::uint32_t>(n, 1);
  }
  return n;
}

int main() {
  std::uint64_t total = 0;
  for (std::size_t row = 0; row < 1200; ++row) {
    for (std::size_t column = 0; column < 1200; ++column) {
      const double re = static_cast<double>(column) * 3.0 / 1200.0 - 2.0;
      const double im = static_cast<double>(row) * 2.4 / 1200.0 - 1.2;
      total = add<std::uint64_t>(total, escape(re, im, 500));
    }
  }
  std::printf("%" PRIu64 "\n", total);
}
