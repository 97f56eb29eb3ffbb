#include "runtime/reference/attention_forward_bounds.hpp"

#include <algorithm>
#include <cmath>

namespace cairn::reference {

namespace {

/// T: how many blocks an online softmax merges at most.
std::size_t blocks(const AttentionProblem& problem, const AttentionAlgorithm::Options& options, std::size_t admitted) {
  if (!options.online_softmax) return 1;
  if (!options.block_size) return admitted;
  const std::size_t size = *options.block_size;
  return std::min(admitted, problem.keys / size + (problem.keys % size != 0 ? 1 : 0));
}

/// Section 12.4: errors of the row sum and the products, and the sizes they grow from.
struct Normalization {
  Interval sum_error;      // rho_D'
  Interval product_error;  // rho_N
  Interval lost;           // K
  Interval merging;        // a
  Interval inverse;        // inv
  Interval top;            // top
  bool unbounded = false;
};

Normalization normalization(const AttentionConstants& c, const LogitBounds& logits, const WeightBounds& weights,
                            std::size_t n, std::size_t merges) {
  const Interval one = whole(1);
  const Interval rescaling = (c.u_accumulate + 1UL).power(merges - 1);
  const Interval merging = (c.exp_relative + c.exp_absolute + 1UL).power(merges - 1);
  const Interval growth = (c.growth_of_sum(n) + 1UL) * rescaling - 1UL;
  Interval products = (c.growth_of_matrix_sum(n) + 1UL) * rescaling * (c.u_weights + 1UL) *
                      (c.u + 1UL).power(c.options.reciprocal ? 2 : 1);
  if (c.options.mma) products = products * rescaling;
  Interval lost = c.lost_in_matrix_sum(n + 2 * merges) * rescaling * rescaling * merging;
  Interval inverse = weights.growth / (logits.weights.total * weights.least);
  Interval sum_error = growth + lost * inverse;
  Interval top = weights.growth * logits.weights.total * weights.most;
  const bool unbounded = sum_error.may_reach(one) || (top * (growth + 1UL) + lost).may_reach(c.least_edge) ||
                         (inverse / (one - sum_error)).may_reach(c.least_edge);
  return {std::move(sum_error), products - 1UL, std::move(lost), merging,
          std::move(inverse),   std::move(top), unbounded};
}

/// Sums over a column's values, rounded upward.
struct ColumnSums {
  Interval exact;      // O
  Interval moved;      // sum (max(up, down) + phi) |v - O|
  Interval farthest;   // max |v - O|
  Interval weighted;   // sum (P + up + phi) v-bar
  Interval sizes;      // sum v-bar
  Interval flushable;  // of weighted, where v may be flushed
  Interval radii;      // sum (P + up + phi) r
  double largest = 0;  // max v-bar
};

/// Adds a * b, rounded upward, to the upper end.
void add_upward(Interval& sum, mpfr_srcptr a, double b, Real& scratch) {
  mpfr_mul_d(scratch.get(), a, b, MPFR_RNDU);
  mpfr_add(sum.hi(), sum.hi(), scratch.get(), MPFR_RNDU);
}

ColumnSums column_sums(const AttentionProblem& problem, const AttentionConstants& c, const RowLogits& row,
                       const LogitBounds& logits, const std::vector<Interval>& wide, const std::vector<Interval>& most,
                       std::size_t column) {
  ColumnSums made{zero(), zero(), zero(), zero(), zero(), zero(), zero()};
  const Numbers& value = problem.value;
  const std::size_t head_first = problem.head_of(row.row) * problem.keys;
  const auto position = [&](std::size_t j) { return (head_first + row.logits[j].key) * problem.value_width + column; };
  Real scratch(kBoundPrecision);
  Real distance(kBoundPrecision);
  for (std::size_t j = 0; j < row.size(); ++j)
    add_scaled(made.exact, logits.weights.weight[j], value.value[position(j)], scratch);
  made.exact = made.exact / logits.weights.total;
  for (std::size_t j = 0; j < row.size(); ++j) {
    const std::size_t at = position(j);
    const double size = value.size[at];
    // |v - O|: the farther end of O.
    mpfr_sub_d(distance.get(), made.exact.hi(), value.value[at], MPFR_RNDU);
    mpfr_d_sub(scratch.get(), value.value[at], made.exact.lo(), MPFR_RNDU);
    mpfr_max(distance.get(), distance.get(), scratch.get(), MPFR_RNDU);
    mpfr_max(made.farthest.hi(), made.farthest.hi(), distance.get(), MPFR_RNDU);
    mpfr_mul(scratch.get(), wide[j].hi(), distance.get(), MPFR_RNDU);
    mpfr_add(made.moved.hi(), made.moved.hi(), scratch.get(), MPFR_RNDU);
    add_upward(made.weighted, most[j].hi(), size, scratch);
    mpfr_add_d(made.sizes.hi(), made.sizes.hi(), size, MPFR_RNDU);
    made.largest = std::max(made.largest, size);
    if (value.radius_at(at) != 0) add_upward(made.radii, most[j].hi(), value.radius[at], scratch);
    if (c.flush && c.may_flush(std::fabs(value.value[at]), value.radius_at(at))) {
      add_upward(made.flushable, most[j].hi(), size, scratch);
    }
  }
  return made;
}

}  // namespace

RowOutcomes row_outcomes(const AttentionProblem& problem, const AttentionConstants& c, const RowLogits& row) {
  RowOutcomes made;
  if (row.empty()) {
    Outcome nothing;
    nothing.range.ends.emplace();
    nothing.not_a_number = true;
    made.output.assign(problem.value_width, nothing);
    made.logsumexp = Outcome::anything(problem.compute);
    made.logsumexp.range.ends.reset();
    return made;
  }
  const std::size_t n = row.size();
  const std::size_t merges = blocks(problem, c.options, n);
  const LogitBounds logits = logit_bounds(problem, c, row);
  const auto anything = [&] {
    made.output.assign(problem.value_width, Outcome::anything(problem.dtype));
    made.logsumexp = Outcome::anything(problem.compute);
    return made;
  };
  if (logits.unbounded) return anything();
  const WeightBounds weights = weight_bounds(c, logits, row, merges, c.options.online_softmax ? 2 : 1);
  if (weights.least.may_be_no_more_than_zero()) return anything();
  const Normalization sums = normalization(c, logits, weights, n, merges);
  if (sums.unbounded) return anything();

  const Interval one = whole(1);
  const Interval kept = one - sums.sum_error;
  const Interval relative = (sums.product_error + sums.sum_error) / kept;
  const Interval early = max(one, sums.inverse) / kept * (sums.product_error + 1UL);
  const Interval per_weight = (c.low_weights + c.low_compute * 2UL) * sums.merging;
  std::vector<Interval> wide;
  std::vector<Interval> most;
  for (std::size_t j = 0; j < n; ++j) {
    wide.push_back(max(weights.up[j], weights.down[j]) + weights.lost);
    most.push_back(logits.probability[j] + weights.up[j] + weights.lost);
  }
  const bool weights_overflow =
      c.options.weights && (weights.growth * 2UL * (c.exp_relative + 1UL).power(merges)).may_reach(c.edge_weights);
  for (std::size_t column = 0; column < problem.value_width; ++column) {
    const ColumnSums v = column_sums(problem, c, row, logits, wide, most, column);
    const Interval average = min(c.number(v.largest), v.weighted / weights.least);
    if (weights_overflow || (sums.top * average * (sums.product_error + 1UL) + sums.lost).may_reach(c.least_edge)) {
      made.output.push_back(Outcome::anything(problem.dtype));
      continue;
    }
    Interval error = min(v.moved / weights.least, v.farthest) + relative * average +
                     early * (per_weight * v.sizes + sums.lost) + c.low_compute * 2UL +
                     v.flushable / weights.least * (relative + 1UL) + (relative + 1UL) * v.radii / weights.least;
    if (c.options.reciprocal) error += c.low_compute * sums.top * (sums.product_error + 1UL) * average;
    made.output.push_back(outcome_around(v.exact, error, problem.compute, problem.dtype, problem.rounding, c.flush));
  }

  const Interval log_error =
      max(log(weights.most) + log1p(sums.sum_error), (log(weights.least) + log1p(sums.sum_error.negated())).negated());
  const Interval log_size = log(logits.weights.total) + weights.maximum_error + weights.fused + log_error;
  const Interval exact = logsumexp(logits.weights);
  const Interval largest = logits.weights.top.magnitude() + weights.maximum_error;
  Interval error = log_error + c.exp_relative * log_size + c.exp_absolute;
  if (!c.has_float_mask) error += (c.u + 1UL) * (c.u * largest + c.low_compute);
  if (c.options.exp2) {
    error += ((c.exp_relative + 1UL) * (c.u + 1UL).power(2) - 1UL) *
                 (exact.magnitude() + log_error + log_size * 2UL + weights.maximum_error) +
             c.low_compute * 4UL;
  }
  made.logsumexp = outcome_around(exact, error, std::nullopt, problem.compute, Rounding::NearestEven, c.flush);
  return made;
}

}  // namespace cairn::reference
