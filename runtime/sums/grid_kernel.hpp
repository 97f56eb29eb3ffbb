// The template behind every vector width of grid_sum.hpp; only its own .cpp files, which are compiled for one
// instruction set each, include it. V gives the vector operations:
//   Wide (vector of kWidth doubles), Raw (the vector the magnitudes are taken on), kWidth, kAccumulators, kRawWidth,
//   load, splat, add, sub, load_raw, raw_zero, raw_infinity, greater(acc, raw), lesser(acc, raw), lesser_nonzero(acc,
//   raw), greatest(raw), least(raw), unordered(wide), count(wide accumulators, scale).
#pragma once

#include <bit>
#include <cmath>
#include <limits>

#include "runtime/sums/grid_sum.hpp"

namespace cairn::runtime {
namespace {

/// 2^exponent, a normal double.
inline double power_of_two(int exponent) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52U);
}

/// Running extremes on several vectors, so that their latency is no chain.
template <class V>
struct Extremes {
  static constexpr std::size_t kVectors = V::kAccumulators * V::kWidth / V::kRawWidth;  // one stride of the kernel
  typename V::Raw greatest[kVectors];
  typename V::Raw least[kVectors];

  Extremes() {
    for (std::size_t k = 0; k < kVectors; ++k) {
      greatest[k] = V::raw_zero();
      least[k] = V::raw_infinity();
    }
  }
  [[nodiscard]] Magnitudes magnitudes() const {
    auto most = greatest[0];
    auto fewest = least[0];
    for (std::size_t k = 1; k < kVectors; ++k) {
      most = V::greater(most, greatest[k]);
      fewest = V::lesser(fewest, least[k]);
    }
    return {V::greatest(most), V::least(fewest)};
  }
};

template <class V, class Term>
Magnitudes run_magnitudes(const Term* terms) {
  Extremes<V> extremes;
  for (std::size_t i = 0; i < kRun; i += V::kRawWidth * Extremes<V>::kVectors) {
#pragma GCC unroll 4
    for (std::size_t k = 0; k < Extremes<V>::kVectors; ++k) {
      const auto raw = V::load_raw(terms + i + k * V::kRawWidth);
      extremes.greatest[k] = V::greater(extremes.greatest[k], raw);
      extremes.least[k] = V::lesser_nonzero(extremes.least[k], raw);
    }
  }
  return extremes.magnitudes();
}

template <class V, class Term, int Levels>
class GridSummer {
 public:
  explicit GridSummer(Grid grid)
      : grid_(grid),
        too_large_(power_of_two(grid.top + kGridRoom)),
        too_small_(power_of_two(last_unit(grid) + std::numeric_limits<Term>::digits - 1)) {
    for (int level = 0; level < Levels; ++level) {
      magic_[level] = V::splat(1.5 * power_of_two(52 + grid.top - kGridStep * level));
    }
    clear();
  }

  /// Sums one run of kRun terms when it fits the grid; else nothing of it.
  bool add(const Term* terms, Superaccumulator& total) {
    if (++runs_ > kRunsBetweenEmptyings) empty(total);
    const Sums before = sums_;
    Sums sums = sums_;
    Extremes<V> extremes;
    for (std::size_t i = 0; i < kRun; i += kStride) {
#pragma GCC unroll 4
      for (std::size_t k = 0; k < Extremes<V>::kVectors; ++k) {
        const auto raw = V::load_raw(terms + i + k * V::kRawWidth);
        extremes.greatest[k] = V::greater(extremes.greatest[k], raw);
        extremes.least[k] = V::lesser(extremes.least[k], raw);
      }
#pragma GCC unroll 8
      for (std::size_t a = 0; a < V::kAccumulators; ++a) {
        auto rest = V::load(terms + i + a * V::kWidth);
#pragma GCC unroll 3
        for (int level = 0; level + 1 < Levels; ++level) {
          const auto part = V::sub(V::add(rest, magic_[level]), magic_[level]);
          rest = V::sub(rest, part);
          sums.at[level][a] = V::add(sums.at[level][a], part);
        }
        sums.at[Levels - 1][a] = V::add(sums.at[Levels - 1][a], rest);
      }
    }
    bool not_a_number = false;
    for (const auto& accumulator : sums.at[Levels - 1]) not_a_number = not_a_number || V::unordered(accumulator);
    Magnitudes range = extremes.magnitudes();
    if (range.least == 0) range = run_magnitudes<V, Term>(terms);
    const bool fits = !not_a_number && range.greatest < too_large_ && range.least >= too_small_;
    sums_ = fits ? sums : before;
    return fits;
  }

  void empty(Superaccumulator& total) {
    for (int level = 0; level < Levels; ++level) {
      const int unit = level == Levels - 1 ? last_unit(grid_) : grid_.top - kGridStep * level;
      total.add_scaled(V::count(sums_.at[level], V::splat(power_of_two(-unit))), unit);
    }
    clear();
    runs_ = 1;
  }

 private:
  struct Sums {
    typename V::Wide at[Levels][V::kAccumulators];
  };
  static constexpr std::size_t kStride = V::kWidth * V::kAccumulators;
  static constexpr std::size_t kRunsBetweenEmptyings = 128 / (kRun / kStride);

  void clear() {
    for (auto& level : sums_.at) {
      for (auto& accumulator : level) accumulator = V::splat(0);
    }
  }

  Grid grid_;
  double too_large_;
  double too_small_;
  typename V::Wide magic_[Levels];
  Sums sums_;
  std::size_t runs_ = 0;  // since the last emptying
};

template <class V, class Term, int Levels>
std::size_t grid_sum(const Term* terms, std::size_t count, Grid grid, Superaccumulator& total) {
  GridSummer<V, Term, Levels> summer(grid);
  std::size_t done = 0;
  while (count - done >= kRun && summer.add(terms + done, total)) done += kRun;
  if (const std::size_t rest = count - done; rest > 0 && rest < kRun) {
    Term padded[kRun] = {};  // zeros change nothing
    for (std::size_t i = 0; i < rest; ++i) padded[i] = terms[done + i];
    if (summer.add(padded, total)) done = count;
  }
  summer.empty(total);
  return done;
}

template <class V, class Term>
std::size_t grid_sum_of(const Term* terms, std::size_t count, Grid grid, Superaccumulator& total) {
  switch (grid.levels) {
    case 1:
      return grid_sum<V, Term, 1>(terms, count, grid, total);
    case 2:
      return grid_sum<V, Term, 2>(terms, count, grid, total);
    default:
      return grid_sum<V, Term, 3>(terms, count, grid, total);
  }
}

}  // namespace
}  // namespace cairn::runtime
