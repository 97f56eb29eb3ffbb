#include "runtime/reference/attention_reference.hpp"

#include <algorithm>

namespace cairn::reference {

// ------------------------------------------------------------------------------------------------------------ spoilage

Spoilage::Spoilage(const AttentionProblem& problem) : problem_(problem) {
  const std::size_t keys = problem.heads() * problem.keys;
  key_spoils_.resize(keys);
  key_not_finite_.resize(keys);
  head_spoils_.resize(problem.heads());
  head_not_finite_.resize(problem.heads());
  column_spoils_.resize(problem.heads() * problem.value_width);
  column_not_finite_.resize(problem.heads() * problem.value_width);
  for (std::size_t at = 0; at < keys; ++at) {
    const std::size_t head = at / problem.keys;
    for (std::size_t e = at * problem.width; e < (at + 1) * problem.width; ++e) {
      if (problem.key.spoils(e)) key_spoils_[at] = 1;
      key_not_finite_[at] |= problem.key.not_finite[e];
    }
    head_spoils_[head] |= key_spoils_[at];
    head_not_finite_[head] |= key_not_finite_[at];
    for (std::size_t c = 0; c < problem.value_width; ++c) {
      const std::size_t e = at * problem.value_width + c;
      if (problem.value.spoils(e)) column_spoils_[head * problem.value_width + c] = 1;
      column_not_finite_[head * problem.value_width + c] |= problem.value.not_finite[e];
    }
  }
}

namespace {

/// Whether some of `width` elements from the row's first on is marked.
template <class Marked>
bool any_of_row(std::size_t row, std::size_t width, const Marked& marked) {
  for (std::size_t e = row * width; e < (row + 1) * width; ++e) {
    if (marked(e)) return true;
  }
  return false;
}

}  // namespace

bool Spoilage::row(std::size_t row) const {
  if (any_of_row(row, problem_.width, [&](std::size_t e) { return problem_.query.spoils(e); })) return true;
  if (head_spoils_[problem_.head_of(row)] != 0) return true;
  if (!problem_.has_float_mask()) return false;
  for (std::size_t j = 0; j < problem_.keys; ++j) {
    if (problem_.mask().spoils(problem_.mask_at(row, j))) return true;
  }
  return false;
}

bool Spoilage::row_is_nan(const RowLogits& row) const {
  if (row.empty()) return false;
  if (any_of_row(row.row, problem_.width, [&](std::size_t e) { return problem_.query.not_finite[e] != 0; }))
    return true;
  const std::size_t head = problem_.head_of(row.row);
  return std::ranges::any_of(row.logits, [&](const Logit& each) {
    return key_not_finite_[head * problem_.keys + each.key] != 0 ||
           (problem_.has_float_mask() && problem_.mask().not_finite[problem_.mask_at(row.row, each.key)] != 0);
  });
}

bool Spoilage::column(std::size_t row, std::size_t column) const {
  return column_spoils_[problem_.head_of(row) * problem_.value_width + column] != 0;
}

bool Spoilage::column_is_nan(const RowLogits& row, std::size_t column) const {
  const std::size_t head = problem_.head_of(row.row);
  if (column_not_finite_[head * problem_.value_width + column] == 0) return false;
  return std::ranges::any_of(row.logits, [&](const Logit& each) {
    return problem_.value.not_finite[(head * problem_.keys + each.key) * problem_.value_width + column] != 0;
  });
}

bool Spoilage::gradients(std::size_t head, const std::vector<RowLogits>& rows) const {
  if (head_spoils_[head] != 0) return true;
  for (std::size_t c = 0; c < problem_.value_width; ++c) {
    if (column_spoils_[head * problem_.value_width + c] != 0) return true;
  }
  return std::ranges::any_of(rows, [&](const RowLogits& each) {
    if (row(each.row)) return true;
    if (any_of_row(each.row, problem_.value_width, [&](std::size_t e) { return problem_.grad->spoils(e); }))
      return true;
    if (!problem_.out || each.empty()) return false;
    return problem_.logsumexp->spoils(each.row) ||
           any_of_row(each.row, problem_.value_width, [&](std::size_t e) { return problem_.out->spoils(e); });
  });
}

bool Spoilage::gradients_are_nan(std::size_t head, const std::vector<RowLogits>& rows) const {
  if (head_not_finite_[head] != 0) return true;
  for (std::size_t c = 0; c < problem_.value_width; ++c) {
    if (column_not_finite_[head * problem_.value_width + c] != 0) return true;
  }
  return std::ranges::any_of(rows, [&](const RowLogits& each) {
    if (any_of_row(each.row, problem_.width, [&](std::size_t e) { return problem_.query.not_finite[e] != 0; }))
      return true;
    if (any_of_row(each.row, problem_.value_width, [&](std::size_t e) { return problem_.grad->not_finite[e] != 0; })) {
      return true;
    }
    if (!problem_.has_float_mask()) return false;
    for (std::size_t j = 0; j < problem_.keys; ++j) {
      if (problem_.mask().not_finite[problem_.mask_at(each.row, j)] != 0) return true;
    }
    return false;
  });
}

// ------------------------------------------------------------------------------------------------------------- forward

namespace {

/// A breakpoint that the most precision leaves inside is the value itself; with several inside, the middle is as good.
Value taken_at_breakpoint(const Interval& number, Format format, Rounding rounding) {
  auto breakpoint = single_breakpoint(number, format, rounding);
  if (!breakpoint) breakpoint = (value_of(number.lo()) + value_of(number.hi())).scaled(-1);
  return round(*breakpoint, format, rounding, Overflow::Default, false);
}

/// Rounds a number that refines with precision. `against` tells its side of a breakpoint exactly, or nothing.
template <class Against>
std::optional<Value> settled(const Interval& number, Format format, Rounding rounding, mpfr_prec_t precision,
                             const Against& against) {
  if (auto value = rounded_if_certain(number, format, rounding)) return value;
  if (precision < kExactFrom) return std::nullopt;
  if (const auto breakpoint = single_breakpoint(number, format, rounding)) {
    if (const std::optional<int> side = against(*breakpoint)) {
      if (*side == 0) return round(*breakpoint, format, rounding, Overflow::Default, false);
      // Anything between the breakpoint and the end on that side rounds as the end does.
      return round(value_of(*side > 0 ? number.hi() : number.lo()), format, rounding, Overflow::Default, false);
    }
  }
  if (precision < kMostPrecision) return std::nullopt;
  return taken_at_breakpoint(number, format, rounding);
}

std::vector<double> column_of(const AttentionProblem& problem, const RowLogits& row, std::size_t column) {
  std::vector<double> made;
  made.reserve(row.size());
  const std::size_t first = problem.head_of(row.row) * problem.keys;
  for (const Logit& each : row.logits) {
    made.push_back(problem.value.value[(first + each.key) * problem.value_width + column]);
  }
  return made;
}

}  // namespace

RowReference row_reference(const AttentionProblem& problem, const Spoilage& spoilage, const RowLogits& row) {
  RowReference made;
  made.output.resize(problem.value_width);
  if (row.empty()) {
    made.logsumexp = Value::infinity(true);
    return made;
  }
  const bool all_nan = spoilage.row_is_nan(row);
  std::vector<std::size_t> pending;
  for (std::size_t c = 0; c < problem.value_width; ++c) {
    if (all_nan || spoilage.column_is_nan(row, c)) {
      made.output[c] = Value::nan();
    } else {
      pending.push_back(c);
    }
  }
  bool sum_pending = !all_nan;
  if (all_nan) made.logsumexp = Value::nan();
  const Format wider = info(problem.dtype).p > info(problem.sum_format).p ? problem.dtype : problem.sum_format;
  for (mpfr_prec_t precision = first_precision(wider); sum_pending || !pending.empty();
       precision = next_precision(precision)) {
    const RowWeights weights = row_weights(problem, row, precision);
    if (sum_pending) {
      const auto against = [&](const Value& breakpoint) {
        return logsumexp_against(problem, row, breakpoint, precision);
      };
      if (auto value = settled(logsumexp(weights), problem.sum_format, Rounding::NearestEven, precision, against)) {
        made.logsumexp = std::move(*value);
        sum_pending = false;
      }
    }
    std::erase_if(pending, [&](std::size_t c) {
      const std::vector<double> numbers = column_of(problem, row, c);
      const auto against = [&](const Value& breakpoint) {
        return average_against(problem, row, numbers, breakpoint, precision);
      };
      auto value = settled(average(weights, numbers), problem.dtype, problem.rounding, precision, against);
      if (value) made.output[c] = std::move(*value);
      return value.has_value();
    });
  }
  return made;
}

// ------------------------------------------------------------------------------------------------------------ backward

HeadGradients head_gradients(const AttentionProblem& problem, std::size_t head, const std::vector<RowLogits>& rows,
                             mpfr_prec_t precision) {
  HeadGradients made{enclosed(problem.scale, precision), {}, {}, {}, {}};
  FixedPoint sum;
  const double* values = problem.value.value.data() + head * problem.keys * problem.value_width;
  for (const RowLogits& row : rows) {
    std::vector<Interval>& weights = made.weights.emplace_back();
    std::vector<Interval>& products = made.value_products.emplace_back();
    std::vector<Interval>& gradients = made.logit_gradients.emplace_back();
    Interval& total = made.row_sums.emplace_back(precision);
    if (row.empty()) continue;
    const RowWeights unnormalized = row_weights(problem, row, precision);
    const double* cotangent = problem.grad->value.data() + row.row * problem.value_width;
    for (std::size_t j = 0; j < row.size(); ++j) {
      weights.push_back(unnormalized.weight[j] / unnormalized.total);
      for (std::size_t c = 0; c < problem.value_width; ++c) {
        add_product(sum, cotangent[c], values[row.logits[j].key * problem.value_width + c]);
      }
      products.emplace_back(sum.value(), precision);
      sum.clear();
      total.add_product(weights.back(), products.back());
    }
    for (std::size_t j = 0; j < row.size(); ++j) gradients.push_back(weights[j] * (products[j] - total));
  }
  return made;
}

std::vector<std::vector<Pair>> pairs_by_key(const AttentionProblem& problem, const std::vector<RowLogits>& rows) {
  std::vector<std::vector<Pair>> made(problem.keys);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t j = 0; j < rows[r].size(); ++j) {
      made[rows[r].logits[j].key].push_back({r, j, rows[r].logits[j].key});
    }
  }
  return made;
}

