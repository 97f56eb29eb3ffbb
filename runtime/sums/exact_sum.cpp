#include "runtime/sums/exact_sum.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

#include "runtime/sums/grid_sum.hpp"

namespace cairn::runtime {

namespace {

SumEngine detect() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512bw")) {
    return SumEngine::Avx512;
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return SumEngine::Avx2;
#endif
  return SumEngine::Scalar;
}

/// Whether vector code serves, and which.
template <class Term>
bool engine_of(SumEngine engine, GridEngine<Term>& chosen) {
#if defined(__x86_64__)
  if (engine == SumEngine::Scalar) return false;
  if constexpr (std::is_same_v<Term, double>) {
    chosen = engine == SumEngine::Avx512 ? grid_engine_f64_avx512() : grid_engine_f64_avx2();
  } else {
    chosen = engine == SumEngine::Avx512 ? grid_engine_f32_avx512() : grid_engine_f32_avx2();
  }
  return true;
#else
  (void)engine;
  (void)chosen;
  return false;
#endif
}

/// The grid with the fewest levels that holds magnitudes of this range, if any.
template <class Term>
bool grid_for(Magnitudes range, Grid& grid) {
  if (!std::isfinite(range.greatest)) return false;
  if (range.greatest == 0) {
    grid = {0, 1};
    return true;
  }
  constexpr int kFractionBits = std::numeric_limits<Term>::digits - 1;
  const int unit = std::ilogb(range.least) - kFractionBits;  // every term is a multiple of 2^unit, or of a larger power
  const int least_top = std::ilogb(range.greatest) + 1 - kGridRoom;
  for (int levels = 1; levels <= kGridLevels; ++levels) {
    // A binade or two of slack keeps the next runs on the same grid, where there is room for it.
    for (int slack = 2; slack >= 0; --slack) {
      grid = {least_top + slack, levels};
      if (last_unit(grid) <= unit && std::abs(grid.top) <= kGridReach) return true;
    }
  }
  return false;
}

template <class Term>
bool is_negative_zero(Term term) {
  return term == 0 && std::signbit(term);
}

}  // namespace

SumEngine best_sum_engine() {
  static const SumEngine best = detect();
  return best;
}

template <class Term>
void ExactSum<Term>::add(std::span<const Term> terms) {
  add_with(terms, best_sum_engine());
}

template <class Term>
void ExactSum<Term>::add_with(std::span<const Term> terms, SumEngine vectors) {
  if (terms.empty()) return;
  any_ = true;
  if (!not_negative_zero_) not_negative_zero_ = !std::ranges::all_of(terms, is_negative_zero<Term>);
  GridEngine<Term> engine{};
  if (terms.size() < kLeastForGrid || !engine_of<Term>(vectors, engine)) return add_slowly(terms);

  while (!terms.empty()) {
    std::array<Term, kRun> padded;
    const Term* run = terms.data();
    if (terms.size() < kRun) {  // its magnitudes are taken of a whole run; zeros do not count
      padded.fill(0);
      std::ranges::copy(terms, padded.begin());
      run = padded.data();
    }
    Grid grid;
    std::size_t summed = 0;
    if (grid_for<Term>(engine.magnitudes(run), grid)) summed = engine.sum(terms.data(), terms.size(), grid, total_);
    if (summed == 0) {  // too wide for any grid, or not finite
      summed = std::min(terms.size(), kRun);
      add_slowly(terms.first(summed));
    }
    terms = terms.subspan(summed);
  }
}

template <class Term>
void ExactSum<Term>::add_slowly(std::span<const Term> terms) {
  for (const Term term : terms) {
    if (std::isfinite(term)) {
      total_.add(static_cast<double>(term));
    } else if (std::isnan(term)) {
      nan_ = true;
    } else {
      (term > 0 ? positive_infinity_ : negative_infinity_) = true;
    }
  }
}

template <class Term>
void ExactSum<Term>::join(const ExactSum& other) {
  total_.add(other.total_);
  nan_ = nan_ || other.nan_;
  positive_infinity_ = positive_infinity_ || other.positive_infinity_;
  negative_infinity_ = negative_infinity_ || other.negative_infinity_;
  any_ = any_ || other.any_;
  not_negative_zero_ = not_negative_zero_ || other.not_negative_zero_;
}

template <class Term>
Term ExactSum<Term>::result() const {
  using Limits = std::numeric_limits<Term>;
  if (nan_ || (positive_infinity_ && negative_infinity_)) {
    if constexpr (std::is_same_v<Term, double>)
      return std::bit_cast<double>(std::uint64_t{0x7FF8000000000000});
    else
      return std::bit_cast<float>(std::uint32_t{0x7FC00000});
  }
  if (positive_infinity_) return Limits::infinity();
  if (negative_infinity_) return -Limits::infinity();
  if (any_ && !not_negative_zero_) return -Term{0};
  if constexpr (std::is_same_v<Term, double>)
    return total_.to_f64();
  else
    return total_.to_f32();
}

template class ExactSum<float>;
template class ExactSum<double>;

}  // namespace cairn::runtime
