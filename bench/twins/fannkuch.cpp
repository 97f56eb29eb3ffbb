#include <algorithm>
#include <cinttypes>
#include <cstdint>

#include "guards.hpp"

static std::uint64_t flips(std::size_t n, std::size_t* p) {
  std::uint64_t count = 0;
  std::size_t first = at(p, n, 0);
  while (first != 0) {
    std::size_t lo = 0;
    std::size_t hi = first;
    while (lo < hi) {
      const std::size_t swapped = at(p, n, lo);
      at(p, n, lo) = at(p, n, hi);
      at(p, n, hi) = swapped;
      lo = add<std::size_t>(lo, 1);
      hi = sub<std::size_t>(hi, 1);
    }
    count = add<std::uint64_t>(count, 1);
    first = at(p, n, 0);
  }
  return count;
}

struct Found {
  std::int64_t sum = 0;
  std::uint64_t most = 0;
};

[[gnu::noinline]] static void search(Found& found) {
  constexpr std::size_t n = 10;
  std::size_t order[n] = {}, work[n] = {}, count[n] = {};
  for (std::size_t i = 0; i < n; ++i) order[i] = i;
  std::uint64_t most = 0;
  std::int64_t sum = 0;
  bool even = true;
  std::size_t r = n;
  for (bool open = true; open;) {
    while (r != 1) {
      at(count, n, sub<std::size_t>(r, 1)) = r;
      r = sub<std::size_t>(r, 1);
    }
    for (std::size_t i = 0; i < n; ++i) at(work, n, i) = at(order, n, i);
    const std::uint64_t taken = flips(n, work);
    most = std::max(most, taken);
    const auto signed_taken = static_cast<std::int64_t>(taken);
    require(signed_taken >= 0);
    sum = even ? add(sum, signed_taken) : sub(sum, signed_taken);
    even = !even;
    for (bool turning = true; turning;) {
      if (r == n) {
        open = turning = false;
      } else {
        const std::size_t first = at(order, n, 0);
        for (std::size_t i = 0; i < r; ++i) at(order, n, i) = at(order, n, add<std::size_t>(i, 1));
        at(order, n, r) = first;
        std::size_t& left = at(count, n, r);
        left = sub<std::size_t>(left, 1);
        if (left > 0) {
          turning = false;
        } else {
          r = add<std::size_t>(r, 1);
        }
      }
    }
  }
  found.sum = add(found.sum, sum);
  found.most = std::max(found.most, most);
}

int main() {
  Found found;
  for (int round = 0; round < 3; ++round) search(found);
  std::printf("%" PRId64 " %" PRIu64 "\n", found.sum, found.most);
}