namespace {

struct Pending {
  Part part;
  std::size_t at;  // row or key, times the width, plus the column
};

/// One gradient element at the precision of `head`.
Interval gradient(const AttentionProblem& problem, std::size_t head_index, const std::vector<RowLogits>& rows,
                  const std::vector<std::vector<Pair>>& by_key, const HeadGradients& head, const Pending& element) {
  Interval sum(head.scale.precision());
  Real scratch(head.scale.precision());
  const std::size_t width = element.part == Part::GradValue ? problem.value_width : problem.width;
  const std::size_t line = element.at / width;
  const std::size_t column = element.at % width;
  switch (element.part) {
    case Part::GradQuery: {
      const double* keys = problem.key.value.data() + head_index * problem.keys * width;
      for (std::size_t j = 0; j < rows[line].size(); ++j) {
        add_scaled(sum, head.logit_gradients[line][j], keys[rows[line].logits[j].key * width + column], scratch);
      }
      return head.scale * sum;
    }
    case Part::GradKey:
      for (const Pair& pair : by_key[line]) {
        add_scaled(sum, head.logit_gradients[pair.row][pair.place],
                   problem.query.value[rows[pair.row].row * width + column], scratch);
      }
      return head.scale * sum;
    default:
      for (const Pair& pair : by_key[line]) {
        add_scaled(sum, head.weights[pair.row][pair.place], problem.grad->value[rows[pair.row].row * width + column],
                   scratch);
      }
      return sum;
  }
}

}  // namespace

