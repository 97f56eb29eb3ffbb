// `derive grad for f;` (numerics, 8): the reverse-mode derivative of a function, as an ordinary function of its module,
// made from its syntax before anything is checked. Every node stands at the derive.
#pragma once

#include <functional>
#include <vector>

#include "frontend/check/declarations.hpp"
#include "frontend/support/arena.hpp"
#include "frontend/support/names.hpp"
#include "frontend/syntax/ast.hpp"

namespace cairn {

/// Makes the gradient of every derive given, in their order; `add` takes each as it is made and refuses a name that
/// exists. Throws a Refusal.
void derive_gradients(const std::vector<const syntax::DeriveDecl*>& derives, Arena& arena, NameTable& names,
                      const Declarations& table,
                      const std::function<void(const syntax::FunctionDecl&, const syntax::DeriveDecl&)>& add);

}  // namespace cairn
