#include "vm/audit/judge.hpp"

#include <algorithm>
#include <array>

namespace cairn::audit {

namespace ref = reference;

namespace {

/// An output of attention: its part, its role, and the name it is shown by.
struct PartRow {
  ref::Part part;
  std::string_view role;
  std::string_view shown;
  Form form;
};
constexpr PartRow kParts[] = {
    {ref::Part::Output, "out", "output", Form::Attention},
    {ref::Part::Logsumexp, "logsumexp", "logsumexp", Form::Attention},
    {ref::Part::GradQuery, "grad_query", "grad_query", Form::AttentionBackward},
    {ref::Part::GradKey, "grad_key", "grad_key", Form::AttentionBackward},
    {ref::Part::GradValue, "grad_value", "grad_value", Form::AttentionBackward},
};

const ref::Array& array_of(const Case& arrays, std::string_view role) { return arrays.arrays.find(role)->second; }

std::vector<std::size_t> index_of(std::size_t element, const ref::Shape& shape) {
  std::vector<std::size_t> made(shape.size());
  for (std::size_t d = shape.size(); d-- > 0;) {
    made[d] = element % shape[d];
    element /= shape[d];
  }
  return made;
}

/// Counts one row over elements, outputs and cases.
class Tally {
 public:
  explicit Tally(const ref::Algorithm& row, bool has_run, bool may_be_void) : may_be_void_(may_be_void) {
    made_.spelling = row.spelling();
    made_.has_run = has_run;
  }

  void add(std::size_t case_index, std::string_view output, std::size_t element, const ref::Shape& shape,
           const ref::Value& got, const ref::Value& reference, const ref::Outcome& outcome,
           const std::optional<ref::Value>& wanted) {
    says_nothing_ = says_nothing_ && outcome.may_be(ref::Special::NotANumber) &&
                    outcome.may_be(ref::Special::PlusInfinity) && outcome.may_be(ref::Special::MinusInfinity) &&
                    outcome.range.ends && outcome.range.ends->second == ref::info(ref::Format::F32).largest &&
                    outcome.range.ends->first == ref::info(ref::Format::F32).largest.negated();
    if (!judgement_.add(judgement_.elements, got, reference, outcome, wanted)) return;
    made_.worst = Worst{case_index, std::string(output), index_of(element, shape),     got,
                        reference,  outcome.range,       outcome.tolerance(reference), judgement_.share};
  }

  RowVerdict finish() {
    made_.elements = judgement_.elements;
    made_.covered = judgement_.covered;
    made_.equal = judgement_.equal;
    const bool nothing = may_be_void_ && says_nothing_ && made_.elements != 0;
    made_.verdict = made_.has_run && made_.equal == made_.elements ? Verdict::Equals
                    : nothing                                      ? Verdict::Void
                    : made_.covered == made_.elements              ? Verdict::Covers
                                                                   : Verdict::Refutes;
    return std::move(made_);
  }

 private:
  bool may_be_void_;
  bool says_nothing_ = true;
  ref::Judgement judgement_;
  RowVerdict made_;
};

}  // namespace

std::string_view verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::Equals:
      return "equals";
    case Verdict::Covers:
      return "covers";
    case Verdict::Refutes:
      return "refutes";
    case Verdict::Void:
      break;
  }
  return "void";
}

std::vector<std::string> outputs_of(Form form, const Case& arrays) {
  std::vector<std::string> made;
  if (form == Form::Matmul) return {"c"};
  for (const PartRow& each : kParts) {
    if (each.form == form && arrays.arrays.contains(each.role)) made.emplace_back(each.role);
  }
  return made;
}

std::optional<std::string> misplaced(const ref::Algorithm& row, Form form) {
  const bool of_matmul = dynamic_cast<const ref::MatmulAlgorithm*>(&row) != nullptr;
  if (of_matmul == (form == Form::Matmul)) return std::nullopt;
  return row.spelling() + " is no algorithm of " + (form == Form::Matmul ? "a matmul" : "attention");
}

