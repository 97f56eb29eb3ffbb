// What one thread of an emulated warp does with fragments (numerics, 9.6 and 9.7).
#include "runtime/matrices/fragment.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <random>
#include <set>
#include <utility>
#include <vector>

using cairn::runtime::TileLayout;
namespace runtime = cairn::runtime;

namespace {

std::vector<std::uint8_t> bytes_of(const std::vector<std::uint64_t>& words) {
  std::vector<std::uint8_t> bytes(words.size() * 8);
  std::memcpy(bytes.data(), words.data(), bytes.size());
  return bytes;
}

struct Shape {
  std::size_t m, n, k;
};
constexpr Shape kShapes[] = {{16, 16, 16}, {32, 8, 16}, {8, 32, 16}, {16, 8, 16}};

}  // namespace

TEST_CASE("the lanes of a warp hold each element of an accumulator once between them", "[fragments]") {
  for (const Shape& shape : kShapes) {
    std::vector<int> holders(shape.m * shape.n);
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      runtime::for_each_own(shape.m, shape.n, lane, [&](std::size_t row, std::size_t column) {
        ++holders[row * shape.n + column];
        CHECK(runtime::lane_of(row, column) == lane);
      });
    }
    for (const int each : holders) CHECK(each == 1);
  }
}

TEST_CASE("value v of lane l is element (l / 4 + 8 (v / 2), 2 (l % 4) + v % 2)", "[fragments]") {
  std::set<std::size_t> seen;
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    for (std::size_t v = 0; v < 4; ++v) {
      const std::size_t row = lane / 4 + 8 * (v / 2);
      const std::size_t column = 2 * (lane % 4) + v % 2;
      CHECK(runtime::value_element(lane, v) == row * 8 + column);
      CHECK(runtime::lane_of(row, column) == lane);
      seen.insert(row * 8 + column);
    }
  }
  CHECK(seen.size() == 128);
}

TEST_CASE("a step of all lanes is the multiply of the whole fragments, in increasing k", "[fragments]") {
  std::mt19937_64 random(3);
  const auto some = [&](std::size_t count) {
    std::vector<float> values(count);
    for (float& each : values) each = static_cast<float>(static_cast<int>(random() % 2048) - 1024) / 64.0F;
    return values;
  };
  for (const Shape& shape : kShapes) {
    const std::vector<float> a = some(shape.m * shape.k);
    const std::vector<float> b = some(shape.k * shape.n);
    const std::vector<float> start = some(shape.m * shape.n);
    std::vector<float> made(shape.m * shape.n);
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      std::vector<float> own = start;
      runtime::multiply_own(shape.m, shape.n, shape.k, own.data(), a.data(), b.data(), lane);
      runtime::for_each_own(shape.m, shape.n, lane, [&](std::size_t row, std::size_t column) {
        made[row * shape.n + column] = own[row * shape.n + column];
      });
    }
    for (std::size_t i = 0; i < shape.m; ++i) {
      for (std::size_t j = 0; j < shape.n; ++j) {
        // Products and sums of f32 rounded by way of double are rounded once (53 >= 2 * 24 + 2).
        double want = static_cast<double>(start[i * shape.n + j]);
        for (std::size_t p = 0; p < shape.k; ++p) {
          const double product = static_cast<double>(a[i * shape.k + p]) * static_cast<double>(b[p * shape.n + j]);
          want = static_cast<double>(static_cast<float>(want + static_cast<double>(static_cast<float>(product))));
        }
        CHECK(std::bit_cast<std::uint32_t>(made[i * shape.n + j]) ==
              std::bit_cast<std::uint32_t>(static_cast<float>(want)));
      }
    }
  }
}

TEST_CASE("a layout travels as words and comes back the same", "[fragments]") {
  // swizzle(rows(16, 16), 1, 3, 3) and a dimension of two modes.
  const TileLayout turned({{16, 16}}, {{16, 1}}, 1, 3, 3, 256);
  const TileLayout split({{4, 8}, {4, 128}}, {{8, 1}}, 0, 0, 0, 416);
  for (const TileLayout* layout : {&turned, &split}) {
    const auto back = TileLayout::of(bytes_of(layout->words()));
    REQUIRE(back);
    CHECK(back->rows() == 16);
    CHECK(back->cosize() == layout->cosize());
    for (std::uint64_t row = 0; row < layout->rows(); ++row) {
      for (std::uint64_t column = 0; column < layout->columns(); ++column) {
        CHECK(back->offset(row, column) == layout->offset(row, column));
      }
    }
  }
  CHECK(turned.offset(4, 3) == (67U ^ ((67U >> 3U) & 8U)));
  CHECK(split.offset(5, 2) == 8 + 128 + 2);
}

TEST_CASE("bytes that are no layout are told from one", "[fragments]") {
  const std::vector<std::uint64_t> fine = TileLayout({{16, 16}}, {{16, 1}}, 0, 0, 0, 256).words();
  CHECK(TileLayout::of(bytes_of(fine)));
  const auto with = [&](std::size_t at, std::uint64_t value) {
    std::vector<std::uint64_t> words = fine;
    words[at] = value;
    return TileLayout::of(bytes_of(words)).has_value();
  };
  CHECK_FALSE(with(1, 33));  // swizzle bits
  CHECK_FALSE(with(3, 64));  // shift
  CHECK_FALSE(with(4, 2));   // more modes than there are words
  CHECK_FALSE(with(4, ~std::uint64_t{0}));
  CHECK_FALSE(with(6, 0));                       // an empty dimension
  CHECK_FALSE(with(6, std::uint64_t{1} << 40));  // more elements than a layout has
  std::vector<std::uint8_t> cut = bytes_of(fine);
  cut.pop_back();
  CHECK_FALSE(TileLayout::of(cut));
  CHECK_FALSE(TileLayout::of({}));
}
