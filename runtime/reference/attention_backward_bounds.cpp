#include "runtime/reference/attention_backward_bounds.hpp"

#include <algorithm>
#include <cmath>

namespace cairn::reference {

namespace {

/// The errors of one row's weights and of the gradients of its logits, each per admitted key.
struct RowErrors {
  std::vector<Interval> weight;          // eP
  std::vector<Interval> rounded_weight;  // eV
  std::vector<Interval> gradient;        // eS
  bool unbounded = false;
};

/// What both ways to get weights and D come to.
struct Softmax {
  std::vector<Interval> weight;  // eP
  Interval row_sum;              // eD
  Interval size;                 // X
  bool unbounded = false;
};

/// Everything exact about one row that the errors are made of.
struct RowView {
  const AttentionProblem& problem;
  const AttentionConstants& c;
  const RowLogits& row;
  const LogitBounds& logits;
  const std::vector<Interval>& products;        // dP
  const Interval& row_sum;                      // D
  const std::vector<Interval>& product_errors;  // eG
};

/// Without `out`: the softmax is computed again, D is a sum over the keys.
Softmax recomputed(const RowView& v) {
  const AttentionConstants& c = v.c;
  const std::size_t n = v.row.size();
  Softmax made{{}, zero(), zero(), false};
  const WeightBounds weights = weight_bounds(c, v.logits, v.row, 1, 1);
  const Interval one = whole(1);
  if (weights.least.may_be_no_more_than_zero()) {
    made.unbounded = true;
    return made;
  }
  const Interval inverse = weights.growth / (v.logits.weights.total * weights.least);
  const Interval sum_error = c.growth_of_sum(n) + c.lost_in_sum(n + 2) * inverse;
  if (sum_error.may_reach(one)) {
    made.unbounded = true;
    return made;
  }
  const Interval normalizing = (c.u + 1UL).power(c.options.reciprocal ? 2 : 1) / (one - sum_error) - 1UL;
  std::vector<Interval> wide;
  Interval all_wide = zero();
  for (std::size_t j = 0; j < n; ++j) {
    wide.push_back(max(weights.up[j], weights.down[j]) + weights.lost);
    all_wide += wide.back();
  }
  Interval flushed = zero();
  Interval differences = zero();
  for (std::size_t j = 0; j < n; ++j) {
    const Interval& p = v.logits.probability[j];
    const Interval rest = one - p;
    Interval others = zero();  // added up anew: a difference of sums would not be rounded upward
    mpfr_sub(others.hi(), all_wide.hi(), wide[j].lo(), MPFR_RNDU);
    const Interval moved = min((rest * wide[j] + p * others) / weights.least, max(p, rest));
    const Interval normalized = normalizing * (p + moved) + c.low_compute * 4UL;
    const Interval product = v.products[j].magnitude();
    made.weight.push_back(moved + normalized);
    const Interval weight = p + made.weight.back();
    differences +=
        moved * (v.products[j] - v.row_sum).magnitude() + normalized * product + weight * v.product_errors[j];
    made.size.add_product(weight, product + v.product_errors[j]);
    flushed += product + v.product_errors[j];
  }
  made.row_sum = differences + c.growth_of_sum(n) * made.size + c.lost_in_sum(n);
  if (c.flush) made.row_sum += c.low_compute * flushed + c.low_compute * n;
  return made;
}

/// With `out` and `logsumexp`: weights from the given logsumexp, D from the given output.
Softmax given(const RowView& v) {
  const AttentionConstants& c = v.c;
  const AttentionProblem& problem = v.problem;
  const std::size_t width = problem.value_width;
  const std::size_t first = v.row.row * width;
  Softmax made{{}, zero(), zero(), false};
  const Interval one = whole(1);
  const Interval sum = c.number(problem.logsumexp->value[v.row.row]);
  const Interval radius = c.number(problem.logsumexp->radius_at(v.row.row));
  const Interval sum_size = c.number(problem.logsumexp->size[v.row.row]);
  const Interval twice = (c.u + 1UL).power(2);
  for (std::size_t j = 0; j < v.row.size(); ++j) {
    const Interval& error = v.logits.error[j];
    const Interval argument = v.logits.logit[j] - sum;
    Interval exponent = error + radius + (twice - 1UL) * (argument.magnitude() + error + radius) + c.low_compute * 2UL +
                        c.exp_relative / (one - c.exp_relative);
    if (!c.has_float_mask) {
      exponent += twice * (c.u * max(v.logits.logit[j].magnitude() + error, sum_size) + c.low_compute);
    }
    if (c.options.exp2) {
      exponent += twice * (((c.exp_relative + 1UL) * (c.u + 1UL) - 1UL) * sum_size + c.exp_absolute + c.low_compute);
    }
    const Interval& p = v.logits.probability[j];
    const Interval most = exp(argument + exponent);
    const Interval least = v.logits.may_vanish[j] != 0 ? zero() : exp(argument - exponent);
    made.unbounded = made.unbounded || most.may_reach(c.edge);
    made.weight.push_back(max(most - p, p - least) + c.exp_absolute);
  }
  const SizeSums sizes = size_sums(c, *problem.grad, first, *problem.out, first, width);
  FixedPoint exact;
  for (std::size_t e = first; e < first + width; ++e) add_product(exact, problem.grad->value[e], problem.out->value[e]);
  made.size = sizes.sizes;
  made.row_sum = (c.number(exact.value()) - v.row_sum).magnitude() + sizes.excess + c.growth_of_sum(width) * made.size +
                 c.lost_in_sum(width) + sizes.flushable;
  return made;
}

RowErrors row_errors(const AttentionProblem& problem, const AttentionConstants& c, std::size_t head,
                     const RowLogits& row, const std::vector<Interval>& products, const Interval& row_sum,
                     const std::vector<Interval>& gradients, LogitBounds& logits) {
  RowErrors made;
  const std::size_t n = row.size();
  const std::size_t width = problem.value_width;
  logits = logit_bounds(problem, c, row);
  if (logits.unbounded) {
    made.unbounded = true;
    return made;
  }
  const Interval one = whole(1);
  const Interval growth = c.growth_of_matrix_sum(width);
  const Interval lost = c.lost_in_matrix_sum(width);
  std::vector<Interval> product_errors;
  for (const Logit& each : row.logits) {
    const SizeSums sums =
        size_sums(c, *problem.grad, row.row * width, problem.value, (head * problem.keys + each.key) * width, width);
    made.unbounded = made.unbounded || (sums.sizes * (growth + 1UL) + lost).may_reach(c.least_edge);
    product_errors.push_back(growth * sums.sizes + lost + sums.flushable + sums.excess);
  }
  const RowView view{problem, c, row, logits, products, row_sum, product_errors};
  const Softmax softmax = problem.out ? given(view) : recomputed(view);
  if (softmax.unbounded || made.unbounded) {
    made.unbounded = true;
    return made;
  }
  const Interval longest = (c.growth_of_sum(std::max(width, n)) + 1UL).power(2);
  made.unbounded = (softmax.size * longest + c.lost_in_sum(problem.out ? width : n)).may_reach(c.least_edge);
  const Interval cubed = (c.u + 1UL).power(3);
  const Interval scaling = max(max(one, c.scale), c.root_scale) * (c.gradient_scale_error + 1UL);
  for (std::size_t j = 0; j < n; ++j) {
    const Interval& p = logits.probability[j];
    const Interval& weight = softmax.weight[j];
    const Interval& product_error = product_errors[j];
    const Interval reach = products[j].magnitude() + product_error + row_sum.magnitude() + softmax.row_sum;
    Interval gradient = weight * ((products[j] - row_sum).magnitude() + product_error + softmax.row_sum) +
                        p * (product_error + softmax.row_sum) + (cubed - 1UL) * (p + weight) * reach +
                        c.low_compute * 3UL;
    if (c.flush) gradient += c.low_compute * (reach + 1UL);
    const Interval size = gradients[j].magnitude() + gradient;
    made.unbounded = made.unbounded || (max(one, p + weight) * reach * cubed).may_reach(c.least_edge);
    if (c.options.weights) {
      made.unbounded = made.unbounded || size.may_reach(c.edge_weights) || (p + weight).may_reach(c.edge_weights);
      gradient += c.u_weights * size + c.low_weights;
    }
    made.unbounded = made.unbounded || ((gradients[j].magnitude() + gradient) * scaling).may_reach(c.least_edge);
    Interval rounded = weight + c.u_weights * (p + weight) + c.low_weights;
    if (c.flush) rounded += c.low_compute;
    made.weight.push_back(weight);
    made.rounded_weight.push_back(std::move(rounded));
    made.gradient.push_back(std::move(gradient));
  }
  return made;
}

/// Sums over the pairs of one gradient element, rounded upward.
class PairSums {
 public:
  explicit PairSums(const AttentionConstants& c)
      : c_(c),
        exact_(zero()),
        moved_(zero()),
        sizes_(zero()),
        weighted_(zero()),
        factors_(zero()),
        flushable_(zero()),
        scratch_(kBoundPrecision) {}

