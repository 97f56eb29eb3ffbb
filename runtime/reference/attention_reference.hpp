// Exact attention and its gradients, each element rounded once (reference algorithms, 10 and 14).
#pragma once

#include <array>
#include <vector>

#include "runtime/reference/attention_row.hpp"

namespace cairn::reference {

/// What elements that are no finite numbers, or may be none, reach (10.3).
class Spoilage {
 public:
  explicit Spoilage(const AttentionProblem& problem);

  /// Every output of the row and its logsumexp may be anything.
  [[nodiscard]] bool row(std::size_t row) const;
  /// ... and the reference is NaN.
  [[nodiscard]] bool row_is_nan(const RowLogits& row) const;
  /// The same of one column of a row's output, apart from the row as a whole.
  [[nodiscard]] bool column(std::size_t row, std::size_t column) const;
  [[nodiscard]] bool column_is_nan(const RowLogits& row, std::size_t column) const;

  /// Every gradient of a key head and of its query rows; `rows` are the head's.
  [[nodiscard]] bool gradients(std::size_t head, const std::vector<RowLogits>& rows) const;
  [[nodiscard]] bool gradients_are_nan(std::size_t head, const std::vector<RowLogits>& rows) const;

 private:
  const AttentionProblem& problem_;
  std::vector<std::uint8_t> key_spoils_, key_not_finite_;        // per key of a head
  std::vector<std::uint8_t> head_spoils_, head_not_finite_;      // some key of the head does
  std::vector<std::uint8_t> column_spoils_, column_not_finite_;  // per column of a head's values
};

struct RowReference {
  std::vector<Value> output;
  Value logsumexp;
};
[[nodiscard]] RowReference row_reference(const AttentionProblem& problem, const Spoilage& spoilage,
                                         const RowLogits& row);

/// The probabilities and logit gradients of a head's rows at one precision.
struct HeadGradients {
  Interval scale;
  std::vector<std::vector<Interval>> weights;          // P_ij of the row's admitted keys
  std::vector<std::vector<Interval>> value_products;   // dP_ij
  std::vector<Interval> row_sums;                      // D_i
  std::vector<std::vector<Interval>> logit_gradients;  // dS_ij
};
[[nodiscard]] HeadGradients head_gradients(const AttentionProblem& problem, std::size_t head,
                                           const std::vector<RowLogits>& rows, mpfr_prec_t precision);

/// The pairs a gradient element is a sum over: the place of the row among the head's rows and of the key among the
/// row's.
struct Pair {
  std::size_t row = 0;
  std::size_t place = 0;
  std::size_t key = 0;
};
/// For each key of the head, the rows that admit it.
[[nodiscard]] std::vector<std::vector<Pair>> pairs_by_key(const AttentionProblem& problem,
                                                          const std::vector<RowLogits>& rows);

/// Row-major: a head's query rows x E, keys x E, keys x Ev.
struct HeadReference {
  std::vector<Value> query, key, value;
};
[[nodiscard]] HeadReference head_reference(const AttentionProblem& problem, const Spoilage& spoilage, std::size_t head,
                                           const std::vector<RowLogits>& rows);

}  // namespace cairn::reference
