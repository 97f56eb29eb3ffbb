#include "runtime/reference/result.hpp"

#include <cmath>
#include <string>
#include <utility>

namespace cairn::reference {

namespace {

class Between final : public Result::Bounds {
 public:
  explicit Between(std::vector<Outcome> outcomes) : outcomes_(std::move(outcomes)) {}
  [[nodiscard]] std::expected<std::vector<Outcome>, Refusal> outcomes(const ResultOptions&) const override {
    return outcomes_;
  }

 private:
  std::vector<Outcome> outcomes_;
};

template <class T, class Take>
std::expected<PerElement<T>, Refusal> per_element(const Result& result, const ResultOptions& options,
                                                  const Take& take) {
  const auto outcomes = result.outcomes(options);
  if (!outcomes) return std::unexpected(outcomes.error());
  PerElement<T> made{result.rounded().shape(), {}};
  made.values.reserve(outcomes->size());
  for (std::size_t i = 0; i < outcomes->size(); ++i) made.values.push_back(take((*outcomes)[i], i));
  return made;
}

}  // namespace

Result::Result(Array rounded, std::shared_ptr<const Bounds> bounds)
    : rounded_(std::move(rounded)), bounds_(std::move(bounds)) {}

std::expected<Result, Refusal> Result::between(Array rounded, const Array& lo, const Array& hi,
                                               std::vector<std::uint8_t> special) {
  const std::size_t size = rounded.size();
  if (lo.size() != size || hi.size() != size || (!special.empty() && special.size() != size)) {
    return std::unexpected(Refusal{"the arrays that bound an operand have as many elements as it"});
  }
  std::vector<Outcome> outcomes(size);
  for (std::size_t i = 0; i < size; ++i) {
    const Value low = lo.at(i);
    const Value high = hi.at(i);
    const bool marked = !special.empty() && special[i] != 0;
    outcomes[i].not_a_number = marked;
    if (!low.is_finite() || !high.is_finite()) {
      if (marked) continue;
      return std::unexpected(Refusal{"the bounds of element " + std::to_string(i) + " are finite numbers"});
    }
    if (high < low) return std::unexpected(Refusal{"lo <= hi, also of element " + std::to_string(i)});
    outcomes[i].range.ends.emplace(low, high);
  }
  return Result(std::move(rounded), std::make_shared<Between>(std::move(outcomes)));
}

std::expected<std::vector<Outcome>, Refusal> Result::outcomes(const ResultOptions& options) const {
  return bounds_->outcomes(options);
}

std::expected<PerElement<Rational>, Refusal> Result::tolerance(const ResultOptions& options) const {
  return per_element<Rational>(*this, options,
                               [&](const Outcome& o, std::size_t i) { return o.tolerance(rounded_.at(i)); });
}

std::expected<PerElement<FiniteRange>, Refusal> Result::finite_range(const ResultOptions& options) const {
  return per_element<FiniteRange>(*this, options, [](const Outcome& o, std::size_t) { return o.range; });
}

std::expected<PerElement<bool>, Refusal> Result::may_be(Special kind, const ResultOptions& options) const {
  return per_element<bool>(*this, options, [&](const Outcome& o, std::size_t) { return o.may_be(kind); });
}

std::expected<PerElement<bool>, Refusal> Result::covers(const Array& output, const ResultOptions& options) const {
  if (output.size() != rounded_.size()) {
    return std::unexpected(Refusal{"the output has " + std::to_string(output.size()) + " elements, the result " +
                                   std::to_string(rounded_.size())});
  }
  return per_element<bool>(*this, options, [&](const Outcome& o, std::size_t i) { return o.covers(output.at(i)); });
}

const Array& values_of(const Operand& operand) {
  const auto* const result = std::get_if<const Result*>(&operand);
  return result != nullptr ? (*result)->rounded() : *std::get<const Array*>(operand);
}

namespace {

/// A finite value of some format.
Element element_of(const Value& value) {
  return {value.significand().get_si(), static_cast<std::int32_t>(value.exponent()), Value::Kind::Finite};
}

}  // namespace

std::expected<Entries, Refusal> entries_of(const Operand& operand, const ResultOptions& options) {
  const Array& array = values_of(operand);
  Entries made;
  made.format = array.format();
  made.value.resize(array.size());
  for (std::size_t i = 0; i < array.size(); ++i) made.value[i] = array.element(i);
  const auto* const result = std::get_if<const Result*>(&operand);
  if (result == nullptr) return made;
  const auto outcomes = (*result)->outcomes(options);
  if (!outcomes) return std::unexpected(outcomes.error());
  made.lo = made.value;
  made.hi = made.value;
  made.special.resize(array.size());
  for (std::size_t i = 0; i < array.size(); ++i) {
    const Outcome& outcome = (*outcomes)[i];
    made.special[i] = outcome.plus_infinity || outcome.minus_infinity || outcome.not_a_number;
    if (!made.value[i].is_finite() || !outcome.range.ends) continue;
    const double value = made.value[i].to_f64();
    const auto& [low, high] = *outcome.range.ends;
    if (low.to_f64() < value) made.lo[i] = element_of(low);
    if (high.to_f64() > value) made.hi[i] = element_of(high);
  }
  return made;
}

}  // namespace cairn::reference
