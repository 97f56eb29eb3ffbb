// A matrix product as the algorithms see it: entries, and per element the exact sums that every bound is made of
// (reference algorithms, 3 and 8).
#pragma once

#include <optional>

#include "runtime/reference/fixed_point.hpp"
#include "runtime/reference/matmul.hpp"
#include "runtime/reference/soft_float.hpp"

namespace cairn::reference {

/// Sums over the terms of one element, exact. Fixed terms (those with an infinite or NaN factor) are apart.
struct ElementSums {
  Value exact;            // E: of the values, by the arithmetic of 1.1
  Value least;            // E_lo: of the lower ends
  Value greatest;         // E_hi
  Value positive;         // P: of what the upper ends have above 0
  Value negative;         // N: of what the lower ends have below 0
  Value magnitude;        // Z: of the larger magnitude of both ends
  Value flushable;        // of that, where a factor may be flushed; 0 unless it was asked for
  std::size_t fixed = 0;  // how many
  Value fixed_sum;        // of the values
  // Where the other factor is only known by a range, a fixed term may be several specials.
  bool all_plus = true;  // every fixed term can be an infinity of this sign
  bool all_minus = true;
  bool some_plus = false;
  bool some_minus = false;
  bool some_nan = false;
  bool special = false;             // an entry may be no finite number
  bool undefined_by_flush = false;  // an infinite factor stands before one that may be flushed
  bool outside_f32 = false;         // some finite product is no f32 value
};

class MatmulProblem {
 public:
  [[nodiscard]] static std::expected<MatmulProblem, Refusal> of(const MatmulInput& input, const MatmulOptions& options);

  std::size_t m = 0;
  std::size_t n = 0;
  std::size_t k = 0;
  Entries a;  // m x k
  Entries b;  // n x k: columns of B, one after the other
  std::optional<Entries> onto = {};
  Format dtype = Format::F32;

  [[nodiscard]] std::size_t elements() const { return m * n; }
  [[nodiscard]] std::size_t terms() const { return k + (onto ? 1 : 0); }

  /// Accumulators of one thread.
  struct Scratch {
    FixedPoint exact, least, greatest, positive, negative, magnitude, flushable;
  };
  /// What a row needs besides the sums themselves.
  struct Wanted {
    std::optional<Format> flush_below = {};  // factors below the format's least normal magnitude may be flushed
    bool f32_products = false;               // whether every product is an f32 value
  };
  [[nodiscard]] ElementSums sums(std::size_t element, const Wanted& wanted, Scratch& scratch) const;
  /// The exact element alone.
  [[nodiscard]] Value exact(std::size_t element, Scratch& scratch) const;

 private:
  void add_plain(std::size_t element, Scratch& scratch, ElementSums& sums) const;
  void add_ranged(std::size_t element, Scratch& scratch, ElementSums& sums) const;
  void look_at_flushing(std::size_t element, Format below, Scratch& scratch, ElementSums& sums) const;
  [[nodiscard]] bool leaves_f32(std::size_t element) const;
};

/// What one row can give, ready for a problem.
class MatmulBounds {
 public:
  MatmulBounds(const MatmulAlgorithm& algorithm, const MatmulProblem& problem, const MatmulOptions& options);

  [[nodiscard]] MatmulProblem::Wanted wanted() const;
  [[nodiscard]] Outcome outcome(const ElementSums& sums) const;

 private:
  /// Of the accumulator: its finite values lie in [least, greatest], and which specials it may be.
  struct Accumulated {
    std::optional<std::pair<Value, Value>> ends;
    bool plus = false;
    bool minus = false;
    bool nan = false;
  };
  [[nodiscard]] Accumulated accumulated(const ElementSums& sums) const;
  [[nodiscard]] Accumulated rounded_exactly(const ElementSums& sums) const;
  [[nodiscard]] Accumulated fixed(const ElementSums& sums) const;
  /// Times the models' common denominator.
  [[nodiscard]] Value scaled(const Value& value) const;
  [[nodiscard]] Value flush_shift(const ElementSums& sums) const;
  [[nodiscard]] bool reaches_edge(const Value& sum_of_one_sign) const;
  [[nodiscard]] Outcome output(Accumulated accumulated) const;

  const FormatInfo* format_;
  Format accumulator_;
  Format dtype_;
  Rounding rounding_;
  Overflow overflow_;
  Rounding accumulator_rounding_;
  bool exact_;  // E rounded once
  bool flush_;
  bool contract_;  // mma_unordered
  bool bounded_ = false;
  mpz_class denominator_ = 1;  // of relative and absolute, odd
  Value relative_;             // times denominator_
  Value absolute_;
  Value flush_nodes_;  // what flushed nodes may move an element by, times denominator_
};

[[nodiscard]] std::optional<Refusal> misfit(const MatmulAlgorithm& algorithm, const MatmulProblem& problem);

/// The accumulated value of one element, emulated: a value of the accumulator's format.
class MatmulRun {
 public:
  MatmulRun(const MatmulAlgorithm& algorithm, const MatmulProblem& problem);
  [[nodiscard]] double accumulated(std::size_t element, MatmulProblem::Scratch& scratch) const;

 private:
  enum class Path : std::uint8_t { F32, F64, Emulated };
  template <class Number>
  [[nodiscard]] double native(std::size_t element, const std::vector<Number>& a, const std::vector<Number>& b,
                              const std::vector<Number>& onto) const;
  [[nodiscard]] double emulated(std::size_t element) const;
  [[nodiscard]] double slots(std::size_t element) const;

  MatmulAlgorithm::Parts parts_;
  const MatmulProblem& problem_;
  Rounder rounder_;
  Path path_ = Path::Emulated;
  std::vector<float> a32_, b32_, onto32_;
  std::vector<double> a64_, b64_, onto64_;
};

}  // namespace cairn::reference
