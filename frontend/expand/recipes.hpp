// Applying one recipe (abstractions, 10.1 to 10.4): its items with statics measured, `each` unrolled, names spliced and
// the recipe's own names spelled out in full. What it gives are declarations of the deriving module, made from the
// recipe's text and standing at its positions.
#pragma once

#include <string_view>
#include <vector>

#include "frontend/check/declarations.hpp"
#include "frontend/expand/statics.hpp"
#include "frontend/support/arena.hpp"
#include "frontend/support/names.hpp"
#include "frontend/syntax/ast.hpp"

namespace cairn {

struct RecipeApplication {
  const syntax::RecipeDecl* recipe = nullptr;
  const syntax::DeriveDecl* derive = nullptr;
  std::string_view derived;  // "derive NAME for TYPE", of the arena
  bool final = false;        // no other derivation can generate a type any more
};

/// The generated declarations in order. Throws Refusal, or WaitsForType when not `final`.
[[nodiscard]] std::vector<const syntax::Decl*> apply_recipe(const RecipeApplication& application, Arena& arena,
                                                            NameTable& names, const Declarations& table);

}  // namespace cairn
