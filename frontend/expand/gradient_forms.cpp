#include "frontend/expand/gradient_forms.hpp"

#include <string>

#include "frontend/check/syntax_walk.hpp"
#include "frontend/diagnostics/diagnostic.hpp"

namespace cairn {

using namespace syntax;

namespace {

[[noreturn]] void refuse_form(const Expr& expression, const std::string& what) {
  refuse(Code::GradForm, expression.position, what);
}

}  // namespace

// --------------------------------------------------------------------------------------------------------- any reading

/// An element of an output is never read; the view itself may be lent on.
void GradientForms::hold_element(const Expr& base, Position statement) const {
  const GradientVariable* variable = facts_.named(base);
  if (variable == nullptr || variable->role != GradientVariable::Role::Output) return;
  refuse(Code::GradForm, statement,
         std::string(facts_.program().names.text(base.as<NameExpr>().name)) +
             " is an output of the derivative, so this function writes it and never reads it. Read an ro view.");
}

void GradientForms::hold_read(Name name, Position statement) const {
  const GradientVariable* variable = facts_.variable(name);
  if (variable == nullptr || variable->role != GradientVariable::Role::Sum) return;
  if (variable->loop == nullptr || variable->is_complete) return;
  refuse(Code::GradForm, statement,
         "The sum " + std::string(facts_.program().names.text(name)) +
             " is read before its loop has ended. Read it after the loop that adds into it.");
}

void GradientForms::hold_readable(const Expr& expression, Position statement) const {
  for_each_expression(expression, [&](const Expr& each) {
    switch (each.kind) {
      case ExprKind::Closure:
      case ExprKind::Try:
      case ExprKind::Spawn:
      case ExprKind::Each:
      case ExprKind::Fold:
        refuse_form(each, "A gradient is not derived through a closure, try or spawn. Write the formula out.");
      case ExprKind::Name:
        hold_read(each.as<NameExpr>().name, statement);
        return true;
      case ExprKind::Bracket:
        hold_element(*each.as<BracketExpr>().base, statement);
        return true;
      case ExprKind::Call: {
        const GradientCallee callee = facts_.callee(each.as<CallExpr>());
        if (callee.kind == GradientCallee::Kind::Method) {
          refuse_form(each, "A gradient is not derived through a method call. Call the function by its name.");
        }
        return true;
      }
      default:
        return true;
    }
  });
}

void GradientForms::hold_own_elements(const Expr& expression, Name lane) const {
  for_each_expression(expression, [&](const Expr& each) {
    if (each.kind != ExprKind::Bracket) return true;
    const auto& element = each.as<BracketExpr>();
    if (!is_active_view(*element.base)) return true;
    const Expr* index = element.arguments.size() == 1 ? element.arguments.front() : nullptr;
    if (index == nullptr || index->kind != ExprKind::Name || index->as<NameExpr>().name != lane) {
      const NameTable& names = facts_.program().names;
      const std::string view(names.text(element.base->as<NameExpr>().name));
      const std::string own = view + "[" + std::string(names.text(lane)) + "]";
      refuse(Code::GradRace, each.position,
             "A lane reads the differentiated " + view +
                 " at an element that is not its own, so its adjoint would be "
                 "another lane's. Read " +
                 own + ", or write a for loop.");
    }
    return false;
  });
}

// -------------------------------------------------------------------------------------------------- through a
// derivative

bool GradientForms::is_active_view(const Expr& expression) const {
  const GradientVariable* variable = facts_.named(expression);
  return variable != nullptr && variable->role == GradientVariable::Role::View;
}

void GradientForms::hold_differentiable(const Expr& expression, bool in_lane) {
  std::vector<const Expr*> rights;
  const Expr* at = &expression;
  while (at != nullptr && facts_.of(*at).active) {
    if (at->kind == ExprKind::Unary && at->as<UnaryExpr>().op == UnaryOp::Negate) {
      at = at->as<UnaryExpr>().operand;
    } else if (at->kind == ExprKind::Binary) {
      const auto& node = at->as<BinaryExpr>();
      if (node.op > BinaryOp::Divide) {
        refuse_form(*at,
                    "A derivative flows through + - * / alone here. Keep other operators to what is not "
                    "differentiated.");
      }
      rights.push_back(node.right);
      at = node.left;
    } else {
      hold_leaf(*at, in_lane);
      break;
    }
  }
  for (; !rights.empty(); rights.pop_back()) hold_differentiable(*rights.back(), in_lane);
}

void GradientForms::hold_leaf(const Expr& expression, bool in_lane) {
  if (expression.kind == ExprKind::Name && is_float(facts_.of(expression).kind)) return;
  if (expression.kind == ExprKind::Bracket) {
    const auto& element = expression.as<BracketExpr>();
    if (is_active_view(*element.base) && element.arguments.size() == 1) return;
  }
  if (expression.kind == ExprKind::Call) return hold_call(expression.as<CallExpr>(), in_lane);
  refuse_form(expression,
              "No derivative flows through this form. Use locals, elements of views, + - * /, sqrt, abs, "
              "conversions between floats and functions with a gradient of their own.");
}

void GradientForms::hold_call(const CallExpr& call, bool in_lane) {
  using Kind = GradientCallee::Kind;
  const GradientCallee callee = facts_.callee(call);
  const bool has_one = call.arguments.size() == 1;
  switch (callee.kind) {
    case Kind::Function:
    case Kind::Value:
      return hold_gradient_call(call, callee, in_lane);
    case Kind::Step:
      if (has_one) return;  // passes nothing on
      break;
    case Kind::Convert:
      if (has_one && is_float(facts_.of(*call.arguments.front()).kind)) {
        return hold_differentiable(*call.arguments.front(), in_lane);
      }
      refuse_form(call,
                  "A derivative crosses f32(x) and f64(x) of an f32 or f64 alone. Keep other conversions to what "
                  "is not differentiated.");
    case Kind::Root:
    case Kind::Magnitude:
    case Kind::Exp:
    case Kind::Log:
      if (has_one) return hold_differentiable(*call.arguments.front(), in_lane);
      break;
    default:
      break;
  }
  refuse_form(call,
              "No derivative flows through this call. sqrt, abs, floor, ceil, trunc, f32, f64, std.math.exp, "
              "std.math.log and functions with a derived gradient have one.");
}

void GradientForms::hold_gradient_call(const CallExpr& call, const GradientCallee& callee, bool in_lane) {
  const auto refuse_call = [&](const std::string& what) { refuse(Code::GradCall, call.position, what); };
  const auto& derived = facts_.program().derived;
  const auto found = derived.find(callee.function);
  if (found == derived.end()) {
    refuse_call(
        "A derivative flows through this call, whose function has no derived gradient. Add `derive grad for` "
        "it in its module.");
  }
  const NameTable& names = facts_.program().names;
  const auto& signature = found->second.function->signature;
  const std::string name(names.text(signature.name.name));
  if (in_lane) {
    refuse_form(call, "A lane cannot call a gradient. Use a for loop, or write " + name + "'s formula out.");
  }
  if (call.arguments.size() != signature.parameters.size()) {
    refuse_call("A differentiated call writes every argument, extents included. Write the " +
                std::to_string(signature.parameters.size()) + " arguments of " + name + ".");
  }
  if (!is_float(callee.result)) refuse_call(name + " returns no f32 or f64 a derivative could flow from.");
  for (std::size_t k = 0; k < signature.parameters.size(); ++k) {
    const Expr& argument = *call.arguments[k];
    const std::string parameter(names.text(signature.parameters[k].name.name));
    if (!found->second.differentiated[k]) {
      if (facts_.of(argument).active) {
        refuse_call("A derivative flows into " + parameter + " of " + name + ", which its gradient leaves out. Add " +
                    parameter + " to the list of its derive.");
      }
      continue;
    }
    if (signature.parameters[k].type->kind != syntax::TypeKind::Borrow) {
      if (facts_.of(argument).active) hold_differentiable(argument, in_lane);
      continue;
    }
    const Expr* view = &argument;
    while (view->kind == ExprKind::Part) view = view->as<PartExpr>().base;
    if (!is_active_view(*view)) {
      refuse_call("The view " + parameter + " of " + name +
                  " is differentiated, and this argument carries no "
                  "derivative. Pass a differentiated view or a part of one, or leave it out of the list.");
    }
  }
}

}  // namespace cairn
