#include "runtime/reference/matmul.hpp"

#include <algorithm>
#include <string>

#include "runtime/reference/accumulation.hpp"
#include "runtime/reference/matmul_problem.hpp"

namespace cairn::reference {

namespace {

using Sum = MatmulAlgorithm::Sum;
using Parts = MatmulAlgorithm::Parts;

MatmulAlgorithm made(Sum sum, Format format, std::size_t block_size, bool fma, Rounding rounding) {
  Parts parts;
  parts.sum = sum;
  parts.format = format;
  parts.block_size = block_size;
  parts.fma = fma;
  parts.rounding = rounding;
  return MatmulAlgorithm(parts);
}

std::optional<Summation> summation_of(Sum sum) {
  switch (sum) {
    case Sum::Sequential:
      return Summation::Sequential;
    case Sum::Pairwise:
      return Summation::Pairwise;
    case Sum::Blocked:
      return Summation::Blocked;
    default:
      return std::nullopt;
  }
}

std::string shown(Format format) { return std::string(info(format).name); }

constexpr std::size_t kPiece = 16;  // elements a thread takes at a time

}  // namespace

MatmulAlgorithm matmul_sequential(Format format, bool fma, Rounding rounding) {
  return made(Sum::Sequential, format, 1, fma, rounding);
}
MatmulAlgorithm matmul_pairwise(Format format, bool fma, Rounding rounding) {
  return made(Sum::Pairwise, format, 1, fma, rounding);
}
std::expected<MatmulAlgorithm, Refusal> matmul_blocked(Format format, std::size_t block_size, bool fma,
                                                       Rounding rounding) {
  if (block_size == 0) return std::unexpected(Refusal{"block_size is 0: a block has at least 1 term"});
  return made(Sum::Blocked, format, block_size, fma, rounding);
}
MatmulAlgorithm matmul_exact_accumulation(Format format, Rounding rounding) {
  return made(Sum::Exact, format, 1, true, rounding);
}
MatmulSlots16 matmul_slots16(Format format, Rounding rounding) {
  return made(Sum::Slots16, format, 1, false, rounding);
}
MatmulAlgorithm matmul_any_order(Format format, Standard standard, bool flush_to_zero) {
  Parts parts;
  parts.sum = Sum::AnyOrder;
  parts.format = format;
  parts.standard = standard;
  parts.flush_to_zero = flush_to_zero;
  return MatmulAlgorithm(parts);
}
MatmulAlgorithm mma_unordered() { return made(Sum::TensorCores, Format::F32, 1, true, Rounding::NearestEven); }

// -------------------------------------------------------------------------------------------------- names and models

std::string MatmulAlgorithm::name() const {
  switch (parts_.sum) {
    case Sum::Sequential:
      return "matmul_sequential";
    case Sum::Pairwise:
      return "matmul_pairwise";
    case Sum::Blocked:
      return "matmul_blocked";
    case Sum::Exact:
      return "matmul_exact_accumulation";
    case Sum::Slots16:
      return "matmul_slots16";
    case Sum::AnyOrder:
      return "matmul";
    case Sum::TensorCores:
      break;
  }
  return "mma_unordered";
}

std::string MatmulAlgorithm::spelling() const {
  if (parts_.sum == Sum::TensorCores) return name();
  std::string made = name() + "(" + shown(parts_.format);
  if (parts_.sum == Sum::Blocked) made += ", " + std::to_string(parts_.block_size);
  if (!parts_.fma && summation_of(parts_.sum)) made += ", fma=false";
  if (parts_.rounding == Rounding::NearestAway) made += ", rounding=away";
  if (parts_.standard == Standard::Strict) made += ", standard=strict";
  if (parts_.flush_to_zero) made += ", flush_to_zero";
  return made + ")";
}

std::string MatmulAlgorithm::description() const {
  const std::string format = shown(parts_.format);
  const std::string ties = parts_.rounding == Rounding::NearestEven ? "; ties to even" : "; ties away from zero";
  const std::string products = parts_.fma ? "exact products" : "products rounded to " + format;
  switch (parts_.sum) {
    case Sum::Sequential:
      return products + ", added in " + format + " one by one" + ties;
    case Sum::Pairwise:
      return products + ", added in " + format + " as a tree of halves, the shorter half first" + ties;
    case Sum::Blocked:
      return products + ", added in " + format + " in blocks of " + std::to_string(parts_.block_size) +
             ", then the block sums one by one" + ties;
    case Sum::Exact:
      return "exact products, added exactly and rounded once to " + format + ties;
    case Sum::Slots16:
      return "products rounded to " + format + ", sorted into 16 slots of magnitude, added in " + format +
             " within each slot by ascending magnitude with alternating signs, then the slots, smallest first" + ties;
    case Sum::AnyOrder:
      return (parts_.standard == Standard::Strict
                  ? "exact products, added exactly and rounded once to " + format
                  : "products exact or rounded to " + format + ", added in " + format + " in any order") +
             (parts_.flush_to_zero ? "; subnormal numbers may be flushed to zero" : "");
    case Sum::TensorCores:
      break;
  }
  return "storage-float products, added in f32 in any order, each element within (k+1) * 2^-22 of the sum of "
         "magnitudes";
}

ErrorModel MatmulAlgorithm::error_model(std::size_t k, bool onto) const {
  const std::size_t n = k + (onto ? 1 : 0);
  const std::string products = std::string(onto ? "|C[i,j]| + " : "") + "sum over k of |A[i,k] * B[k,j]|";
  const std::string total = std::string("|") + (onto ? "C[i,j] + " : "") + "sum over k of A[i,k] * B[k,j]|";
  const std::size_t any = std::min<std::size_t>(n, 1);
  constexpr std::size_t kCountable = std::size_t{1} << 60U;  // below, no count of roundings overflows
  if (k > kCountable) return {Rational::infinite(), Rational::infinite(), products};
  switch (parts_.sum) {
    case Sum::Exact:
      return ErrorModel::of(parts_.format, any, any, total);
    case Sum::Slots16:
      return ErrorModel::of(parts_.format, n == 0 ? 0 : n + 2, 2 * n + std::min<std::size_t>(16, n), products);
    case Sum::AnyOrder:
      if (parts_.standard == Standard::Strict) return ErrorModel::of(parts_.format, any, any, total);
      return ErrorModel::of(parts_.format, n, k + n, products);
    case Sum::TensorCores: {
      const Value relative = Value(mpz_class(k) + 1, -22);
      return {Rational(relative), Rational(), "|C[i,j]| + sum over k of |A[i,k] * B[k,j]|"};
    }
    default:
      break;
  }
  const AccumulationMethod& method = method_of(*summation_of(parts_.sum));
  const Parameters parameters{parts_.block_size};
  const std::size_t products_rounded = parts_.fma ? 0 : k;
  return ErrorModel::of(parts_.format, method.depth(n, parameters) + (products_rounded != 0 ? 1 : 0),
                        method.roundings(n, parameters) + products_rounded, products);
}

// ---------------------------------------------------------------------------------------------------------- judgement

std::optional<Refusal> misfit(const MatmulAlgorithm& algorithm, const MatmulProblem& problem) {
  const Parts& parts = algorithm.parts();
  if (parts.sum == Sum::AnyOrder) {
    for (const Format format : {problem.a.format, problem.b.format}) {
      if (contains(parts.format, format)) continue;
      return Refusal{shown(parts.format) + " does not hold every value of an operand, which is " + shown(format)};
    }
  }
  if (parts.sum == Sum::TensorCores) {
    if (problem.a.format != problem.b.format || !is_storage_float(problem.a.format)) {
      return Refusal{"mma_unordered takes two operands of one storage float, not " + shown(problem.a.format) + " and " +
                     shown(problem.b.format)};
    }
    if (problem.dtype != Format::F32) return Refusal{"mma_unordered gives f32, not " + shown(problem.dtype)};
  }
  return std::nullopt;
}

std::expected<MatmulRows, Refusal> matmul_rows(const MatmulInput& input, const MatmulOptions& options,
                                               std::span<const MatmulAlgorithm> algorithms, bool with_runs) {
  const auto problem = MatmulProblem::of(input, options);
  if (!problem) return std::unexpected(problem.error());
  MatmulRows rows;
  rows.reference = Array(problem->dtype, {problem->m, problem->n});
  std::vector<MatmulBounds> bounds;
  std::vector<std::optional<MatmulRun>> runs;
  MatmulProblem::Wanted wanted;
  for (const MatmulAlgorithm& algorithm : algorithms) {
    if (auto refusal = misfit(algorithm, *problem)) return std::unexpected(std::move(*refusal));
    bounds.emplace_back(algorithm, *problem, options);
    const MatmulProblem::Wanted each = bounds.back().wanted();
    wanted.f32_products = wanted.f32_products || each.f32_products;
    MatmulRow& row = rows.rows.emplace_back();
    row.outcomes.resize(problem->elements());
    runs.emplace_back();
    if (!with_runs || !algorithm.has_run()) continue;
    runs.back().emplace(algorithm, *problem);
    row.run = Array(problem->dtype, {problem->m, problem->n});
  }
  const auto piece = [&](std::size_t begin, std::size_t end) {
    MatmulProblem::Scratch scratch;
    for (std::size_t e = begin; e < end; ++e) {
      const ElementSums sums = problem->sums(e, wanted, scratch);
      rows.reference.set(e, round(sums.exact, problem->dtype, options.rounding, options.overflow, false));
      for (std::size_t r = 0; r < bounds.size(); ++r) {
        const auto& flush_below = bounds[r].wanted().flush_below;
        rows.rows[r].outcomes[e] =
            bounds[r].outcome(flush_below ? problem->sums(e, {flush_below, wanted.f32_products}, scratch) : sums);
        if (!runs[r]) continue;
        const Value accumulated = Value::of(runs[r]->accumulated(e, scratch));
        rows.rows[r].run->set(e, round(accumulated, problem->dtype, options.rounding, options.overflow, false));
      }
    }
  };
  if (!for_each_piece(options.work, problem->elements(), kPiece, piece)) {
    return std::unexpected(Refusal{Work::kStopped});
  }
  return rows;
}

std::expected<Array, Refusal> MatmulAlgorithm::run(const MatmulInput& input, const MatmulOptions& options) const {
  if (!has_run()) return std::unexpected(Refusal{name() + " has no run: it is no order of additions"});
  const auto problem = MatmulProblem::of(input, options);
  if (!problem) return std::unexpected(problem.error());
  Array output(problem->dtype, {problem->m, problem->n});
  const MatmulRun emulation(*this, *problem);
  const auto piece = [&](std::size_t begin, std::size_t end) {
    MatmulProblem::Scratch scratch;
    for (std::size_t e = begin; e < end; ++e) {
      const Value accumulated = Value::of(emulation.accumulated(e, scratch));
      output.set(e, round(accumulated, problem->dtype, options.rounding, options.overflow, false));
    }
  };
  if (!for_each_piece(options.work, problem->elements(), kPiece, piece)) {
    return std::unexpected(Refusal{Work::kStopped});
  }
  return output;
}

std::expected<std::vector<Outcome>, Refusal> MatmulAlgorithm::outcomes(const MatmulInput& input,
                                                                       const MatmulOptions& options) const {
  auto rows = matmul_rows(input, options, std::span(this, 1), false);
  if (!rows) return std::unexpected(rows.error());
  return std::move(rows->rows.front().outcomes);
}

namespace {

template <class T, class Take>
std::expected<PerElement<T>, Refusal> per_element(const MatmulAlgorithm& algorithm, const MatmulInput& input,
                                                  const MatmulOptions& options, const Take& take) {
  const auto rows = matmul_rows(input, options, std::span(&algorithm, 1), false);
  if (!rows) return std::unexpected(rows.error());
  PerElement<T> made{rows->reference.shape(), {}};
  const std::vector<Outcome>& outcomes = rows->rows.front().outcomes;
  made.values.reserve(outcomes.size());
  for (std::size_t e = 0; e < outcomes.size(); ++e) made.values.push_back(take(outcomes[e], rows->reference, e));
  return made;
}

}  // namespace

std::expected<PerElement<Rational>, Refusal> MatmulAlgorithm::tolerance(const MatmulInput& input,
                                                                        const MatmulOptions& options) const {
  return per_element<Rational>(
      *this, input, options,
      [](const Outcome& outcome, const Array& reference, std::size_t e) { return outcome.tolerance(reference.at(e)); });
}

std::expected<PerElement<FiniteRange>, Refusal> MatmulAlgorithm::finite_range(const MatmulInput& input,
                                                                              const MatmulOptions& options) const {
  return per_element<FiniteRange>(*this, input, options,
                                  [](const Outcome& outcome, const Array&, std::size_t) { return outcome.range; });
}

std::expected<PerElement<bool>, Refusal> MatmulAlgorithm::may_be(Special kind, const MatmulInput& input,
                                                                 const MatmulOptions& options) const {
  return per_element<bool>(*this, input, options,
                           [kind](const Outcome& outcome, const Array&, std::size_t) { return outcome.may_be(kind); });
}

std::expected<PerElement<bool>, Refusal> MatmulAlgorithm::covers(const Array& output, const MatmulInput& input,
                                                                 const MatmulOptions& options) const {
  std::size_t elements = 0;
  auto made = per_element<bool>(*this, input, options, [&](const Outcome& outcome, const Array&, std::size_t e) {
    ++elements;
    return e < output.size() && outcome.covers(output.at(e));
  });
  if (made && output.size() != elements) {
    return std::unexpected(Refusal{"the output has " + std::to_string(output.size()) + " elements, the product " +
                                   std::to_string(elements)});
  }
  return made;
}

// ------------------------------------------------------------------------------------------------------ the operation

namespace {

class ProductBounds final : public Result::Bounds {
 public:
  ProductBounds(const MatmulInput& input, const MatmulOptions& options)
      : a_(input.a), b_(input.b), options_(options), needs_f64_(wide(input.a) || wide(input.b)) {
    if (input.onto) onto_.emplace(*input.onto);
  }

  [[nodiscard]] std::expected<std::vector<Outcome>, Refusal> outcomes(const ResultOptions& options) const override {
    const Format compute = options.compute.value_or(needs_f64_ ? Format::F64 : Format::F32);
    MatmulInput input{a_.operand(), b_.operand()};
    if (onto_) input.onto = onto_->operand();
    MatmulOptions taken = options_;
    taken.standard = options.standard;
    taken.flush_to_zero = options.flush_to_zero;
    taken.work = options.work;
    return matmul_any_order(compute, options.standard, options.flush_to_zero).outcomes(input, taken);
  }

 private:
  static bool wide(const Operand& operand) { return values_of(operand).format() == Format::F64; }

  Kept a_;
  Kept b_;
  std::optional<Kept> onto_;
  MatmulOptions options_;
  bool needs_f64_;
};

}  // namespace

std::expected<Result, Refusal> matmul(const MatmulInput& input, const MatmulOptions& options) {
  auto rows = matmul_rows(input, options, {}, false);
  if (!rows) return std::unexpected(rows.error());
  return Result(std::move(rows->reference), std::make_shared<ProductBounds>(input, options));
}

}  // namespace cairn::reference
