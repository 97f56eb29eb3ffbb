#include "vm/predict/polynomial.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string_view>

namespace cairn::predict {

namespace {

constexpr double kMost = 1e60;        // of an exponential: beyond any time
constexpr double kLogDegree = 1e-3;   // below that of any power
constexpr double kExponential = 1e3;  // above that of any power
constexpr std::string_view kLog = "log2(";

/// A variable as it is written: n, log2(n) or 1.618^n.
struct Variable {
  explicit Variable(std::string_view name) : of(name) {
    if (name.starts_with(kLog)) {
      is_log = true;
      of = name.substr(kLog.size(), name.size() - kLog.size() - 1);
    } else if (const std::size_t at = name.find('^'); at != std::string_view::npos) {
      base = std::strtod(std::string(name.substr(0, at)).c_str(), nullptr);
      of = name.substr(at + 1);
    }
  }
  std::string of;
  bool is_log = false;
  double base = 0;  // above 0: an exponential
};

double log2_of(double value) { return value > 1 ? std::log2(value) : 0; }

}  // namespace

Polynomial::Polynomial(double constant) {
  if (constant != 0) terms_[{}] = constant;
}

Polynomial Polynomial::variable(const std::string& name) {
  Polynomial made;
  made.terms_[{{name, 1}}] = 1;
  return made;
}

Polynomial Polynomial::log2(const Polynomial& of) {
  if (of.is_constant()) return Polynomial(log2_of(of.constant()));
  const auto& [monomial, coefficient] = of.leading();
  Polynomial sum(coefficient > 0 ? std::log2(coefficient) : 0);
  for (const auto& [name, power] : monomial) {
    const Variable variable_of(name);
    if (variable_of.is_log) continue;
    const bool grows = variable_of.base > 0;
    sum += Polynomial(power) * (grows ? Polynomial(std::log2(variable_of.base)) * variable(variable_of.of)
                                      : variable(std::string(kLog) + name + ")"));
  }
  return sum;
}

std::optional<Polynomial> Polynomial::exponential(double base, const Polynomial& power) {
  if (power.is_constant()) return Polynomial(std::min(kMost, std::pow(base, power.constant())));
  const std::vector<std::string> names = power.variables();
  const auto parts = names.size() == 1 ? power.linear_in(names.front()) : std::nullopt;
  if (!parts || !parts->second.is_constant() || parts->first <= 0) return std::nullopt;
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.6g^", std::pow(base, parts->first));
  return Polynomial(std::pow(base, parts->second.constant())) * variable(text.data() + names.front());
}

bool Polynomial::is_constant() const {
  return std::ranges::all_of(terms_, [](const auto& term) { return term.first.empty(); });
}

double Polynomial::value(const Sizes& sizes) const {
  double total = 0;
  for (const auto& [monomial, coefficient] : terms_) {
    double product = coefficient;
    for (const auto& [name, power] : monomial) {
      const Variable variable_of(name);
      const auto size = sizes.find(variable_of.of);
      double value = size == sizes.end() ? 0 : size->second;
      if (variable_of.is_log) value = log2_of(value);
      if (variable_of.base > 0) value = std::pow(variable_of.base, value);
      product *= power < 0 && value == 0 ? 0 : std::min(kMost, std::pow(value, power));
    }
    total += product;
  }
  return total;
}

std::vector<std::string> Polynomial::variables() const {
  std::set<std::string> names;
  for (const auto& [monomial, coefficient] : terms_) {
    for (const auto& [name, power] : monomial) names.insert(Variable(name).of);
  }
  return {names.begin(), names.end()};
}

Polynomial Polynomial::substitute(const std::map<std::string, Polynomial>& by) const {
  Polynomial total;
  for (const auto& [monomial, coefficient] : terms_) {
    Polynomial product(coefficient);
    for (const auto& [name, power] : monomial) {
      const Variable variable_of(name);
      const auto given = by.find(variable_of.of);
      Polynomial factor = given == by.end() ? variable(name) : given->second;
      if (given != by.end() && variable_of.is_log) factor = log2(factor);
      if (given != by.end() && variable_of.base > 0) {
        factor = exponential(variable_of.base, factor).value_or(Polynomial(1.0));
      }
      if (power != std::floor(power) || power < 0) {
        product = factor.is_zero() ? Polynomial() : product * factor.leading_to(power);
        continue;
      }
      for (double k = 0; k < power; ++k) product = product * factor;
    }
    total += product;
  }
  return total;
}

double Polynomial::degree(const Monomial& monomial) {
  double sum = 0;
  for (const auto& [name, power] : monomial) {
    const Variable variable_of(name);
    sum += power * (variable_of.is_log ? kLogDegree : variable_of.base > 0 ? kExponential : 1);
  }
  return sum;
}

const std::pair<const Polynomial::Monomial, double>& Polynomial::leading() const {
  return *std::ranges::max_element(terms_, {}, [](const auto& term) { return degree(term.first); });
}

Polynomial Polynomial::leading_to(double power) const {
  const auto& [monomial, coefficient] = leading();
  Polynomial made;
  Monomial scaled;
  for (const auto& [name, each] : monomial) {
    if (each * power != 0) scaled[name] = each * power;
  }
  made.terms_[scaled] = std::pow(std::abs(coefficient), power) * (coefficient < 0 ? -1 : 1);
  return made;
}

Polynomial Polynomial::over(const Polynomial& divisor) const { return *this * divisor.leading_to(-1); }

std::optional<std::pair<double, Polynomial>> Polynomial::linear_in(const std::string& name) const {
  double factor = 0;
  Polynomial rest;
  for (const auto& [monomial, coefficient] : terms_) {
    if (monomial == Monomial{{name, 1}}) {
      factor = coefficient;
      continue;
    }
    for (const auto& [each, power] : monomial) {
      if (Variable(each).of == name) return std::nullopt;
    }
    rest.terms_[monomial] = coefficient;
  }
  return std::pair(factor, rest);
}

Polynomial Polynomial::each_term(const std::string& name,
                                 const std::function<Polynomial(double, const Polynomial&)>& becomes) const {
  Polynomial sum;
  for (const auto& [monomial, coefficient] : terms_) {
    Monomial others = monomial;
    double power = 0;
    if (const auto found = others.find(name); found != others.end()) {
      power = found->second;
      others.erase(found);
    }
    Polynomial rest;
    rest.terms_[others] = coefficient;
    sum += becomes(power, rest);
  }
  return sum;
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
      for (const auto& [name, power] : b) {
        double& together = both[name];
        together += power;
        if (together == 0) both.erase(name);
      }
      double& sum = product.terms_[both];
      sum += x * y;
      if (sum == 0) product.terms_.erase(both);
    }
  }
  return product;
}

std::string Polynomial::text() const {
  std::vector<std::pair<double, std::pair<Monomial, double>>> ordered;
  for (const auto& [monomial, coefficient] : terms_) {
    ordered.emplace_back(degree(monomial), std::pair(monomial, coefficient));
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
      const bool is_whole = power > 0 && power == std::floor(power);
      for (double k = 0; k < (is_whole ? power : 1); ++k) product += (product.empty() ? "" : "*") + name;
      if (!is_whole) product += "^" + number_text(power);
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
