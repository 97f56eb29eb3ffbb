#include "frontend/check/phase_values.hpp"

#include <algorithm>
#include <limits>

namespace cairn::phase {

namespace {

/// Polynomials larger than these are not followed.
constexpr std::size_t kMostTerms = 64;
constexpr std::size_t kMostFactors = 8;

/// A number as a constant of polynomials; false past 63 bits.
bool as_constant(const Value& value, std::uint32_t& key, std::int64_t& constant) {
  key = value.kind == Value::Kind::Symbol ? value.key : 0;
  constant = value.offset();
  return value.kind == Value::Kind::Symbol || value.bits <= std::numeric_limits<std::int64_t>::max();
}

}  // namespace

Polynomials::Polynomials() {
  keys_.emplace_back();
  key_numbers_.emplace(Key{}, 0);
}

Value Polynomials::of_atom(std::uint32_t atom) {
  return {Value::Kind::Symbol, intern_key({{intern_monomial({atom}), 1}}), 0};
}

Value Polynomials::name(const checked::Local& local) {
  const auto [at, added] = names_.try_emplace({&local, false}, static_cast<std::uint32_t>(atoms_.size()));
  if (added) atoms_.push_back({&local, false, 0, {}, {}, {}});
  return of_atom(at->second);
}

Value Polynomials::length(const checked::Local& array) {
  const auto [at, added] = names_.try_emplace({&array, true}, static_cast<std::uint32_t>(atoms_.size()));
  if (added) atoms_.push_back({&array, true, 0, {}, {}, {}});
  return of_atom(at->second);
}

Value Polynomials::fresh(const checked::Local* of) {
  atoms_.push_back({of, false, ++fresh_, {}, {}, {}});
  return of_atom(static_cast<std::uint32_t>(atoms_.size() - 1));
}

Value Polynomials::opaque(std::string_view operation, const Value& left, const Value& right) {
  const auto key = std::tuple(operation, static_cast<std::uint8_t>(left.kind), left.key, left.bits,
                              static_cast<std::uint8_t>(right.kind), right.key, right.bits);
  const auto [at, added] = opaques_.try_emplace(key, static_cast<std::uint32_t>(atoms_.size()));
  if (added) atoms_.push_back({nullptr, false, 0, operation, left, right});
  return of_atom(at->second);
}

std::uint32_t Polynomials::intern_monomial(const std::vector<std::uint32_t>& atoms) {
  const auto [at, added] = monomial_numbers_.try_emplace(atoms, static_cast<std::uint32_t>(monomials_.size()));
  if (added) monomials_.push_back(atoms);
  return at->second;
}

std::uint32_t Polynomials::intern_key(Key key) {
  const auto [at, added] = key_numbers_.try_emplace(key, static_cast<std::uint32_t>(keys_.size()));
  if (added) keys_.push_back(std::move(key));
  return at->second;
}

Value Polynomials::made(std::uint32_t key, std::int64_t constant) const {
  if (key != 0) return {Value::Kind::Symbol, key, static_cast<std::uint64_t>(constant)};
  return constant < 0 ? kTrap : number(static_cast<std::uint64_t>(constant));
}

bool Polynomials::sum_of_keys(std::uint32_t left, std::uint32_t right, std::int64_t factor, std::uint32_t& sum) {
  constexpr std::uint32_t kNone = ~std::uint32_t{0};
  if (right == 0) {
    sum = left;
    return true;
  }
  const auto [known, added] = sums_.try_emplace({left, right, factor}, kNone);
  if (!added) {
    sum = known->second;
    return sum != kNone;
  }
  Key joined;
  auto a = keys_[left].begin();
  auto b = keys_[right].begin();
  const auto a_end = keys_[left].end();
  const auto b_end = keys_[right].end();
  while (a != a_end || b != b_end) {
    const bool takes_a = b == b_end || (a != a_end && a->first <= b->first);
    const bool takes_b = a == a_end || (b != b_end && b->first <= a->first);
    const std::uint32_t monomial = takes_a ? a->first : b->first;
    std::int64_t coefficient = takes_a ? a->second : 0;
    std::int64_t scaled = 0;
    if (takes_b && (__builtin_mul_overflow(b->second, factor, &scaled) ||
                    __builtin_add_overflow(coefficient, scaled, &coefficient))) {
      return false;
    }
    if (takes_a) ++a;
    if (takes_b) ++b;
    if (coefficient != 0) joined.emplace_back(monomial, coefficient);
  }
  if (joined.size() > kMostTerms) return false;
  sum = intern_key(std::move(joined));
  sums_[{left, right, factor}] = sum;
  return true;
}

Value Polynomials::add(const Value& left, const Value& right) {
  if (left.is(Value::Kind::Number) && right.is(Value::Kind::Number)) {
    std::uint64_t sum = 0;
    return __builtin_add_overflow(left.bits, right.bits, &sum) ? kTrap : number(sum);
  }
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  std::uint32_t key = 0;
  std::int64_t x = 0;
  std::int64_t y = 0;
  const bool fits = as_constant(left, a, x) && as_constant(right, b, y) && !__builtin_add_overflow(x, y, &x);
  return fits && sum_of_keys(a, b, 1, key) ? made(key, x) : kUnknown;
}

Value Polynomials::subtract(const Value& left, const Value& right) {
  if (left.is(Value::Kind::Number) && right.is(Value::Kind::Number)) {
    return left.bits < right.bits ? kTrap : number(left.bits - right.bits);
  }
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  std::uint32_t key = 0;
  std::int64_t x = 0;
  std::int64_t y = 0;
  const bool fits = as_constant(left, a, x) && as_constant(right, b, y) && !__builtin_sub_overflow(x, y, &x);
  return fits && sum_of_keys(a, b, -1, key) ? made(key, x) : kUnknown;
}

Value Polynomials::multiply(const Value& left, const Value& right) {
  if (left.is(Value::Kind::Number) && right.is(Value::Kind::Number)) {
    std::uint64_t product = 0;
    return __builtin_mul_overflow(left.bits, right.bits, &product) ? kTrap : number(product);
  }
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  std::int64_t x = 0;
  std::int64_t y = 0;
  if (!as_constant(left, a, x) || !as_constant(right, b, y)) return kUnknown;
  // (A + x) (B + y) = A B + y A + x B + x y
  std::int64_t constant = 0;
  if (__builtin_mul_overflow(x, y, &constant)) return kUnknown;
  std::uint32_t key = 0;
  if (a != 0 && y != 0 && !sum_of_keys(key, a, y, key)) return kUnknown;
  if (b != 0 && x != 0 && !sum_of_keys(key, b, x, key)) return kUnknown;
  if (a == 0 || b == 0) return made(key, constant);
  if (keys_[a].size() * keys_[b].size() > kMostTerms) return kUnknown;
  const Key first = keys_[a];
  const Key second = keys_[b];
  for (const auto& [left_monomial, left_factor] : first) {
    for (const auto& [right_monomial, right_factor] : second) {
      std::vector<std::uint32_t> atoms = monomials_[left_monomial];
      atoms.insert(atoms.end(), monomials_[right_monomial].begin(), monomials_[right_monomial].end());
      if (atoms.size() > kMostFactors) return kUnknown;
      std::ranges::sort(atoms);
      std::int64_t factor = 0;
      if (__builtin_mul_overflow(left_factor, right_factor, &factor)) return kUnknown;
      const std::uint32_t term = intern_key({{intern_monomial(atoms), 1}});
      if (!sum_of_keys(key, term, factor, key)) return kUnknown;
    }
  }
  return made(key, constant);
}

// --------------------------------------------------------------------------------------------------------------- text

std::string Polynomials::atom_text(std::uint32_t atom, const NameTable& names) const {
  const Atom& of = atoms_[atom];
  if (of.local != nullptr) {
    const std::string name = of.local->name ? std::string(names.text(of.local->name)) : "_";
    return of.is_length ? "len(" + name + ")" : name;
  }
  if (of.fresh != 0) return "_";
  const std::string left = text(of.left, names);
  const std::string right = text(of.right, names);
  const bool is_call = of.operation.size() > 1;
  return is_call ? std::string(of.operation) + "(" + left + ", " + right + ")"
                 : "(" + left + " " + std::string(of.operation) + " " + right + ")";
}

std::string Polynomials::text(const Value& value, const NameTable& names) const {
  switch (value.kind) {
    case Value::Kind::Number:
      return std::to_string(value.bits);
    case Value::Kind::Bool:
      return value.bits != 0 ? "true" : "false";
    case Value::Kind::Symbol:
      break;
    default:
      return "..";
  }
  std::string out;
  const auto term = [&](std::int64_t factor, const std::string& rest) {
    const bool negative = factor < 0;
    const std::uint64_t size = negative ? 0 - static_cast<std::uint64_t>(factor) : static_cast<std::uint64_t>(factor);
    out += out.empty() ? (negative ? "-" : "") : (negative ? " - " : " + ");
    if (rest.empty()) {
      out += std::to_string(size);
    } else {
      out += size == 1 ? rest : std::to_string(size) + " * " + rest;
    }
  };
  for (const auto& [monomial, factor] : keys_[value.key]) {
    std::string product;
    for (const std::uint32_t atom : monomials_[monomial]) {
      product += (product.empty() ? "" : " * ") + atom_text(atom, names);
    }
    term(factor, product);
  }
  if (value.offset() != 0) term(value.offset(), "");
  return out;
}

}  // namespace cairn::phase
