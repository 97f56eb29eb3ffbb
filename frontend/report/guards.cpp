#include "frontend/report/guards.hpp"

#include <algorithm>

#include "frontend/check/body_walk.hpp"
#include "frontend/check/concurrent_ops.hpp"
#include "frontend/check/discharge.hpp"

namespace cairn {

namespace {

using namespace checked;

bool is_narrowing(const Type* from, const Type* to) {
  if (from->is_float()) return to->is_integer() || to->is(TypeKind::F8E4M3);
  if (!from->is_integer() || !to->is_integer()) return false;
  const unsigned wide = bit_width(from->kind);
  const unsigned target = bit_width(to->kind);
  if (from->is_unsigned()) return target < wide || (target == wide && to->is_signed());
  return to->is_unsigned() || target < wide;
}

class Sites {
 public:
  Sites(std::vector<GuardSite>& sites, const Function& function) : sites_(sites) { discharged_.add(function); }

  /// What the callable boundary tests.
  void entry(const Function& function) {
    for (std::size_t k = 0; k < function.parameters.size(); ++k) {
      const Local& parameter = *function.parameters[k];
      if (parameter.type->is(TypeKind::View)) add("view_entry", parameter.position);
      if (parameter.type->is(TypeKind::Sum)) add(parameter.type->sum->plain ? "enum_entry" : "tag", parameter.position);
      for (std::size_t other = 0; other < k; ++other) {
        const Type* a = function.parameters[other]->type;
        const Type* b = parameter.type;
        const bool are_views = a->is(TypeKind::View) && b->is(TypeKind::View);
        if (are_views && (a->mode == BorrowMode::Rw || b->mode == BorrowMode::Rw))
          add("disjointness", parameter.position);
      }
    }
  }

  void expression(const Expr& root) {
    const std::size_t before = sites_.size();
    find(root);
    if (sites_.size() != before) sites_.back().discharged = discharged_.contains(root);
  }

  void statement(const Stmt& root) {
    if (root.kind == StmtKind::Compound) {
      const auto& compound = root.as<CompoundStmt>();
      const std::size_t before = sites_.size();
      arithmetic(compound.op, compound.place->type, root.position);
      if (sites_.size() != before) sites_.back().discharged = discharged_.contains(root);
    }
    if (root.kind == StmtKind::Storage && root.as<StorageStmt>().local->kind == LocalKind::Buffer) {
      add("allocation", root.position);
    }
  }

 private:
  void find(const Expr& root) {
    switch (root.kind) {
      case ExprKind::Element:
      case ExprKind::Part:
        return add("bounds", root.position);
      case ExprKind::Binary:
        return arithmetic(root.as<BinaryExpr>().op, root.as<BinaryExpr>().left->type, root.position);
      case ExprKind::Unary:
        if (root.as<UnaryExpr>().op == UnaryOp::Negate && root.type->is_integer()) add("overflow", root.position);
        return;
      case ExprKind::Convert:
        if (is_narrowing(root.as<ConvertExpr>().operand->type, root.type)) add("conversion", root.position);
        return;
      case ExprKind::Builtin:
        return builtin(root.as<BuiltinExpr>());
      case ExprKind::CallValue:
        if (!root.as<CallValueExpr>().borrowed) add("callable", root.position);
        return;
      case ExprKind::LendDyn:
        if (root.as<LendDynExpr>().place->type->is(TypeKind::Dyn)) add("callable", root.position);
        return;
      case ExprKind::Assert:
      case ExprKind::AssertEqual:
        return add("assert", root.position);
      case ExprKind::LayoutQuery:
        return add("layout", root.position);
      case ExprKind::Concurrent:
        return concurrent(root.as<ConcurrentExpr>());
      case ExprKind::BufNew:
      case ExprKind::DynNew:
      case ExprKind::Format:
        return add("allocation", root.position);
      default:
        return;
    }
  }

  void add(std::string_view kind, Position position) { sites_.push_back({kind, position}); }

  void arithmetic(BinaryOp op, const Type* type, Position position) {
    if (!type->is_integer()) return;
    if (op == BinaryOp::Add || op == BinaryOp::Subtract || op == BinaryOp::Multiply) add("overflow", position);
    if (op == BinaryOp::Divide || op == BinaryOp::Remainder) add("division", position);
  }

  void concurrent(const ConcurrentExpr& root) {
    switch (root.op) {
      case ConcurrentOp::LoadWide:
      case ConcurrentOp::StoreWide:
        return add("wide", root.position);
      case ConcurrentOp::MatrixMultiply:
        return add("matrix", root.position);
      case ConcurrentOp::FragmentLoad:
      case ConcurrentOp::FragmentStore:
      case ConcurrentOp::FragmentGet:
      case ConcurrentOp::FragmentSet:
        return add("fragment", root.position);
      default:
        return;
    }
  }

  void builtin(const BuiltinExpr& root) {
    switch (root.builtin) {
      case Builtin::Shr:
      case Builtin::ShlWrap:
        return add("shift", root.position);
      case Builtin::Abs:
        if (root.type->is_signed()) add("abs", root.position);
        return;
      case Builtin::Quantize:
      case Builtin::QuantizeStochastic:
        return add("quantize", root.position);
      default:
        return;
    }
  }

  std::vector<GuardSite>& sites_;
  DischargedGuards discharged_;
};

}  // namespace

std::vector<GuardSite> guard_sites(const checked::Function& function) {
  std::vector<GuardSite> all;
  Sites sites(all, function);
  sites.entry(function);
  walk_body(
      function, [&](const Expr& root) { sites.expression(root); }, [&](const Stmt& root) { sites.statement(root); });
  return all;
}

std::map<std::string_view, std::size_t> count_by_kind(const std::vector<GuardSite>& sites, bool discharged) {
  std::map<std::string_view, std::size_t> counts;
  for (const GuardSite& site : sites) {
    if (site.discharged || !discharged) ++counts[site.kind];
  }
  return counts;
}

std::vector<StorageSite> storage_sites(const checked::Function& function, const NameTable& names) {
  std::vector<StorageSite> sites;
  const auto on_statement = [&](const Stmt& root) {
    if (root.kind != StmtKind::Storage) return;
    const Local& local = *root.as<StorageStmt>().local;
    StorageSite site;
    site.name = std::string(names.text(local.name));
    site.kind = local.kind == LocalKind::Stack ? "stack" : "buffer";
    site.type = std::string(local.type->element->name);
    if (local.type->placement == Placement::Device) site.placement = "device";
    if (local.type->placement == Placement::Pinned) site.placement = "pinned";
    if (local.type->placement == Placement::Unified) site.placement = "unified";
    const Extent& extent = local.type->extent;
    if (extent.kind == Extent::Kind::Literal) site.capacity = std::to_string(extent.literal);
    if (extent.kind == Extent::Kind::Symbol) site.capacity = std::string(names.text(extent.symbol));
    site.position = root.position;
    sites.push_back(std::move(site));
  };
  walk_body(function, [](const Expr&) {}, on_statement);
  return sites;
}

std::vector<std::string_view> direct_calls(const checked::Function& function) {
  std::vector<std::string_view> calls;
  const auto on_expression = [&](const Expr& root) {
    if (root.kind == ExprKind::Call) calls.push_back(root.as<CallExpr>().callee->name);
  };
  walk_body(function, on_expression, [](const Stmt&) {});
  std::ranges::sort(calls);
  calls.erase(std::ranges::unique(calls).begin(), calls.end());
  return calls;
}

}  // namespace cairn
