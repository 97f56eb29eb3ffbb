// The `when` of an implementation (abstractions, 11.2): a condition over the reference's value parameters that cannot
// trap. Its form is judged on the tree as written, its types as the body of a hidden function of those parameters, its
// operators on the checked tree; what remains is an expression over the reference's own parameters.
#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "frontend/check/body.hpp"
#include "frontend/check/checker.hpp"
#include "frontend/check/condition_value.hpp"
#include "frontend/check/judgement_state.hpp"

namespace cairn {

namespace {

using checked::Builtin;
using checked::ExprKind;

[[noreturn]] void refuse_when(Position position, const std::string& message) {
  refuse(Code::ImplWhen, position,
         message +
             " A condition is made of literals, scalar value parameters, constants and the implementation's naturals, "
             "comparisons, logic, bits, float arithmetic, / and % by a positive number, shifts by a number below the "
             "width, min, max, add_wrap, sub_wrap, mul_wrap and len of a view parameter.");
}

bool may_enter(const checked::Local& parameter) {
  return parameter.type->is_scalar() || parameter.type->is(TypeKind::View);
}

class Condition {
 public:
  Condition(Checker& checker, const syntax::FunctionDecl& implementation, const checked::Function& instance,
            const checked::Function& reference)
      : checker_(checker), implementation_(implementation), instance_(instance), reference_(reference) {}

  const checked::Expr* judge() {
    const syntax::Expr& when = *implementation_.implements.when;
    form(when);
    const checked::Expr* typed = checked_condition(when);
    operators(*typed);
    const checked::Expr* moved = over_reference(*typed);
    if (!mentions_parameter_) {
      const auto value = checked::condition_value(*moved);
      if (value && !*value) {
        refuse(Code::ImplWhen, when.position,
               "This condition is false for every input, so the implementation never runs.");
      }
    }
    return moved;
  }

 private:
  // ---------------------------------------------------------------------------------------------------- the form, as
  // written

  const checked::Local* parameter(Name name) const {
    const auto found = std::ranges::find(reference_.parameters, name, &checked::Local::name);
    return found == reference_.parameters.end() ? nullptr : *found;
  }

  void form(const syntax::Expr& expression) {
    using syntax::ExprKind;
    const syntax::Expr* at = &expression;
    // A chain of left operands may be of any length; the leftmost operand is judged first.
    std::vector<const syntax::Expr*> rights;
    while (at->kind == ExprKind::Binary) {
      rights.push_back(at->as<syntax::BinaryExpr>().right);
      at = at->as<syntax::BinaryExpr>().left;
    }
    operand_form(*at);
    for (std::size_t k = rights.size(); k-- > 0;) form(*rights[k]);
  }

  void operand_form(const syntax::Expr& expression) {
    using syntax::ExprKind;
    switch (expression.kind) {
      case ExprKind::Integer:
      case ExprKind::Float:
      case ExprKind::Bool:
        return;
      case ExprKind::Unary:
        return form(*expression.as<syntax::UnaryExpr>().operand);
      case ExprKind::Name: {
        const checked::Local* local = parameter(expression.as<syntax::NameExpr>().name);
        if (local != nullptr && !local->type->is_scalar()) {
          refuse_when(expression.position,
                      std::string(checker_.text(local->name)) + " is no scalar value, so a condition cannot read it.");
        }
        return;
      }
      case ExprKind::Member:
        return constant_form(expression);
      case ExprKind::Call:
        return call_form(expression.as<syntax::CallExpr>());
      default:
        refuse_when(expression.position, "This may not stand in a condition.");
    }
  }

  /// A dotted name must be a constant's.
  void constant_form(const syntax::Expr& expression) {
    std::vector<Name> path;
    const syntax::Expr* at = &expression;
    while (at->kind == syntax::ExprKind::Member) {
      path.push_back(at->as<syntax::MemberExpr>().member.name);
      at = at->as<syntax::MemberExpr>().base;
    }
    const bool is_path = at->kind == syntax::ExprKind::Name;
    if (is_path) path.push_back(at->as<syntax::NameExpr>().name);
    std::ranges::reverse(path);
    if (!is_path || parameter(path.front()) != nullptr || !checker_.peek(path, implementation_.module, kWantConst)) {
      refuse_when(expression.position, "Fields may not stand in a condition.");
    }
  }

