// The exact parallel sum (numerics, section 6): the exact real sum of all terms, rounded once to their type. A sum is a
// value: blocks of one reduction each fill their own and are then joined, in any order, with the same bits.
//
// Method. Long runs of terms are cut by vector code into at most three grids of powers of two ("pre-rounding": S. M.
// Rump, T. Ogita and S. Oishi, "Accurate floating-point summation", 2008; J. Demmel and H. D. Nguyen, "Fast
// reproducible floating-point summation", 2013), each grid's part summed in doubles that have room for it, so no
// addition rounds, and counted in integers after each run. A run whose terms do not fit the three grids, and what the
// integers held in the end, goes to a Superaccumulator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "runtime/sums/grid_sum.hpp"
#include "runtime/sums/superaccumulator.hpp"

namespace cairn::runtime {

/// The vector code to use; every one gives the same bits.
enum class SumEngine : std::uint8_t { Scalar, Avx2, Avx512 };

/// The widest this machine has.
[[nodiscard]] SumEngine best_sum_engine();

/// Term is float or double.
template <class Term>
class ExactSum {
 public:
  /// Adds terms; any values. No allocation.
  void add(std::span<const Term> terms);
  /// The same with a given engine, which the machine must have.
  void add_with(std::span<const Term> terms, SumEngine engine);
  void join(const ExactSum& other);
  [[nodiscard]] Term result() const;

 private:
  void add_slowly(std::span<const Term> terms);
  bool change_grid(Magnitudes range);

  Superaccumulator total_;  // of the finite terms, together with
  GridSum on_grid_;
  bool has_grid_ = false;
  Magnitudes met_ = {0, std::numeric_limits<double>::infinity()};  // what the grid was chosen by
  bool nan_ = false;                                               // what else was met (6.2)
  bool positive_infinity_ = false;
  bool negative_infinity_ = false;
  bool any_ = false;
  bool not_negative_zero_ = false;  // some term other than -0.0
};

extern template class ExactSum<float>;
extern template class ExactSum<double>;

}  // namespace cairn::runtime
