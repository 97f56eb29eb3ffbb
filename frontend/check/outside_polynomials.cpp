#include "frontend/check/outside_polynomials.hpp"

#include <algorithm>

namespace cairn {

namespace {

constexpr std::size_t kMostTerms = 64;
constexpr std::size_t kMostFactors = 8;
constexpr Polynomial::Wide kMostCoefficient = Polynomial::Wide{1} << 100;

}  // namespace

void Polynomial::add(const Monomial& monomial, Wide coefficient) {
  if (coefficient == 0) return;
  const auto [at, added] = terms_.try_emplace(monomial, coefficient);
  if (added) return;
  at->second += coefficient;
  if (at->second == 0) terms_.erase(at);
}

std::optional<Polynomial::Wide> Polynomial::constant() const {
  if (terms_.empty()) return Wide{0};
  if (terms_.size() > 1 || !terms_.begin()->first.empty()) return std::nullopt;
  return terms_.begin()->second;
}

bool Polynomial::mentions(std::uint32_t atom) const {
  return std::ranges::any_of(terms_, [atom](const auto& term) { return std::ranges::count(term.first, atom) != 0; });
}

Polynomial Polynomial::weight(std::uint32_t atom) const {
  Polynomial made;
  for (const auto& [monomial, coefficient] : terms_) {
    const auto at = std::ranges::find(monomial, atom);
    if (at == monomial.end()) continue;
    Monomial rest(monomial.begin(), at);
    rest.insert(rest.end(), at + 1, monomial.end());
    made.add(rest, coefficient);
  }
  return made;
}

Polynomial Polynomial::renamed(const std::map<std::uint32_t, std::uint32_t>& names) const {
  Polynomial made;
  for (const auto& [monomial, coefficient] : terms_) {
    Monomial atoms = monomial;
    for (std::uint32_t& atom : atoms) {
      if (const auto name = names.find(atom); name != names.end()) atom = name->second;
    }
    std::ranges::sort(atoms);
    made.add(atoms, coefficient);
  }
  return made;
}

bool Polynomial::has_negative() const {
  return std::ranges::any_of(terms_, [](const auto& term) { return term.second < 0; });
}
bool Polynomial::has_positive() const {
  return std::ranges::any_of(terms_, [](const auto& term) { return term.second > 0; });
}

bool Polynomial::is_followed() const {
  return terms_.size() <= kMostTerms && std::ranges::all_of(terms_, [](const auto& term) {
           const auto& [factors, coefficient] = term;
           return coefficient < kMostCoefficient && coefficient > -kMostCoefficient;
         });
}

Polynomial operator+(const Polynomial& left, const Polynomial& right) {
  Polynomial sum = left;
  for (const auto& [monomial, coefficient] : right.terms_) sum.add(monomial, coefficient);
  return sum;
}

Polynomial operator-(const Polynomial& left, const Polynomial& right) {
  Polynomial difference = left;
  for (const auto& [monomial, coefficient] : right.terms_) difference.add(monomial, -coefficient);
  return difference;
}

std::optional<Polynomial> Polynomial::product(const Polynomial& left, const Polynomial& right) {
  Polynomial made;
  if (left.terms_.size() * right.terms_.size() > kMostTerms) return std::nullopt;
  for (const auto& [a, x] : left.terms_) {
    for (const auto& [b, y] : right.terms_) {
      Monomial atoms = a;
      atoms.insert(atoms.end(), b.begin(), b.end());
      if (atoms.size() > kMostFactors) return std::nullopt;
      std::ranges::sort(atoms);
      Wide coefficient = 0;
      if (__builtin_mul_overflow(x, y, &coefficient)) return std::nullopt;
      if (coefficient > kMostCoefficient || coefficient < -kMostCoefficient) return std::nullopt;
      made.add(atoms, coefficient);
    }
  }
  return made;
}

}  // namespace cairn
