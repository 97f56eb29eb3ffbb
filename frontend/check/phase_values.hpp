// Values of the run of a cooperative body (devices, 12.1): what the checker knows of a usize or bool, for all threads
// of one block at once. A number, a polynomial over names of unknown values, a bool, nothing, or that computing it
// traps.
//
// Polynomials are interned: `key` stands for everything but the constant, so that two indexes are one element exactly
// when their keys and offsets agree. Where a coefficient or constant leaves 64 bits the value is unknown.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "frontend/check/program.hpp"

namespace cairn::phase {

struct Value {
  enum class Kind : std::uint8_t { Number, Symbol, Bool, Unknown, Trap };
  Kind kind = Kind::Unknown;
  std::uint32_t key = 0;   // Symbol
  std::uint64_t bits = 0;  // Number; Bool: 0 or 1; Symbol: its constant, two's complement

  [[nodiscard]] bool is(Kind each) const { return kind == each; }
  [[nodiscard]] std::int64_t offset() const { return static_cast<std::int64_t>(bits); }
  friend bool operator==(const Value&, const Value&) = default;
};

inline constexpr Value kUnknown{};
inline constexpr Value kTrap{Value::Kind::Trap, 0, 0};
[[nodiscard]] constexpr Value number(std::uint64_t value) { return {Value::Kind::Number, 0, value}; }
[[nodiscard]] constexpr Value truth(bool value) { return {Value::Kind::Bool, 0, value ? 1U : 0U}; }
/// What is equal in both, else nothing.
[[nodiscard]] constexpr Value common(const Value& left, const Value& right) { return left == right ? left : kUnknown; }

/// One value for each thread. `uniform`: the threads surely agree on it.
class Vec {
 public:
  Vec() = default;
  /// One value; threads that are not known to agree may still differ when it is unknown.
  explicit Vec(Value value, bool uniform = true) : uniform_(uniform), value_(value) {}
  explicit Vec(std::vector<Value> each)
      : uniform_(false), each_(std::make_shared<const std::vector<Value>>(std::move(each))) {}

  [[nodiscard]] bool uniform() const { return uniform_; }
  /// Whether every thread has the same entry.
  [[nodiscard]] bool is_single() const { return each_ == nullptr; }
  [[nodiscard]] const Value& single() const { return value_; }
  [[nodiscard]] const Value& operator[](std::size_t thread) const {
    return each_ == nullptr ? value_ : (*each_)[thread];
  }
  [[nodiscard]] bool same_storage(const Vec& other) const {
    return uniform_ == other.uniform_ && each_ == other.each_ && value_ == other.value_;
  }

 private:
  bool uniform_ = true;
  Value value_;
  std::shared_ptr<const std::vector<Value>> each_;
};

/// Nothing, and the same nothing in every thread only if `uniform`.
[[nodiscard]] inline Vec unknown(bool uniform) { return Vec(kUnknown, uniform); }

/// The atoms and polynomials of one run.
class Polynomials {
 public:
  Polynomials();

  /// The value of a local that the run does not follow, or of the length of an array from outside.
  [[nodiscard]] Value name(const checked::Local& local);
  [[nodiscard]] Value length(const checked::Local& array);
  /// A value nothing else has; `of` is what a message calls it.
  [[nodiscard]] Value fresh(const checked::Local* of);
  /// What an operator gives that is not followed: equal operands give equal values.
  [[nodiscard]] Value opaque(std::string_view operation, const Value& left, const Value& right);

  /// Numbers and symbols.
  [[nodiscard]] Value add(const Value& left, const Value& right);
  [[nodiscard]] Value subtract(const Value& left, const Value& right);
  [[nodiscard]] Value multiply(const Value& left, const Value& right);

  /// As people write it.
  [[nodiscard]] std::string text(const Value& value, const NameTable& names) const;

 private:
  using Key = std::vector<std::pair<std::uint32_t, std::int64_t>>;  // (monomial, coefficient), by monomial
  struct Atom {
    const checked::Local* local = nullptr;
    bool is_length = false;
    std::uint32_t fresh = 0;  // counts from 1
    std::string_view operation;
    Value left;
    Value right;
  };

  [[nodiscard]] Value of_atom(std::uint32_t atom);
  [[nodiscard]] std::uint32_t intern_key(Key key);
  [[nodiscard]] std::uint32_t intern_monomial(const std::vector<std::uint32_t>& atoms);
  /// `left + factor * right`; false where a coefficient leaves 64 bits.
  bool sum_of_keys(std::uint32_t left, std::uint32_t right, std::int64_t factor, std::uint32_t& sum);
  [[nodiscard]] Value made(std::uint32_t key, std::int64_t constant) const;
  [[nodiscard]] std::string atom_text(std::uint32_t atom, const NameTable& names) const;

  std::vector<Atom> atoms_;
  std::map<std::pair<const checked::Local*, bool>, std::uint32_t> names_;
  std::map<std::tuple<std::string_view, std::uint8_t, std::uint32_t, std::uint64_t, std::uint8_t, std::uint32_t,
                      std::uint64_t>,
           std::uint32_t>
      opaques_;
  std::vector<std::vector<std::uint32_t>> monomials_;
  std::map<std::vector<std::uint32_t>, std::uint32_t> monomial_numbers_;
  std::vector<Key> keys_;  // the first is empty
  std::map<Key, std::uint32_t> key_numbers_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::int64_t>, std::uint32_t> sums_;
  std::uint32_t fresh_ = 0;
};

}  // namespace cairn::phase
