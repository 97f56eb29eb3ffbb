#include "frontend/check/lane_judgement.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "frontend/check/checker.hpp"
#include "frontend/check/lane_effects.hpp"
#include "frontend/check/row_graph.hpp"
#include "frontend/check/tree_walk.hpp"

namespace cairn::checked {

namespace {

bool is_callable(const Type* type) {
  return type->is(TypeKind::Function) || (type->is(TypeKind::Borrow) && type->element->is(TypeKind::Function));
}

/// The function parameter that an expression hands on or calls; null when it is something else.
const Local* function_parameter(const Expr& value) {
  const Expr& place = value.kind == ExprKind::Load ? *value.as<LoadExpr>().place : value;
  if (place.kind != ExprKind::Local) return nullptr;
  const Local* local = place.as<LocalExpr>().local;
  return local->kind == LocalKind::Parameter && is_callable(local->type) ? local : nullptr;
}

class LaneCalls {
 public:
  LaneCalls(Checker& checker, const RowGraph& rows) : checker_(checker), rows_(rows) {}

  std::optional<Diagnostic> judge(const Function& function) {
    if (function.kind == FunctionKind::Kernel) {
      lane_body(function, true);
    } else if (function.body != nullptr) {
      block(*function.body);
    }
    return std::move(refused_);
  }

 private:
  void block(const Block& body) {
    for (const Stmt* each : body.statements) {
      if (refused_) return;
      for_each_part(
          *each, [&](const Expr& value) { expression(value); }, [&](const Block& nested) { block(nested); },
          [&](const Function& lane) { lane_body(lane, is_device_region(*each)); });
    }
  }

  void lane_body(const Function& lane, bool device) {
    if (lane.body == nullptr) return;
    const bool outer = std::exchange(device_, device);
    ++lanes_;
    block(*lane.body);
    --lanes_;
    device_ = outer;
  }

  [[nodiscard]] std::string beyond(const Row& row) const { return effects_no_lane_has(row, checker_.names(), device_); }

  void expression(const Expr& root) {
    // Operand chains may be of any length, so the walk keeps its own stack.
    std::vector<const Expr*> pending{&root};
    std::vector<const Expr*> operands;
    while (!pending.empty() && !refused_) {
      const Expr& node = *pending.back();
      pending.pop_back();
      one(node);
      operands.clear();
      for_each_operand(node, [&](const Expr& operand) { operands.push_back(&operand); });
      pending.insert(pending.end(), operands.rbegin(), operands.rend());
    }
  }

  void one(const Expr& node) {
    switch (node.kind) {
      case ExprKind::Call:
        return call(node.as<CallExpr>());
      case ExprKind::CallValue:
        if (lanes_ > 0 && function_parameter(*node.as<CallValueExpr>().callee) == nullptr) {
          refuse_at(node.position,
                    "A lane calls functions by name, or a fn parameter of the function around it; this is neither.");
        }
        return;
      case ExprKind::CallDyn: {
        if (lanes_ == 0) return;
        const auto& dynamic = node.as<CallDynExpr>();
        const Row row = rows_.dynamic_row(*dynamic.trait, dynamic.member);
        const std::string effects = beyond(row);
        if (effects.empty()) return;
        const auto& member = dynamic.trait->members[dynamic.member];
        return refuse_at(node.position, "A lane cannot call " + std::string(dynamic.trait->full_name) + "." +
                                            std::string(checker_.text(member.signature->name.name)) +
                                            ": an implementation may " + effects + ".");
      }
      case ExprKind::Closure:
        if (const Block* body = node.as<ClosureExpr>().body->body; body != nullptr) block(*body);
        return;
      case ExprKind::Spawn:
        if (const ParallelStmt* region = node.as<SpawnExpr>().region) lane_body(*region->lane, region->device);
        return;
      default:
        return;
    }
  }

