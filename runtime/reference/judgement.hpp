// How outputs compare with what a row can give (reference algorithms, 17.4).
#pragma once

#include <cstddef>
#include <optional>

#include "runtime/reference/array.hpp"

namespace cairn::reference {

/// The share of its allowed distance that an output uses: 0 where it is the reference, infinite where nothing is
/// allowed. At most 1 means covered, of a finite reference.
[[nodiscard]] Rational share_of(const Value& output, const Value& reference, const Outcome& outcome);

/// Whether one rational is less than another; an infinite one is less than nothing.
[[nodiscard]] bool less(const Rational& a, const Rational& b);

/// Counts over elements, and the first with the largest share.
struct Judgement {
  std::size_t elements = 0;
  std::size_t covered = 0;
  std::size_t equal = 0;
  std::size_t worst = 0;
  Rational share;

  /// `wanted` is what the row's run gives. True when the element is now the worst.
  bool add(std::size_t element, const Value& output, const Value& reference, const Outcome& outcome,
           const std::optional<Value>& wanted);
};

}  // namespace cairn::reference
