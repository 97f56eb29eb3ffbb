// Sums runs of terms exactly by grids (see exact_sum.hpp); one set of functions per vector width, all of one template.
//
// A grid has up to three levels. Level j has the unit u_j = 2^(top - 44 j). A term's part at level j is
// q_j = (r_j + M_j) - M_j with M_j = 1.5 * 2^52 * u_j, the nearest multiple of u_j; what is left, r_{j+1} = r_j - q_j,
// is exact and at most u_j / 2 = 2^43 u_{j+1}. The last level takes r itself. A run adds at most 2^8 parts into each
// lane of a level, from zero. No addition rounds when
//   every |term| < 2^(top + 43)         (then |r + M| stays in M's binade, and a lane holds at most 2^8 * 2^43 = 2^51
//   units), and every term is a multiple of the last unit.
// A run is summed first and judged by its greatest and least magnitude after; one that breaks the conditions is
// dropped. A lane s of at most 2^51 units is added to an integer as bits(s + M) - bits(M), M's low bits counting units.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/sums/superaccumulator.hpp"

namespace cairn::runtime {

inline constexpr int kGridStep = 44;
inline constexpr int kGridRoom = 43;  // binades of a term above the top unit
inline constexpr int kGridLevels = 3;
inline constexpr std::size_t kRun = 1024;                                         // terms of one run at most
inline constexpr std::size_t kTermsOfALane = std::size_t{1} << (51 - kGridRoom);  // of one run
inline constexpr int kGridReach = 900;  // |top| at most: every M and every unit stays a normal double

struct Grid {
  int top = 0;
  int levels = kGridLevels;
};

/// Exponent of the last level's unit.
[[nodiscard]] constexpr int last_unit(Grid grid) { return grid.top - kGridStep * (grid.levels - 1); }

/// Greatest magnitude and least nonzero one (infinite when all are zero). NaNs are passed over.
struct Magnitudes {
  double greatest = 0;
  double least = 0;
};

/// A grid and what has been summed on it: units of each level, in lanes.
struct GridSum {
  static constexpr std::size_t kLanes = 8;

  Grid grid;
  unsigned runs = 0;  // summed since it was emptied
  std::int64_t units[kGridLevels][kLanes] = {};

  /// Moves everything into `total`.
  void empty_into(Superaccumulator& total);
};

/// A run adds at most 2^10 * 2^43 units to a level.
inline constexpr unsigned kRunsBetweenEmptyings = 1U << (62 - 53);

template <class Term>
struct GridEngine {
  /// Sums terms, run by run, and gives how many: it stops before the first run that does not fit the grid, and where
  /// the sum must be emptied. The last run may be short.
  std::size_t (*sum)(const Term* terms, std::size_t count, GridSum& sum);
  /// Of at most kRun terms.
  Magnitudes (*magnitudes)(const Term* terms, std::size_t count);
};

[[nodiscard]] GridEngine<double> grid_engine_f64_avx512();
[[nodiscard]] GridEngine<float> grid_engine_f32_avx512();
[[nodiscard]] GridEngine<double> grid_engine_f64_avx2();
[[nodiscard]] GridEngine<float> grid_engine_f32_avx2();

}  // namespace cairn::runtime
