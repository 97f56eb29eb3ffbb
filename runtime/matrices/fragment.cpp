#include "runtime/matrices/fragment.hpp"

#include <cstring>

namespace cairn::runtime {

namespace {

constexpr std::size_t kMostModes = 64;
constexpr std::uint64_t kMostElements = std::uint64_t{1} << 18;  // of a layout (ownership and memory, 11.4)

}  // namespace

TileLayout::TileLayout(std::vector<Mode> rows, std::vector<Mode> columns, std::uint32_t bits, std::uint32_t base,
                       std::uint32_t shift, std::uint64_t cosize)
    : rows_(std::move(rows)), columns_(std::move(columns)), bits_(bits), base_(base), shift_(shift), cosize_(cosize) {}

std::uint64_t TileLayout::extent(const std::vector<Mode>& modes) {
  std::uint64_t all = 1;
  for (const Mode& mode : modes) all *= mode.extent;
  return all;
}

std::vector<std::uint64_t> TileLayout::words() const {
  std::vector<std::uint64_t> words{cosize_, bits_, base_, shift_, rows_.size(), columns_.size()};
  for (const auto* modes : {&rows_, &columns_}) {
    for (const Mode& mode : *modes) words.insert(words.end(), {mode.extent, mode.stride});
  }
  return words;
}

std::optional<TileLayout> TileLayout::of(std::span<const std::uint8_t> bytes) {
  constexpr std::size_t kHead = 6;
  const std::size_t count = bytes.size() / 8;
  const auto word = [&](std::size_t k) {
    std::uint64_t value = 0;
    std::memcpy(&value, bytes.data() + k * 8, 8);
    return value;
  };
  if (bytes.size() % 8 != 0 || count < kHead) return std::nullopt;
  const std::uint64_t row_modes = word(4);
  const std::uint64_t column_modes = word(5);
  if (row_modes > kMostModes || column_modes > kMostModes) return std::nullopt;
  if (count != kHead + 2 * (row_modes + column_modes)) return std::nullopt;
  if (word(1) > 32 || word(2) > 31 || word(3) > 63) return std::nullopt;
  std::uint64_t elements = 1;
  const auto modes_from = [&](std::size_t first, std::uint64_t modes) {
    std::vector<Mode> all;
    for (std::uint64_t k = 0; k < modes; ++k) {
      const Mode mode{word(first + 2 * k), word(first + 2 * k + 1)};
      elements =
          mode.extent == 0 || mode.extent > kMostElements / elements ? kMostElements + 1 : elements * mode.extent;
      if (elements > kMostElements) return all;
      all.push_back(mode);
    }
    return all;
  };
  std::vector<Mode> rows = modes_from(kHead, row_modes);
  std::vector<Mode> columns = elements > kMostElements ? rows : modes_from(kHead + 2 * row_modes, column_modes);
  if (elements > kMostElements) return std::nullopt;
  return TileLayout(std::move(rows), std::move(columns), static_cast<std::uint32_t>(word(1)),
                    static_cast<std::uint32_t>(word(2)), static_cast<std::uint32_t>(word(3)), word(0));
}

void multiply_own(std::size_t m, std::size_t n, std::size_t k, float* acc, const float* a, const float* b,
                  std::uint32_t lane) {
  for_each_own(m, n, lane, [&](std::size_t row, std::size_t column) {
    float sum = acc[row * n + column];
    for (std::size_t p = 0; p < k; ++p) sum += a[row * k + p] * b[p * n + column];  // nothing contracts
    acc[row * n + column] = sum;
  });
}

}  // namespace cairn::runtime
