#include <cinttypes>
#include <cstdint>
#include <vector>

#include "guards.hpp"

static constexpr std::size_t kTile = 32;
static constexpr std::size_t kBlock = (kTile - 1) * (kTile + 1) + kTile;

static std::size_t place(std::size_t row, std::size_t column) {
  require(row < kTile && column < kTile);
  return row * (kTile + 1) + column;
}

[[gnu::noinline]] static void turn(std::size_t n, std::size_t nn, const std::uint32_t* from, std::uint32_t* to) {
  const auto cell = [n](std::size_t tile_row, std::size_t row, std::size_t tile_column, std::size_t column) {
    return add(add(mul(add(mul(tile_row, kTile), row), n), mul(tile_column, kTile)), column);
  };
  std::uint32_t block[kBlock] = {};
  for (std::size_t ti = 0; ti < n / kTile; ++ti) {
    for (std::size_t tj = 0; tj < n / kTile; ++tj) {
      for (std::size_t r = 0; r < kTile; ++r) {
        for (std::size_t c = 0; c < kTile; ++c) at(block, kBlock, place(r, c)) = at(from, nn, cell(ti, r, tj, c));
      }
      for (std::size_t r = 0; r < kTile; ++r) {
        for (std::size_t c = 0; c < kTile; ++c) at(to, nn, cell(tj, r, ti, c)) = at(block, kBlock, place(c, r));
      }
    }
  }
}

int main() {
  const std::size_t n = 1024;
  std::vector<std::uint32_t> a(n * n), b(n * n);
  std::uint32_t x = 5;
  for (std::uint32_t& cell : a) {
    x = x * 1664525u + 1013904223u;
    cell = x;
  }
  std::uint32_t check = 0;
  for (std::size_t round = 0; round < 200; ++round) {
    turn(n, n * n, a.data(), b.data());
    check = check * 31 + b[(round * 7919) % (n * n)];
    turn(n, n * n, b.data(), a.data());
  }
  std::printf("%" PRIu32 " %" PRIu32 "\n", check, a[n * n - 2]);
}
