#include "frontend/check/spelling.hpp"

namespace cairn {

using syntax::BorrowMode;

void spell(std::string& out, const syntax::TypeExpr& type, const NameTable& names) {
  const auto list = [&](std::string_view open, std::string_view close) {
    out += open;
    for (std::size_t i = 0; i < type.arguments.size(); ++i) {
      if (i > 0) out += ", ";
      spell(out, *type.arguments[i], names);
    }
    out += close;
  };
  const auto path = [&] {
    for (std::size_t i = 0; i < type.path.segments.size(); ++i)
      out.append(i == 0 ? "" : ".").append(names.text(type.path.segments[i].name));
  };
  switch (type.kind) {
    case syntax::TypeKind::Natural:
      out += type.natural.digits;
      return;
    case syntax::TypeKind::Named:
      path();
      if (!type.arguments.empty()) list("[", "]");
      return;
    case syntax::TypeKind::Dyn:
      out += "dyn ";
      path();
      return;
    case syntax::TypeKind::Function:
      list("fn(", ")");
      if (type.inner != nullptr) {
        out += " -> ";
        spell(out, *type.inner, names);
      }
      return;
    case syntax::TypeKind::Borrow:
      out += type.mode == BorrowMode::Ro ? "ro<" : "rw<";
      spell(out, *type.inner, names);
      out += '>';
      if (type.has_extent)
        out.append("[").append(type.extent_is_name ? names.text(type.extent_name.name) : type.natural.digits) += ']';
      return;
  }
}

}  // namespace cairn
