#include <omp.h>

#include <cinttypes>
#include <vector>

#include "guards.hpp"

/// Two passes over one block a thread: totals, then each block from its offset.
template <class Value>
static void scan(std::size_t n, std::uint64_t* out, bool exclusive, Value value) {
  std::vector<std::uint64_t> offsets(static_cast<std::size_t>(omp_get_max_threads()) + 1);
#pragma omp parallel
  {
    const auto threads = static_cast<std::size_t>(omp_get_num_threads());
    const auto thread = static_cast<std::size_t>(omp_get_thread_num());
    const std::size_t begin = n * thread / threads;
    const std::size_t end = n * (thread + 1) / threads;
    std::uint64_t total = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint64_t yielded = value(i);
      const std::uint64_t next = add<std::uint64_t>(total, yielded);
      at(out, n, i) = exclusive ? total : next;
      total = next;
    }
    offsets[thread + 1] = total;
#pragma omp barrier
#pragma omp single
    for (std::size_t t = 1; t <= threads; ++t) offsets[t] = add<std::uint64_t>(offsets[t], offsets[t - 1]);
    for (std::size_t i = begin; i < end; ++i) at(out, n, i) = add<std::uint64_t>(at(out, n, i), offsets[thread]);
  }
}

int main() {
  const std::size_t n = 10000000;
  std::vector<std::uint64_t> xs(n);
  std::vector<std::uint64_t> outs(n);
  std::uint64_t* x = xs.data();
  std::uint64_t* out = outs.data();
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < n; ++i) at(x, n, i) = i % 1000;
  scan(n, out, false, [=](std::size_t i) { return at(x, n, i); });
  scan(n, out, true, [=](std::size_t i) { return at(out, n, i) % 7; });
  std::printf("%" PRIu64 " %" PRIu64 "\n", out[n / 2], out[n - 1]);
}
