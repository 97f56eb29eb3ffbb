#include "vm/predict/polynomial.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <set>

namespace cairn::predict {

Polynomial::Polynomial(double constant) {
  if (constant != 0) terms_[{}] = constant;
}

Polynomial Polynomial::variable(const std::string& name) {
  Polynomial made;
  made.terms_[{{name, 1}}] = 1;
  return made;
}

bool Polynomial::is_constant() const {
  return std::ranges::all_of(terms_, [](const auto& term) { return term.first.empty(); });
}

double Polynomial::value(const Sizes& sizes) const {
  double total = 0;
  for (const auto& [monomial, coefficient] : terms_) {
    double product = coefficient;
    for (const auto& [name, power] : monomial) {
      const auto size = sizes.find(name);
      product *= std::pow(size == sizes.end() ? 0 : size->second, power);
    }
    total += product;
  }
  return total;
}

std::vector<std::string> Polynomial::variables() const {
  std::set<std::string> names;
  for (const auto& [monomial, coefficient] : terms_) {
    for (const auto& [name, power] : monomial) names.insert(name);
  }
  return {names.begin(), names.end()};
}

Polynomial Polynomial::substitute(const std::map<std::string, Polynomial>& by) const {
  Polynomial total;
  for (const auto& [monomial, coefficient] : terms_) {
    Polynomial product(coefficient);
    for (const auto& [name, power] : monomial) {
      const auto given = by.find(name);
      const Polynomial factor = given == by.end() ? variable(name) : given->second;
      for (unsigned k = 0; k < power; ++k) product = product * factor;
    }
    total += product;
  }
  return total;
}

Polynomial Polynomial::larger(const Polynomial& left, const Polynomial& right) {
  Polynomial made = left;
  for (const auto& [monomial, coefficient] : right.terms_) {
    double& kept = made.terms_[monomial];
    kept = std::max(kept, coefficient);
  }
  std::erase_if(made.terms_, [](const auto& term) { return term.second == 0; });
  return made;
}

Polynomial& Polynomial::operator+=(const Polynomial& other) {
  for (const auto& [monomial, coefficient] : other.terms_) {
    double& sum = terms_[monomial];
    sum += coefficient;
    if (sum == 0) terms_.erase(monomial);
  }
  return *this;
}

Polynomial operator*(const Polynomial& left, const Polynomial& right) {
  Polynomial product;
  for (const auto& [a, x] : left.terms_) {
    for (const auto& [b, y] : right.terms_) {
      Polynomial::Monomial both = a;
      for (const auto& [name, power] : b) both[name] += power;
      double& sum = product.terms_[both];
      sum += x * y;
      if (sum == 0) product.terms_.erase(both);
    }
  }
  return product;
}

std::string Polynomial::text() const {
  std::vector<std::pair<unsigned, std::pair<Monomial, double>>> ordered;
  for (const auto& [monomial, coefficient] : terms_) {
    unsigned degree = 0;
    for (const auto& [name, power] : monomial) degree += power;
    ordered.emplace_back(degree, std::pair(monomial, coefficient));
  }
  std::ranges::sort(ordered, [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second.first < b.second.first;
  });
  std::string out;
  for (const auto& [degree, term] : ordered) {
    const auto& [monomial, coefficient] = term;
    const double size = out.empty() ? coefficient : std::abs(coefficient);
    if (!out.empty()) out += coefficient < 0 ? " - " : " + ";
    std::string product;
    if (monomial.empty() || size != 1) product = number_text(size);
    for (const auto& [name, power] : monomial) {
      for (unsigned k = 0; k < power; ++k) product += (product.empty() ? "" : "*") + name;
    }
    out += product;
  }
  return out.empty() ? "0" : out;
}

std::string number_text(double value) {
  std::array<char, 40> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.12g", value);
  return buffer.data();
}

}  // namespace cairn::predict
