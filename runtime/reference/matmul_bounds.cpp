// What a row can give, element by element (reference algorithms, 8 and 9).
#include <algorithm>

#include "runtime/reference/matmul_problem.hpp"

namespace cairn::reference {

namespace {

using Sum = MatmulAlgorithm::Sum;

/// A bound as num / denominator * 2^e, the denominator odd and shared.
Value times(const Rational& number, const mpz_class& denominator) {
  const mpq_class scaled = number.exact() * denominator;
  const auto zeros = static_cast<std::int64_t>(mpz_scan1(scaled.get_den().get_mpz_t(), 0));
  return {scaled.get_num(), -zeros};
}

mpz_class odd_part(mpz_class number) {
  const mp_bitcnt_t zeros = mpz_scan1(number.get_mpz_t(), 0);
  mpz_tdiv_q_2exp(number.get_mpz_t(), number.get_mpz_t(), zeros);
  return number;
}

}  // namespace

MatmulBounds::MatmulBounds(const MatmulAlgorithm& algorithm, const MatmulProblem& problem, const MatmulOptions& options)
    : format_(&info(algorithm.parts().format)),
      accumulator_(algorithm.parts().format),
      dtype_(problem.dtype),
      rounding_(options.rounding),
      overflow_(options.overflow),
      accumulator_rounding_(algorithm.parts().rounding) {
  const MatmulAlgorithm::Parts& parts = algorithm.parts();
  const bool any_order = parts.sum == Sum::AnyOrder;
  exact_ = parts.sum == Sum::Exact || (any_order && parts.standard == Standard::Strict);
  flush_ = any_order && parts.flush_to_zero;
  contract_ = parts.sum == Sum::TensorCores;
  const ErrorModel model = algorithm.error_model(problem.k, problem.onto.has_value());
  bounded_ = model.is_bounded();
  if (!bounded_) return;
  const mpz_class relative = odd_part(model.relative.exact().get_den());
  const mpz_class absolute = odd_part(model.absolute.exact().get_den());
  mpz_lcm(denominator_.get_mpz_t(), relative.get_mpz_t(), absolute.get_mpz_t());
  relative_ = times(model.relative, denominator_);
  absolute_ = times(model.absolute, denominator_);
  if (!flush_) return;
  const Value node = format_->least_normal - format_->half_subnormal;
  const std::size_t nodes = problem.k + problem.terms();
  flush_nodes_ = exact_ ? scaled(format_->least_normal)
                        : node * Value(mpz_class(nodes), 0) * (scaled(Value(mpz_class(1), 0)) + relative_);
}

MatmulProblem::Wanted MatmulBounds::wanted() const {
  return {flush_ ? std::optional(accumulator_) : std::nullopt, contract_};
}

Value MatmulBounds::scaled(const Value& value) const { return value * Value(denominator_, 0); }

Value MatmulBounds::flush_shift(const ElementSums& sums) const {
  return flush_nodes_ + (scaled(sums.flushable) + relative_ * sums.flushable);
}

bool MatmulBounds::reaches_edge(const Value& sum_of_one_sign) const {
  return scaled(sum_of_one_sign) + relative_ * sum_of_one_sign + absolute_ >= scaled(format_->edge);
}

MatmulBounds::Accumulated MatmulBounds::rounded_exactly(const ElementSums& sums) const {
  Accumulated made;
  const Direction direction = nearest(accumulator_rounding_);
  Value low = to_grid(sums.least, *format_, direction);
  Value high = to_grid(sums.greatest, *format_, direction);
  made.plus = high > format_->largest;
  made.minus = low < format_->largest.negated();
  if (flush_) {
    const Value shift = flush_shift(sums);
    const auto on_grid = [&](const Value& number, Direction to) {
      return to_grid({number.significand(), number.exponent(), denominator_}, *format_, to);
    };
    made.plus = on_grid(scaled(sums.greatest) + shift, direction) > format_->largest;
    made.minus = on_grid(scaled(sums.least) - shift, direction) < format_->largest.negated();
    low = on_grid(scaled(low) - shift, Direction::Up);
    high = on_grid(scaled(high) + shift, Direction::Down);
  }
  if (low > format_->largest || high < format_->largest.negated()) return made;
  made.ends.emplace(low < format_->largest.negated() ? format_->largest.negated() : low,
                    high > format_->largest ? format_->largest : high);
  return made;
}

/// 8.1, all terms ranged.
MatmulBounds::Accumulated MatmulBounds::accumulated(const ElementSums& sums) const {
  Accumulated made;
  if (!bounded_) {
    made.ends.emplace(format_->largest.negated(), format_->largest);
    made.plus = made.minus = made.nan = true;
    return made;
  }
  if (exact_) {
    made = rounded_exactly(sums);
  } else {
    Value distance = relative_ * sums.magnitude + absolute_;
    if (flush_) distance = distance + flush_shift(sums);
    const Value low = scaled(sums.least) - distance;
    const Value high = scaled(sums.greatest) + distance;
    const Value most = scaled(format_->largest);
    const Value least = most.negated();
    if (low <= most && high >= least) {
      const Value a = low < least ? format_->largest.negated()
                                  : to_grid({low.significand(), low.exponent(), denominator_}, *format_, Direction::Up);
      const Value b = high > most
                          ? format_->largest
                          : to_grid({high.significand(), high.exponent(), denominator_}, *format_, Direction::Down);
      if (a <= b) made.ends.emplace(a, b);
    }
    made.plus = reaches_edge(sums.positive);
    made.minus = reaches_edge(sums.negative);
    made.nan = made.plus && made.minus;
  }
  if (sums.special) made.plus = made.minus = made.nan = true;
  return made;
}

/// 8.3: fixed terms decide, and what the others may overflow to.
MatmulBounds::Accumulated MatmulBounds::fixed(const ElementSums& sums) const {
  bool others_plus = false;
  bool others_minus = false;
  if (!exact_) {
    others_plus = !bounded_ || reaches_edge(sums.positive);
    others_minus = !bounded_ || reaches_edge(sums.negative);
  }
  Accumulated made;
  made.plus = sums.all_plus;
  made.minus = sums.all_minus;
  made.nan = sums.some_nan || (sums.fixed > 1 && sums.some_plus && sums.some_minus) || (made.plus && others_minus) ||
             (made.minus && others_plus);
  if (flush_ && sums.undefined_by_flush) made.nan = true;
  if (sums.special) made.plus = made.minus = made.nan = true;
  return made;
}

/// 8.2: the accumulated value rounded to the output's format.
Outcome MatmulBounds::output(Accumulated accumulated) const {
  const FormatInfo& target = info(dtype_);
  const Value least = target.largest.negated();
  Outcome made;
  bool plus = accumulated.plus;
  bool minus = accumulated.minus;
  bool nan = accumulated.nan;
  if (!format_->infinities) {
    nan = nan || plus || minus;
    plus = minus = false;
  }
  if (accumulated.ends) {
    Value low = to_grid(accumulated.ends->first, target, nearest(rounding_));
    Value high = to_grid(accumulated.ends->second, target, nearest(rounding_));
    const bool saturates = overflow_ == Overflow::Saturate;
    const bool nothing_finite = low > target.largest || high < least;
    if (!saturates) {
      plus = plus || high > target.largest;
      minus = minus || low < least;
    }
    if (saturates || !nothing_finite) {
      low = std::clamp(low, least, target.largest);
      high = std::clamp(high, least, target.largest);
      made.range.ends.emplace(std::move(low), std::move(high));
    }
  }
  if (overflow_ == Overflow::Saturate) {
    const auto put = [&](const Value& value) {
      if (!made.range.ends) made.range.ends.emplace(value, value);
      made.range.ends->first = std::min(made.range.ends->first, value);
      made.range.ends->second = std::max(made.range.ends->second, value);
    };
    if (plus) put(target.largest);
    if (minus) put(least);
    plus = minus = false;
  }
  if (overflow_ == Overflow::NotANumber || !target.infinities) {
    nan = nan || plus || minus;
    plus = minus = false;
  }
  if (flush_ && made.range.ends) {
    auto& [low, high] = *made.range.ends;
    if (low.sign() > 0 && low < target.least_normal) low = {};
    if (high.sign() < 0 && high > target.least_normal.negated()) high = {};
  }
  made.plus_infinity = plus;
  made.minus_infinity = minus;
  made.not_a_number = nan;
  return made;
}

Outcome MatmulBounds::outcome(const ElementSums& sums) const {
  if (contract_ && sums.outside_f32) return Outcome::anything(Format::F32);
  return output(sums.fixed != 0 ? fixed(sums) : accumulated(sums));
}

}  // namespace cairn::reference
