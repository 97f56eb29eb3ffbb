// What the natives behind std.reference share: problems and orders as words, operands out of one list of numbers, and
// answers. The layouts are those that stdlib/reference.cairn writes.
#pragma once

#include <cstdint>
#include <expected>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/reference/result.hpp"
#include "vm/interpreter/native.hpp"

namespace cairn::reference_call {

namespace ref = reference;
using Words = std::span<const std::uint64_t>;
using Numbers = std::span<double>;

/// A refused argument; caught where the native was entered.
struct Refused {
  std::string detail;
};

[[noreturn]] inline void refuse(std::string detail) { throw Refused{std::move(detail)}; }

template <class T>
T taken(std::expected<T, ref::Refusal> result) {
  if (!result) refuse(std::move(result.error().message));
  return std::move(*result);
}

/// Enters a native: refusals become traps.
template <void (*Body)(NativeCall&)>
void guarded(NativeCall& call) {
  std::string detail;
  try {
    return Body(call);
  } catch (Refused& refused) {
    detail = std::move(refused.detail);
  }
  const bool stopped = detail == ref::Work::kStopped;
  call.trap(stopped ? TrapKind::Interrupt : TrapKind::Reference, std::move(detail));
}

inline constexpr std::uint64_t kAbsent = std::numeric_limits<std::uint64_t>::max();

enum class What : std::uint64_t {
  ErrorText,
  Name,
  Description,
  Spelling,
  Rounded,
  Run,
  Tolerance,
  Range,
  MayBe,
  Covers,
  Judge
};

/// A list of words that has at least so many.
[[nodiscard]] Words words(const NativeCall& call, std::uint32_t slot, std::size_t least);

template <class Enumeration>
Enumeration enumeration(std::uint64_t word) {
  return static_cast<Enumeration>(word);
}

/// Formats count from f16 to f64.
[[nodiscard]] ref::Format format(std::uint64_t word);

/// The product of extents; refused when it cannot be counted.
[[nodiscard]] std::size_t product_of(std::initializer_list<std::uint64_t> extents);

/// A part of the problem's numbers as an array: each is a value of the format, widened.
[[nodiscard]] ref::Array array(std::span<const double> data, std::uint64_t at, std::size_t count, ref::Format of,
                               ref::Shape shape);

/// An operand that lives here: its values, and the result it is when it has ranges.
struct Held {
  ref::Array values;
  std::optional<ref::Result> earlier;
  [[nodiscard]] ref::Operand operand() const { return earlier ? ref::Operand(&*earlier) : ref::Operand(&values); }
};
/// `low` and `high` are where its ends begin, or kAbsent.
[[nodiscard]] Held held(std::span<const double> data, std::uint64_t at, std::uint64_t low, std::uint64_t high,
                        std::size_t count, ref::Format of, const ref::Shape& shape);

/// Threads of the program's own pool; alone when it cannot be had. Stops when the program's host asks it to.
[[nodiscard]] ref::Work work_of(const NativeCall& call);

/// Writes what was asked about outcomes against a reference: values, ranges, tolerances, and what of `given` they say.
/// `equals` is what an output is compared with for equality; null: nothing.
void write_answer(What what, ref::Special kind, const ref::Array& reference, const std::vector<ref::Outcome>& outcomes,
                  const ref::Array* equals, const ref::Array* given, Numbers first, Numbers second);

/// The natives of attention.
[[nodiscard]] std::span<const NativeEntry> attention_natives();

}  // namespace cairn::reference_call