  /// A pair: the factor X with its error and the upper end of |X| + eX, and an operand's element.
  void add(const Interval& factor, const Interval& error, const Interval& size, const Numbers& operand,
           std::size_t at) {
    ++pairs_;
    const double value = operand.value[at];
    const double radius = operand.radius_at(at);
    add_scaled(exact_, factor, value, scratch_);
    add_upward(moved_, error, std::fabs(value));
    if (radius != 0) add_upward(moved_, size, radius);
    add_upward(weighted_, size, operand.size[at]);
    mpfr_add(factors_.hi(), factors_.hi(), size.hi(), MPFR_RNDU);
    mpfr_add_d(sizes_.hi(), sizes_.hi(), operand.size[at], MPFR_RNDU);
    if (c_.flush && c_.may_flush(std::fabs(value), radius)) add_upward(flushable_, size, operand.size[at]);
  }

  [[nodiscard]] std::size_t pairs() const { return pairs_; }
  [[nodiscard]] bool is_unbounded() const {
    return (max(whole(1), c_.scale) * 2UL * weighted_).may_reach(c_.least_edge);
  }

  [[nodiscard]] Outcome outcome(const AttentionProblem& problem, const Interval& scale, bool scaled) const {
    const Interval one = whole(1);
    const Interval growth = c_.growth_of_matrix_sum(pairs_);
    const Interval lost = c_.lost_in_matrix_sum(pairs_);
    Interval flushed = flushable_;
    if (c_.flush) flushed += c_.number(c_.flushed_below) * sizes_;
    if (!scaled) {
      return outcome_around(exact_, moved_ + growth * weighted_ + lost + flushed, problem.compute, problem.dtype,
                            problem.rounding, c_.flush);
    }
    const Interval factor = c_.gradient_scale_error + 1UL;
    const Interval error =
        c_.scale * (moved_ + ((growth + 1UL) * factor - 1UL) * weighted_ + flushed * factor) +
        max(one, c_.scale) * lost * factor +
        c_.low * factor * (one + max(one, c_.root_scale) * sizes_ + c_.root_scale * factors_ + c_.low * pairs_);
    return outcome_around(scale * exact_, error, problem.compute, problem.dtype, problem.rounding, c_.flush);
  }

