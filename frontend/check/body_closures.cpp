// Closures and function values (abstractions, 8.2 and 8.3; syntax and values, 1.10.4).
#include "frontend/check/body_checker.hpp"
#include "frontend/check/syntax_paths.hpp"

namespace cairn {

using checked::ExprKind;
using checked::Local;

void BodyChecker::require_not_implementation(const FunctionInfo& info, Position at) {
  if (!info.is_implementation() || in_test()) return;
  refuse(Code::ImplCall, at,
         std::string(info.full_name) + " is an implementation: call its reference and select it with a plan.");
}

Node BodyChecker::closure(const syntax::ClosureExpr& expression, const Type* type) {
  const Position at = expression.position;
  checker_.visit(at);
  if (on_device()) refuse(Code::Closure, at, "Device code has no closures: write the work out, or call a function.");
  std::vector<const Type*> written;
  for (const syntax::Parameter& each : expression.parameters) {
    written.push_back(checker_.resolve_type(*each.type, scope_, each.type->position));
  }
  const Type* result = expression.result == nullptr
                           ? types().void_type()
                           : checker_.resolve_type(*expression.result, scope_, expression.result->position);
  if (!std::ranges::equal(written, type->parameters) || result != type->result) {
    refuse_mismatch(type, types().function(written, result), at);
  }

  checked::Function& body = *checker_.new_function(checked::FunctionKind::Closure);
  body.name = frame_->function->name;
  body.module = root_.module;
  body.library = root_.library;
  body.parent = frame_->function;
  body.result = result;
  body.position = at;

  std::vector<LentPlace> touched;
  Frame frame;
  frame.function = &body;
  frame.outer = frame_;
  frame.result = result;
  frame.first_linear = linear_.size();
  frame.touched = &touched;
  const std::size_t visible = visible_.size();
  const OwnerSet before = dead_;
  frame_ = &frame;
  for (std::size_t i = 0; i < written.size(); ++i) {
    const syntax::Identifier& name = expression.parameters[i].name;
    declare(name.name, written[i], checked::LocalKind::Parameter, false, name.position);
  }
  body.parameters = checker_.arena().copy(std::span<Local* const>(body.locals));
  body.body = function_body(*expression.body, at);
  frame_ = frame.outer;
  visible_.resize(visible);
  linear_.resize(frame.first_linear);
  dead_ = before;
  if (frame.moved_outer != nullptr) {
    refuse(Code::MoveInLoop, at,
           quoted(frame.moved_outer->name) +
               " comes from outside this closure, which may run many times: it cannot move in it.");
  }
  for (LentPlace& place : touched) place.closure = &body;
  lent_.insert(lent_.end(), touched.begin(), touched.end());

  auto& node = make<checked::ClosureExpr>(ExprKind::Closure, type, at);
  node.body = &body;
  return &node;
}

Node BodyChecker::function_value(FunctionInfo& info, std::span<const syntax::Expr* const> statics, bool has_brackets,
                                 const Type* expected, bool may_borrow, Position at) {
  require_not_implementation(info, at);
  const std::string name(info.full_name);
  if (info.is_extern()) refuse(Code::FnType, at, name + " is foreign, so it cannot be a function value.");
  if (info.is_kernel()) refuse(Code::FnType, at, name + " is a kernel fn, so it cannot be a function value.");
  if (info.is_template() && !has_brackets) {
    refuse(Code::FnType, at, name + " is generic: name one instance, " + name + "[...].");
  }
  const std::vector<StaticArgument> arguments = statics_of(statics, at);
  if (!info.is_template() && has_brackets) refuse(Code::GenericArity, at, name + " takes no type arguments.");
  if (arguments.size() != info.generics.size() && info.is_template()) {
    refuse(Code::GenericArity, at,
           name + " takes " + std::to_string(info.generics.size()) + " type arguments, and this gives " +
               std::to_string(arguments.size()) + ".");
  }
  const checked::Function& function = *checker_.function(info, arguments, at);
  std::vector<const Type*> parameters;
  for (const Local* parameter : function.parameters) {
    parameters.push_back(parameter->type);
    if (parameter->type->is(TypeKind::View) || (parameter->type->is(TypeKind::Borrow) && !may_borrow)) {
      refuse(Code::FnType, at,
             name + " takes a " + std::string(parameter->type->name) + ": a function value takes values" +
                 (parameter->type->is(TypeKind::View) ? " and single borrows only."
                                                      : ", and single borrows only where a ro<fn(...)> is lent."));
    }
  }
  if (!std::ranges::equal(parameters, expected->parameters) || function.result != expected->result) {
    refuse_mismatch(expected, types().function(parameters, function.result), at);
  }
  auto& node = make<checked::FunctionValueExpr>(ExprKind::FunctionValue, expected, at);
  node.function = &function;
  return &node;
}

Node BodyChecker::callable_name(const syntax::Expr& expression, const Type* function) {
  const bool instance = expression.kind == syntax::ExprKind::Bracket;
  const syntax::Expr& named = instance ? *expression.as<syntax::BracketExpr>().base : expression;
  const WrittenPath path = written_path(named);
  if (path.empty() || find_local(path.front()) != nullptr) return nullptr;
  const Symbol symbol = checker_.resolve(path.names(), scope_.module, kWantConst | kWantFunction, expression.position);
  if (!symbol.is_function()) return nullptr;
  checker_.visit(expression.position);
  std::span<const syntax::Expr* const> statics;
  if (instance) statics = expression.as<syntax::BracketExpr>().arguments;
  return function_value(*symbol.function, statics, instance, function, true, expression.position);
}

}  // namespace cairn
