// A foreign function as a task: the task runs a function of the module with the same parameters, whose body is the
// call.
#include "vm/lower/module_lowering.hpp"

namespace cairn::lower {

using checked::Expr;
using checked::ExprKind;
using checked::Local;

namespace {

/// The parameter as the argument of a call that takes the same type.
const Expr* passed_on(Arena& arena, Local& parameter, Position at) {
  const Type* type = parameter.type;
  auto* local = arena.make<checked::LocalExpr>();
  local->kind = ExprKind::Local;
  local->position = at;
  local->local = &parameter;
  local->type = type;
  if (type->is(TypeKind::View)) return local;
  if (type->is(TypeKind::Borrow)) {
    local->type = type->element;
    auto* lend = arena.make<checked::LendExpr>();
    lend->kind = ExprKind::Lend;
    lend->type = type;
    lend->position = at;
    lend->mode = type->mode;
    lend->place = local;
    return lend;
  }
  auto* load = arena.make<checked::LoadExpr>();
  load->kind = ExprKind::Load;
  load->type = type;
  load->position = at;
  load->place = local;
  return load;
}

}  // namespace

const checked::Function& ModuleLowering::task_body(const checked::Function& callee) {
  if (callee.kind != checked::FunctionKind::Extern) return callee;  // NOLINT: functions live as long as the program
  const auto [at, added] = foreign_tasks_.try_emplace(&callee);
  checked::Function& task = at->second;
  if (!added) return task;
  task.name = callee.name;
  task.kind = checked::FunctionKind::Function;
  task.result = callee.result;
  task.position = callee.position;
  std::vector<const Expr*> arguments;
  for (const Local* declared : callee.parameters) {
    Local* parameter = arena_.make<Local>(*declared);
    parameter->owner = &task;
    parameter->extent = nullptr;
    parameter->index = static_cast<std::uint32_t>(task.locals.size());
    task.locals.push_back(parameter);
    arguments.push_back(passed_on(arena_, *parameter, callee.position));
  }
  task.parameters = arena_.copy(task.locals);
  auto* call = arena_.make<checked::CallExpr>();
  call->kind = ExprKind::Call;
  call->type = callee.result;
  call->position = callee.position;
  call->callee = &callee;
  call->arguments = arena_.copy(arguments);
  const checked::Stmt* statement = nullptr;
  if (callee.result->is(TypeKind::Void)) {
    auto* made = arena_.make<checked::ExpressionStmt>();
    made->kind = checked::StmtKind::Expression;
    made->position = callee.position;
    made->value = call;
    statement = made;
  } else {
    auto* made = arena_.make<checked::ReturnStmt>();
    made->kind = checked::StmtKind::Return;
    made->position = callee.position;
    made->value = call;
    statement = made;
  }
  auto* body = arena_.make<checked::Block>();
  body->statements = arena_.copy(std::vector<const checked::Stmt*>{statement});
  body->leaves = !callee.result->is(TypeKind::Void);
  task.body = body;
  return task;
}

}  // namespace cairn::lower