 private:
  void add_upward(Interval& sum, const Interval& a, double b) {
    mpfr_mul_d(scratch_.get(), a.hi(), b, MPFR_RNDU);
    mpfr_add(sum.hi(), sum.hi(), scratch_.get(), MPFR_RNDU);
  }

  const AttentionConstants& c_;
  Interval exact_;      // sum X o
  Interval moved_;      // sum eX |o| + (|X| + eX) r
  Interval sizes_;      // sum o-bar
  Interval weighted_;   // sum (|X| + eX) o-bar
  Interval factors_;    // sum |X| + eX
  Interval flushable_;  // of weighted, where o may be flushed
  Real scratch_;
  std::size_t pairs_ = 0;
};

Outcome exactly_zero() {
  Outcome made;
  made.range.ends.emplace();
  return made;
}

}  // namespace

HeadOutcomes any_head_outcomes(const AttentionProblem& problem, std::size_t rows) {
  const Outcome anything = Outcome::anything(problem.dtype);
  HeadOutcomes made;
  made.query.assign(rows * problem.width, anything);
  made.key.assign(problem.keys * problem.width, anything);
  made.value.assign(problem.keys * problem.value_width, anything);
  return made;
}

HeadOutcomes head_outcomes(const AttentionProblem& problem, const AttentionConstants& c, std::size_t head,
                           const std::vector<RowLogits>& rows) {
  const HeadGradients exact = head_gradients(problem, head, rows, kBoundPrecision);
  std::vector<RowErrors> errors;
  std::vector<std::vector<Interval>> gradient_sizes;  // |dS| + eS
  std::vector<std::vector<Interval>> weight_sizes;    // P + eV
  for (std::size_t r = 0; r < rows.size(); ++r) {
    gradient_sizes.emplace_back();
    weight_sizes.emplace_back();
    if (rows[r].empty()) {
      errors.emplace_back();
      continue;
    }
    LogitBounds logits{{zero(), {}, {}, zero(), zero()}, {}, {}, {}, {}, false};
    errors.push_back(row_errors(problem, c, head, rows[r], exact.value_products[r], exact.row_sums[r],
                                exact.logit_gradients[r], logits));
    if (errors.back().unbounded) return any_head_outcomes(problem, rows.size());
    for (std::size_t j = 0; j < rows[r].size(); ++j) {
      gradient_sizes.back().push_back(exact.logit_gradients[r][j].magnitude() + errors.back().gradient[j]);
      weight_sizes.back().push_back(exact.weights[r][j] + errors.back().rounded_weight[j]);
    }
  }
  HeadOutcomes made;
  bool unbounded = false;
  const auto finish = [&](const PairSums& sums, bool scaled, std::vector<Outcome>& into) {
    unbounded = unbounded || (sums.pairs() != 0 && sums.is_unbounded());
    into.push_back(sums.pairs() == 0 ? exactly_zero() : sums.outcome(problem, exact.scale, scaled));
  };
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t e = 0; e < problem.width; ++e) {
      PairSums sums(c);
      for (std::size_t j = 0; j < rows[r].size(); ++j) {
        sums.add(exact.logit_gradients[r][j], errors[r].gradient[j], gradient_sizes[r][j], problem.key,
                 (head * problem.keys + rows[r].logits[j].key) * problem.width + e);
      }
      finish(sums, true, made.query);
    }
  }
  const auto by_key = pairs_by_key(problem, rows);
  for (std::size_t key = 0; key < problem.keys; ++key) {
    for (std::size_t e = 0; e < problem.width; ++e) {
      PairSums sums(c);
      for (const Pair& pair : by_key[key]) {
        sums.add(exact.logit_gradients[pair.row][pair.place], errors[pair.row].gradient[pair.place],
                 gradient_sizes[pair.row][pair.place], problem.query, rows[pair.row].row * problem.width + e);
      }
      finish(sums, true, made.key);
    }
    for (std::size_t e = 0; e < problem.value_width; ++e) {
      PairSums sums(c);
      for (const Pair& pair : by_key[key]) {
        sums.add(exact.weights[pair.row][pair.place], errors[pair.row].rounded_weight[pair.place],
                 weight_sizes[pair.row][pair.place], *problem.grad, rows[pair.row].row * problem.value_width + e);
      }
      finish(sums, false, made.value);
    }
  }
  return unbounded ? any_head_outcomes(problem, rows.size()) : made;
}

}  // namespace cairn::reference
