#include "frontend/check/device_sides.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

namespace cairn {

namespace {

using syntax::Block;
using syntax::Expr;
using syntax::ExprKind;
using syntax::Stmt;
using syntax::StmtKind;

/// Builtins whose first argument is an array they access as an index does.
constexpr std::array<std::string_view, 4> kIndexing = {"load_wide", "store_wide", "mma_load", "mma_store"};

/// The name a place is rooted in; none for a temporary.
Name root_name(const Expr* place) {
  while (true) {
    switch (place->kind) {
      case ExprKind::Name:
        return place->as<syntax::NameExpr>().name;
      case ExprKind::Bracket:
        place = place->as<syntax::BracketExpr>().base;
        break;
      case ExprKind::Part:
        place = place->as<syntax::PartExpr>().base;
        break;
      case ExprKind::Member:
        place = place->as<syntax::MemberExpr>().base;
        break;
      default:
        return {};
    }
  }
}

class IndexSearch {
 public:
  IndexSearch(const NameTable& names, const std::function<bool(Name)>& visit) : names_(names), visit_(visit) {}

  bool block(const Block* body) {
    return body != nullptr && std::ranges::any_of(body->statements, [&](const Stmt* each) { return statement(*each); });
  }

  bool expression(const Expr* root) {
    if (root == nullptr) return false;
    // Chains of operators may be of any length.
    std::vector<const Expr*> pending{root};
    while (!pending.empty()) {
      const Expr& at = *pending.back();
      pending.pop_back();
      if (one(at, pending)) return true;
    }
    return false;
  }

 private:
  bool indexes(const Expr& place) {
    const Name name = root_name(&place);
    return name && visit_(name);
  }

  bool one(const Expr& at, std::vector<const Expr*>& pending) {
    const auto add = [&](const Expr* operand) {
      if (operand != nullptr) pending.push_back(operand);
    };
    const auto all = [&](syntax::List<const Expr* const> operands) { std::ranges::for_each(operands, add); };
    switch (at.kind) {
      case ExprKind::Unary:
        add(at.as<syntax::UnaryExpr>().operand);
        return false;
      case ExprKind::Try:
        add(at.as<syntax::TryExpr>().operand);
        return false;
      case ExprKind::Spawn: {
        const auto& spawn = at.as<syntax::SpawnExpr>();
        add(spawn.operand);
        add(spawn.extent);
        return block(spawn.body);
      }
      case ExprKind::Binary:
        add(at.as<syntax::BinaryExpr>().left);
        add(at.as<syntax::BinaryExpr>().right);
        return false;
      case ExprKind::Call:
        return call(at.as<syntax::CallExpr>(), pending);
      case ExprKind::Bracket: {
        const auto& bracket = at.as<syntax::BracketExpr>();
        add(bracket.base);
        all(bracket.arguments);
        return indexes(at);
      }
      case ExprKind::Part:
        add(at.as<syntax::PartExpr>().base);
        add(at.as<syntax::PartExpr>().lo);
        add(at.as<syntax::PartExpr>().hi);
        return false;
      case ExprKind::Member:
        add(at.as<syntax::MemberExpr>().base);
        return false;
      case ExprKind::Closure:
        return block(at.as<syntax::ClosureExpr>().body);
      default:
        return false;
    }
  }

  bool call(const syntax::CallExpr& call, std::vector<const Expr*>& pending) {
    const Expr* callee = call.callee;
    const bool has_brackets = callee->kind == ExprKind::Bracket;
    const Expr* named = has_brackets ? callee->as<syntax::BracketExpr>().base : callee;
    // What stands in a callee's brackets are static arguments.
    if (named->kind == ExprKind::Member) pending.push_back(named);
    pending.insert(pending.end(), call.arguments.begin(), call.arguments.end());
    if (named->kind != ExprKind::Name || call.arguments.empty()) return false;
    const std::string_view name = names_.text(named->as<syntax::NameExpr>().name);
    return std::ranges::find(kIndexing, name) != kIndexing.end() && indexes(*call.arguments.front());
  }

  bool statement(const Stmt& root) {
    switch (root.kind) {
      case StmtKind::Let: {
        const auto& let = root.as<syntax::LetStmt>();
        return let.contracted != nullptr ? statement(*let.contracted) : expression(let.value);
      }
      case StmtKind::Unpack:
        return expression(root.as<syntax::UnpackStmt>().value);
      case StmtKind::Assign:
        return expression(root.as<syntax::AssignStmt>().place) || expression(root.as<syntax::AssignStmt>().value);
      case StmtKind::Compound:
        return expression(root.as<syntax::CompoundStmt>().place) || expression(root.as<syntax::CompoundStmt>().value);
      case StmtKind::If: {
        const auto& branch = root.as<syntax::IfStmt>();
        return expression(branch.condition) || block(branch.then) || block(branch.otherwise);
      }
      case StmtKind::While:
        return expression(root.as<syntax::WhileStmt>().condition) || block(root.as<syntax::WhileStmt>().body);
      case StmtKind::ForRange: {
        const auto& loop = root.as<syntax::ForRangeStmt>();
        return expression(loop.lo) || expression(loop.hi) || block(loop.body);
      }
      case StmtKind::ForEach:
        return expression(root.as<syntax::ForEachStmt>().subject) || block(root.as<syntax::ForEachStmt>().body);
      case StmtKind::Match: {
        const auto& match = root.as<syntax::MatchStmt>();
        return expression(match.subject) ||
               std::ranges::any_of(match.arms, [&](const syntax::MatchArm& arm) { return block(arm.body); });
      }
      case StmtKind::Return:
        return expression(root.as<syntax::ReturnStmt>().value);
      case StmtKind::Defer:
        return statement(*root.as<syntax::DeferStmt>().deferred);
      case StmtKind::Unsafe:
        return block(root.as<syntax::UnsafeStmt>().body);
      case StmtKind::Block:
        return block(root.as<syntax::BlockStmt>().body);
      case StmtKind::Storage:
        return expression(root.as<syntax::StorageStmt>().capacity);
      case StmtKind::Expression:
        return expression(root.as<syntax::ExpressionStmt>().value);
      case StmtKind::Reduce:
        return expression(root.as<syntax::ReduceStmt>().extent) || expression(root.as<syntax::ReduceStmt>().yield);
      case StmtKind::Asm:
        return std::ranges::any_of(root.as<syntax::AsmStmt>().operands,
                                   [&](const syntax::AsmOperand& operand) { return expression(operand.value); });
      default:
        // Regions inside a region are refused for that alone.
        return false;
    }
  }

  const NameTable& names_;
  const std::function<bool(Name)>& visit_;
};

}  // namespace

bool any_indexed(const Block& body, const NameTable& names, const std::function<bool(Name)>& visit) {
  return IndexSearch(names, visit).block(&body);
}

bool any_indexed(const Expr& expression, const NameTable& names, const std::function<bool(Name)>& visit) {
  return IndexSearch(names, visit).expression(&expression);
}

}  // namespace cairn
