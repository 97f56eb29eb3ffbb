#include <cinttypes>
#include <cstdint>
#include <vector>

#include "guards.hpp"

static void sort(std::size_t n, std::uint32_t* items) {
  if (n < 2) return;
  const std::uint32_t pivot = at(items, n, n / 2);
  std::size_t lo = 0;
  std::size_t hi = n - 1;
  while (true) {
    while (at(items, n, lo) < pivot) lo = add<std::size_t>(lo, 1);
    while (at(items, n, hi) > pivot) hi = sub<std::size_t>(hi, 1);
    if (lo >= hi) break;
    const std::uint32_t swapped = at(items, n, lo);
    at(items, n, lo) = at(items, n, hi);
    at(items, n, hi) = swapped;
    lo = add<std::size_t>(lo, 1);
    hi = sub<std::size_t>(hi, 1);
  }
  require(lo <= n);
  sort(lo, items);
  sort(n - lo, items + lo);
}

int main() {
  const std::size_t n = 4000000;
  std::vector<std::uint32_t> items(n);
  std::uint32_t x = 1;
  for (std::size_t i = 0; i < n; ++i) {
    x = x * 1664525u + 1013904223u;
    items[i] = x;
  }
  sort(n, items.data());
  std::uint64_t good = 0;
  for (std::size_t i = 1; i < n; ++i) good += items[i - 1] <= items[i];
  std::printf("%" PRIu64 " %" PRIu32 "\n", good, items[n / 2]);
}