HeadReference head_reference(const AttentionProblem& problem, const Spoilage& spoilage, std::size_t head,
                             const std::vector<RowLogits>& rows) {
  HeadReference made;
  const Value start = spoilage.gradients_are_nan(head, rows) ? Value::nan() : Value();
  made.query.assign(rows.size() * problem.width, start);
  made.key.assign(problem.keys * problem.width, start);
  made.value.assign(problem.keys * problem.value_width, start);
  if (start.is_nan()) return made;
  const auto by_key = pairs_by_key(problem, rows);
  std::vector<Pending> pending;
  const auto place = [&](const Pending& element) -> Value& {
    return (element.part == Part::GradQuery ? made.query
            : element.part == Part::GradKey ? made.key
                                            : made.value)[element.at];
  };
  for (const auto& [part, values] :
       {std::pair{Part::GradQuery, &made.query}, {Part::GradKey, &made.key}, {Part::GradValue, &made.value}}) {
    for (std::size_t at = 0; at < values->size(); ++at) pending.push_back({part, at});
  }
  for (mpfr_prec_t precision = first_precision(problem.dtype); !pending.empty();
       precision = next_precision(precision)) {
    const HeadGradients gradients = head_gradients(problem, head, rows, precision);
    std::erase_if(pending, [&](const Pending& element) {
      const auto undecided = [](const Value&) { return std::optional<int>(); };
      auto value = settled(gradient(problem, head, rows, by_key, gradients, element), problem.dtype, problem.rounding,
                           precision, undecided);
      if (value) place(element) = std::move(*value);
      return value.has_value();
    });
  }
  return made;
}

}  // namespace cairn::reference
