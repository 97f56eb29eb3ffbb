// Which side a region runs on, as it is written (devices, 2.2): by the names whose elements it indexes, before anything
// of it is typed.
#pragma once

#include <functional>
#include <span>

#include "frontend/support/names.hpp"
#include "frontend/syntax/ast.hpp"

namespace cairn {

/// Calls `visit(name)` for the root of every index expression `x[..]`, of every element that is atomically updated, and
/// of the array of every wide access, in bodies and expressions, nested ones included. A name that is only passed on is
/// not visited. Names need not be locals: `f[T](..)` visits `f`. Stops when `visit` gives true, and gives it then.
[[nodiscard]] bool any_indexed(const syntax::Block& body, const NameTable& names,
                               const std::function<bool(Name)>& visit);
[[nodiscard]] bool any_indexed(const syntax::Expr& expression, const NameTable& names,
                               const std::function<bool(Name)>& visit);

}  // namespace cairn
