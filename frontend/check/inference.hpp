// What inference asks of the body that makes a call (abstractions, 3.3). The body checker types arguments; which
// argument is typed when, and what a parameter then stands for, is decided by Checker::infer_call and its siblings.
#pragma once

#include <cstddef>

#include "frontend/check/types.hpp"
#include "frontend/source/source_map.hpp"

namespace cairn {

/// The arguments of one call, one per parameter (omitted extents written out), or a constructor's fields or payload.
class CallArguments {
 public:
  virtual ~CallArguments() = default;
  [[nodiscard]] virtual std::size_t count() const = 0;
  /// The argument's type with nothing expected: the value type behind a single borrow; a view's, Buf's or Array's own
  /// type. With `elements` the parameter is a view: a part or a lending record answers with a view type of its
  /// elements. An argument is typed at most once; the body keeps what it made. Refuses what has no type of its own (a
  /// closure: E-CLOSURE, a function's name: E-UNBOUND).
  virtual const Type* type_of(std::size_t index, bool elements) = 0;
  [[nodiscard]] virtual bool is_literal(std::size_t index) const = 0;  // a bare integer or float literal
  [[nodiscard]] virtual bool is_part(std::size_t index) const = 0;
  [[nodiscard]] virtual Position position(std::size_t index) const = 0;

 protected:
  CallArguments() = default;
  CallArguments(const CallArguments&) = default;
  CallArguments& operator=(const CallArguments&) = default;
};

}  // namespace cairn
