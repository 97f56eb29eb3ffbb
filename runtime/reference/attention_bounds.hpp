// What the kernels of an attention algorithm can give: the constants of its options and the errors of logits
// (reference algorithms, 12.1 and 12.2), which the forward and the backward bounds share. All of it is evaluated in
// intervals; a condition that cannot be decided counts as met.
#pragma once

#include <vector>

#include "runtime/reference/attention_row.hpp"

namespace cairn::reference {

inline constexpr mpfr_prec_t kBoundPrecision = 192;
[[nodiscard]] inline Interval whole(unsigned long value) { return {value, kBoundPrecision}; }
[[nodiscard]] inline Interval zero() { return Interval(kBoundPrecision); }

/// The chapter's symbols in words, at kBoundPrecision.
class AttentionConstants {
 public:
  AttentionConstants(const AttentionProblem& problem, const AttentionAlgorithm::Options& options);

  [[nodiscard]] Interval number(unsigned long n) const { return {n, kBoundPrecision}; }
  [[nodiscard]] Interval number(const Value& value) const { return {value, kBoundPrecision}; }
  /// A finite double.
  [[nodiscard]] Interval number(double value) const { return {Value::of(value), kBoundPrecision}; }

  /// rho(n): relative growth of a sum of n products; rho_m of one that tensor cores may form.
  [[nodiscard]] Interval growth_of_sum(std::size_t n) const;
  [[nodiscard]] Interval growth_of_matrix_sum(std::size_t n) const;
  /// kappa(n), kappa_m(n): what is lost below the normal range.
  [[nodiscard]] Interval lost_in_sum(std::size_t n) const;
  [[nodiscard]] Interval lost_in_matrix_sum(std::size_t n) const;
  /// Whether a factor may be flushed.
  [[nodiscard]] bool may_flush(double magnitude, double radius) const {
    return radius == 0 ? magnitude < flushed_below : magnitude - radius <= flushed_below;
  }

  AttentionAlgorithm::Options options;
  bool flush;
  bool strict;  // sums are exact and rounded once
  bool has_float_mask;

  Interval u;  // of the compute format C
  Interval u_accumulate;
  Interval u_weights;             // 0 without
  Interval u_bias;                // 0 without
  Interval u_convert_mask;        // c
  Interval u_product;             // x
  Interval u_convert;             // y
  Interval low_compute;           // h_C
  Interval low;                   // h
  Interval low_weights;           // h_W
  Interval low_bias;              // h_B
  double flushed_below = 0;       // f
  Interval exp_relative;          // e
  Interval exp_absolute;          // w
  Interval scale;                 // |s|
  Interval root_scale;            // r
  Interval base;                  // l: log2(e) with exp2, else 1
  Interval scale_error;           // sigma
  Interval gradient_scale_error;  // sigma'
  Interval edge;                  // of C
  Interval least_edge;            // of C and G
  Interval edge_weights;          // of W; 0 without
  Interval edge_bias;             // of B; 0 without
};

/// Exact sums over the products of two vectors of sizes, and what of them may be flushed.
struct SizeSums {
  Interval sizes;      // sum of the products of sizes
  Interval excess;     // that, less the sum of the products' magnitudes
  Interval flushable;  // the terms with a factor that may be flushed; 0 without flushing
};
[[nodiscard]] SizeSums size_sums(const AttentionConstants& constants, const Numbers& a, std::size_t a_first,
                                 const Numbers& b, std::size_t b_first, std::size_t count);

/// The errors of a row's logits.
struct LogitBounds {
  RowWeights weights;                 // exact, at kBoundPrecision
  std::vector<Interval> probability;  // P_j
  std::vector<Interval> logit;        // z_j
  std::vector<Interval> error;        // zeta_j
  std::vector<std::uint8_t> may_vanish;
  bool unbounded = false;
};
[[nodiscard]] LogitBounds logit_bounds(const AttentionProblem& problem, const AttentionConstants& constants,
                                       const RowLogits& row);

/// How far weights may be from their own, relative to the whole (12.3).
struct WeightBounds {
  Interval maximum_error;      // M-hat
  Interval fused;              // t
  std::vector<Interval> up;    // up_j
  std::vector<Interval> down;  // down_j
  Interval lost;               // phi
  Interval most;               // more
  Interval least;              // den
  Interval growth;             // G-tilde
};
/// `merges` is T, `argument_roundings` c2. `logits` is of no empty row.
[[nodiscard]] WeightBounds weight_bounds(const AttentionConstants& constants, const LogitBounds& logits,
                                         const RowLogits& row, std::size_t merges, unsigned long argument_roundings);

/// The outcome of a number enclosed with its error, rounded to C unless it has it already and then to the target; with
/// flushing, subnormal ends reach to 0.
[[nodiscard]] Outcome outcome_around(const Interval& number, const Interval& error, std::optional<Format> compute,
                                     Format target, Rounding rounding, bool flush);

}  // namespace cairn::reference
