#include "runtime/reference/attention_row.hpp"

#include <algorithm>

namespace cairn::reference {

RowLogits row_logits(const AttentionProblem& problem, std::size_t row) {
  RowLogits made;
  made.row = row;
  FixedPoint sum;
  const double* query = problem.query.value.data() + row * problem.width;
  const double* keys = problem.key.value.data() + problem.head_of(row) * problem.keys * problem.width;
  for (std::size_t j = 0; j < problem.keys; ++j) {
    if (!problem.admits(row, j)) continue;
    Logit logit;
    logit.key = j;
    for (std::size_t e = 0; e < problem.width; ++e) add_product(sum, query[e], keys[j * problem.width + e]);
    logit.dot = sum.value();
    sum.clear();
    if (problem.has_float_mask()) logit.mask = Value::of(problem.mask().value[problem.mask_at(row, j)]);
    made.logits.push_back(std::move(logit));
    const Logit& last = made.logits.back();
    const Logit& top = made.logits[made.top];
    if (problem.scale.sign_of(last.dot - top.dot, last.mask - top.mask) > 0) made.top = made.logits.size() - 1;
  }
  return made;
}

Interval enclosed(const Scale& scale, mpfr_prec_t precision) {
  if (!scale.is_rational()) {
    const Interval one(1UL, precision);
    return one / sqrt(Interval(scale.root, precision));
  }
  return Interval(mpq_class(Rational(scale.numerator).exact() / scale.denominator), precision);
}

namespace {

Interval logit_value(const Interval& scale, const Value& dot, const Value& mask) {
  return scale * Interval(dot, scale.precision()) + Interval(mask, scale.precision());
}

}  // namespace

RowWeights row_weights(const AttentionProblem& problem, const RowLogits& row, mpfr_prec_t precision) {
  RowWeights made{enclosed(problem.scale, precision), {}, {}, Interval(precision), Interval(precision)};
  const Logit& top = row.logits[row.top];
  made.top = logit_value(made.scale, top.dot, top.mask);
  made.below_top.reserve(row.size());
  made.weight.reserve(row.size());
  for (const Logit& each : row.logits) {
    made.below_top.push_back(logit_value(made.scale, each.dot - top.dot, each.mask - top.mask));
    // No logit is above the largest, so the upper end need not be either.
    Interval& difference = made.below_top.back();
    if (mpfr_sgn(difference.hi()) > 0) mpfr_set_zero(difference.hi(), 1);
    made.weight.push_back(exp(difference));
    made.total += made.weight.back();
  }
  return made;
}

Interval average(const RowWeights& weights, const std::vector<double>& numbers) {
  Interval sum(weights.total.precision());
  Real scratch(weights.total.precision());
  for (std::size_t j = 0; j < numbers.size(); ++j) add_scaled(sum, weights.weight[j], numbers[j], scratch);
  return sum / weights.total;
}

Interval logsumexp(const RowWeights& weights) { return weights.top + log(weights.total); }

namespace {

/// Terms coefficient * exp(scale * dot + mask), the logits relative to anything common.
struct Term {
  Value dot;
  Value mask;
  Value coefficient;
};

/// The sign of the terms' sum. Equal logits are put together first, so that what is left are exponentials of different
/// numbers (19.9).
std::optional<int> sign_of_sum(const Scale& scale, std::vector<Term> terms, mpfr_prec_t precision) {
  const auto order = [&](const Term& a, const Term& b) { return scale.sign_of(a.dot - b.dot, a.mask - b.mask); };
  std::ranges::sort(terms, [&](const Term& a, const Term& b) { return order(a, b) > 0; });
  std::vector<Term> groups;
  for (Term& term : terms) {
    if (!groups.empty() && order(groups.back(), term) == 0) {
      groups.back().coefficient = groups.back().coefficient + term.coefficient;
    } else {
      groups.push_back(std::move(term));
    }
  }
  std::erase_if(groups, [](const Term& group) { return group.coefficient.is_zero(); });
  if (groups.empty()) return 0;
  const Interval factor = enclosed(scale, precision);
  Interval sum(precision);
  for (const Term& group : groups) {
    const Interval logit = logit_value(factor, group.dot - groups.front().dot, group.mask - groups.front().mask);
    sum.add_product(Interval(group.coefficient, precision), exp(logit));
  }
  if (sum.is_certain_positive()) return 1;
  if (sum.is_certain_negative()) return -1;
  return std::nullopt;
}

}  // namespace

std::optional<int> average_against(const AttentionProblem& problem, const RowLogits& row,
                                   const std::vector<double>& numbers, const Value& breakpoint, mpfr_prec_t precision) {
  std::vector<Term> terms;
  for (std::size_t j = 0; j < row.size(); ++j) {
    terms.push_back({row.logits[j].dot, row.logits[j].mask, Value::of(numbers[j]) - breakpoint});
  }
  return sign_of_sum(problem.scale, std::move(terms), precision);
}

std::optional<int> logsumexp_against(const AttentionProblem& problem, const RowLogits& row, const Value& breakpoint,
                                     mpfr_prec_t precision) {
  const Value one(mpz_class(1), 0);
  std::vector<Term> terms;
  for (const Logit& each : row.logits) terms.push_back({each.dot, each.mask - breakpoint, one});
  terms.push_back({Value(), Value(), one.negated()});
  return sign_of_sum(problem.scale, std::move(terms), precision);
}

}  // namespace cairn::reference
