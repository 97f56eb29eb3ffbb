// The statements of a body in order, each with what is known where it stands (concurrency, 7.3).
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "frontend/check/facts.hpp"
#include "frontend/check/tree_walk.hpp"

namespace cairn {

/// The operands of a chain of && and ||, each visited with what those before it tell.
template <class Visit>
void for_each_logical_operand(const checked::Expr& root, Facts& facts, Visit&& visit) {
  const std::vector<const checked::Expr*> chain = checked::left_chain(root);
  const std::size_t mark = facts.mark();
  visit(checked::left_of(*chain.front()));
  for (std::size_t k = 0; k < chain.size(); ++k) {
    const auto& operation = chain[k]->as<checked::LogicalExpr>();
    const bool goes_on = k != 0 && chain[k - 1]->as<checked::LogicalExpr>().is_and == operation.is_and;
    if (!goes_on) facts.drop(mark);
    facts.holds(goes_on ? &checked::right_of(*chain[k - 1]) : operation.left, operation.is_and);
    visit(*operation.right);
  }
  facts.drop(mark);
}

/// Walks a body; nested blocks are entered, closures and lane bodies are not.
class FactWalk {
 public:
  /// Is given a statement, and those after it in its block, before the statement is entered.
  using Visit = std::function<void(std::span<const checked::Stmt* const> from, Facts& facts)>;

  FactWalk(Facts& facts, Visit visit) : facts_(facts), visit_(std::move(visit)) {}

  void walk(const checked::Block& body) {
    const std::size_t mark = facts_.mark();
    for (std::size_t i = 0; i < body.statements.size(); ++i) {
      visit_(std::span(body.statements).subspan(i), facts_);
      enter(*body.statements[i]);
    }
    facts_.drop(mark);
  }

 private:
  void inside(const checked::Block* body) {
    if (body != nullptr) walk(*body);
  }

  /// Looks into a statement, and learns what it tells of those after it.
  void enter(const checked::Stmt& statement) {
    using checked::StmtKind;
    const std::size_t mark = facts_.mark();
    switch (statement.kind) {
      case StmtKind::Let:
        return facts_.equals(*statement.as<checked::LetStmt>().local, statement.as<checked::LetStmt>().value);
      case StmtKind::If: {
        const auto& branch = statement.as<checked::IfStmt>();
        facts_.holds(branch.condition, true);
        inside(branch.then);
        facts_.drop(mark);
        facts_.holds(branch.condition, false);
        inside(branch.otherwise);
        facts_.drop(mark);
        const bool otherwise_leaves = branch.otherwise != nullptr && branch.otherwise->leaves;
        if (branch.then->leaves != otherwise_leaves) facts_.holds(branch.condition, otherwise_leaves);
        return;
      }
      case StmtKind::For: {
        const auto& loop = statement.as<checked::ForStmt>();
        facts_.binds(*loop.binder, loop.lo, loop.hi);
        inside(loop.body);
        return facts_.drop(mark);
      }
      case StmtKind::Compact: {
        const auto& compact = statement.as<checked::CompactStmt>();
        if (compact.count != nullptr) facts_.at_most(*compact.count, compact.extent);
        return;
      }
      default:
        checked::for_each_part(
            statement, [](const checked::Expr&) {}, [&](const checked::Block& nested) { walk(nested); },
            [](const checked::Function&) {});
        return;
    }
  }

  Facts& facts_;
  Visit visit_;
};

}  // namespace cairn
