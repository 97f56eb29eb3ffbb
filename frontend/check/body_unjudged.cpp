// Forms of devices that no judge exists for yet. They end the check as a fault of the checker, which no command takes
// for an acceptance.
#include "frontend/check/body_checker.hpp"

namespace cairn {

namespace {

[[noreturn]] void refuse_unjudged(Position at, std::string_view form) {
  refuse(Code::Internal, at, "This checker does not judge " + std::string(form) + ".");
}

}  // namespace

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
Node BodyChecker::device_builtin(BuiltinCall& call) { refuse_unjudged(call.position, checker_.text(call.name)); }

Node BodyChecker::intrinsic_method(Node receiver, Name name, std::vector<Operand>& arguments, const Type*,
                                   Position at) {
  switch (receiver->type->kind) {
    case TypeKind::Atomic:
      return atomic_operation(receiver, name, arguments, at);
    case TypeKind::Mutex:
      return mutex_operation(receiver, name, arguments, at);
    case TypeKind::IoRing:
      return ring_operation(receiver, name, arguments, at);
    default:
      refuse_unjudged(at, "operations of " + std::string(receiver->type->name));
  }
}

}  // namespace cairn
