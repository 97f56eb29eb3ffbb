// Sums runs of terms exactly by grids (see exact_sum.hpp); one set of functions per vector width, all of one template.
//
// A sum has up to three levels, each some vectors of double accumulators that take at most 2^7 terms a lane between two
// emptyings. Level j has the unit u_j = 2^(top - 46 j). A term's part at level j is q_j = (r_j + M_j) - M_j with
// M_j = 1.5 * 2^52 * u_j, the nearest multiple of u_j; what is left, r_{j+1} = r_j - q_j, is exact and at most u_j / 2.
// The last level takes r itself. No addition rounds when
//   every |term| < 2^(top + 45)          (then |r + M| stays in M's binade and a sum of q_0 below 2^7 * 2^45 u_0 = 2^52
//   u_0), and every term is a multiple of last_unit = 2^(top - 46 (levels - 1) - 1)    (then the last level counts at
//   most 2^53 of them).
// A run is summed first and judged by its greatest and least magnitude after; one that breaks the conditions is undone.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/sums/superaccumulator.hpp"

namespace cairn::runtime {

inline constexpr int kGridStep = 46;
inline constexpr int kGridRoom = 45;  // binades of a term above the top unit
inline constexpr int kGridLevels = 3;
inline constexpr std::size_t kRun = 512;  // terms of one run
inline constexpr int kGridReach = 900;    // |top| at most: every M and every unit stays a normal double

struct Grid {
  int top = 0;
  int levels = kGridLevels;
};

/// Exponent of the last level's unit.
[[nodiscard]] constexpr int last_unit(Grid grid) { return grid.top - kGridStep * (grid.levels - 1) - 1; }

/// Greatest magnitude and least nonzero one (infinite when all are zero). NaNs are passed over.
struct Magnitudes {
  double greatest = 0;
  double least = 0;
};

template <class Term>
struct GridEngine {
  /// Sums terms into `total`, run by run, and gives how many: it stops before the first run that does not fit the grid.
  /// The last run may be short.
  std::size_t (*sum)(const Term* terms, std::size_t count, Grid grid, Superaccumulator& total);
  /// Of one whole run.
  Magnitudes (*magnitudes)(const Term* terms);
};

[[nodiscard]] GridEngine<double> grid_engine_f64_avx512();
[[nodiscard]] GridEngine<float> grid_engine_f32_avx512();
[[nodiscard]] GridEngine<double> grid_engine_f64_avx2();
[[nodiscard]] GridEngine<float> grid_engine_f32_avx2();

}  // namespace cairn::runtime
