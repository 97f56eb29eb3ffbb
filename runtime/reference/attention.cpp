#include "runtime/reference/attention.hpp"

#include <algorithm>

#include "runtime/reference/attention_backward_bounds.hpp"
#include "runtime/reference/attention_forward_bounds.hpp"

namespace cairn::reference {

namespace {

std::string format_option(const char* key, const std::optional<Format>& format) {
  return format ? std::string(key) + "=" + std::string(info(*format).name) : std::string();
}

template <class T>
void write_elements(const std::vector<T>& from, std::vector<T>& to, std::size_t first) {
  std::ranges::copy(from, to.begin() + static_cast<std::ptrdiff_t>(first));
}

void write_values(const std::vector<Value>& from, Array& to, std::size_t first) {
  for (std::size_t i = 0; i < from.size(); ++i) to.set(first + i, from[i]);
}

}  // namespace

std::string AttentionAlgorithm::spelling() const {
  const std::string parts[] = {
      options_.online_softmax ? "online_softmax" : "",
      options_.block_size ? "block_size=" + std::to_string(*options_.block_size) : "",
      options_.exp2 ? "exp2" : "",
      format_option("weights", options_.weights),
      format_option("accumulate", options_.accumulate),
      format_option("bias", options_.bias),
      options_.reciprocal ? "reciprocal" : "",
      options_.mma ? "mma" : "",
  };
  std::string made;
  for (const std::string& part : parts) {
    if (!part.empty()) made += (made.empty() ? "" : ", ") + part;
  }
  return "attention(" + made + ")";
}

std::string AttentionAlgorithm::description() const {
  const auto named = [](const std::optional<Format>& format) { return std::string(info(*format).name); };
  std::string made =
      options_.online_softmax ? "attention in one pass over the keys" : "attention with its whole softmax";
  if (options_.block_size) made += ", in blocks of " + std::to_string(*options_.block_size);
  if (options_.exp2) made += ", exponentials to base 2";
  if (options_.weights) made += ", weights rounded to " + named(options_.weights);
  if (options_.accumulate) made += ", sums in " + named(options_.accumulate);
  if (options_.bias) made += ", the mask rounded to " + named(options_.bias);
  if (options_.reciprocal) made += ", multiplied by the reciprocal of the row sum";
  if (options_.mma) made += ", matrix sums by tensor cores";
  return made;
}

std::expected<AttentionParts, Refusal> AttentionAlgorithm::forward(const AttentionInput& input,
                                                                   const AttentionOptions& options) const {
  const auto problem = AttentionProblem::of(input, options);
  if (!problem) return std::unexpected(problem.error());
  if (auto fault = problem->misfit(options_)) return std::unexpected(std::move(*fault));
  const Spoilage spoilage(*problem);
  AttentionPart output{Array(problem->dtype, problem->output_shape), {}};
  AttentionPart sum{Array(problem->sum_format, problem->logsumexp_shape), {}};
  if (options.with_outcomes) {
    output.outcomes.resize(output.reference.size());
    sum.outcomes.resize(sum.reference.size());
  }
  const auto piece = [&](std::size_t begin, std::size_t end) {
    const ExponentRange wide;
    const AttentionConstants constants(*problem, options_);
    for (std::size_t r = begin; r < end; ++r) {
      const RowLogits row = row_logits(*problem, r);
      if (options.with_references) {
        const RowReference reference = row_reference(*problem, spoilage, row);
        write_values(reference.output, output.reference, r * problem->value_width);
        sum.reference.set(r, reference.logsumexp);
      }
      if (!options.with_outcomes) continue;
      RowOutcomes outcomes;
      if (spoilage.row(r)) {
        outcomes.output.assign(problem->value_width, Outcome::anything(problem->dtype));
        outcomes.logsumexp = Outcome::anything(problem->compute);
      } else {
        outcomes = row_outcomes(*problem, constants, row);
        for (std::size_t c = 0; c < problem->value_width; ++c) {
          if (spoilage.column(r, c)) outcomes.output[c] = Outcome::anything(problem->dtype);
        }
      }
      write_elements(outcomes.output, output.outcomes, r * problem->value_width);
      sum.outcomes[r] = std::move(outcomes.logsumexp);
    }
  };
  if (!for_each_piece(options.work, problem->rows(), 1, piece)) return std::unexpected(Refusal{Work::kStopped});
  AttentionParts made;
  made.emplace(Part::Output, std::move(output));
  made.emplace(Part::Logsumexp, std::move(sum));
  return made;
}

std::expected<AttentionParts, Refusal> AttentionAlgorithm::backward(const BackwardInput& input,
                                                                    const AttentionOptions& options) const {
  auto problem = AttentionProblem::of(input.forward, options);
  if (!problem) return std::unexpected(problem.error());
  if (auto fault = problem->take(input, options)) return std::unexpected(std::move(*fault));
  if (auto fault = problem->misfit(options_)) return std::unexpected(std::move(*fault));
  const Spoilage spoilage(*problem);
  AttentionParts made;
  const auto part = [&](Part name, const Shape& shape) -> AttentionPart& {
    AttentionPart& added = made.emplace(name, AttentionPart{Array(problem->dtype, shape), {}}).first->second;
    if (options.with_outcomes) added.outcomes.resize(added.reference.size());
    return added;
  };
  AttentionPart& query = part(Part::GradQuery, problem->query_shape);
  AttentionPart& key = part(Part::GradKey, problem->key_shape);
  AttentionPart& value = part(Part::GradValue, problem->value_shape);
  const auto piece = [&](std::size_t begin, std::size_t end) {
    const ExponentRange wide;
    const AttentionConstants constants(*problem, options_);
    for (std::size_t head = begin; head < end; ++head) {
      std::vector<RowLogits> rows;
      for (const std::size_t row : problem->rows_of(head)) rows.push_back(row_logits(*problem, row));
      const std::size_t first = head * problem->keys;
      if (options.with_references) {
        const HeadReference reference = head_reference(*problem, spoilage, head, rows);
        for (std::size_t r = 0; r < rows.size(); ++r) {
          for (std::size_t e = 0; e < problem->width; ++e) {
            query.reference.set(rows[r].row * problem->width + e, reference.query[r * problem->width + e]);
          }
        }
        write_values(reference.key, key.reference, first * problem->width);
        write_values(reference.value, value.reference, first * problem->value_width);
      }
      if (!options.with_outcomes) continue;
      const HeadOutcomes outcomes = spoilage.gradients(head, rows) ? any_head_outcomes(*problem, rows.size())
                                                                   : head_outcomes(*problem, constants, head, rows);
      for (std::size_t r = 0; r < rows.size(); ++r) {
        for (std::size_t e = 0; e < problem->width; ++e) {
          query.outcomes[rows[r].row * problem->width + e] = outcomes.query[r * problem->width + e];
        }
      }
      write_elements(outcomes.key, key.outcomes, first * problem->width);
      write_elements(outcomes.value, value.outcomes, first * problem->value_width);
    }
  };
  if (!for_each_piece(options.work, problem->heads(), 1, piece)) return std::unexpected(Refusal{Work::kStopped});
  return made;
}

// ------------------------------------------------------------------------------------------------- parts of an answer

namespace {

template <class T, class Take>
std::expected<Outputs<T>, Refusal> each_part(const std::expected<AttentionParts, Refusal>& parts, const Take& take) {
  if (!parts) return std::unexpected(parts.error());
  Outputs<T> made;
  for (const auto& [name, part] : *parts) {
    PerElement<T>& into = made[name];
    into.shape = part.reference.shape();
    into.values.reserve(part.outcomes.size());
    for (std::size_t i = 0; i < part.outcomes.size(); ++i) into.values.push_back(take(name, part, i));
  }
  return made;
}

std::expected<Outputs<Rational>, Refusal> tolerances(const std::expected<AttentionParts, Refusal>& parts) {
  return each_part<Rational>(parts, [](Part, const AttentionPart& part, std::size_t i) {
    return part.outcomes[i].tolerance(part.reference.at(i));
  });
}

std::expected<Outputs<FiniteRange>, Refusal> ranges(const std::expected<AttentionParts, Refusal>& parts) {
  return each_part<FiniteRange>(parts,
                                [](Part, const AttentionPart& part, std::size_t i) { return part.outcomes[i].range; });
}

std::expected<Outputs<bool>, Refusal> possible(Special kind, const std::expected<AttentionParts, Refusal>& parts) {
  return each_part<bool>(parts,
                         [&](Part, const AttentionPart& part, std::size_t i) { return part.outcomes[i].may_be(kind); });
}

/// Of the parts that were given.
std::expected<Outputs<bool>, Refusal> covered(const std::map<Part, Array>& outputs,
                                              std::expected<AttentionParts, Refusal> parts) {
  if (!parts) return std::unexpected(parts.error());
  for (const auto& [name, output] : outputs) {
    const auto found = parts->find(name);
    if (found == parts->end()) return std::unexpected(Refusal{"an output is no part of this operation"});
    if (found->second.outcomes.size() != output.size()) {
      return std::unexpected(Refusal{"an output has " + std::to_string(output.size()) + " elements, and its part " +
                                     std::to_string(found->second.outcomes.size())});
    }
  }
  std::erase_if(*parts, [&](const auto& part) { return !outputs.contains(part.first); });
  return each_part<bool>(parts, [&](Part name, const AttentionPart& part, std::size_t i) {
    return part.outcomes[i].covers(outputs.at(name).at(i));
  });
}

}  // namespace

std::expected<Outputs<Rational>, Refusal> AttentionAlgorithm::tolerance(const AttentionInput& input,
                                                                        const AttentionOptions& options) const {
  return tolerances(forward(input, options));
}
std::expected<Outputs<FiniteRange>, Refusal> AttentionAlgorithm::finite_range(const AttentionInput& input,
                                                                              const AttentionOptions& options) const {
  return ranges(forward(input, options));
}
std::expected<Outputs<bool>, Refusal> AttentionAlgorithm::may_be(Special kind, const AttentionInput& input,
                                                                 const AttentionOptions& options) const {
  return possible(kind, forward(input, options));
}
std::expected<Outputs<bool>, Refusal> AttentionAlgorithm::covers(const std::map<Part, Array>& outputs,
                                                                 const AttentionInput& input,
                                                                 const AttentionOptions& options) const {
  return covered(outputs, forward(input, options));
}
std::expected<Outputs<Rational>, Refusal> AttentionAlgorithm::backward_tolerance(
    const BackwardInput& input, const AttentionOptions& options) const {
  return tolerances(backward(input, options));
}
std::expected<Outputs<FiniteRange>, Refusal> AttentionAlgorithm::backward_finite_range(
    const BackwardInput& input, const AttentionOptions& options) const {
  return ranges(backward(input, options));
}
std::expected<Outputs<bool>, Refusal> AttentionAlgorithm::backward_may_be(Special kind, const BackwardInput& input,
                                                                          const AttentionOptions& options) const {
  return possible(kind, backward(input, options));
}
std::expected<Outputs<bool>, Refusal> AttentionAlgorithm::backward_covers(const std::map<Part, Array>& gradients,
                                                                          const BackwardInput& input,
                                                                          const AttentionOptions& options) const {
  return covered(gradients, backward(input, options));
}

}  // namespace cairn::reference
