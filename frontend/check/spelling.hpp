// A written type as text, spaced the way the language's own displays are.
#pragma once

#include <string>

#include "frontend/support/names.hpp"
#include "frontend/syntax/ast.hpp"

namespace cairn {

void spell(std::string& out, const syntax::TypeExpr& type, const NameTable& names);

[[nodiscard]] inline std::string spelled(const syntax::TypeExpr& type, const NameTable& names) {
  std::string text;
  spell(text, type, names);
  return text;
}

}  // namespace cairn
