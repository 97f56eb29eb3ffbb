#include <algorithm>
#include <cinttypes>
#include <vector>

#include "guards.hpp"

int main() {
  const std::size_t n = 10000000;
  std::vector<std::uint64_t> storage(n);
  std::uint64_t* x = storage.data();
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < n; ++i) at(x, n, i) = static_cast<std::uint64_t>(i) % 1000003;
  std::uint64_t sum = 0;
  std::uint64_t hash = 0;
  std::uint64_t most = 0;
#pragma omp parallel
  {
    std::uint64_t mine = 0;
#pragma omp for schedule(static)
    for (std::size_t i = 0; i < n; ++i) mine = add<std::uint64_t>(mine, at(x, n, i));
#pragma omp critical
    sum = add<std::uint64_t>(sum, mine);
  }
#pragma omp parallel for schedule(static) reduction(+ : hash)
  for (std::size_t i = 0; i < n; ++i) hash += at(x, n, i) * 2654435761u;
#pragma omp parallel for schedule(static) reduction(max : most)
  for (std::size_t i = 0; i < n; ++i) most = std::max(most, at(x, n, i));
  std::printf("%" PRIu64 " %" PRIu64 " %" PRIu64 "\n", sum, hash, most);
}
