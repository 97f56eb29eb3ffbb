// Polynomials over names, as the one-writer rule compares them (devices, 15.1): integer coefficients over products of
// atoms.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace cairn {

class Polynomial {
 public:
  __extension__ using Wide = __int128;
  using Monomial = std::vector<std::uint32_t>;  // atoms, sorted; none: the constant

  Polynomial() = default;
  explicit Polynomial(Wide constant) { add({}, constant); }
  [[nodiscard]] static Polynomial atom(std::uint32_t atom) {
    Polynomial made;
    made.add({atom}, 1);
    return made;
  }

  [[nodiscard]] const std::map<Monomial, Wide>& terms() const { return terms_; }
  [[nodiscard]] bool is_zero() const { return terms_.empty(); }
  /// The value, when it is a constant.
  [[nodiscard]] std::optional<Wide> constant() const;
  [[nodiscard]] bool mentions(std::uint32_t atom) const;
  /// What multiplies an atom; the atom must be in no term more than once.
  [[nodiscard]] Polynomial weight(std::uint32_t atom) const;
  /// With atoms replaced by others.
  [[nodiscard]] Polynomial renamed(const std::map<std::uint32_t, std::uint32_t>& names) const;

  [[nodiscard]] bool has_negative() const;
  [[nodiscard]] bool has_positive() const;

  friend Polynomial operator+(const Polynomial& left, const Polynomial& right);
  friend Polynomial operator-(const Polynomial& left, const Polynomial& right);
  /// None where it would grow past what is followed.
  [[nodiscard]] static std::optional<Polynomial> product(const Polynomial& left, const Polynomial& right);
  friend bool operator==(const Polynomial&, const Polynomial&) = default;
  friend bool operator<(const Polynomial& left, const Polynomial& right) { return left.terms_ < right.terms_; }

  /// Whether every coefficient stays in a range where sums cannot overflow.
  [[nodiscard]] bool is_followed() const;

 private:
  void add(const Monomial& monomial, Wide coefficient);

  std::map<Monomial, Wide> terms_;  // no zeros
};

}  // namespace cairn
