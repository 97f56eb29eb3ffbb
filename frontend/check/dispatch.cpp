// Selected implementations (abstractions, 11.3): the reference's checked body begins with `if when { return g(args);
// }`.
#include "frontend/check/checker.hpp"
#include "frontend/check/judgement_state.hpp"

namespace cairn {

namespace {

using namespace checked;

class Dispatch {
 public:
  Dispatch(Arena& arena, const Type* void_type, Function& reference, const ImplementationInstance& chosen)
      : arena_(arena), void_type_(void_type), reference_(reference), chosen_(chosen) {}

  void rewrite() {
    const Block* run = run_chosen();
    std::vector<const Stmt*> statements;
    if (chosen_.when == nullptr) {
      statements.assign(run->statements.begin(), run->statements.end());
    } else {
      auto* branch = make<IfStmt>(StmtKind::If);
      branch->condition = chosen_.when;
      branch->then = run;
      statements.push_back(branch);
      statements.insert(statements.end(), reference_.body->statements.begin(), reference_.body->statements.end());
    }
    auto* body = arena_.make<Block>();
    body->statements = arena_.copy(statements);
    body->leaves = chosen_.when == nullptr || reference_.body->leaves;
    reference_.body = body;
  }

 private:
  template <class T>
  T* make(StmtKind kind) {
    T* statement = arena_.make<T>();
    statement->kind = kind;
    statement->position = reference_.position;
    return statement;
  }
  template <class T>
  T* make(ExprKind kind, const Type* type) {
    T* expression = arena_.make<T>();
    expression->kind = kind;
    expression->type = type;
    expression->position = reference_.position;
    return expression;
  }

  /// `{ return g(args); }`, owners moved.
  const Block* run_chosen() {
    std::vector<const Expr*> arguments;
    for (Local* parameter : reference_.parameters) arguments.push_back(handed_on(*parameter));
    const bool has_result = reference_.result != nullptr && !reference_.result->is(TypeKind::Void);
    auto* call = make<CallExpr>(ExprKind::Call, has_result ? reference_.result : void_type_);
    call->callee = chosen_.function;
    call->arguments = arena_.copy(arguments);
    auto* leave = make<ReturnStmt>(StmtKind::Return);
    std::vector<const Stmt*> statements;
    if (has_result) {
      leave->value = call;
    } else {
      auto* run = make<ExpressionStmt>(StmtKind::Expression);
      run->value = call;
      statements.push_back(run);
    }
    statements.push_back(leave);
    auto* block = arena_.make<Block>();
    block->statements = arena_.copy(statements);
    block->leaves = true;
    return block;
  }

  const Expr* handed_on(Local& parameter) {
    const Type* type = parameter.type;
    const bool is_single = type->is(TypeKind::Borrow);
    auto* local = make<LocalExpr>(ExprKind::Local, is_single ? type->element : type);
    local->local = &parameter;
    if (type->is(TypeKind::View)) return local;
    if (type->is_borrowed_callable()) {
      local->type = type;
      return local;
    }
    if (is_single && type->element->is(TypeKind::DynRef)) {
      auto* lent = make<LendDynExpr>(ExprKind::LendDyn, type);
      lent->mode = type->mode;
      lent->place = local;
      lent->trait = type->element->trait;
      return lent;
    }
    if (is_single) {
      auto* lent = make<LendExpr>(ExprKind::Lend, type);
      lent->mode = type->mode;
      lent->place = local;
      return lent;
    }
    auto* load = make<LoadExpr>(ExprKind::Load, type);
    load->place = local;
    load->moves = !type->is_copy();
    parameter.moved = parameter.moved || load->moves;
    return load;
  }

  Arena& arena_;
  const Type* void_type_;
  Function& reference_;
  const ImplementationInstance& chosen_;
};

}  // namespace

void ProgramJudgement::dispatch_selected() {
  Checker& checker = state_->checker;
  for (const Implementation& implementation : state_->implementations) {
    const auto found = state_->selected.find(implementation.reference);
    if (found == state_->selected.end()) continue;
    Dispatch(checker.arena(), checker.types().void_type(), *implementation.reference, *found->second).rewrite();
    state_->selected.erase(found);  // several implementations have one reference
  }
}

}  // namespace cairn
