// One query row of an attention problem: its admitted keys, their exact logits, and their weights as enclosed reals
// (reference algorithms, 10.2 and 14).
#pragma once

#include <optional>
#include <vector>

#include "runtime/reference/attention_problem.hpp"
#include "runtime/reference/interval.hpp"

namespace cairn::reference {

/// A logit is scale * dot + mask, both exact.
struct Logit {
  std::size_t key = 0;  // its index within the head
  Value dot;
  Value mask;
};

struct RowLogits {
  std::size_t row = 0;
  std::vector<Logit> logits;  // of the admitted keys, ascending
  std::size_t top = 0;        // the place of a largest one

  [[nodiscard]] bool empty() const { return logits.empty(); }
  [[nodiscard]] std::size_t size() const { return logits.size(); }
};
[[nodiscard]] RowLogits row_logits(const AttentionProblem& problem, std::size_t row);

/// The scale, enclosed.
[[nodiscard]] Interval enclosed(const Scale& scale, mpfr_prec_t precision);

/// The weights at one precision.
struct RowWeights {
  Interval scale;
  std::vector<Interval> below_top;  // z_j - M, with M the largest logit
  std::vector<Interval> weight;     // exp of that
  Interval total;                   // their sum
  Interval top;                     // M
};
[[nodiscard]] RowWeights row_weights(const AttentionProblem& problem, const RowLogits& row, mpfr_prec_t precision);

/// sum_j P_j numbers_j, the numbers those of the row's keys in their order.
[[nodiscard]] Interval average(const RowWeights& weights, const std::vector<double>& numbers);
[[nodiscard]] Interval logsumexp(const RowWeights& weights);

/// The sign of average - breakpoint; nothing when this precision cannot tell. Exact when the average is rational.
[[nodiscard]] std::optional<int> average_against(const AttentionProblem& problem, const RowLogits& row,
                                                 const std::vector<double>& numbers, const Value& breakpoint,
                                                 mpfr_prec_t precision);
[[nodiscard]] std::optional<int> logsumexp_against(const AttentionProblem& problem, const RowLogits& row,
                                                   const Value& breakpoint, mpfr_prec_t precision);

inline constexpr mpfr_prec_t kExactFrom = 1024;      // from here on breakpoints are decided exactly where they can be
inline constexpr mpfr_prec_t kMostPrecision = 4096;  // a breakpoint still inside is taken to be the value

/// The first precision for a target.
[[nodiscard]] inline mpfr_prec_t first_precision(Format target) { return 2 * info(target).p + 64; }
[[nodiscard]] inline mpfr_prec_t next_precision(mpfr_prec_t precision) {
  return 2 * precision < kMostPrecision ? 2 * precision : kMostPrecision;
}

}  // namespace cairn::reference
