#include <cinttypes>
#include <vector>

#include "guards.hpp"

int main() {
  const std::size_t n = 10000000;
  std::vector<std::uint64_t> xs(n);
  std::vector<std::uint64_t> outs(n);
  std::uint64_t* x = xs.data();
  std::uint64_t* out = outs.data();
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < n; ++i) at(x, n, i) = (static_cast<std::uint64_t>(i) + 1) * 11400714819323198485u / 65536;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (at(x, n, i) % 2 == 0) at(out, n, kept++) = at(x, n, i);
  }
  std::printf("%zu %" PRIu64 " %" PRIu64 "\n", kept, out[0], out[kept - 1]);
}
