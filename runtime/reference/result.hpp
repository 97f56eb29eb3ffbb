// What an operation gives: its result, each element rounded once, and what an implementation that rounds only where it
// must could give instead (reference algorithms, 2). A result may be an operand of the next operation.
#pragma once

#include <expected>
#include <memory>
#include <optional>
#include <variant>

#include "runtime/reference/array.hpp"
#include "runtime/reference/rounding.hpp"
#include "runtime/reference/work.hpp"

namespace cairn::reference {

enum class Standard : std::uint8_t { Normal, Strict };

struct ResultOptions {
  Standard standard = Standard::Normal;
  std::optional<Format> compute = {};
  std::optional<Rational> ulps = {};
  bool flush_to_zero = false;
  const Work* work = nullptr;
};

class Result {
 public:
  /// What an operation's implementations can give, per element.
  class Bounds {
   public:
    Bounds() = default;
    Bounds(const Bounds&) = delete;
    Bounds& operator=(const Bounds&) = delete;
    virtual ~Bounds() = default;
    [[nodiscard]] virtual std::expected<std::vector<Outcome>, Refusal> outcomes(const ResultOptions&) const = 0;
  };

  Result(Array rounded, std::shared_ptr<const Bounds> bounds);
  /// Any two arrays that bound a third from both sides; `special` marks elements that may be no finite number (empty:
  /// none). Refused unless all have as many elements and lo <= hi.
  [[nodiscard]] static std::expected<Result, Refusal> between(Array rounded, const Array& lo, const Array& hi,
                                                              std::vector<std::uint8_t> special = {});

  [[nodiscard]] const Array& rounded() const { return rounded_; }
  [[nodiscard]] Format dtype() const { return rounded_.format(); }

  [[nodiscard]] std::expected<std::vector<Outcome>, Refusal> outcomes(const ResultOptions& options) const;
  [[nodiscard]] std::expected<PerElement<Rational>, Refusal> tolerance(const ResultOptions& options) const;
  [[nodiscard]] std::expected<PerElement<FiniteRange>, Refusal> finite_range(const ResultOptions& options) const;
  [[nodiscard]] std::expected<PerElement<bool>, Refusal> may_be(Special kind, const ResultOptions& options) const;
  [[nodiscard]] std::expected<PerElement<bool>, Refusal> covers(const Array& output,
                                                                const ResultOptions& options) const;

 private:
  Array rounded_;
  std::shared_ptr<const Bounds> bounds_;
};

using Operand = std::variant<const Array*, const Result*>;

[[nodiscard]] const Array& values_of(const Operand& operand);

/// An operand kept beyond the call it was given to.
class Kept {
 public:
  explicit Kept(const Operand& operand) {
    if (const auto* const result = std::get_if<const Result*>(&operand)) {
      result_ = **result;
    } else {
      array_ = *std::get<const Array*>(operand);
    }
  }
  [[nodiscard]] Operand operand() const { return result_ ? Operand(&*result_) : Operand(&array_); }

 private:
  Array array_;
  std::optional<Result> result_;
};

/// An operand as an algorithm sees it: a value per element, and its range and whether it may be special where the
/// operand is an earlier result.
struct Entries {
  Format format = Format::F32;
  std::vector<Element> value;
  std::vector<Element> lo;  // empty: the values
  std::vector<Element> hi;
  std::vector<std::uint8_t> special;  // empty: none

  [[nodiscard]] bool ranged() const { return !lo.empty(); }
  [[nodiscard]] const Element& low(std::size_t at) const { return lo.empty() ? value[at] : lo[at]; }
  [[nodiscard]] const Element& high(std::size_t at) const { return hi.empty() ? value[at] : hi[at]; }
  [[nodiscard]] bool may_be_special(std::size_t at) const { return !special.empty() && special[at] != 0; }
};

/// The entries of an operand, its bounds taken under these options.
[[nodiscard]] std::expected<Entries, Refusal> entries_of(const Operand& operand, const ResultOptions& options);

}  // namespace cairn::reference
