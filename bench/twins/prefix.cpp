#include <cinttypes>
#include <cstdint>
#include <vector>

#include "guards.hpp"

[[gnu::noinline]] static void prefix(std::size_t n, const std::uint64_t* x, std::uint64_t* out) {
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < n; ++i) {
    total = add(total, at(x, n, i));
    at(out, n, i) = total;
  }
}

int main() {
  const std::size_t n = 1000000;
  std::vector<std::uint64_t> x(n), out(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = i * 7919 % 1000;
  std::uint64_t check = 0;
  for (std::size_t round = 0; round < 400; ++round) {
    prefix(n, x.data(), out.data());
    check = add(mul<std::uint64_t>(check, 31), out[n - 1]) % 1000003;
    std::uint64_t& first = at(x.data(), n, round);
    first = add<std::uint64_t>(first, 1);
  }
  std::printf("%" PRIu64 " %" PRIu64 "\n", check, out[n / 2]);
}
