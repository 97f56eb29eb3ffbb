// Mutex[T] (concurrency, 12).
#include <algorithm>

#include "frontend/check/body_checker.hpp"
#include "frontend/check/concurrent_ops.hpp"

namespace cairn {

using checked::ConcurrentOp;
using checked::Local;

Node BodyChecker::new_mutex(BuiltinCall& call) {
  const Type* type = constructed(call, TypeKind::Mutex, "Mutex[T](value)");
  require_arguments(call, 1, 1);
  require_host(call.position, "A Mutex");
  Node value = value_of(call.arguments.front(), type->element);
  return concurrent_node(ConcurrentOp::MutexNew, type, nullptr, {value}, call.position);
}

Node BodyChecker::mutex_operation(Node receiver, Name name, std::vector<Operand>& arguments, Position at) {
  require_host(at, "A Mutex");
  const Type* guarded = receiver->type->element;
  const bool is_with =
      checker_.text(name) == "with" && arguments.size() == 2 && arguments[1].written->kind == syntax::ExprKind::Closure;
  if (!is_with) {
    refuse(Code::Callee, at,
           "A Mutex is used through with alone, its closure written in place: m.with(|x:rw<" +
               std::string(guarded->name) + ">| { .. }).");
  }
  touch(receiver, Touch::Read, at);
  const auto& written = arguments[1].written->as<syntax::ClosureExpr>();
  const Type* result = written.result == nullptr
                           ? types().void_type()
                           : checker_.resolve_type(*written.result, scope_, written.result->position);
  const Type* parameter[] = {types().borrow(BorrowMode::Rw, guarded)};
  const std::size_t lent = lent_.size();
  Node body = closure(written, types().function(parameter, result));
  lent_.resize(lent);
  const auto& captures = body->as<checked::ClosureExpr>().body->captures;
  if (const Local* mutex = root_local(receiver); std::ranges::find(captures, mutex) != captures.end()) {
    refuse(Code::Alias, at,
           "The closure holds " + quoted(mutex->name) + " already, so it cannot name it: use its parameter.");
  }
  return concurrent_node(ConcurrentOp::MutexWith, result, receiver, {body}, at);
}

}  // namespace cairn
