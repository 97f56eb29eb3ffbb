#include "frontend/check/fusion.hpp"

#include <algorithm>

#include "frontend/check/fact_walk.hpp"
#include "frontend/check/quiet.hpp"

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
  bool device = false;
};

std::optional<Link> link_of(const Stmt& statement, bool may_reduce) {
  if (statement.kind == StmtKind::Parallel) {
    const auto& region = statement.as<checked::ParallelStmt>();
    return Link{region.extent, region.lane, region.block, region.accesses, region.device};
  }
  if (statement.kind != StmtKind::Reduce || !may_reduce) return std::nullopt;
  const auto& reduce = statement.as<checked::ReduceStmt>();
  if (reduce.device || reduce.warp) return std::nullopt;
  return Link{reduce.extent, reduce.lane, 1, reduce.accesses, false};
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

bool may_join(const Link& first, const Link& second, QuietBodies& quiet, Facts& facts) {
  return first.device == second.device && first.block == 1 && second.block == 1 &&
         spelled_alike(*first.extent, *second.extent) && share_own_elements(first, second) &&
         quiet.is_quiet_lane(*first.lane, *first.extent, facts) &&
         quiet.is_quiet_lane(*second.lane, *second.extent, facts);
}

}  // namespace

bool has_fusible_regions(const checked::Function& function) {
  if (function.body == nullptr) return false;
  Facts facts;
  QuietBodies quiet;
  bool found = false;
  FactWalk(facts, [&](std::span<const Stmt* const> from, Facts& known) {
    if (found || from.size() < 2) return;
    const auto first = link_of(*from[0], false);
    const auto second = first ? link_of(*from[1], true) : std::nullopt;
    found = first && second && may_join(*first, *second, quiet, known);
  }).walk(*function.body);
  return found;
}

}  // namespace cairn
