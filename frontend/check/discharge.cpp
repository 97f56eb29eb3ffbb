#include "frontend/check/discharge.hpp"

#include <limits>

#include "frontend/check/cannot_fail.hpp"
#include "frontend/check/fact_walk.hpp"

namespace cairn {

using checked::BinaryOp;
using checked::Expr;
using checked::ExprKind;
using checked::Function;
using checked::Stmt;
using checked::StmtKind;

namespace {

/// How many edges of the facts of one body are followed. What is proved past it would pay less than the search costs,
/// and no body a person writes comes near it.
constexpr std::size_t kMostEdges = 250000;

/// A signed division by a literal fails for 0, and for the least value by -1.
bool divides_safely(BinaryOp op, const Expr& divisor) {
  if (op != BinaryOp::Divide && op != BinaryOp::Remainder) return false;
  if (divisor.kind != ExprKind::Integer) return false;
  const std::uint64_t bits = divisor.as<checked::IntegerExpr>().bits;
  return bits != 0 && bits != std::numeric_limits<std::uint64_t>::max();
}

}  // namespace

void DischargedGuards::add(const Function& function) { apart(&function); }

void DischargedGuards::apart(const Function* function) {
  if (function == nullptr || function->body == nullptr) return;
  Facts facts(kMostEdges);
  body(*function, facts);
}

void DischargedGuards::body(const Function& function, Facts& facts) {
  FactWalk(facts, [&](std::span<const Stmt* const> from, Facts& known) {
    statement(*from.front(), known);
  }).walk(*function.body);
}

void DischargedGuards::lane(const Function* lane, const Expr* extent, Facts& facts) {
  if (lane == nullptr || lane->body == nullptr) return;
  const std::size_t mark = facts.mark();
  if (extent != nullptr && !lane->parameters.empty()) facts.binds(*lane->parameters.front(), nullptr, extent);
  body(*lane, facts);
  facts.drop(mark);
}

void DischargedGuards::statement(const Stmt& statement, Facts& facts) {
  switch (statement.kind) {
    case StmtKind::Parallel: {
      const auto& region = statement.as<checked::ParallelStmt>();
      expression(*region.extent, facts);
      return lane(region.lane, region.extent, facts);
    }
    case StmtKind::Reduce: {
      const auto& reduce = statement.as<checked::ReduceStmt>();
      if (reduce.target != nullptr) expression(*reduce.target, facts);
      if (reduce.extent != nullptr) expression(*reduce.extent, facts);
      if (reduce.warp_value != nullptr) expression(*reduce.warp_value, facts);
      return lane(reduce.lane, reduce.extent, facts);
    }
    case StmtKind::Scan: {
      const auto& scan = statement.as<checked::ScanStmt>();
      expression(*scan.output, facts);
      expression(*scan.extent, facts);
      return lane(scan.lane, scan.extent, facts);
    }
    case StmtKind::Compact: {
      const auto& compact = statement.as<checked::CompactStmt>();
      expression(*compact.output, facts);
      expression(*compact.extent, facts);
      lane(compact.condition, compact.extent, facts);
      lane(compact.yield, compact.extent, facts);
      if (compact.binder == nullptr) return;
      const std::size_t mark = facts.mark();
      facts.binds(*compact.binder, nullptr, compact.extent);
      expression(*compact.predicate, facts);
      facts.holds(compact.predicate, true);
      expression(*compact.projected, facts);
      return facts.drop(mark);
    }
    case StmtKind::Compound: {
      const auto& compound = statement.as<checked::CompoundStmt>();
      expression(*compound.place, facts);
      expression(*compound.value, facts);
      checked::LoadExpr read;
      read.kind = ExprKind::Load;
      read.type = compound.place->type;
      read.place = compound.place;
      if (read.type->is_integer() && (arithmetic_cannot_fail(compound.op, read, *compound.value, facts) ||
                                      divides_safely(compound.op, *compound.value))) {
        sites_.insert(&statement);
      }
      return;
    }
    default:
      return checked::for_each_part(
          statement, [&](const Expr& value) { expression(value, facts); }, [](const checked::Block&) {},
          [&](const Function& inner) { apart(&inner); });
  }
}

void DischargedGuards::expression(const Expr& root, Facts& facts) {
  switch (root.kind) {
    case ExprKind::Binary: {
      const std::vector<const Expr*> chain = checked::left_chain(root);
      expression(checked::left_of(*chain.front()), facts);
      for (const Expr* each : chain) {
        expression(checked::right_of(*each), facts);
        operation(each->as<checked::BinaryExpr>(), facts);
      }
      return;
    }
    case ExprKind::Logical:
      return for_each_logical_operand(root, facts, [&](const Expr& operand) { expression(operand, facts); });
    case ExprKind::Element: {
      const auto& element = root.as<checked::ElementExpr>();
      if (facts.below_length(element.index, element.base)) sites_.insert(&root);
      break;
    }
    case ExprKind::Builtin: {
      const auto& call = root.as<checked::BuiltinExpr>();
      const bool shifts = call.builtin == checked::Builtin::Shr || call.builtin == checked::Builtin::ShlWrap;
      if (shifts && shift_cannot_fail(call)) sites_.insert(&root);
      break;
    }
    case ExprKind::Convert:
      if (conversion_cannot_fail(root.as<checked::ConvertExpr>())) sites_.insert(&root);
      break;
    case ExprKind::Closure:
      return apart(root.as<checked::ClosureExpr>().body);
    case ExprKind::Spawn:
      if (const auto* region = root.as<checked::SpawnExpr>().region) statement(*region, facts);
      break;
    default:
      break;
  }
  checked::for_each_operand(root, [&](const Expr& operand) { expression(operand, facts); });
}

void DischargedGuards::operation(const checked::BinaryExpr& operation, Facts& facts) {
  if (!operation.left->type->is_integer()) return;
  if (arithmetic_cannot_fail(operation.op, *operation.left, *operation.right, facts) ||
      divides_safely(operation.op, *operation.right)) {
    sites_.insert(&operation);
  }
}

}  // namespace cairn
