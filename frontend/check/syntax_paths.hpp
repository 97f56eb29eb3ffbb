// Dotted names inside expressions: `a.b.c` as written, when every step is a plain name.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "frontend/support/names.hpp"
#include "frontend/syntax/ast.hpp"

namespace cairn {

/// The names of a chain of members over a name; empty when the expression is anything else. Short paths need no heap.
class WrittenPath {
 public:
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] Name front() const { return names().front(); }
  [[nodiscard]] std::span<const Name> names() const {
    return long_.empty() ? std::span<const Name>(short_.data(), size_) : std::span<const Name>(long_);
  }
  [[nodiscard]] Name joined(NameTable& table) const {
    std::string text;
    for (const Name name : names()) {
      if (!text.empty()) text += '.';
      text += table.text(name);
    }
    return table.intern(text);
  }

 private:
  friend WrittenPath written_path(const syntax::Expr& expression);
  static constexpr std::size_t kShort = 6;
  std::array<Name, kShort> short_{};
  std::vector<Name> long_;
  std::size_t size_ = 0;
};

[[nodiscard]] inline WrittenPath written_path(const syntax::Expr& expression) {
  WrittenPath path;
  std::size_t size = 1;
  const syntax::Expr* root = &expression;
  for (; root->kind == syntax::ExprKind::Member; root = root->as<syntax::MemberExpr>().base) ++size;
  if (root->kind != syntax::ExprKind::Name) return path;
  path.size_ = size;
  if (size > WrittenPath::kShort) path.long_.resize(size);
  Name* names = size > WrittenPath::kShort ? path.long_.data() : path.short_.data();
  for (const syntax::Expr* each = &expression; size-- > 1; each = each->as<syntax::MemberExpr>().base) {
    names[size] = each->as<syntax::MemberExpr>().member.name;
  }
  names[0] = root->as<syntax::NameExpr>().name;
  return path;
}

}  // namespace cairn