Rows default_rows(Form form, const Case& arrays, const JudgementOptions& options) {
  Rows rows;
  if (form == Form::Matmul) {
    const ref::Format a = array_of(arrays, "a").format();
    const ref::Format b = array_of(arrays, "b").format();
    const ref::Format c = array_of(arrays, "c").format();
    const ref::Format wide = c == ref::Format::F64 ? ref::Format::F64 : ref::Format::F32;
    const auto add = [&](const ref::MatmulAlgorithm& row) {
      rows.push_back(std::make_unique<ref::MatmulAlgorithm>(row));
    };
    add(ref::matmul_sequential(wide));
    add(ref::matmul_sequential(wide, false));
    add(ref::matmul_pairwise(wide));
    for (const bool fma : {true, false}) {
      for (const std::size_t size : {4U, 8U, 16U, 32U}) add(*ref::matmul_blocked(wide, size, fma));
    }
    add(ref::matmul_exact_accumulation(wide));
    add(ref::matmul_slots16(wide));
    if (ref::contains(wide, a) && ref::contains(wide, b)) {
      add(ref::matmul_any_order(wide, options.standard, options.flush_to_zero));
    }
    if (a == b && ref::is_storage_float(a) && c == ref::Format::F32) add(ref::mma_unordered());
    return rows;
  }
  using Options = ref::AttentionAlgorithm::Options;
  const auto add = [&](const Options& row) { rows.push_back(std::make_unique<ref::AttentionAlgorithm>(row)); };
  add({});
  add({.exp2 = true});
  add({.online_softmax = true});
  add({.online_softmax = true, .exp2 = true});
  add({.reciprocal = true});
  const ref::Format inputs = array_of(arrays, "query").format();
  const bool one_format = array_of(arrays, "key").format() == inputs && array_of(arrays, "value").format() == inputs;
  if (!one_format || !ref::is_storage_float(inputs)) return rows;
  add({.weights = inputs});
  add({.online_softmax = true, .weights = inputs});
  if (options.compute.value_or(ref::Format::F32) == ref::Format::F32) {
    add({.online_softmax = true, .weights = inputs, .mma = true});
  }
  return rows;
}

