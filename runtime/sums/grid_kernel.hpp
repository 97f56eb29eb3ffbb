// The template behind every vector width of grid_sum.hpp; only its own .cpp files, which are compiled for one
// instruction set each, include it. V gives the vector operations:
//   Wide (vector of kWidth doubles), Raw (the vector the magnitudes are taken on), kWidth, kRawWidth, load, splat, add,
//   sub, load_raw, raw_zero, raw_infinity, greater(acc, raw), lesser(acc, raw), lesser_nonzero(acc, raw),
//   greatest(raw), least(raw), unordered(wide), add_units(units, sum, magic).
#pragma once

#include <algorithm>
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

constexpr std::size_t kVectors = 4;  // of doubles, a stride

template <class V>
constexpr std::size_t kStride = kVectors * V::kWidth;

/// Running extremes on two vectors each, so that their latency is no chain.
template <class V>
struct Extremes {
  typename V::Raw greatest[2] = {V::raw_zero(), V::raw_zero()};
  typename V::Raw least[2] = {V::raw_infinity(), V::raw_infinity()};

  [[nodiscard]] Magnitudes magnitudes() const {
    return {V::greatest(V::greater(greatest[0], greatest[1])), V::least(V::lesser(least[0], least[1]))};
  }
};

/// Asks for the bytes a page ahead of a stride's: what a processor fetches by itself ends at a page, and where a run is
/// judged it looks ahead less. An address past the terms is never read.
template <std::size_t Bytes>
[[gnu::always_inline]] inline void fetch_ahead(const void* stride) {
  constexpr std::size_t kAhead = 4096;
  constexpr std::size_t kLine = 64;
  const auto from = reinterpret_cast<std::uintptr_t>(stride) + kAhead;
#pragma GCC unroll 4
  for (std::size_t at = 0; at < Bytes; at += kLine) __builtin_prefetch(reinterpret_cast<const void*>(from + at));
}

/// Calls body(terms, judged) for whole strides. The last one's missing terms are zeros, which change no sum; what their
/// magnitudes are taken of repeats a term instead, as a zero has to be looked at twice.
template <class V, class Term, class Body>
[[gnu::always_inline]] inline void each_stride(const Term* terms, std::size_t count, Body body) {
  std::size_t i = 0;
  for (; i + kStride<V> <= count; i += kStride<V>) body(terms + i, terms + i);
  if (i == count) return;
  Term padded[kStride<V>] = {};
  Term judged[kStride<V>];
  std::copy(terms + i, terms + count, padded);
  std::copy(terms + i, terms + count, judged);
  std::fill(judged + (count - i), judged + kStride<V>, terms[i]);
  body(padded, judged);
}

template <class V, class Term>
Magnitudes nonzero_magnitudes(const Term* terms, std::size_t count) {
  Extremes<V> extremes;
  each_stride<V>(terms, count, [&](const Term*, const Term* judged) {
    for (std::size_t k = 0; k < kStride<V> / V::kRawWidth; ++k) {
      const auto raw = V::load_raw(judged + k * V::kRawWidth);
      extremes.greatest[k % 2] = V::greater(extremes.greatest[k % 2], raw);
      extremes.least[k % 2] = V::lesser_nonzero(extremes.least[k % 2], raw);
    }
  });
  return extremes.magnitudes();
}

template <class V, class Term, int Levels>
class RunSummer {
 public:
  /// Vectors of a level: as many as fit the registers of AVX2.
  static constexpr std::size_t kAccumulators = V::kWidth == 4 && Levels == 3 ? 1 : 2;
  static_assert(kRun <= kTermsOfALane * V::kWidth * kAccumulators);

  explicit RunSummer(Grid grid)
      : too_large_(power_of_two(grid.top + kGridRoom)),
        too_small_(power_of_two(last_unit(grid) + std::numeric_limits<Term>::digits - 1)) {
    for (int level = 0; level < Levels; ++level) {
      magic_[level] = V::splat(1.5 * power_of_two(52 + grid.top - kGridStep * level));
    }
  }

  /// Sums one run of at most kRun terms when it fits the grid; else nothing of it.
  bool add(const Term* terms, std::size_t count, GridSum& sum) const {
    typename V::Wide sums[Levels][kAccumulators];
    for (auto& level : sums) {
      for (auto& accumulator : level) accumulator = V::splat(0);
    }
    Extremes<V> extremes;
    each_stride<V>(terms, count, [&](const Term* stride, const Term* judged) __attribute__((always_inline)) {
      fetch_ahead<kStride<V> * sizeof(Term)>(stride);
#pragma GCC unroll 4
      for (std::size_t k = 0; k < kStride<V> / V::kRawWidth; ++k) {
        const auto raw = V::load_raw(judged + k * V::kRawWidth);
        extremes.greatest[k % 2] = V::greater(extremes.greatest[k % 2], raw);
        extremes.least[k % 2] = V::lesser(extremes.least[k % 2], raw);
      }
#pragma GCC unroll 4
      for (std::size_t k = 0; k < kVectors; ++k) {
        auto rest = V::load(stride + k * V::kWidth);
#pragma GCC unroll 3
        for (int level = 0; level + 1 < Levels; ++level) {
          const auto part = V::sub(V::add(rest, magic_[level]), magic_[level]);
          rest = V::sub(rest, part);
          sums[level][k % kAccumulators] = V::add(sums[level][k % kAccumulators], part);
        }
        sums[Levels - 1][k % kAccumulators] = V::add(sums[Levels - 1][k % kAccumulators], rest);
      }
    });
    for (const auto& accumulator : sums[Levels - 1]) {
      if (V::unordered(accumulator)) return false;
    }
    const Magnitudes range = extremes.magnitudes();
    if (!(range.greatest < too_large_)) return false;
    // A zero fits any grid.
    if (range.least < too_small_ && nonzero_magnitudes<V>(terms, count).least < too_small_) return false;
    for (int level = 0; level < Levels; ++level) {
      for (const auto& accumulator : sums[level]) V::add_units(sum.units[level], accumulator, magic_[level]);
    }
    return true;
  }

 private:
  double too_large_;
  double too_small_;
  typename V::Wide magic_[Levels];
};

template <class V, class Term, int Levels>
std::size_t grid_sum(const Term* terms, std::size_t count, GridSum& sum) {
  const RunSummer<V, Term, Levels> summer(sum.grid);
  std::size_t done = 0;
  while (done < count && sum.runs < kRunsBetweenEmptyings) {
    const std::size_t run = std::min(count - done, kRun);
    if (!summer.add(terms + done, run, sum)) break;
    ++sum.runs;
    done += run;
  }
  return done;
}

template <class V, class Term>
std::size_t grid_sum_of(const Term* terms, std::size_t count, GridSum& sum) {
  switch (sum.grid.levels) {
    case 1:
      return grid_sum<V, Term, 1>(terms, count, sum);
    case 2:
      return grid_sum<V, Term, 2>(terms, count, sum);
    default:
      return grid_sum<V, Term, 3>(terms, count, sum);
  }
}

}  // namespace
}  // namespace cairn::runtime