  void call(const CallExpr& call) {
    const Function& callee = *call.callee;
    if (lanes_ > 0) {
      if (callee.row != nullptr) {
        const std::string effects = beyond(*callee.row);
        if (!effects.empty()) {
          return refuse_at(call.position,
                           "A lane cannot call " + std::string(callee.name) + ": it may " + effects + ".");
        }
      }
      for (std::size_t k = 0; k < call.arguments.size() && !refused_; ++k) {
        if (is_callable(callee.parameters[k]->type)) handed_on(*call.arguments[k]);
      }
    }
    if (callee.row == nullptr) return;
    for (std::size_t k = 0; k < call.arguments.size() && !refused_; ++k) {
      if (contains(callee.row->lanes, k)) called_from_lanes(*call.arguments[k], callee, *callee.parameters[k]);
    }
  }

  /// In a lane, what is passed for a function is a parameter of the function around it, or a closure written here,
  /// which is part of the lane.
  void handed_on(const Expr& argument) {
    if (argument.kind == ExprKind::Closure || function_parameter(argument) != nullptr) return;
    refuse_at(argument.position,
              "A lane hands on a fn parameter of the function around it, or a closure; this is neither.");
  }

  /// What is passed for a parameter that lanes call is safe in a lane.
  void called_from_lanes(const Expr& argument, const Function& callee, const Local& parameter) {
    const std::string where = "Lanes of " + std::string(callee.name) + " call what is passed as " +
                              std::string(checker_.text(parameter.name)) + ", and ";
    switch (argument.kind) {
      case ExprKind::Closure: {
        const Function& body = *argument.as<ClosureExpr>().body;
        if (body.row == nullptr) return;
        std::string effects = effects_no_lane_has(*body.row, checker_.names(), false);
        for (std::size_t k = 0; k < body.captures.size(); ++k) {
          if (!contains(body.row->writes, body.parameters.size() + k)) continue;
          effects += (effects.empty() ? "write:" : ", write:") + std::string(checker_.text(body.captures[k]->name));
        }
        if (!effects.empty()) refuse_at(argument.position, where + "this closure may " + effects + ".");
        return;
      }
      case ExprKind::FunctionValue: {
        const Function& function = *argument.as<FunctionValueExpr>().function;
        if (function.row == nullptr) return;
        const std::string effects = effects_no_lane_has(*function.row, checker_.names(), false);
        if (!effects.empty()) {
          refuse_at(argument.position, where + std::string(function.name) + " may " + effects + ".");
        }
        return;
      }
      default:
        break;
    }
    if (function_parameter(argument) != nullptr) return;
    for (const Function* function : rows_.taken()) {
      if (function->row == nullptr || !has_type(*function, *argument.type)) continue;
      const std::string effects = effects_no_lane_has(*function->row, checker_.names(), false);
      if (effects.empty()) continue;
      return refuse_at(argument.position,
                       where + "this may be " + std::string(function->name) + ", which may " + effects + ".");
    }
  }

  static bool has_type(const Function& function, const Type& type) {
    const Type& wanted = *value_type(&type);
    if (!wanted.is(TypeKind::Function) || function.result != wanted.result) return false;
    return std::ranges::equal(function.parameters, wanted.parameters, {}, &Local::type);
  }

  void refuse_at(Position at, std::string message) {
    Diagnostic diagnostic;
    diagnostic.code = Code::ParallelCall;
    diagnostic.position = at;
    diagnostic.message = std::move(message);
    refused_ = std::move(diagnostic);
  }

  Checker& checker_;
  const RowGraph& rows_;
  unsigned lanes_ = 0;   // lane bodies around what is being judged
  bool device_ = false;  // the innermost of them runs on the device
  std::optional<Diagnostic> refused_;
};

}  // namespace

std::optional<Diagnostic> judge_lane_calls(Checker& checker, const RowGraph& rows, const Function& function) {
  return LaneCalls(checker, rows).judge(function);
}

}  // namespace cairn::checked
