// Forms of concurrency and devices that no judge exists for yet. They end the check as a fault of the checker, which no
// command takes for an acceptance.
#include "frontend/check/body_checker.hpp"

namespace cairn {

namespace {

[[noreturn]] void refuse_unjudged(Position at, std::string_view form) {
  refuse(Code::Internal, at, "This checker does not judge " + std::string(form) + ".");
}

}  // namespace

const checked::Stmt* BodyChecker::parallel_statement(const syntax::ParallelStmt& statement) {
  refuse_unjudged(statement.position, "parallel regions");
}
const checked::Stmt* BodyChecker::contracted_statement(const syntax::Stmt& contracted, const syntax::LetStmt*) {
  refuse_unjudged(contracted.position, "collectors");
}
const checked::Stmt* BodyChecker::into_statement(const syntax::IntoStmt& statement) {
  refuse_unjudged(statement.position, "task groups");
}
const checked::Stmt* BodyChecker::spawn_let(const syntax::LetStmt& statement) {
  refuse_unjudged(statement.position, "tasks");
}
const checked::Stmt* BodyChecker::blocks_statement(const syntax::BlocksStmt& statement) {
  refuse_unjudged(statement.position, "cooperative regions");
}
const checked::Stmt* BodyChecker::shared_statement(const syntax::SharedStmt& statement) {
  refuse_unjudged(statement.position, "shared arrays");
}
const checked::Stmt* BodyChecker::pipeline_statement(const syntax::PipelineStmt& statement) {
  refuse_unjudged(statement.position, "pipelines");
}
const checked::Stmt* BodyChecker::barrier_statement(const syntax::Stmt& statement) {
  refuse_unjudged(statement.position, "barriers");
}
Node BodyChecker::spawn_expression(const syntax::SpawnExpr& expression) {
  refuse(Code::Spawn, expression.position, "spawn stands only as what a let binds: write let t = spawn f(args);.");
}
Node BodyChecker::concurrent_builtin(BuiltinCall& call) { refuse_unjudged(call.position, checker_.text(call.name)); }
Node BodyChecker::intrinsic_method(Node receiver, Name, std::vector<Operand>&, const Type*, Position at) {
  refuse_unjudged(at, "operations of " + std::string(receiver->type->name));
}

}  // namespace cairn
