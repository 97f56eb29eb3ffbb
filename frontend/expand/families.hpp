// Families (abstractions, 3.5): `family g = f[lo..hi];` makes the ordinary functions g_lo .. g_{hi-1}.
#pragma once

#include <vector>

#include "frontend/check/declarations.hpp"
#include "frontend/support/arena.hpp"
#include "frontend/support/names.hpp"
#include "frontend/syntax/ast.hpp"

namespace cairn {

/// The copies of every family among `declarations`, in order, each declared in `table`. Throws Refusal.
[[nodiscard]] std::vector<const syntax::Decl*> instantiate_families(
    const std::vector<const syntax::Decl*>& declarations, Arena& arena, NameTable& names, Declarations& table);

}  // namespace cairn
