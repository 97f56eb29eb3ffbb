#include <cinttypes>
#include <cstdint>
#include <vector>

#include "guards.hpp"

int main() {
  const std::size_t n = 5000000;
  std::vector<std::uint8_t> storage(n);
  std::uint8_t* composite = storage.data();
  std::uint64_t count = 0;
  for (std::size_t p = 2; p < n; ++p) {
    if (at(composite, n, p) != 0) continue;
    count = add<std::uint64_t>(count, 1);
    for (std::size_t multiple = mul(p, p); multiple < n; multiple = add(multiple, p)) at(composite, n, multiple) = 1;
  }
  std::printf("%" PRIu64 "\n", count);
}
