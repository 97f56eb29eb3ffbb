#include "frontend/expand/gradient_sweep.hpp"

#include <string>

#include "frontend/check/syntax_walk.hpp"
#include "frontend/diagnostics/diagnostic.hpp"
#include "frontend/expand/spelling.hpp"

namespace cairn {

using namespace syntax;

Name GradientSweep::adjoint_of(Name variable) const {
  NameTable& names = facts_.program().names;
  return names.intern("d_" + std::string(names.text(variable)));
}

const TypeExpr* GradientSweep::type_of(ValueKind kind) {
  return maker_.type_named(kind == ValueKind::F32 ? "f32" : "f64");
}

// ----------------------------------------------------------------------------------------------------------
// temporaries

Name GradientSweep::fresh(std::string_view prefix) {
  const std::string text = std::string(prefix) + std::to_string(++temporaries_);
  const Name name = maker_.intern(text);
  if (taken_.contains(name)) {
    refuse(Code::DeriveCollision, maker_.identifier(name).position,
           "The gradient needs the name " + text + ", which the function takes. Rename it there.");
  }
  return name;
}

Name GradientSweep::bind(const Expr& expression, const TypeExpr* type, Statements& out) {
  const Name name = fresh("grad_v");
  out.push_back(maker_.let(name, type, maker_.copy(&expression)));
  return name;
}

class GradientSweep::Operand {
 public:
  Operand(GradientSweep& sweep, const Expr& expression, const TypeExpr* type, Statements& out)
      : sweep_(sweep), expression_(expression) {
    if (sweep.facts_.of(expression).calls) bound_ = sweep.bind(expression, type, out);
  }
  /// Once more the operand.
  const Expr* again() const { return bound_ ? sweep_.maker_.name(bound_) : sweep_.maker_.copy(&expression_); }