namespace {

constexpr std::size_t kMostOutcomes = std::size_t{1} << 20U;

std::expected<std::vector<RowVerdict>, std::string> judge_matmul(const std::vector<Case>& cases, const Rows& rows,
                                                                 const JudgementOptions& options,
                                                                 const ref::Work& work) {
  std::vector<ref::MatmulAlgorithm> algorithms;
  std::vector<Tally> tallies;
  for (const auto& row : rows) {
    const auto& algorithm = dynamic_cast<const ref::MatmulAlgorithm&>(*row);
    ref::MatmulAlgorithm::Parts parts = algorithm.parts();
    if (parts.sum == ref::MatmulAlgorithm::Sum::AnyOrder) {  // the options of the judgement are options of this row
      if (options.standard == ref::Standard::Strict) parts.standard = options.standard;
      parts.flush_to_zero = parts.flush_to_zero || options.flush_to_zero;
    }
    algorithms.emplace_back(parts);
    tallies.emplace_back(algorithms.back(), algorithm.has_run(), parts.sum == ref::MatmulAlgorithm::Sum::TensorCores);
  }
  for (std::size_t index = 0; index < cases.size(); ++index) {
    const Case& arrays = cases[index];
    const ref::Array& output = array_of(arrays, "c");
    ref::MatmulInput input{&array_of(arrays, "a"), &array_of(arrays, "b")};
    if (arrays.arrays.contains("old")) input.onto = ref::Operand(&array_of(arrays, "old"));
    ref::MatmulOptions taken{output.format(),  options.rounding,      options.overflow,
                             options.standard, options.flush_to_zero, &work};
    // Rows share the sums they are made of, as many at a time as memory is kept for.
    const std::size_t together = std::max<std::size_t>(1, kMostOutcomes / std::max<std::size_t>(1, output.size()));
    for (std::size_t first = 0; first < rows.size(); first += together) {
      const auto some = std::span(algorithms).subspan(first, std::min(together, rows.size() - first));
      const auto judged = ref::matmul_rows(input, taken, some, true);
      if (!judged) return std::unexpected(judged.error().message);
      for (std::size_t r = 0; r < some.size(); ++r) {
        const ref::MatmulRow& row = judged->rows[r];
        for (std::size_t e = 0; e < output.size(); ++e) {
          tallies[first + r].add(index, "c", e, output.shape(), output.at(e), judged->reference.at(e), row.outcomes[e],
                                 row.run ? std::optional(row.run->at(e)) : std::nullopt);
        }
      }
    }
  }
  std::vector<RowVerdict> made;
  for (Tally& tally : tallies) made.push_back(tally.finish());
  return made;
}

/// An attention problem of a case; the case outlives it.
class AttentionCase {
 public:
  AttentionCase(const Problem& problem, const Case& arrays, const JudgementOptions& options, const ref::Work* work)
      : input_{&array_of(arrays, "query"), &array_of(arrays, "key"), &array_of(arrays, "value")} {
    input_.is_causal = problem.causal;
    input_.scale = problem.scale;
    input_.enable_gqa = problem.size("query_heads") != problem.size("key_heads");
    if (const auto mask = arrays.arrays.find("mask"); mask != arrays.arrays.end()) {
      if (arrays.boolean_mask) {
        admitted_.shape = mask->second.shape();
        for (std::size_t i = 0; i < mask->second.size(); ++i)
          admitted_.values.push_back(mask->second.at(i).is_zero() ? 0 : 1);
        input_.attn_mask = &admitted_;
      } else {
        input_.attn_mask = &mask->second;
      }
    }
    if (problem.form == Form::AttentionBackward) {
      backward_.emplace(input_, ref::Operand(&array_of(arrays, "grad")));
      if (arrays.arrays.contains("out")) {
        backward_->out = ref::Operand(&array_of(arrays, "out"));
        backward_->logsumexp = ref::Operand(&array_of(arrays, "logsumexp"));
      }
    }
    options_.rounding = options.rounding;
    options_.compute = options.compute;
    options_.ulps = options.ulps;
    options_.flush_to_zero = options.flush_to_zero;
    options_.standard = options.standard;
    options_.work = work;
  }
  AttentionCase(const AttentionCase&) = delete;
  AttentionCase& operator=(const AttentionCase&) = delete;

  [[nodiscard]] std::expected<ref::AttentionParts, ref::Refusal> parts(const ref::AttentionAlgorithm& algorithm,
                                                                       ref::Format dtype, bool exact) const {
    ref::AttentionOptions taken = options_;
    taken.dtype = dtype;
    taken.with_outcomes = !exact;
    taken.with_references = exact;
    return backward_ ? algorithm.backward(*backward_, taken) : algorithm.forward(input_, taken);
  }

