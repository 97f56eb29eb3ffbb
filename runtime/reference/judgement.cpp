#include "runtime/reference/judgement.hpp"

namespace cairn::reference {

Rational share_of(const Value& output, const Value& reference, const Outcome& outcome) {
  if (!output.is_finite() || !reference.is_finite()) {
    return outcome.covers(output) ? Rational() : Rational::infinite();
  }
  if (output == reference) return {};
  if (!outcome.range.ends) return Rational::infinite();
  const bool above = output > reference;
  const Value allowed = above ? outcome.range.ends->second - reference : reference - outcome.range.ends->first;
  if (allowed.sign() <= 0) return Rational::infinite();
  return Rational(mpq_class(Rational((output - reference).magnitude()).exact() / Rational(allowed).exact()));
}

bool less(const Rational& a, const Rational& b) {
  return !a.is_infinite() && (b.is_infinite() || a.exact() < b.exact());
}

bool Judgement::add(std::size_t element, const Value& output, const Value& reference, const Outcome& outcome,
                    const std::optional<Value>& wanted) {
  covered += outcome.covers(output) ? 1 : 0;
  equal += wanted && *wanted == output ? 1 : 0;
  Rational used = share_of(output, reference, outcome);
  const bool is_worst = elements == 0 || less(share, used);
  ++elements;
  if (!is_worst) return false;
  worst = element;
  share = std::move(used);
  return true;
}

}  // namespace cairn::reference