  void call_form(const syntax::CallExpr& call) {
    constexpr std::array<std::string_view, 7> allowed = {"min",      "max",      "add_wrap", "sub_wrap",
                                                         "mul_wrap", "shl_wrap", "shr"};
    const bool is_name = call.callee->kind == syntax::ExprKind::Name;
    const std::string_view name =
        is_name ? checker_.text(call.callee->as<syntax::NameExpr>().name) : std::string_view();
    if (name == "len" && call.arguments.size() == 1) {
      const syntax::Expr& argument = *call.arguments[0];
      const checked::Local* local =
          argument.kind == syntax::ExprKind::Name ? parameter(argument.as<syntax::NameExpr>().name) : nullptr;
      if (local == nullptr || !local->type->is(TypeKind::View)) {
        refuse_when(call.position, "len in a condition takes a view parameter.");
      }
      return;
    }
    if (std::ranges::find(allowed, name) == allowed.end())
      refuse_when(call.position, "This call may not stand in a condition.");
    for (const syntax::Expr* argument : call.arguments) form(*argument);
  }

  // ------------------------------------------------------------------------------------------------------------- its
  // types

  /// The condition as the body of a hidden function of the reference's scalars and views.
  const checked::Expr* checked_condition(const syntax::Expr& when) {
    Arena& arena = checker_.arena();
    auto* result = arena.make<syntax::ReturnStmt>();
    result->kind = syntax::StmtKind::Return;
    result->position = when.position;
    result->value = &when;
    result->from_expression_body = true;
    auto* block = arena.make<syntax::Block>();
    block->statements = arena.copy(std::vector<const syntax::Stmt*>{result});
    auto* declaration = arena.make<syntax::FunctionDecl>(implementation_);
    declaration->body = block;
    declaration->implements = {};

    checked::Function* hidden = checker_.new_function(checked::FunctionKind::Function);
    hidden->name = instance_.name;
    hidden->declaration = declaration;
    hidden->info = instance_.info;
    hidden->module = instance_.module;
    hidden->arguments = instance_.arguments;
    hidden->result = checker_.types().bool_type();
    hidden->position = when.position;
    hidden->library = instance_.library;
    std::vector<checked::Local*> locals;
    for (const checked::Local* original : reference_.parameters) {
      if (!may_enter(*original)) continue;
      auto* local = arena.make<checked::Local>();
      local->name = original->name;
      local->type = original->type;
      local->kind = checked::LocalKind::Parameter;
      local->owner = hidden;
      local->index = static_cast<std::uint32_t>(locals.size());
      local->position = original->position;
      locals.push_back(local);
      originals_.push_back(original);
    }
    for (std::size_t k = 0; k < locals.size(); ++k) {
      if (originals_[k]->extent == nullptr) continue;
      const auto at = std::ranges::find(originals_, originals_[k]->extent);
      if (at != originals_.end()) locals[k]->extent = locals[static_cast<std::size_t>(at - originals_.begin())];
    }
    hidden->parameters = arena.copy(locals);
    hidden->locals = locals;
    check_body(checker_, *hidden, checker_.scope_of(*hidden));
    return hidden->body->statements.back()->as<checked::ReturnStmt>().value;
  }

  // --------------------------------------------------------------------------------------------------------- its
  // operators

  static std::optional<std::uint64_t> literal(const checked::Expr& expression) {
    if (expression.kind != ExprKind::Integer) return std::nullopt;
    return expression.as<checked::IntegerExpr>().bits;
  }

  void operators(const checked::Expr& expression) {
    switch (expression.kind) {
      case ExprKind::Binary:
        return binary(expression.as<checked::BinaryExpr>());
      case ExprKind::Logical:
        operators(*expression.as<checked::LogicalExpr>().left);
        return operators(*expression.as<checked::LogicalExpr>().right);
      case ExprKind::Unary: {
        const auto& unary = expression.as<checked::UnaryExpr>();
        if (unary.op == syntax::UnaryOp::Negate && expression.type->is_integer()) {
          refuse_when(expression.position, "Negating an integer may trap.");
        }
        return operators(*unary.operand);
      }
      case ExprKind::Builtin:
        return builtin(expression.as<checked::BuiltinExpr>());
      case ExprKind::Convert:
        refuse_when(expression.position, "A conversion may trap.");
      default:
        return;
    }
  }

