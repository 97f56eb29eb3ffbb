#include "runtime/sums/exact_sum.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "runtime/processor.hpp"

namespace cairn::runtime {

void GridSum::empty_into(Superaccumulator& total) {
  if (runs == 0) return;
  for (int level = 0; level < grid.levels; ++level) {
    std::int64_t sum = 0;
    for (std::int64_t& lane : units[level]) sum += std::exchange(lane, 0);
    total.add_scaled(sum, grid.top - kGridStep * level);
  }
  runs = 0;
}

namespace {

constexpr std::size_t kSample = 128;       // terms the first grid is chosen by
constexpr std::size_t kLeastForGrid = 48;  // fewer go straight to the accumulator

SumEngine detect() {
#if defined(__x86_64__)
  if (has_avx512()) return SumEngine::Avx512;
  if (has_fused_avx2()) return SumEngine::Avx2;
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

/// The grid with the fewest levels that holds magnitudes of this range, if any; they stand in the middle of what it
/// holds, so that the next runs fit too.
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
    const int slack = unit - last_unit({least_top, levels});
    if (slack < 0) continue;
    grid = {least_top + slack / 2, levels};
    return std::abs(grid.top) <= kGridReach;
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
    const std::span<const Term> run = terms.first(std::min(terms.size(), kRun));
    const auto sum_on = [&](std::span<const Term> judged) {
      return change_grid(engine.magnitudes(judged.data(), judged.size()))
                 ? engine.sum(terms.data(), terms.size(), on_grid_)
                 : 0;
    };
    std::size_t summed =
        has_grid_ ? engine.sum(terms.data(), terms.size(), on_grid_) : sum_on(run.first(std::min(run.size(), kSample)));
    if (summed == 0) summed = sum_on(run);
    if (summed == 0) {  // too wide for any grid, or not finite
      summed = run.size();
      add_slowly(run);
    }
    if (on_grid_.runs == kRunsBetweenEmptyings) on_grid_.empty_into(total_);
    terms = terms.subspan(summed);
  }
}

/// Takes a grid that holds this range, and what has been met before too if there is one.
template <class Term>
bool ExactSum<Term>::change_grid(Magnitudes range) {
  const Magnitudes both = {std::max(range.greatest, met_.greatest), std::min(range.least, met_.least)};
  Grid grid;
  const bool holds_both = grid_for<Term>(both, grid);
  if (!holds_both && !grid_for<Term>(range, grid)) return false;
  on_grid_.empty_into(total_);
  on_grid_.grid = grid;
  has_grid_ = true;
  met_ = holds_both ? both : range;
  return true;
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
  GridSum rest = other.on_grid_;
  rest.empty_into(total_);
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
  Superaccumulator total = total_;
  GridSum rest = on_grid_;
  rest.empty_into(total);
  if constexpr (std::is_same_v<Term, double>)
    return total.to_f64();
  else
    return total.to_f32();
}

template class ExactSum<float>;
template class ExactSum<double>;

}  // namespace cairn::runtime
