// An attention problem as the bounds see it: entries of every operand under full shapes, which keys each query admits,
// and what elements that are no finite numbers spoil (reference algorithms, 10).
#pragma once

#include <optional>
#include <vector>

#include "runtime/reference/attention.hpp"
#include "runtime/reference/fixed_point.hpp"

namespace cairn::reference {

/// The scale as a real number: `numerator / denominator`, or 1/sqrt(root) where that is irrational.
struct Scale {
  Value numerator;
  mpz_class denominator = 1;
  unsigned long root = 0;  // not 0: irrational, and the rational part is not used

  [[nodiscard]] bool is_rational() const { return root == 0; }
  /// |scale| is a power of 4.
  [[nodiscard]] bool is_power_of_four() const;
  /// The sign of scale * a + m, exactly.
  [[nodiscard]] int sign_of(const Value& a, const Value& m) const;
};

/// An operand's numbers. An element that is no finite number counts as 0 here.
struct Numbers {
  Format format = Format::F32;
  std::vector<double> value;
  std::vector<double> radius;                // the farther end's distance, rounded up; empty: all 0
  std::vector<double> size;                  // |value| + radius, rounded up
  std::vector<std::uint8_t> not_finite;      // infinities and NaN
  std::vector<std::uint8_t> may_be_special;  // of earlier results; empty: none

  [[nodiscard]] double radius_at(std::size_t at) const { return radius.empty() ? 0 : radius[at]; }
  [[nodiscard]] bool spoils(std::size_t at) const {
    return not_finite[at] != 0 || (!may_be_special.empty() && may_be_special[at] != 0);
  }
};
[[nodiscard]] Numbers numbers_of(const Entries& entries);

/// Exact sums of products of finite doubles.
void add_product(FixedPoint& sum, double a, double b);

class AttentionProblem {
 public:
  [[nodiscard]] static std::expected<AttentionProblem, Refusal> of(const AttentionInput& input,
                                                                   const AttentionOptions& options);
  /// Adds the backward's operands.
  [[nodiscard]] std::optional<Refusal> take(const BackwardInput& input, const AttentionOptions& options);
  /// What an algorithm asks of the options and operands.
  [[nodiscard]] std::optional<Refusal> misfit(const AttentionAlgorithm::Options& algorithm) const;

  std::size_t batch = 1, query_heads = 1, key_heads = 1;
  std::size_t queries = 0, keys = 0, width = 0, value_width = 0;
  Numbers query, key, value;
  std::optional<Numbers> grad, out, logsumexp;
  Scale scale;
  Format dtype = Format::F32;
  Format compute = Format::F32;
  Format sum_format = Format::F32;  // of the exact logsumexp
  Rounding rounding = Rounding::NearestEven;
  mpq_class ulps = 2;
  bool flush = false;
  bool strict = false;
  Shape output_shape, logsumexp_shape, query_shape, key_shape, value_shape;

  [[nodiscard]] std::size_t rows() const { return batch * query_heads * queries; }
  [[nodiscard]] std::size_t heads() const { return batch * key_heads; }
  /// The key head, counted through the batch, that a row's query head uses.
  [[nodiscard]] std::size_t head_of(std::size_t row) const {
    const std::size_t query_head = row / queries;
    return query_head / query_heads * key_heads + query_head % query_heads * key_heads / query_heads;
  }
  /// The rows of every query head that uses the key head.
  [[nodiscard]] std::vector<std::size_t> rows_of(std::size_t head) const;

  [[nodiscard]] bool has_float_mask() const { return mask_.has_value(); }
  [[nodiscard]] Format mask_format() const { return mask_->format; }
  [[nodiscard]] bool admits(std::size_t row, std::size_t key_index) const;
  /// The position of a float mask's entry.
  [[nodiscard]] std::size_t mask_at(std::size_t row, std::size_t key_index) const;
  [[nodiscard]] const Numbers& mask() const { return *mask_; }

 private:
  std::optional<Numbers> mask_;
  std::vector<std::uint8_t> excluded_;  // of a float mask: it is -inf there
  std::vector<std::uint8_t> admitted_;  // of a boolean mask; empty: all
  std::size_t mask_extents_[4] = {1, 1, 1, 1};
  bool causal_ = false;
};

}  // namespace cairn::reference
