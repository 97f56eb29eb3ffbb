#include "frontend/check/device_sides.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "frontend/check/syntax_walk.hpp"

namespace cairn {

namespace {

using syntax::Block;
using syntax::Expr;
using syntax::ExprKind;
using syntax::Stmt;
using syntax::StmtKind;

/// Builtins whose first argument is an array they access as an index does.
constexpr std::array<std::string_view, 4> kIndexing = {"load_wide", "store_wide", "mma_load", "mma_store"};

class IndexSearch {
 public:
  IndexSearch(const NameTable& names, const std::function<bool(Name)>& visit) : names_(names), visit_(visit) {}

  bool block(const Block& body) {
    return std::ranges::any_of(body.statements, [&](const Stmt* each) { return statement(*each); });
  }

  bool expression(const Expr& root) {
    std::vector<const Expr*> pending{&root};  // chains of operators may be of any length
    bool found = false;
    while (!pending.empty() && !found) {
      const Expr& at = *pending.back();
      pending.pop_back();
      if (at.kind == ExprKind::Bracket && indexes(at)) return true;
      const auto add = [&](const Expr& operand) { pending.push_back(&operand); };
      if (at.kind == ExprKind::Call) {
        if (call(at.as<syntax::CallExpr>(), add)) return true;
        continue;
      }
      syntax::for_each_operand(at, add, [&](const Block& body) { found = found || block(body); });
    }
    return found;
  }

 private:
  bool indexes(const Expr& place) {
    const Name name = syntax::root_of(place);
    return name && visit_(name);
  }

  /// What stands in a callee's brackets are static arguments.
  bool call(const syntax::CallExpr& call, const auto& add) {
    const Expr* callee = call.callee;
    const Expr* named = callee->kind == ExprKind::Bracket ? callee->as<syntax::BracketExpr>().base : callee;
    if (named->kind == ExprKind::Member) add(*named);
    for (const Expr* argument : call.arguments) add(*argument);
    if (named->kind != ExprKind::Name || call.arguments.empty()) return false;
    const std::string_view name = names_.text(named->as<syntax::NameExpr>().name);
    return std::ranges::find(kIndexing, name) != kIndexing.end() && indexes(*call.arguments.front());
  }

  bool statement(const Stmt& root) {
    switch (root.kind) {
      case StmtKind::Parallel:
      case StmtKind::Compact:
      case StmtKind::Scan:
      case StmtKind::Blocks:
      case StmtKind::Into:
        return false;  // regions and tasks inside a region are refused for that alone
      default:
        break;
    }
    bool found = false;
    syntax::for_each_part(
        root, [&](const Expr& value) { found = found || expression(value); },
        [&](const Block& body) { found = found || block(body); });
    return found;
  }

  const NameTable& names_;
  const std::function<bool(Name)>& visit_;
};

}  // namespace

bool any_indexed(const Block& body, const NameTable& names, const std::function<bool(Name)>& visit) {
  return IndexSearch(names, visit).block(body);
}

bool any_indexed(const Expr& expression, const NameTable& names, const std::function<bool(Name)>& visit) {
  return IndexSearch(names, visit).expression(expression);
}

}  // namespace cairn
