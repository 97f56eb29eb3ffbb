#include "frontend/expand/program_names.hpp"

#include <string>

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
    std::string path;
    for (const Identifier& segment : import.path.segments) {
      path += (path.empty() ? "" : ".") + std::string(names.text(segment.name));
    }
    const Name target = names.intern(path);
    module.aliases.emplace(import.has_alias ? import.alias.name : import.path.last(), target);
    for (const Identifier& name : import.names) module.imported.emplace(name.name, target);
    return;
  }
  const Symbol::Kind kind = symbol_kind(declaration.kind);
  if (kind != Symbol::Kind::None)
    table.declare(declaration.module, declaration.name.name, {kind, &declaration, nullptr});
}

}  // namespace cairn
