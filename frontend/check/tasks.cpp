// Tasks and task groups (concurrency, 5 and 6).
#include <algorithm>

#include "frontend/check/body_checker.hpp"
#include "frontend/check/concurrent_ops.hpp"

namespace cairn {

using checked::ConcurrentOp;
using checked::ExprKind;
using checked::Local;
using checked::LocalKind;
using checked::StmtKind;

Node BodyChecker::concurrent_node(ConcurrentOp op, const Type* type, Node receiver,
                                  std::initializer_list<Node> arguments, Position at) {
  auto& node = make<checked::ConcurrentExpr>(ExprKind::Concurrent, type, at);
  node.op = op;
  node.receiver = receiver;
  node.arguments = checker_.arena().copy(std::span<const Node>(arguments.begin(), arguments.size()));
  return &node;
}

void BodyChecker::require_host(Position at, std::string_view what) {
  if (on_device()) refuse(Code::Placement, at, std::string(what) + " is a host object: device code has none.");
}

// -------------------------------------------------------------------------------------------------------------- spawn

Node BodyChecker::spawn_expression(const syntax::SpawnExpr& expression) {
  refuse(Code::Spawn, expression.position, "spawn stands only as what a let binds: write let t = spawn f(args);.");
}

const checked::SpawnExpr& BodyChecker::spawned(const syntax::SpawnExpr& expression, const Local* group) {
  const Position at = expression.position;
  const auto refuse_spawn = [&](std::string message) { refuse(Code::Spawn, at, std::move(message)); };
  if (in_lane()) refuse_spawn("A lane starts no task: spawn before the region, or fold with reduce.");
  if (frame_->outer != nullptr) refuse_spawn("A closure starts no task, since nobody could wait for it.");
  if (expression.operand != nullptr && expression.operand->kind != syntax::ExprKind::Call) {
    refuse_spawn("A task is a call: write let t = spawn f(args);.");
  }
  for (const syntax::Identifier& name : expression.after) {
    const Local* ticket = find_local(name.name);
    const bool is_queued = ticket != nullptr && ticket->type->is(TypeKind::Ticket) &&
                           ticket->type->placement == Placement::Device && !dead_.contains(ticket->slot);
    if (!is_queued) {
      refuse(Code::Spawn, name.position,
             quoted(name.name) + " is no live ticket of queued device work, so nothing runs after it.");
    }
  }
  if (is_queued_form(expression)) {
    const checked::SpawnExpr& queued = queued_work(expression);
    if (group != nullptr)
      refuse_spawn("Queued device work is waited for by a ticket of its own: write let t = spawn ..;.");
    return queued;
  }
  Node call = walk(*expression.operand, nullptr);
  if (call->kind != ExprKind::Call) refuse_spawn("A task is one call of a declared function.");
  const auto& made = call->as<checked::CallExpr>();
  for (const Local* parameter : made.callee->parameters) {
    if (!parameter->type->is_borrowed_callable()) continue;
    refuse_spawn(std::string(made.callee->name) + " borrows a function as " + quoted(parameter->name) +
                 ", which cannot follow a task: pass a fn(..) by value.");
  }
  if (!expression.after.empty()) refuse_spawn("Only queued device work runs after a ticket.");
  auto& spawn = make<checked::SpawnExpr>(ExprKind::Spawn, types().intrinsic(TypeKind::Ticket, call->type), at);
  spawn.call = call;
  return spawn;
}

const checked::Stmt* BodyChecker::spawn_let(const syntax::LetStmt& statement) {
  const Position at = statement.position;
  const auto& expression = statement.value->as<syntax::SpawnExpr>();
  if (is_blank(statement.name.name)) {
    refuse(Code::Spawn, expression.position, "A task must be waited for, so its ticket needs a name.");
  }
  const Type* type = statement.type == nullptr ? nullptr : checker_.resolve_type(*statement.type, scope_, at);
  checker_.visit(expression.position);
  const checked::SpawnExpr& spawn = spawned(expression, nullptr);
  if (type != nullptr && spawn.type != type) refuse_mismatch(type, spawn.type, expression.position);
  auto& made = make<checked::LetStmt>(StmtKind::Let, at);
  made.local = declare(statement.name.name, spawn.type, LocalKind::Let, statement.is_mutable, at);
  made.value = &spawn;
  if (is_queued_form(expression)) {
    lend_queued(*made.local, spawn);
    return &made;
  }
  for (const LentPlace& place : borrowed_places(spawn.call->as<checked::CallExpr>())) leases_.lend(*made.local, place);
  return &made;
}

const checked::Stmt* BodyChecker::into_statement(const syntax::IntoStmt& statement) {
  const Position at = statement.position;
  Local* group = find_local(statement.group.name);
  if (group == nullptr) refuse_unbound(statement.group.name, statement.group.position);
  if (!group->type->is(TypeKind::Group)) {
    refuse(Code::TypeMismatch, at,
           quoted(statement.group.name) + " is a " + std::string(group->type->name) + ", and tasks go into a Group.");
  }
  if (is_consumed(*group)) {
    refuse(Code::Moved, at, quoted(group->name) + " was waited for, so it takes no further task.");
  }
  const auto& expression = statement.spawn->as<syntax::SpawnExpr>();
  const checked::SpawnExpr& spawn = spawned(expression, group);
  mention(*group, at);
  const Type* result = spawn.call->type;
  if (result != group->type->element) refuse_mismatch(group->type->element, result, expression.position);
  const bool in_loop = frame_->loops > 0 && is_outside_loop(*group);
  for (const LentPlace& place : borrowed_places(spawn.call->as<checked::CallExpr>())) {
    if (place.moved) continue;
    if (place.writes && in_loop) {
      refuse(Code::Leased, expression.position,
             place_text(place.base) + " would be lent rw to " + quoted(group->name) +
                 " again by the next iteration: declare the group inside the loop, or lend another place each time.");
    }
    leases_.lend(*group, place);
  }
  auto& made = make<checked::IntoStmt>(StmtKind::Into, at);
  made.spawn = &spawn;
  made.group = group;
  return &made;
}

/// Whether a linear local was declared before the innermost loop began.
bool BodyChecker::is_outside_loop(const Local& local) const {
  const auto found = std::ranges::find(linear_, &local);
  return found == linear_.end() || static_cast<std::size_t>(found - linear_.begin()) < frame_->loop_linear;
}

/// What a loop's body lent a group from outside stays lent in the next iteration: what the body touches may not meet it
/// (4.5).
void BodyChecker::require_loop_leases(std::size_t first_lease, std::span<const PlaceTouch> touches) {
  if (leases_.size() <= first_lease) return;
  for (const PlaceTouch& touch : touches) {
    if (const Lease* lease = leases_.conflict(touch, first_lease)) {
      refuse_leased(*lease, touch.at, " An earlier iteration lent it.");
    }
  }
  leases_.leave_loop(first_lease);
}

// ----------------------------------------------------------------------------------------------------- wait, collect

/// The local that wait or collect names; E-TYPE-MISMATCH at the call when the argument is no name of a local.
Local* BodyChecker::named_holder(BuiltinCall& call, std::string_view takes) {
  require_arguments(call, 1, 1);
  Operand& operand = call.arguments.front();
  Node node = walk_operand(operand, nullptr);
  if (node->kind != ExprKind::Local) {
    refuse(Code::TypeMismatch, call.position,
           std::string(checker_.text(call.name)) + " takes the name of " + std::string(takes) + ".");
  }
  return node->as<checked::LocalExpr>().local;
}

Node BodyChecker::wait(BuiltinCall& call) {
  constexpr std::string_view kTakes = "a ticket, a group or a ring";
  const Position at = call.position;
  Local& local = *named_holder(call, kTakes);
  Node place = call.arguments.front().node;
  const Type* type = place->type;
  require_host(at, "wait");
  ConcurrentOp op{};
  const Type* result = types().void_type();
  switch (type->kind) {
    case TypeKind::Ticket:
      op = ConcurrentOp::WaitTicket;
      result = type->element;
      break;
    case TypeKind::Group:
      op = ConcurrentOp::WaitGroup;
      break;
    case TypeKind::IoRing:
      op = ConcurrentOp::WaitRing;
      break;
    default:
      refuse(Code::TypeMismatch, at,
             "wait takes the name of " + std::string(kTakes) + ", and " + quoted(local.name) + " is " +
                 std::string(type->name) + ".");
  }
  consume_local(local, place);
  if (dead_.contains(local.slot)) leases_.end(local);
  return concurrent_node(op, result, place, {}, at);
}

Node BodyChecker::collect(BuiltinCall& call) {
  Local& local = *named_holder(call, "a group");
  Node place = call.arguments.front().node;
  require_host(call.position, "collect");
  if (!place->type->is(TypeKind::Group)) {
    refuse(
        Code::TypeMismatch, call.position,
        "collect takes the name of a group, and " + quoted(local.name) + " is " + std::string(place->type->name) + ".");
  }
  return concurrent_node(ConcurrentOp::Collect, place->type->element, place, {}, call.position);
}

Node BodyChecker::new_group(BuiltinCall& call) {
  const Type* type = constructed(call, TypeKind::Group, "Group[T](n)");
  require_arguments(call, 1, 1);
  require_host(call.position, "A group");
  Node room = value_of(call.arguments.front(), types().usize());
  return concurrent_node(ConcurrentOp::GroupNew, type, nullptr, {room}, call.position);
}

}  // namespace cairn