  void binary(const checked::BinaryExpr& root) {
    std::vector<const checked::BinaryExpr*> chain;
    const checked::Expr* at = &root;
    while (at->kind == ExprKind::Binary) {
      chain.push_back(&at->as<checked::BinaryExpr>());
      at = chain.back()->left;
    }
    operators(*at);
    for (std::size_t k = chain.size(); k-- > 0;) {
      const checked::BinaryExpr& each = *chain[k];
      if (each.left->type->is_integer()) integer_operator(each);
      operators(*each.right);
    }
  }

  static void integer_operator(const checked::BinaryExpr& expression) {
    switch (expression.op) {
      case syntax::BinaryOp::Add:
      case syntax::BinaryOp::Subtract:
      case syntax::BinaryOp::Multiply:
        refuse_when(expression.position, "Integer + - * may trap.");
      case syntax::BinaryOp::Divide:
      case syntax::BinaryOp::Remainder: {
        const auto divisor = literal(*expression.right);
        if (!divisor || static_cast<std::int64_t>(*divisor) <= 0) {
          refuse_when(expression.position, "/ and % need a literal or natural above 0 on their right.");
        }
        return;
      }
      default:
        return;
    }
  }

  void builtin(const checked::BuiltinExpr& expression) {
    if (!expression.type->is_integer()) refuse_when(expression.position, "min and max of floats are none of it.");
    if (expression.builtin == Builtin::Shr || expression.builtin == Builtin::ShlWrap) {
      const auto count = literal(*expression.arguments[1]);
      if (!count || *count >= bit_width(expression.type->kind)) {
        refuse_when(expression.position, "A shift needs a literal or natural below the width.");
      }
    }
    for (const checked::Expr* argument : expression.arguments) operators(*argument);
  }

  // ------------------------------------------------------------------------------------------- over the reference's
  // parameters

  template <class T>
  T* copy(const checked::Expr& original) {
    return checker_.arena().make<T>(original.as<T>());
  }

  const checked::Expr* over_reference(const checked::Expr& original) {
    switch (original.kind) {
      case ExprKind::Local: {
        auto* made = copy<checked::LocalExpr>(original);
        mentions_parameter_ = true;
        made->local = const_cast<checked::Local*>(originals_[made->local->index]);
        return made;
      }
      case ExprKind::Load: {
        auto* made = copy<checked::LoadExpr>(original);
        made->place = over_reference(*made->place);
        return made;
      }
      case ExprKind::Length: {
        auto* made = copy<checked::LengthExpr>(original);
        made->of = over_reference(*made->of);
        return made;
      }
      case ExprKind::Unary: {
        auto* made = copy<checked::UnaryExpr>(original);
        made->operand = over_reference(*made->operand);
        return made;
      }
      case ExprKind::Binary: {
        std::vector<checked::BinaryExpr*> chain;
        const checked::Expr* at = &original;
        while (at->kind == ExprKind::Binary) {
          chain.push_back(copy<checked::BinaryExpr>(*at));
          at = chain.back()->left;
        }
        const checked::Expr* left = over_reference(*at);
        for (std::size_t k = chain.size(); k-- > 0;) {
          chain[k]->left = left;
          chain[k]->right = over_reference(*chain[k]->right);
          left = chain[k];
        }
        return left;
      }
      case ExprKind::Logical: {
        auto* made = copy<checked::LogicalExpr>(original);
        made->left = over_reference(*made->left);
        made->right = over_reference(*made->right);
        return made;
      }
      case ExprKind::Builtin: {
        auto* made = copy<checked::BuiltinExpr>(original);
        std::vector<const checked::Expr*> arguments;
        for (const checked::Expr* argument : made->arguments) arguments.push_back(over_reference(*argument));
        made->arguments = checker_.arena().copy(arguments);
        return made;
      }
      default:
        return &original;
    }
  }

  Checker& checker_;
  const syntax::FunctionDecl& implementation_;
  const checked::Function& instance_;
  const checked::Function& reference_;
  std::vector<const checked::Local*> originals_;  // the reference's parameter behind each hidden one
  bool mentions_parameter_ = false;
};

}  // namespace

const checked::Expr* judge_condition(Checker& checker, const syntax::FunctionDecl& implementation,
                                     const checked::Function& instance, const checked::Function& reference) {
  if (implementation.implements.when == nullptr) return nullptr;
  // The hidden function is no part of the program: it goes when its condition has been moved over.
  auto& functions = checker.program().functions;
  const std::size_t before = functions.size();
  const checked::Expr* condition = Condition(checker, implementation, instance, reference).judge();
  functions.resize(before);
  return condition;
}

}  // namespace cairn
