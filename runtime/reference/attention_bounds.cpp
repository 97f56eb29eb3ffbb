#include "runtime/reference/attention_bounds.hpp"

#include <algorithm>
#include <cmath>

namespace cairn::reference {

namespace {

Interval at(const Value& value) { return {value, kBoundPrecision}; }

/// 2^emin with flushing, else eta: what one rounding loses below the normal range.
Interval low_of(Format format, bool flush) {
  return at(flush ? info(format).least_normal : info(format).half_subnormal);
}

Interval edge_of(Format format) { return at(info(format).edge); }

Interval base_two_logarithm_of_e() { return whole(1) / log(whole(2)); }

}  // namespace

AttentionConstants::AttentionConstants(const AttentionProblem& problem, const AttentionAlgorithm::Options& algorithm)
    : options(algorithm),
      flush(problem.flush),
      strict(problem.strict && !algorithm.online_softmax),
      has_float_mask(problem.has_float_mask()),
      u(at(info(problem.compute).unit_roundoff)),
      u_accumulate(u),
      u_weights(kBoundPrecision),
      u_bias(kBoundPrecision),
      u_convert_mask(kBoundPrecision),
      u_product(kBoundPrecision),
      u_convert(kBoundPrecision),
      low_compute(low_of(problem.compute, problem.flush)),
      low(low_compute),
      low_weights(kBoundPrecision),
      low_bias(kBoundPrecision),
      exp_relative(Interval(problem.ulps, kBoundPrecision) * 2UL * u),
      exp_absolute(Interval(problem.ulps, kBoundPrecision) * 2UL * at(info(problem.compute).half_subnormal)),
      scale(enclosed(problem.scale, kBoundPrecision).magnitude()),
      root_scale(sqrt(scale)),
      base(algorithm.exp2 ? base_two_logarithm_of_e() : whole(1)),
      scale_error(kBoundPrecision),
      gradient_scale_error(kBoundPrecision),
      edge(edge_of(problem.compute)),
      least_edge(edge),
      edge_weights(kBoundPrecision),
      edge_bias(kBoundPrecision) {
  const Format compute = problem.compute;
  const Format accumulate = options.accumulate.value_or(compute);
  u_accumulate = at(info(accumulate).unit_roundoff);
  low = max(low_compute, low_of(accumulate, flush));
  least_edge = min(edge, edge_of(accumulate));
  flushed_below = std::max(info(compute).least_normal, info(accumulate).least_normal).to_f64();
  if (accumulate != compute) u_product = u;
  if (!contains(compute, accumulate)) u_convert = u;
  if (options.weights) {
    u_weights = at(info(*options.weights).unit_roundoff);
    low_weights = low_of(*options.weights, flush);
    edge_weights = edge_of(*options.weights);
  }
  if (options.bias) {
    u_bias = at(info(*options.bias).unit_roundoff);
    low_bias = low_of(*options.bias, flush);
    edge_bias = edge_of(*options.bias);
  }
  if (has_float_mask && !contains(compute, options.bias.value_or(problem.mask_format()))) u_convert_mask = u;
  if (flush) exp_absolute += at(info(compute).least_normal);
  if (!problem.scale.is_power_of_four()) gradient_scale_error = (u + 1UL).power(6) - 1UL;
  scale_error = options.exp2 ? (exp_relative + 1UL) * (u + 1UL).power(4) - 1UL : gradient_scale_error;
}

Interval AttentionConstants::growth_of_sum(std::size_t n) const {
  return (u_product + 1UL) * (u_accumulate + 1UL).power(strict ? 1 : n) * (u_convert + 1UL) - 1UL;
}

Interval AttentionConstants::growth_of_matrix_sum(std::size_t n) const {
  if (!options.mma) return growth_of_sum(n);
  return (at(Value::power_of_two(-22)) + 1UL).power(2 * n) - 1UL;
}

Interval AttentionConstants::lost_in_sum(std::size_t n) const { return low * (2 * n + 2) * (growth_of_sum(n) + 1UL); }

Interval AttentionConstants::lost_in_matrix_sum(std::size_t n) const {
  return low * (2 * n + 2) * (growth_of_matrix_sum(n) + 1UL);
}

SizeSums size_sums(const AttentionConstants& constants, const Numbers& a, std::size_t a_first, const Numbers& b,
                   std::size_t b_first, std::size_t count) {
  FixedPoint sizes;
  FixedPoint excess;
  FixedPoint flushable;
  const bool ranged = !a.radius.empty() || !b.radius.empty();
  for (std::size_t e = 0; e < count; ++e) {
    const double x = std::fabs(a.value[a_first + e]);
    const double y = std::fabs(b.value[b_first + e]);
    const double x_radius = a.radius_at(a_first + e);
    const double y_radius = b.radius_at(b_first + e);
    const double x_size = a.size[a_first + e];
    const double y_size = b.size[b_first + e];
    add_product(sizes, x_size, y_size);
    if (ranged) {
      // |x'||y'| - |x||y| of the farthest factors: |x| r_y + r_x (|y| + r_y).
      add_product(excess, x, y_radius);
      add_product(excess, x_radius, y_size);
    }
    if (constants.flush && (constants.may_flush(x, x_radius) || constants.may_flush(y, y_radius))) {
      add_product(flushable, x_size, y_size);
    }
  }
  return {at(sizes.value()), at(excess.value()), at(flushable.value())};
}

namespace {

struct Sizes {
  Interval sum;
  double largest = 0;
};

Sizes sizes_of(const Numbers& numbers, std::size_t first, std::size_t count) {
  Sizes made{Interval(kBoundPrecision)};
  FixedPoint sum;
  for (std::size_t e = first; e < first + count; ++e) {
    add_product(sum, numbers.size[e], 1);
    made.largest = std::max(made.largest, numbers.size[e]);
  }
  made.sum = at(sum.value());
  return made;
}

/// What the mask adds to a logit's error: mu, and the mask's size.
struct MaskBounds {
  Interval error;
  Interval size;
  Interval radius;
};

MaskBounds mask_bounds(const AttentionProblem& problem, const AttentionConstants& c, std::size_t row, std::size_t key) {
  MaskBounds made{Interval(kBoundPrecision), Interval(kBoundPrecision), Interval(kBoundPrecision)};
  const std::size_t position = problem.mask_at(row, key);
  const double radius = problem.mask().radius_at(position);
  made.size = c.number(problem.mask().size[position]);
  made.radius = c.number(radius);
  if (problem.mask().value[position] == 0 && radius == 0) return made;
  const Interval in_base_two = c.options.exp2 ? c.exp_relative : Interval(kBoundPrecision);
  made.error = ((c.u_bias + 1UL) * (c.u_convert_mask + 1UL) * (in_base_two + 1UL) - 1UL) * made.size +
               (c.low_bias + c.low_compute + c.exp_absolute) * 2UL + made.radius;
  return made;
}

}  // namespace

LogitBounds logit_bounds(const AttentionProblem& problem, const AttentionConstants& c, const RowLogits& row) {
  const std::size_t width = problem.width;
  const std::size_t query_first = row.row * width;
  const std::size_t head_first = problem.head_of(row.row) * problem.keys;
  LogitBounds made{row_weights(problem, row, kBoundPrecision), {}, {}, {}, {}, false};
  const Interval one = whole(1);
  const Interval growth = c.growth_of_matrix_sum(width);
  const Interval lost = c.lost_in_matrix_sum(width);
  const Interval scale_factor = c.scale_error + 1UL;
  const Interval relative = (growth + 1UL) * scale_factor - 1UL;
  const Interval lost_scaled = max(one, c.scale) * lost * scale_factor;
  const Interval wide_root = max(one, c.root_scale);
  const Sizes query = sizes_of(problem.query, query_first, width);
  const Interval in_base = c.scale * c.base;
  const Interval element_limit = max(in_base, sqrt(in_base)) * scale_factor;
  for (std::size_t place = 0; place < row.size(); ++place) {
    const Logit& logit = row.logits[place];
    const std::size_t key_first = (head_first + logit.key) * width;
    const SizeSums sums = size_sums(c, problem.query, query_first, problem.key, key_first, width);
    const Sizes key = sizes_of(problem.key, key_first, width);
    const Interval z = made.weights.scale * at(logit.dot) + at(logit.mask);
    Interval error = c.scale * (relative * sums.sizes + sums.flushable * scale_factor) + lost_scaled +
                     c.scale * sums.excess +
                     c.low * scale_factor * (one + wide_root * key.sum + c.root_scale * query.sum + c.low * width);
    const Interval product = (growth + 1UL) * sums.sizes + lost;
    bool unbounded = product.may_reach(c.least_edge) || (in_base * product * scale_factor + c.low).may_reach(c.edge) ||
                     (element_limit * c.number(std::max(query.largest, key.largest))).may_reach(c.edge);
    bool vanishes = false;
    if (c.has_float_mask) {
      const MaskBounds mask = mask_bounds(problem, c, row.row, logit.key);
      error = error + mask.error + c.u * (z.magnitude() + error + mask.error) + c.low;
      const Interval value = at(logit.mask);
      if (c.options.bias) {
        unbounded = unbounded || (value + mask.radius).may_reach(c.edge_bias);
        vanishes = vanishes || (value - mask.radius).negated().may_reach(c.edge_bias);
      }
      unbounded = unbounded || (c.base * (value + mask.radius + mask.error)).may_reach(c.edge);
      vanishes = vanishes || (c.base * (value - mask.radius - mask.error)).negated().may_reach(c.edge);
    }
    unbounded = unbounded || (c.base * (z + error)).may_reach(c.edge);
    vanishes = vanishes || (c.base * (z - error)).negated().may_reach(c.edge);
    made.unbounded = made.unbounded || unbounded;
    made.probability.push_back(made.weights.weight[place] / made.weights.total);
    made.logit.push_back(z);
    made.error.push_back(std::move(error));
    made.may_vanish.push_back(vanishes ? 1 : 0);
  }
  if (std::ranges::find(made.may_vanish, std::uint8_t{0}) == made.may_vanish.end()) made.unbounded = true;
  return made;
}

WeightBounds weight_bounds(const AttentionConstants& c, const LogitBounds& logits, const RowLogits& row,
                           std::size_t merges, unsigned long argument_roundings) {
  const std::size_t n = row.size();
  const RowWeights& exact = logits.weights;
  WeightBounds made{
      Interval(kBoundPrecision), Interval(kBoundPrecision), {}, {}, Interval(kBoundPrecision), whole(1), whole(1),
      Interval(kBoundPrecision)};
  bool first_kept = true;
  Interval highest(kBoundPrecision);
  Interval below(kBoundPrecision);  // M less the largest lower end of a key that stays
  for (std::size_t j = 0; j < n; ++j) {
    const Interval up = exact.below_top[j] + logits.error[j];
    highest = j == 0 ? up : max(highest, up);
    if (logits.may_vanish[j] != 0) continue;
    const Interval down = logits.error[j] - exact.below_top[j];
    below = first_kept ? down : min(below, down);
    first_kept = false;
  }
  made.maximum_error = max(highest, below);
  std::vector<Interval> fused(n, Interval(kBoundPrecision));
  if (!c.has_float_mask) {
    const Interval top = exact.top.magnitude() + made.maximum_error;
    const Interval twice = (c.u + 1UL).power(2);
    for (std::size_t j = 0; j < n; ++j) {
      fused[j] = twice * (c.u * max(top, logits.logit[j].magnitude() + logits.error[j]) + c.low_compute);
      made.fused = j == 0 ? fused[j] : max(made.fused, fused[j]);
    }
  }
  const Interval rounded = (c.u + 1UL).power(argument_roundings) - 1UL;
  const Interval of_exponentials = c.exp_relative / (whole(1) - c.exp_relative) * merges;
  made.growth = exp(made.maximum_error + made.fused);
  made.lost = c.exp_absolute * merges * ((c.exp_relative + 1UL) * exp(made.fused) + c.exp_absolute).power(merges - 1) *
              made.growth / exact.total;
  Interval all_up(kBoundPrecision);
  Interval all_down(kBoundPrecision);
  const Interval log_total = log(exact.total);
  for (std::size_t j = 0; j < n; ++j) {
    const Interval exponent = logits.error[j] +
                              rounded * (exact.below_top[j].negated() + logits.error[j] + made.maximum_error) +
                              c.low_compute * (2 * merges) + fused[j] + of_exponentials;
    const Interval& probability = logits.probability[j];
    // Small exponents cancel in exp(x) - 1; large ones belong to probabilities too small to be multiplied.
    made.up.push_back(mpfr_cmp_ui(exponent.hi(), 1) < 0 ? probability * expm1(exponent)
                                                        : exp(exact.below_top[j] - log_total + exponent) - probability);
    made.down.push_back(logits.may_vanish[j] != 0 ? probability : (probability * expm1(exponent.negated())).negated());
    all_up += made.up.back();
    all_down += made.down.back();
  }
  const Interval all_lost = made.lost * n;
  made.most = all_up + all_lost + 1UL;
  made.least = whole(1) - all_down - all_lost;
  return made;
}

Outcome outcome_around(const Interval& number, const Interval& error, std::optional<Format> compute, Format target,
                       Rounding rounding, bool flush) {
  const Interval lowest = number - error;
  const Interval highest = number + error;
  if (mpfr_nan_p(lowest.lo()) != 0 || mpfr_nan_p(highest.hi()) != 0) return Outcome::anything(target);
  const FormatInfo& of = info(target);
  Value low = value_of(lowest.lo());
  Value high = value_of(highest.hi());
  if (compute) {
    const FormatInfo& wide = info(*compute);
    const Value least = wide.largest.negated();
    low = low < least ? least : to_grid(std::min(low, wide.largest), wide, Direction::Up);
    high = high > wide.largest ? wide.largest : to_grid(std::max(high, least), wide, Direction::Down);
  }
  Outcome made;
  const Value least = of.largest.negated();
  const auto on_target = [&](const Value& end) { return end.is_finite() ? to_grid(end, of, nearest(rounding)) : end; };
  low = on_target(low);
  high = on_target(high);
  bool plus = high > of.largest;
  bool minus = low < least;
  low = std::clamp(low, least, of.largest);
  high = std::clamp(high, least, of.largest);
  if (flush) {
    if (low.sign() > 0 && low < of.least_normal) low = {};
    if (high.sign() < 0 && high > of.least_normal.negated()) high = {};
  }
  if (!of.infinities) made.not_a_number = plus || minus;
  made.plus_infinity = plus && of.infinities;
  made.minus_infinity = minus && of.infinities;
  if (low <= high) made.range.ends.emplace(std::move(low), std::move(high));
  return made;
}

}  // namespace cairn::reference
