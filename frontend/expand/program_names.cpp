#include "frontend/expand/program_names.hpp"

#include <string>
#include <vector>

namespace cairn {

using namespace syntax;

Symbol::Kind symbol_kind(DeclKind kind) {
  switch (kind) {
    case DeclKind::Const:
      return Symbol::Kind::Const;
    case DeclKind::Alias:
      return Symbol::Kind::Alias;
    case DeclKind::Record:
      return Symbol::Kind::Record;
    case DeclKind::Sum:
      return Symbol::Kind::Sum;
    case DeclKind::Trait:
      return Symbol::Kind::Trait;
    case DeclKind::Extern:
      return Symbol::Kind::Extern;
    case DeclKind::Function:
      return Symbol::Kind::Function;
    case DeclKind::Recipe:
      return Symbol::Kind::Recipe;
    case DeclKind::Layout:
      return Symbol::Kind::Layout;
    case DeclKind::Family:
      return Symbol::Kind::Family;
    default:
      return Symbol::Kind::None;
  }
}

void enter_name(Declarations& table, NameTable& names, const Decl& declaration) {
  Module& module = table.open(declaration.module, false);
  if (declaration.kind == DeclKind::Import) {
    const auto& import = declaration.as<ImportDecl>();
    const Name target = names.intern(dotted_text(import.path, names));
    module.aliases.emplace(import.has_alias ? import.alias.name : import.path.last(), target);
    for (const Identifier& name : import.names) module.imported.emplace(name.name, target);
    return;
  }
  const Symbol::Kind kind = symbol_kind(declaration.kind);
  if (kind != Symbol::Kind::None)
    table.declare(declaration.module, declaration.name.name, {kind, &declaration, nullptr});
}

std::string dotted_text(const Path& path, const NameTable& names) {
  std::string text;
  for (const Identifier& segment : path.segments) {
    text += (text.empty() ? "" : ".") + std::string(names.text(segment.name));
  }
  return text;
}

Symbol recipe_named(const Declarations& table, NameTable& names, const DeriveDecl& derive) {
  std::vector<Name> path;
  for (const Identifier& segment : derive.recipe.segments) path.push_back(segment.name);
  const Symbol visible = table.lookup(path, derive.module, kWantRecipe);
  if (visible || derive.recipe.dotted()) return visible;
  // `std.NAME.NAME`, then `std.derived.NAME`.
  const Name name = path.front();
  const Name standard = names.intern("std");
  if (const Symbol own = table.lookup(std::vector<Name>{standard, name, name}, {}, kWantRecipe)) return own;
  return table.lookup(std::vector<Name>{standard, names.intern("derived"), name}, {}, kWantRecipe);
}

}  // namespace cairn
