#include "frontend/check/chunks.hpp"

#include <algorithm>
#include <map>

#include "frontend/check/fact_walk.hpp"

namespace cairn {

using checked::BinaryOp;
using checked::Expr;
using checked::ExprKind;
using checked::Local;
using checked::Stmt;
using checked::StmtKind;

namespace {

/// How a region uses one array.
struct Use {
  bool only_own = true;     // every touch is [i], and its guard cannot fail
  bool only_near = true;    // every touch is [i], [i + d], [d + i] or [i - d], and its guard cannot fail
  std::uint64_t reach = 0;  // the largest d
  bool written = false;
};

/// The uses of one lane body, conditions and loops known where each stands.
class LaneUses {
 public:
  LaneUses(const checked::Function& lane, const Expr& extent, Facts& facts) : binder_(*lane.parameters.front()) {
    if (lane.body == nullptr) return;
    const std::size_t mark = facts.mark();
    facts.binds(binder_, nullptr, &extent);
    FactWalk(facts, [&](std::span<const Stmt* const> from, Facts& known) {
      statement(*from.front(), known);
    }).walk(*lane.body);
    facts.drop(mark);
  }

  [[nodiscard]] const std::map<const Local*, Use>& uses() const { return uses_; }

 private:
  void statement(const Stmt& each, Facts& facts) {
    if (each.kind == StmtKind::Assign) mark_written(*each.as<checked::AssignStmt>().place);
    if (each.kind == StmtKind::Compound) mark_written(*each.as<checked::CompoundStmt>().place);
    checked::for_each_part(
        each, [&](const Expr& value) { expression(value, facts); }, [](const checked::Block&) {},
        [](const checked::Function&) {});
  }

  void mark_written(const Expr& place) {
    if (place.kind != ExprKind::Element) return;
    const Expr& base = *place.as<checked::ElementExpr>().base;
    if (base.kind == ExprKind::Local) uses_[base.as<checked::LocalExpr>().local].written = true;
  }

  void expression(const Expr& root, Facts& facts) {
    switch (root.kind) {
      case ExprKind::Element: {
        const auto& element = root.as<checked::ElementExpr>();
        expression(*element.index, facts);
        if (element.base->kind != ExprKind::Local) return expression(*element.base, facts);
        Use& use = uses_[element.base->as<checked::LocalExpr>().local];
        const bool cannot_fail = facts.below_length(element.index, element.base);
        const auto distance = cannot_fail ? distance_of(*element.index) : std::nullopt;
        if (!distance || *distance != 0) use.only_own = false;
        if (!distance) use.only_near = false;
        if (distance) use.reach = std::max(use.reach, *distance);
        return;
      }
      case ExprKind::Length:
        return;
      case ExprKind::Local: {  // lent, or handed on whole
        if (!root.type->is(TypeKind::View)) return;
        Use& use = uses_[root.as<checked::LocalExpr>().local];
        use.only_own = use.only_near = false;
        return;
      }
      case ExprKind::Binary: {
        const std::vector<const Expr*> chain = checked::left_chain(root);
        expression(checked::left_of(*chain.front()), facts);
        for (const Expr* operation : chain) expression(checked::right_of(*operation), facts);
        return;
      }
      case ExprKind::Logical:
        return for_each_logical_operand(root, facts, [&](const Expr& operand) { expression(operand, facts); });
      default:
        return checked::for_each_operand(root, [&](const Expr& operand) { expression(operand, facts); });
    }
  }

  /// d of i, i + d, d + i or i - d with a literal d.
  [[nodiscard]] std::optional<std::uint64_t> distance_of(const Expr& index) const {
    if (is_binder(index)) return 0;
    if (index.kind != ExprKind::Binary) return std::nullopt;
    const auto& operation = index.as<checked::BinaryExpr>();
    const bool adds = operation.op == BinaryOp::Add;
    if (!adds && operation.op != BinaryOp::Subtract) return std::nullopt;
    if (is_binder(*operation.left) && operation.right->kind == ExprKind::Integer) {
      return operation.right->as<checked::IntegerExpr>().bits;
    }
    if (adds && is_binder(*operation.right) && operation.left->kind == ExprKind::Integer) {
      return operation.left->as<checked::IntegerExpr>().bits;
    }
    return std::nullopt;
  }

  [[nodiscard]] bool is_binder(const Expr& value) const {
    const Expr& place = value.kind == ExprKind::Load ? *value.as<checked::LoadExpr>().place : value;
    return place.kind == ExprKind::Local && place.as<checked::LocalExpr>().local == &binder_;
  }

  const Local& binder_;
  std::map<const Local*, Use> uses_;
};

/// Bytes of an element that one load or store can move; 0 when its type is no scalar.
std::uint64_t scalar_bytes(const Type& element) {
  return element.is_scalar() || element.is_storage_float() ? bit_width(element.kind) / 8 : 0;
}

const checked::ParallelStmt* device_region(const Stmt& statement) {
  const checked::ParallelStmt* region = nullptr;
  if (statement.kind == StmtKind::Parallel) region = &statement.as<checked::ParallelStmt>();
  if (statement.kind == StmtKind::Let) {
    const Expr* value = statement.as<checked::LetStmt>().value;
    if (value != nullptr && value->kind == ExprKind::Spawn) region = value->as<checked::SpawnExpr>().region;
  }
  return region != nullptr && region->device ? region : nullptr;
}

}  // namespace

ChunkedArrays chunked_arrays(const checked::Function& function) {
  ChunkedArrays found;
  if (function.body == nullptr) return found;
  Facts facts;
  FactWalk(facts, [&](std::span<const Stmt* const> from, Facts& known) {
    const checked::ParallelStmt* region = device_region(*from.front());
    if (region == nullptr) return;
    const LaneUses lane(*region->lane, *region->extent, known);
    for (const auto& [array, use] : lane.uses()) {
      if (!array->type->is(TypeKind::View) || array->owner == region->lane) continue;
      const std::uint64_t bytes = scalar_bytes(*array->type->element);
      if (bytes == 0) continue;
      if (use.only_own) found.element_bytes.push_back(bytes);
      if (use.only_near && !use.written && use.reach != 0 &&
          (found.least_reach == 0 || use.reach < found.least_reach)) {
        found.least_reach = use.reach;
      }
    }
  }).walk(*function.body);
  return found;
}

}  // namespace cairn
