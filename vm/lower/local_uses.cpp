#include "vm/lower/local_uses.hpp"

#include <algorithm>

#include "frontend/check/tree_walk.hpp"
#include "vm/lower/types.hpp"

namespace cairn::lower {

using checked::Block;
using checked::Expr;
using checked::ExprKind;
using checked::Local;
using checked::Stmt;
using checked::StmtKind;

namespace {

class Walk {
 public:
  explicit Walk(const checked::Function& function) : function_(function) {
    uses_.locals.resize(function.locals.size());
    for (const Local* local : function.locals) {
      if (local->captured && captured_by_reference(*local)) uses_.locals[local->index].addressed = true;
    }
  }

  void block(const Block& b) {
    for (const Stmt* s : b.statements) statement(*s);
  }

  FunctionUses take() { return std::move(uses_); }

 private:
  void statement(const Stmt& s) {
    switch (s.kind) {
      case StmtKind::While:
      case StmtKind::For:
      case StmtKind::Parallel:
      case StmtKind::Reduce:
      case StmtKind::Scan:
      case StmtKind::Compact:
        uses_.has_loop = true;
        break;
      case StmtKind::Assign:
        rewritten(*s.as<checked::AssignStmt>().place);
        break;
      case StmtKind::Compound:
        rewritten(*s.as<checked::CompoundStmt>().place);
        break;
      default:
        break;
    }
    for_each_part(
        s, [this](const Expr& e) { expression(e); }, [this](const Block& b) { block(b); },
        [](const checked::Function&) {});
  }

  void expression(const Expr& root) {
    // Operand chains may be of any length, so the walk keeps its own stack.
    pending_.push_back(&root);
    while (!pending_.empty()) {
      const Expr& e = *pending_.back();
      pending_.pop_back();
      switch (e.kind) {
        case ExprKind::Take:
          rewritten(*e.as<checked::TakeExpr>().place);
          break;
        case ExprKind::Swap:
          rewritten(*e.as<checked::SwapExpr>().left);
          rewritten(*e.as<checked::SwapExpr>().right);
          break;
        case ExprKind::Lend: {
          const auto& lend = e.as<checked::LendExpr>();
          if (lend.mode == BorrowMode::Rw) rewritten(*lend.place);
          if (lend.mode == BorrowMode::Rw || !lent_by_value(*lend.place->type)) addressed(*lend.place);
          break;
        }
        case ExprKind::LendDyn:
          if (e.as<checked::LendDynExpr>().table != nullptr) addressed(*e.as<checked::LendDynExpr>().place);
          break;
        case ExprKind::Element:
          if (e.as<checked::ElementExpr>().index->kind != ExprKind::Integer) walked(*e.as<checked::ElementExpr>().base);
          break;
        case ExprKind::ViewOf:
          walked(*e.as<checked::ViewOfExpr>().place);
          break;
        case ExprKind::Concurrent:
          if (const Expr* receiver = e.as<checked::ConcurrentExpr>().receiver) {
            // The elements behind a view have addresses of their own.
            receiver->type->is(TypeKind::View) ? walked(*receiver) : addressed(*receiver);
          }
          break;
        default:
          break;
      }
      for_each_operand(e, [this](const Expr& operand) { pending_.push_back(&operand); });
    }
  }

  void addressed(const Expr& place) {
    if (LocalUse* use = own(place)) use->addressed = true;
  }
  void rewritten(const Expr& place) {
    if (LocalUse* use = own(place)) use->rewritten = true;
  }

  void walked(const Expr& place) {
    if (LocalUse* use = own(place)) use->walked += 1;
  }

  [[nodiscard]] LocalUse* own(const Expr& place) {
    if (place.kind != ExprKind::Local) return nullptr;
    const Local* local = place.as<checked::LocalExpr>().local;
    return local->owner == &function_ ? &uses_.locals[local->index] : nullptr;
  }

  const checked::Function& function_;
  FunctionUses uses_;
  std::vector<const Expr*> pending_;
};

bool anywhere(const Block& block, const auto& holds);

/// Whether `holds` for `root` or some expression under it, closure bodies included.
bool anywhere(const Expr& root, const auto& holds) {
  return checked::any_expression(root, [&](const Expr& e) {
    return holds(e) || (e.kind == ExprKind::Closure && anywhere(*e.as<checked::ClosureExpr>().body->body, holds));
  });
}

bool anywhere(const Block& block, const auto& holds) {
  bool found = false;
  for (const Stmt* s : block.statements) {
    for_each_part(
        *s, [&](const Expr& e) { found = found || anywhere(e, holds); },
        [&](const Block& b) { found = found || anywhere(b, holds); }, [](const checked::Function&) {});
    if (found) return true;
  }
  return false;
}

}  // namespace

FunctionUses uses_of(const checked::Function& function) {
  Walk walk(function);
  if (function.body != nullptr) walk.block(*function.body);
  return walk.take();
}

bool captured_by_reference(const Local& local) {
  if (local.type->is(TypeKind::Borrow) || local.type->is(TypeKind::View)) return false;
  return shape_of(*local.type) != Shape::One || local.is_mutable;
}

bool mentions(const Expr& e, const Local& local) {
  return anywhere(e, [&](const Expr& inner) {
    if (inner.kind == ExprKind::Closure) {
      const auto& captures = inner.as<checked::ClosureExpr>().body->captures;
      return std::ranges::find(captures, &local) != captures.end();
    }
    return inner.kind == ExprKind::Local && inner.as<checked::LocalExpr>().local == &local;
  });
}

bool may_leave(const Expr& e) {
  return anywhere(e, [](const Expr& inner) { return inner.kind == ExprKind::Try; });
}

}  // namespace cairn::lower
