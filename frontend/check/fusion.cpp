#include "frontend/check/fusion.hpp"

#include <algorithm>

#include "frontend/check/quiet.hpp"
#include "frontend/check/tree_walk.hpp"

namespace cairn {

using checked::Expr;
using checked::ExprKind;
using checked::RegionAccess;
using checked::Stmt;
using checked::StmtKind;

namespace {

/// A region, or a reduction that may end a chain.
struct Link {
  const Expr* extent = nullptr;
  const checked::Function* lane = nullptr;
  std::uint64_t block = 1;
  checked::List<const RegionAccess> accesses;
};

std::optional<Link> link_of(const Stmt& statement, bool may_reduce) {
  if (statement.kind == StmtKind::Parallel) {
    const auto& region = statement.as<checked::ParallelStmt>();
    if (region.device) return std::nullopt;
    return Link{region.extent, region.lane, region.block, region.accesses};
  }
  if (statement.kind != StmtKind::Reduce || !may_reduce) return std::nullopt;
  const auto& reduce = statement.as<checked::ReduceStmt>();
  if (reduce.device || reduce.warp) return std::nullopt;
  return Link{reduce.extent, reduce.lane, 1, reduce.accesses};
}

/// Whether two counts are spelled alike from names, literals, fields, len and operators.
bool spelled_alike(const Expr& left, const Expr& right) {
  if (left.kind != right.kind || left.type != right.type) return false;
  switch (left.kind) {
    case ExprKind::Integer:
      return left.as<checked::IntegerExpr>().bits == right.as<checked::IntegerExpr>().bits;
    case ExprKind::Local:
      return left.as<checked::LocalExpr>().local == right.as<checked::LocalExpr>().local;
    case ExprKind::Field:
      if (left.as<checked::FieldExpr>().index != right.as<checked::FieldExpr>().index) return false;
      break;
    case ExprKind::Binary:
      if (left.as<checked::BinaryExpr>().op != right.as<checked::BinaryExpr>().op) return false;
      break;
    case ExprKind::Unary:
      if (left.as<checked::UnaryExpr>().op != right.as<checked::UnaryExpr>().op) return false;
      break;
    case ExprKind::Load:
    case ExprKind::Length:
    case ExprKind::ViewOf:
      break;
    default:
      return false;
  }
  std::vector<const Expr*> a;
  std::vector<const Expr*> b;
  checked::for_each_operand(left, [&](const Expr& operand) { a.push_back(&operand); });
  checked::for_each_operand(right, [&](const Expr& operand) { b.push_back(&operand); });
  return std::ranges::equal(a, b, [](const Expr* x, const Expr* y) { return spelled_alike(*x, *y); });
}

/// Whatever either writes and both touch is touched at stride 1 alone.
bool share_own_elements(const Link& first, const Link& second) {
  const auto touches = [](const Link& link, const checked::Local* root) {
    return std::ranges::any_of(link.accesses, [&](const RegionAccess& access) { return access.root == root; });
  };
  const auto strays = [](const Link& link, const checked::Local* root) {
    return std::ranges::any_of(link.accesses,
                               [&](const RegionAccess& access) { return access.root == root && access.stride != 1; });
  };
  const auto fits = [&](const RegionAccess& access) {
    if (!access.writes || !touches(first, access.root) || !touches(second, access.root)) return true;
    return !strays(first, access.root) && !strays(second, access.root);
  };
  return std::ranges::all_of(first.accesses, fits) && std::ranges::all_of(second.accesses, fits);
}

/// Walks a body with what is known at each statement.
class Fusion {
 public:
  bool search(const checked::Block& body) {
    const std::size_t mark = facts_.mark();
    for (std::size_t i = 0; i < body.statements.size() && !found_; ++i) {
      const Stmt& statement = *body.statements[i];
      if (i + 1 < body.statements.size()) {
        const auto first = link_of(statement, false);
        const auto second = first ? link_of(*body.statements[i + 1], true) : std::nullopt;
        found_ = first && second && may_join(*first, *second);
      }
      enter(statement);
    }
    facts_.drop(mark);
    return found_;
  }

 private:
  bool may_join(const Link& first, const Link& second) {
    return first.block == 1 && second.block == 1 && spelled_alike(*first.extent, *second.extent) &&
           share_own_elements(first, second) && quiet_.is_quiet_lane(*first.lane, *first.extent, facts_) &&
           quiet_.is_quiet_lane(*second.lane, *second.extent, facts_);
  }

  void inside(const checked::Block* body) {
    if (body != nullptr) search(*body);
  }

  /// Looks into a statement, and learns what it tells of those after it.
  void enter(const Stmt& statement) {
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
            statement, [](const Expr&) {}, [&](const checked::Block& nested) { search(nested); },
            [](const checked::Function&) {});
        return;
    }
  }

  Facts facts_;
  QuietBodies quiet_;
  bool found_ = false;
};

}  // namespace

bool has_fusible_regions(const checked::Function& function) {
  return function.body != nullptr && Fusion().search(*function.body);
}

}  // namespace cairn
