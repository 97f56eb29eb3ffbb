// The names of a program's trees before they are checked: what expansion resolves by.
#pragma once

#include <string>

#include "frontend/check/declarations.hpp"
#include "frontend/support/names.hpp"
#include "frontend/syntax/ast.hpp"

namespace cairn {

/// Adds what a declaration declares or imports. Impls, plans, derives and tests have no name anyone can use.
void enter_name(Declarations& table, NameTable& names, const syntax::Decl& declaration);

/// The kind of symbol a declaration is; None for those without a name.
[[nodiscard]] Symbol::Kind symbol_kind(syntax::DeclKind kind);

/// The recipe a derive names: one visible in its module, else a packaged one (10.5); none when there is no such recipe.
[[nodiscard]] Symbol recipe_named(const Declarations& table, NameTable& names, const syntax::DeriveDecl& derive);

/// A dotted name as written.
[[nodiscard]] std::string dotted_text(const syntax::Path& path, const NameTable& names);

}  // namespace cairn
