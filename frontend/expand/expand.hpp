// Expansion: derive (abstractions, 10) and families (3.5), on trees, between linking and checking (phases 4 and 5). The
// same inputs give the same output. Generated declarations carry `derived`; names the recipe itself wrote are spelled
// out in full, so the checker resolves a generated declaration like any other of the module it was derived in.
//
// A family's copy is a FunctionDecl without generics that has `copy_of`: it stands in the family's module under its own
// name, while its signature and body are the template's own and resolve in the template's module with the template's
// one parameter bound to `copy_value`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "frontend/frontend.hpp"

namespace cairn {

/// The packaged modules that the bare `derive NAME`s of a program may need (10.5): what linking adds. `packaged` gives
/// a packaged module's text, or null.
[[nodiscard]] std::vector<std::string> recipe_modules(const Compilation& compilation,
                                                      const std::string* (*packaged)(std::string_view module));

/// Applies every derive, then every family, of `compilation.tree`, and replaces the tree by one with the generated
/// declarations at its end. Throws a Refusal (which is reported alone).
void expand(Compilation& compilation);

/// The text of `cairn expand` (10.6) of an expanded tree; empty when nothing was generated.
[[nodiscard]] std::string expansion_text(Compilation& compilation);

}  // namespace cairn