 private:
  GradientSweep& sweep_;
  const Expr& expression_;
  Name bound_;
};

// --------------------------------------------------------------------------------------------------------
// contributions

bool GradientSweep::reaches(const Expr& expression) {
  if (!facts_.of(expression).active) return false;
  if (pass_ == SweepPass::All) return true;
  bool found = false;
  for_each_expression(expression, [&](const Expr& each) {
    if (found) return false;
    switch (each.kind) {
      case ExprKind::Name: {
        const Name name = each.as<NameExpr>().name;
        const GradientVariable* variable = facts_.named(each);
        if (variable == nullptr || !variable->active || variable->is_view) return false;
        found = pass_ == SweepPass::Scalars || inner.contains(name);
        return false;
      }
      case ExprKind::Bracket:
        found = pass_ == SweepPass::Elements && facts_.of(each).active;
        return false;
      case ExprKind::Call: {
        const GradientCallee callee = facts_.callee(each.as<CallExpr>());
        return callee.kind != GradientCallee::Kind::Step && facts_.of(each).active;
      }
      default:
        return facts_.of(each).active;
    }
  });
  return found;
}

void GradientSweep::add(const Expr* place, const Expr* place_again, const Expr* adjoint, Statements& out) {
  out.push_back(maker_.assign(place, maker_.binary(BinaryOp::Add, place_again, adjoint)));
}

void GradientSweep::flow(const Expr& expression, const Expr* adjoint, Statements& out) {
  struct Right {
    const Expr* operand;
    const Expr* adjoint;
  };
  std::vector<Right> rights;  // of the chain being walked, the leftmost last
  const Expr* at = &expression;
  while (at != nullptr && reaches(*at)) {
    if (at->kind == ExprKind::Unary) {
      adjoint = maker_.negative(adjoint);
      at = at->as<UnaryExpr>().operand;
      continue;
    }
    if (at->kind != ExprKind::Binary) {
      leaf(*at, adjoint, out);
      break;
    }
    const auto& node = at->as<BinaryExpr>();
    const bool to_left = reaches(*node.left);
    const bool to_right = reaches(*node.right);
    const Expr* left_adjoint = adjoint;
    const Expr* right_adjoint = to_left && to_right ? maker_.copy(adjoint) : adjoint;
    const TypeExpr* type = type_of(facts_.of(node).kind);
    switch (node.op) {
      case BinaryOp::Add:
        break;
      case BinaryOp::Subtract:
        if (to_right) right_adjoint = maker_.negative(right_adjoint);
        break;
      case BinaryOp::Multiply: {
        if (to_right)
          right_adjoint = maker_.binary(node.op, Operand(*this, *node.left, type, out).again(), right_adjoint);
        if (to_left)
          left_adjoint = maker_.binary(node.op, left_adjoint, Operand(*this, *node.right, type, out).again());
        break;
      }
      default: {  // division
        if (to_right) {
          const Operand left(*this, *node.left, type, out);
          right_adjoint = maker_.negative(maker_.binary(BinaryOp::Multiply, right_adjoint, left.again()));
        }
        const Operand right(*this, *node.right, type, out);
        if (to_right) {
          const Expr* square = maker_.binary(BinaryOp::Multiply, right.again(), right.again());
          right_adjoint = maker_.binary(node.op, right_adjoint, square);
        }
        if (to_left) left_adjoint = maker_.binary(node.op, left_adjoint, right.again());
        break;
      }
    }
    if (to_right) rights.push_back({node.right, right_adjoint});
    at = to_left ? node.left : nullptr;
    adjoint = left_adjoint;
  }
  for (; !rights.empty(); rights.pop_back()) flow(*rights.back().operand, rights.back().adjoint, out);
}

void GradientSweep::leaf(const Expr& expression, const Expr* adjoint, Statements& out) {
  switch (expression.kind) {
    case ExprKind::Name: {
      const Name variable = expression.as<NameExpr>().name;
      const Name target = adjoint_of(variable);
      added |= !inner.contains(variable);
      return add(maker_.name(target), maker_.name(target), adjoint, out);
    }
    case ExprKind::Bracket: {
      const auto& element = expression.as<BracketExpr>();
      const Name target = adjoint_of(element.base->as<NameExpr>().name);
      const Operand index(*this, *element.arguments.front(), maker_.type_named("usize"), out);
      added = true;
      return add(maker_.element(target, index.again()), maker_.element(target, index.again()), adjoint, out);
    }
    default:
      return call(expression.as<CallExpr>(), adjoint, out);
  }
}

void GradientSweep::call(const CallExpr& call, const Expr* adjoint, Statements& out) {
  using Kind = GradientCallee::Kind;
  const GradientCallee callee = facts_.callee(call);
  if (callee.kind == Kind::Function) return gradient_call(call, callee, adjoint, out);
  const Expr& inside = *call.arguments.front();
  const ValueKind kind = facts_.of(inside).kind;
  switch (callee.kind) {
    case Kind::Root: {
      const Operand operand(*this, inside, type_of(kind), out);
      const Expr* twice =
          maker_.binary(BinaryOp::Multiply, maker_.decimal("2.0"), maker_.call("sqrt", operand.again()));
      return flow(inside, maker_.binary(BinaryOp::Divide, adjoint, twice), out);
    }
    case Kind::Magnitude:
      return magnitude(call, adjoint, out);
    case Kind::Convert:
      return flow(inside, maker_.call(kind == ValueKind::F32 ? "f32" : "f64", adjoint), out);
    case Kind::Exp: {
      const Name value = bind(call, type_of(callee.result), out);
      return flow(inside, maker_.binary(BinaryOp::Multiply, adjoint, maker_.name(value)), out);
    }
    case Kind::Log: {
      const Operand operand(*this, inside, type_of(callee.result), out);
      return flow(inside, maker_.binary(BinaryOp::Divide, adjoint, operand.again()), out);
    }
    default:
      return;  // floor, ceil and trunc
  }
}

/// +1 at zero.
void GradientSweep::magnitude(const CallExpr& call, const Expr* adjoint, Statements& out) {
  const Expr& inside = *call.arguments.front();
  const Operand operand(*this, inside, type_of(facts_.of(inside).kind), out);
  Statements below;
  flow(inside, maker_.negative(maker_.copy(adjoint)), below);
  Statements above;
  flow(inside, adjoint, above);
  if (below.empty() && above.empty()) return;
  const Expr* condition = maker_.binary(BinaryOp::Less, operand.again(), maker_.decimal("0.0"));
  out.push_back(maker_.branch(condition, below, above));
}

// ----------------------------------------------------------------------------------------------------------------
// calls

/// The adjoint of a view or of a part of one: `d_` before its name.
const Expr* GradientSweep::adjoint_part(const Expr& view) {
  if (view.kind == ExprKind::Name) return maker_.name(adjoint_of(view.as<NameExpr>().name));
  const auto& part = view.as<PartExpr>();
  return maker_.part(adjoint_part(*part.base), maker_.copy(part.lo), maker_.copy(part.hi));
}

/// `g_grad` as it is named here: where `g` is reached through a module, its gradient is too; where `g` was imported by
/// name, the gradient is spelled in full.
const Expr* GradientSweep::gradient_name(const CallExpr& call, const Decl& callee) {
  const GradientProgram& program = facts_.program();
  std::vector<Name> path = facts_.path_of(*call.callee);
  if (path.size() == 1 && callee.module != facts_.module()) {
    std::size_t replaced = 0;
    Spelling spelling(program.arena, program.names, program.table);
    const Identifier written{path.front(), callee.position};
    path.clear();
    for (const Identifier& each : spelling.full({&written, 1}, facts_.module(), replaced)) path.push_back(each.name);
  }
  path.back() = program.names.intern(std::string(program.names.text(path.back())) + "_grad");
  return maker_.dotted(path);
}

void GradientSweep::gradient_call(const CallExpr& call, const GradientCallee& callee, const Expr* adjoint,
                                  Statements& out) {
  struct Temporary {
    const Expr* argument;
    Name adjoint;
  };
  const DerivedGradient& gradient = facts_.program().derived.at(callee.function);
  const auto& parameters = gradient.function->signature.parameters;
  std::vector<Temporary> temporaries;
  std::vector<const Expr*> arguments;
  std::vector<const Expr*> adjoints;
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    const Expr& argument = *call.arguments[k];
    arguments.push_back(maker_.copy(&argument));
    if (!gradient.differentiated[k]) continue;
    if (parameters[k].type->kind == syntax::TypeKind::Borrow || facts_.of(argument).kind == ValueKind::View) {
      adjoints.push_back(adjoint_part(argument));
      added = true;
      continue;
    }
    const GradientVariable* variable = facts_.named(argument);
    if (variable != nullptr && variable->active) {
      const Name name = argument.as<NameExpr>().name;
      added |= !inner.contains(name);
      adjoints.push_back(maker_.name(adjoint_of(name)));
      continue;
    }
    const Name name = fresh("grad_d");
    const ValueKind kind = facts_.program().kind_of(*parameters[k].type);
    out.push_back(maker_.let(name, type_of(kind), maker_.decimal("0.0"), true));
    adjoints.push_back(maker_.name(name));
    temporaries.push_back({&argument, name});
  }
  arguments.push_back(adjoint);
  arguments.insert(arguments.end(), adjoints.begin(), adjoints.end());
  out.push_back(maker_.expression_statement(maker_.call(gradient_name(call, *callee.function), arguments)));
  for (const Temporary& each : temporaries) flow(*each.argument, maker_.name(each.adjoint), out);
}

}  // namespace cairn
