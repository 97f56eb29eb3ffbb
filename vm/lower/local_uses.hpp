// What a function does with each of its locals, found in one walk before it is lowered: it decides which live in
// registers and which need an address.
#pragma once

#include <vector>

#include "frontend/check/program.hpp"

namespace cairn::lower {

struct LocalUse {
  bool addressed = false;  // a reference to the local itself is made: lent, or captured by reference
  bool rewritten = false;  // assigned, taken or swapped as a whole after its declaration
  unsigned walked = 0;     // an Array: how often its elements are reached through a view
};

struct FunctionUses {
  std::vector<LocalUse> locals;  // by Local::index
  bool has_loop = false;
};

[[nodiscard]] FunctionUses uses_of(const checked::Function& function);

/// Whether a closure or lane reaches a captured local through a reference; else it is given a copy, since the local
/// never changes: borrows, views, and immutable values of one slot.
[[nodiscard]] bool captured_by_reference(const checked::Local& local);

/// Whether an expression names a local, in a closure or lane body too.
[[nodiscard]] bool mentions(const checked::Expr& e, const checked::Local& local);
/// Whether evaluating an expression may leave the function early.
[[nodiscard]] bool may_leave(const checked::Expr& e);

}  // namespace cairn::lower