 private:
  ref::BooleanArray admitted_;
  ref::AttentionInput input_;
  std::optional<ref::BackwardInput> backward_;
  ref::AttentionOptions options_;
};

struct JudgedOutput {
  const PartRow* part;
  const ref::Array* array;
};

/// The formats of the outputs, each once; a logsumexp goes along with the first.
std::vector<ref::Format> formats_of(Form form, const Case& arrays) {
  std::vector<ref::Format> made;
  for (const PartRow& each : kParts) {
    const auto found = arrays.arrays.find(each.role);
    if (each.form != form || found == arrays.arrays.end()) continue;
    if (each.part == ref::Part::Logsumexp && !made.empty()) continue;
    if (std::ranges::find(made, found->second.format()) == made.end()) made.push_back(found->second.format());
  }
  return made;
}

std::vector<JudgedOutput> outputs_in(Form form, const Case& arrays, ref::Format dtype) {
  const std::vector<ref::Format> formats = formats_of(form, arrays);
  std::vector<JudgedOutput> made;
  for (const PartRow& each : kParts) {
    const auto found = arrays.arrays.find(each.role);
    if (each.form != form || found == arrays.arrays.end()) continue;
    const bool goes_along =
        each.part == ref::Part::Logsumexp ? dtype == formats.front() : found->second.format() == dtype;
    if (goes_along) made.push_back({&each, &found->second});
  }
  return made;
}

std::expected<std::vector<RowVerdict>, std::string> judge_attention(const Problem& problem,
                                                                    const std::vector<Case>& cases, const Rows& rows,
                                                                    const JudgementOptions& options,
                                                                    const ref::Work& work) {
  std::vector<Tally> tallies;
  for (const auto& row : rows) tallies.emplace_back(*row, false, false);
  const ref::AttentionAlgorithm itself{ref::AttentionAlgorithm::Options{}};
  for (std::size_t index = 0; index < cases.size(); ++index) {
    const AttentionCase attention(problem, cases[index], options, &work);
    for (const ref::Format dtype : formats_of(problem.form, cases[index])) {
      const auto exact = attention.parts(itself, dtype, true);
      if (!exact) return std::unexpected(exact.error().message);
      const std::vector<JudgedOutput> outputs = outputs_in(problem.form, cases[index], dtype);
      for (const JudgedOutput& each : outputs) {
        const ref::Format format = exact->at(each.part->part).reference.format();
        if (format == each.array->format()) continue;
        return std::unexpected("the logsumexp has the compute format, which is " + std::string(ref::info(format).name) +
                               "; --compute sets it");
      }
      for (std::size_t r = 0; r < rows.size(); ++r) {
        const auto& algorithm = dynamic_cast<const ref::AttentionAlgorithm&>(*rows[r]);
        const auto judged = attention.parts(algorithm, dtype, false);
        if (!judged) return std::unexpected(algorithm.spelling() + ": " + judged.error().message);
        for (const JudgedOutput& each : outputs) {
          const ref::Array& reference = exact->at(each.part->part).reference;
          const std::vector<ref::Outcome>& outcomes = judged->at(each.part->part).outcomes;
          for (std::size_t e = 0; e < outcomes.size(); ++e) {
            tallies[r].add(index, each.part->shown, e, reference.shape(), each.array->at(e), reference.at(e),
                           outcomes[e], std::nullopt);
          }
        }
      }
    }
  }
  std::vector<RowVerdict> made;
  for (Tally& tally : tallies) made.push_back(tally.finish());
  return made;
}

}  // namespace

std::expected<std::vector<RowVerdict>, std::string> judge(const Problem& problem, const std::vector<Case>& cases,
                                                          const Rows& rows, const JudgementOptions& options,
                                                          const ref::Work& work) {
  return problem.form == Form::Matmul ? judge_matmul(cases, rows, options, work)
                                      : judge_attention(problem, cases, rows, options, work);
}

std::optional<std::string> add_forward_results(const Problem& problem, ref::Format out, const JudgementOptions& options,
                                               Case& arrays) {
  Problem forward = problem;
  forward.form = Form::Attention;
  const AttentionCase attention(forward, arrays, options, nullptr);
  auto exact = attention.parts(ref::AttentionAlgorithm{ref::AttentionAlgorithm::Options{}}, out, true);
  if (!exact) return exact.error().message;
  arrays.arrays.insert_or_assign("out", std::move(exact->at(ref::Part::Output).reference));
  arrays.arrays.insert_or_assign("logsumexp", std::move(exact->at(ref::Part::Logsumexp).reference));
  return std::nullopt;
}

}  // namespace cairn::audit
