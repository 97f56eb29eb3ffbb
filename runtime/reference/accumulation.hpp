// Accumulation methods: how a list of exact terms becomes one value (reference algorithms, 4).
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string_view>

#include "runtime/reference/value.hpp"

namespace cairn::reference {

enum class Summation : std::uint8_t { Sequential, Pairwise, Blocked, Exact };

struct Parameters {
  std::size_t block_size = 1;  // of `blocked`; at least 1
};

using RoundFn = std::function<Value(const Value&)>;
using AddFn = std::function<Value(const Value&, const Value&)>;

struct AccumulationMethod {
  Summation summation;
  std::string_view key;
  std::string_view label;
  std::string_view description;
  bool order_dependent;
  std::span<const std::string_view> parameters;
  std::span<const std::string_view> references;

  /// The terms' sum: `add` is exact, `round` is what the accumulator does after each addition. 0 of no terms.
  [[nodiscard]] Value emulate(std::span<const Value> terms, const RoundFn& round, const AddFn& add,
                              const Parameters& parameters) const;
  /// The most roundings one of n terms passes through.
  [[nodiscard]] std::size_t depth(std::size_t n, const Parameters& parameters) const;
  /// All roundings of n terms, a first that changes nothing included.
  [[nodiscard]] std::size_t roundings(std::size_t n, const Parameters& parameters) const;
};

/// "sequential", "pairwise", "blocked", "exact"; null for another key.
[[nodiscard]] const AccumulationMethod* get_method(std::string_view key);
[[nodiscard]] const AccumulationMethod& method_of(Summation summation);

/// The order of a method's additions, for n >= 1 terms and all methods but `exact`: `first(i)` rounds term i,
/// `step(sum, i)` adds it, `join(sum, sum)` adds two sums.
template <class First, class Step, class Join>
auto accumulate(Summation summation, std::size_t n, std::size_t block_size, const First& first, const Step& step,
                const Join& join) {
  const auto chain = [&](std::size_t begin, std::size_t end) {
    auto sum = first(begin);
    for (std::size_t i = begin + 1; i < end; ++i) sum = step(sum, i);
    return sum;
  };
  switch (summation) {
    case Summation::Pairwise: {
      const auto tree = [&](const auto& self, std::size_t begin, std::size_t end) -> decltype(first(begin)) {
        if (end - begin == 1) return first(begin);
        const std::size_t middle = begin + (end - begin) / 2;
        const auto left = self(self, begin, middle);
        return join(left, self(self, middle, end));
      };
      return tree(tree, 0, n);
    }
    case Summation::Blocked: {
      const auto end_of = [&](std::size_t begin) { return n - begin < block_size ? n : begin + block_size; };
      std::size_t begin = end_of(0);
      auto total = chain(0, begin);
      while (begin < n) {
        const std::size_t end = end_of(begin);
        total = join(total, chain(begin, end));
        begin = end;
      }
      return total;
    }
    case Summation::Sequential:
    case Summation::Exact:
      break;
  }
  return chain(0, n);
}

}  // namespace cairn::reference
