#include "frontend/check/device_reach.hpp"

#include <algorithm>
#include <unordered_set>
#include <vector>

#include "frontend/check/body_walk.hpp"
#include "frontend/check/checker.hpp"
#include "frontend/check/concurrent_ops.hpp"
#include "frontend/check/row_graph.hpp"

namespace cairn::checked {

namespace {

bool is_host_view(const Type* type) {
  return type->is(TypeKind::View) && (type->placement == Placement::Host || type->placement == Placement::Pinned);
}

/// What an expression is that only the host has; empty for the rest.
std::string_view host_construct(const Expr& expression) {
  switch (expression.kind) {
    case ExprKind::Text:
      return "a string literal";
    case ExprKind::Print:
    case ExprKind::Format:
      return "printing";
    case ExprKind::CallValue:
      return "a call through a function value";
    case ExprKind::CallDyn:
    case ExprKind::LendDyn:
    case ExprKind::DynNew:
      return "dynamic dispatch";
    case ExprKind::Closure:
      return "a closure";
    case ExprKind::BufNew:
      return "an allocation";
    case ExprKind::Spawn:
      return "a task";
    case ExprKind::Concurrent: {
      const ConcurrentOp op = expression.as<ConcurrentExpr>().op;
      return is_host_object(op) ? std::string_view("an atomic, a mutex, a group or a ring") : std::string_view();
    }
    default:
      return {};
  }
}

std::string_view host_construct(const Stmt& statement) {
  if (statement.kind == StmtKind::Defer) return "a defer";
  if (statement.kind == StmtKind::Storage && statement.as<StorageStmt>().local->kind == LocalKind::Buffer) {
    return "a buffer";
  }
  return {};
}

}  // namespace

std::string DeviceReach::own_reason(const Function& function) const {
  const std::string name(function.name);
  for (const Local* parameter : function.parameters) {
    if (!is_host_view(parameter->type)) continue;
    return name + " takes the host view " + std::string(checker_.text(parameter->name));
  }
  std::string_view construct;
  walk_body(
      function, [&](const Expr& node) { construct = construct.empty() ? host_construct(node) : construct; },
      [&](const Stmt& node) { construct = construct.empty() ? host_construct(node) : construct; });
  if (construct.empty()) return {};
  return name + " holds " + std::string(construct);
}

const std::string& DeviceReach::reason(const Function& start) {
  const auto [known, is_new] = reasons_.try_emplace(&start);
  if (!is_new) return known->second;
  std::unordered_set<const Function*> seen{&start};
  std::vector<const Function*> pending{&start};
  std::string found;
  while (!pending.empty() && found.empty()) {
    const Function& function = *pending.back();
    pending.pop_back();
    found = own_reason(function);
    for (const Function* callee : rows_.callees(function)) {
      if (seen.insert(callee).second) pending.push_back(callee);
    }
  }
  return reasons_[&start] = std::move(found);
}

std::optional<Diagnostic> DeviceReach::judge(const Function& function) {
  std::optional<Diagnostic> refused;
  const auto calls_of = [&](const Function& body) {
    walk_body(
        body,
        [&](const Expr& node) {
          if (refused || node.kind != ExprKind::Call) return;
          const Function& callee = *node.as<CallExpr>().callee;
          const std::string& why = reason(callee);
          if (why.empty()) return;
          refused.emplace();
          refused->code = Code::Placement;
          refused->position = node.position;
          refused->message = "Device code cannot call " + std::string(callee.name) + ": " + why + ".";
        },
        [](const Stmt&) {});
  };
  if (function.kind == FunctionKind::Kernel) {
    calls_of(function);
    return refused;
  }
  walk_body(
      function,
      [&](const Expr& node) {
        if (node.kind != ExprKind::Spawn || node.as<SpawnExpr>().region == nullptr) return;
        if (node.as<SpawnExpr>().region->device) calls_of(*node.as<SpawnExpr>().region->lane);
      },
      [&](const Stmt& node) {
        if (!is_device_region(node)) return;
        for_each_part(node, [](const Expr&) {}, [](const Block&) {}, [&](const Function& lane) { calls_of(lane); });
      });
  return refused;
}

}  // namespace cairn::checked
