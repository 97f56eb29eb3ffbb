// Statements: blocks, let, assignment, branches, return, jumps, defer (syntax and values, 1.11; ownership and memory,
// 7).
#include <utility>

#include "frontend/check/body_checker.hpp"
#include "frontend/check/flow_join.hpp"

namespace cairn {

using checked::ExprKind;
using checked::Local;
using checked::LocalKind;
using checked::StmtKind;

BodyChecker::ScopeMarks BodyChecker::scope_marks() const {
  return {visible_.size(), linear_.size(), scheduled_.size(), holds_.size(), statements_.size(), facts_.mark()};
}

const checked::Block* BodyChecker::block(const syntax::Block& block, Flow& flow) {
  return scoped_block(block, {}, scope_marks(), flow);
}

const checked::Block* BodyChecker::scoped_block(const syntax::Block& block,
                                                std::span<const checked::Stmt* const> prelude, const ScopeMarks& marks,
                                                Flow& flow) {
  flow = Flow::Falls;
  statements_.insert(statements_.end(), prelude.begin(), prelude.end());
  for (const syntax::Stmt* each : block.statements) {
    if (flow != Flow::Falls) {
      refuse(Code::Unreachable, each->position, "This can never run: the statement before it always leaves.");
    }
    if (const checked::Stmt* made = statement(*each, flow)) statements_.push_back(made);
  }
  if (flow == Flow::Falls) {
    for (std::size_t i = marks.linear; i < linear_.size(); ++i) {
      const Local& local = *linear_[i];
      if (local.kind == LocalKind::Parameter || local.kind == LocalKind::PayloadBinder || is_consumed(local)) continue;
      refuse(Code::LinearLeak, block.statements.back()->position,
             quoted(local.name) +
                 " is linear and its block ends without consuming it: consume it, or defer its consumer.");
    }
  }
  // What the block's defers consume is dead once it is left.
  for (std::size_t i = marks.scheduled; i < scheduled_.size(); ++i) {
    dead_.insert(scheduled_[i]->slot);
    leases_.end(*scheduled_[i]);
  }
  scheduled_.resize(marks.scheduled);
  holds_.resize(marks.holds);
  visible_.resize(marks.visible);
  linear_.resize(marks.linear);
  facts_.drop(marks.facts);
  auto& made = *checker_.arena().make<checked::Block>();
  made.statements = checker_.arena().copy(std::span<const checked::Stmt* const>(statements_).subspan(marks.statements));
  made.leaves = flow != Flow::Falls;
  statements_.resize(marks.statements);
  return &made;
}

const checked::Stmt* BodyChecker::statement(const syntax::Stmt& statement, Flow& flow) {
  switch (statement.kind) {
    case syntax::StmtKind::Let:
      return let(statement.as<syntax::LetStmt>());
    case syntax::StmtKind::Unpack:
      return unpack(statement.as<syntax::UnpackStmt>());
    case syntax::StmtKind::Assign:
      return assign(statement.as<syntax::AssignStmt>());
    case syntax::StmtKind::Compound:
      return compound(statement.as<syntax::CompoundStmt>());
    case syntax::StmtKind::If:
      return if_statement(statement.as<syntax::IfStmt>(), flow);
    case syntax::StmtKind::While:
      return while_loop(statement.as<syntax::WhileStmt>());
    case syntax::StmtKind::ForRange:
      return index_loop(statement.as<syntax::ForRangeStmt>());
    case syntax::StmtKind::ForEach:
      return element_loop(statement.as<syntax::ForEachStmt>());
    case syntax::StmtKind::Match:
      return match(statement.as<syntax::MatchStmt>(), flow);
    case syntax::StmtKind::Return:
      flow = Flow::Returns;
      return return_statement(statement.as<syntax::ReturnStmt>());
    case syntax::StmtKind::Break:
    case syntax::StmtKind::Continue:
      flow = Flow::Jumps;
      return jump(statement);
    case syntax::StmtKind::Defer:
      return defer(statement.as<syntax::DeferStmt>());
    case syntax::StmtKind::Unsafe: {
      ++unsafe_depth_;
      const checked::Stmt* made = nested_block(statement, *statement.as<syntax::UnsafeStmt>().body, flow);
      --unsafe_depth_;
      return made;
    }
    case syntax::StmtKind::Block:
      return nested_block(statement, *statement.as<syntax::BlockStmt>().body, flow);
    case syntax::StmtKind::Storage:
      return storage(statement.as<syntax::StorageStmt>());
    case syntax::StmtKind::Expression:
      return expression_statement(statement.as<syntax::ExpressionStmt>());
    case syntax::StmtKind::Parallel:
      return parallel_statement(statement.as<syntax::ParallelStmt>());
    case syntax::StmtKind::Compact:
    case syntax::StmtKind::Reduce:
    case syntax::StmtKind::Scan:
      return contracted_statement(statement, nullptr);
    case syntax::StmtKind::Into:
      return into_statement(statement.as<syntax::IntoStmt>());
    case syntax::StmtKind::Blocks:
      return blocks_statement(statement.as<syntax::BlocksStmt>());
    case syntax::StmtKind::Shared:
      return shared_statement(statement.as<syntax::SharedStmt>());
    case syntax::StmtKind::Pipeline:
      return pipeline_statement(statement.as<syntax::PipelineStmt>());
    case syntax::StmtKind::Barrier:
      return barrier_statement(statement);
    case syntax::StmtKind::Asm:
      return asm_statement(statement.as<syntax::AsmStmt>());
    case syntax::StmtKind::Each:
    case syntax::StmtKind::Require:
      break;  // expanded before any body is judged
  }
  refuse(Code::Internal, statement.position, "A recipe's statement was not expanded.");
}

const checked::Stmt* BodyChecker::nested_block(const syntax::Stmt& statement, const syntax::Block& body, Flow& flow) {
  auto& node = make<checked::BlockStmt>(StmtKind::Block, statement.position);
  node.body = block(body, flow);
  return &node;
}

// ---------------------------------------------------------------------------------------------------------------- let

const checked::Stmt* BodyChecker::let(const syntax::LetStmt& statement) {
  const Position at = statement.position;
  if (statement.contracted != nullptr) return contracted_statement(*statement.contracted, &statement);
  if (statement.value->kind == syntax::ExprKind::Spawn) return spawn_let(statement);
  const Type* type = statement.type == nullptr ? nullptr : checker_.resolve_type(*statement.type, scope_, at);
  Node node = walk(*statement.value, type);
  if (type != nullptr && node->type != type) refuse_mismatch(type, node->type, statement.value->position);
  type = node->type;
  const bool text = node->kind == ExprKind::Text;
  if (type->is(TypeKind::Void) || type->is(TypeKind::Borrow) ||
      (type->is(TypeKind::View) && (!text || is_blank(statement.name.name)))) {
    refuse(Code::ViewAlias, at,
           type->is(TypeKind::Void) ? "This has no value to bind."
                                    : "A view is not bound to a name: write it in the call that reads it.");
  }
  Node value = as_value(node);
  if (is_blank(statement.name.name)) {
    require_not_lost(value->type, at);
    auto& drop = make<checked::LetStmt>(StmtKind::Let, at);
    drop.local = new_local(statement.name.name, type, LocalKind::Let, false, at);
    drop.value = value;
    return &drop;
  }
  auto& made = make<checked::LetStmt>(StmtKind::Let, at);
  made.local = declare(statement.name.name, type, LocalKind::Let, statement.is_mutable && !text, at);
  made.value = value;
  if (!made.local->is_mutable) made.local->bound = value;
  facts_.equals(*made.local, value);
  return &made;
}

void BodyChecker::require_not_lost(const Type* type, Position at) {
  if (type->ownership != Ownership::Linear) return;
  refuse(Code::LinearLeak, at, "A " + std::string(type->name) + " is linear, so it cannot be dropped: consume it.");
}

const checked::Stmt* BodyChecker::unpack(const syntax::UnpackStmt& statement) {
  const Position at = statement.position;
  std::vector<Name> path;
  for (const syntax::Identifier& segment : statement.record.segments) path.push_back(segment.name);
  const Type* named = nullptr;  // of a generic record nothing but the declaration is named
  const syntax::RecordDecl* declaration = nullptr;
  if (const StaticArgument* argument = path.size() == 1 ? scope_.find(path.front()) : nullptr) {
    named = argument->type;
  } else {
    const Symbol symbol = checker_.resolve(path, scope_.module, kWantType, at);
    if (symbol.kind == Symbol::Kind::Record) {
      declaration = &symbol.declaration->as<syntax::RecordDecl>();
      if (declaration->generics.empty()) named = checker_.record_instance(*declaration, {}, at);
    } else if (symbol.kind == Symbol::Kind::Alias) {
      named = checker_.alias_type(symbol.declaration->as<syntax::AliasDecl>());
    } else if (!symbol) {
      refuse(Code::Type, at, "No type is called " + quoted(statement.record.last()) + ".");
    }
  }
  Node node = walk(*statement.value, named);
  const Type* type = node->type;
  const bool fits =
      type->is(TypeKind::Record) && (declaration != nullptr ? type->record->declaration == declaration : type == named);
  if (!fits) {
    refuse(Code::Unpack, at,
           "This takes a " + std::string(checker_.text(statement.record.last())) + " apart, and the value is " +
               std::string(type->name) + ".");
  }
  const auto fields = type->record->fields;
  if (statement.names.size() != fields.size()) {
    refuse(Code::Unpack, at,
           std::string(type->name) + " has " + std::to_string(fields.size()) +
               " fields: write one name per field, in order.");
  }
  const syntax::RecordDecl& record = *type->record->declaration;
  if (!checker_.accessible(record, scope_.module)) checker_.refuse_private(record, at, "; so are its fields");
  if (type->record->linear && record.module != scope_.module) {
    refuse(Code::Private, at,
           std::string(type->name) + " is linear: only " +
               (record.module ? "module " + std::string(checker_.text(record.module)) : "the root module") +
               ", which declares it, takes one apart.");
  }
  Node value = as_value(node);
  std::vector<Local*> locals;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const syntax::Identifier& name = statement.names[i];
    if (is_blank(name.name)) {
      require_not_lost(fields[i].type, at);
      locals.push_back(nullptr);
    } else {
      locals.push_back(declare(name.name, fields[i].type, LocalKind::Let, statement.is_mutable, name.position));
    }
  }
  auto& made = make<checked::UnpackStmt>(StmtKind::Unpack, at);
  made.locals = checker_.arena().copy(std::span<Local* const>(locals));
  made.value = value;
  return &made;
}

// --------------------------------------------------------------------------------------------------------- assignment

/// The place an assignment writes: E-LVALUE, E-IMMUTABLE, E-WRITE-LEASE, E-EXTENT-FIELD.
Node BodyChecker::target(const syntax::Expr& expression) {
  const Position at = expression.position;
  switch (expression.kind) {
    case syntax::ExprKind::Name:
    case syntax::ExprKind::Member:
    case syntax::ExprKind::Bracket:
      break;
    default:
      refuse(Code::Lvalue, at, "Only a name, a field or an element can be assigned.");
  }
  Node place = walk(expression, nullptr);
  if (!place->is_place() || root_local(place) == nullptr) {
    if (expression.kind == syntax::ExprKind::Name) {
      refuse(Code::Immutable, at,
             quoted(expression.as<syntax::NameExpr>().name) + " is a constant, not a mutable local.");
    }
    refuse(Code::Lvalue, at, "Only a name, a field or an element can be assigned, and this is a value.");
  }
  require_writable(place);
  require_not_half_of_extent(place, at);
  return place;
}

const checked::Stmt* BodyChecker::assign(const syntax::AssignStmt& statement) {
  const Position at = statement.position;
  Node place = target(*statement.place);
  Node value = value_of(*statement.value, place->type);
  Local* root = root_local(place);
  const bool moved = root->slot != 0 && dead_.contains(root->slot);
  if (moved && place->kind != ExprKind::Local) {
    refuse(Code::Alias, at, quoted(root->name) + " would hold itself: assign it to a place outside it.");
  }
  if (place->type->ownership == Ownership::Linear && !moved) {
    refuse(Code::LinearLeak, at,
           "The " + std::string(place->type->name) + " held here is linear and would be lost: consume it first.");
  }
  if (is_pinned(place->type)) {
    refuse(Code::Pinned, value->position, "A " + std::string(place->type->name) + " stays what its let declared.");
  }
  if (moved) dead_.erase(root->slot);
  touch(place, Touch::Write, place->position);
  auto& made = make<checked::AssignStmt>(StmtKind::Assign, at);
  made.place = place;
  made.value = value;
  return &made;
}

const checked::Stmt* BodyChecker::compound(const syntax::CompoundStmt& statement) {
  Node place = target(*statement.place);
  Node value = walk(*statement.value, place->type);
  if (value->type != place->type) refuse_operands(place->type, value, place->position);
  require_operator(statement.op, place->type, place->position);
  touch(place, Touch::Write, place->position);
  auto& made = make<checked::CompoundStmt>(StmtKind::Compound, statement.position);
  made.op = statement.op;
  made.place = place;
  made.value = as_value(value);
  return &made;
}

// ----------------------------------------------------------------------------------------------------------- branches

const checked::Stmt* BodyChecker::if_statement(const syntax::IfStmt& statement, Flow& flow) {
  auto& made = make<checked::IfStmt>(StmtKind::If, statement.position);
  made.condition = value_of(*statement.condition, types().bool_type());
  FlowJoin join(*this);
  const std::size_t facts = facts_.mark();
  const auto arm = [&](const syntax::Block& body, bool truth) {
    facts_.holds(made.condition, truth);
    Flow each = Flow::Falls;
    (truth ? made.then : made.otherwise) = block(body, each);
    facts_.drop(facts);
    return each;
  };
  const Flow then = arm(*statement.then, true);
  join.end(then);
  join.begin();
  const Flow otherwise = statement.otherwise == nullptr ? Flow::Falls : arm(*statement.otherwise, false);
  join.end(otherwise);
  flow = join.finish(statement.position);
  // After an if one of whose arms leaves, its condition is known.
  if ((then == Flow::Falls) != (otherwise == Flow::Falls)) facts_.holds(made.condition, then == Flow::Falls);
  return &made;
}

const checked::Stmt* BodyChecker::return_statement(const syntax::ReturnStmt& statement) {
  const Position at = statement.position;
  if (frame_->is_lane) refuse(Code::ParallelControl, at, "A lane cannot return from the function.");
  const Type* result = frame_->result;
  const bool has_result = !result->is(TypeKind::Void);
  if (has_result && statement.value == nullptr) {
    refuse(Code::Return, at, "A " + std::string(result->name) + " must be returned here.");
  }
  if (!has_result && statement.value != nullptr) {
    refuse(Code::Return, at, "This function has no result, so return takes no value.");
  }
  auto& made = make<checked::ReturnStmt>(StmtKind::Return, at);
  if (statement.value != nullptr) made.value = value_of(*statement.value, result);
  require_no_live_linear(frame_->first_linear, at);
  return &made;
}

const checked::Stmt* BodyChecker::jump(const syntax::Stmt& statement) {
  const Position at = statement.position;
  const bool is_break = statement.kind == syntax::StmtKind::Break;
  if (frame_->loops == 0) {
    refuse(Code::LoopControl, at, std::string(is_break ? "break" : "continue") + " needs a loop around it.");
  }
  require_no_live_linear(frame_->loop_linear, at);
  if (is_break) return &make<checked::BreakStmt>(StmtKind::Break, at);
  return &make<checked::ContinueStmt>(StmtKind::Continue, at);
}

// -------------------------------------------------------------------------------------------------------------- defer

const checked::Stmt* BodyChecker::defer(const syntax::DeferStmt& statement) {
  const Position at = statement.position;
  const syntax::Stmt& deferred = *statement.deferred;
  if (deferred.kind != syntax::StmtKind::Expression ||
      deferred.as<syntax::ExpressionStmt>().value->kind != syntax::ExprKind::Call) {
    refuse(Code::Defer, at, "defer takes exactly one call.");
  }
  if (on_device()) refuse(Code::Placement, at, "Device code has no defer.");
  // A closure in the deferred call may defer calls of its own.
  std::vector<const Local*> named;
  std::vector<Local*> consumed;
  const auto outer = std::exchange(deferring_, &named);
  const std::uint32_t outer_slots = std::exchange(deferring_slots_, next_slot_);
  newly_scheduled_.swap(consumed);
  const checked::Stmt* call = expression_statement(deferred.as<syntax::ExpressionStmt>());
  newly_scheduled_.swap(consumed);
  deferring_slots_ = outer_slots;
  deferring_ = outer;
  scheduled_.insert(scheduled_.end(), consumed.begin(), consumed.end());
  for (const Local* local : named) holds_.push_back({local, at});
  auto& made = make<checked::DeferStmt>(StmtKind::Defer, at);
  made.call = call->as<checked::ExpressionStmt>().value;
  return &made;
}

// ------------------------------------------------------------------------------------------------ expression
// statements

namespace {

/// A builtin that only computes, or a conversion.
bool only_computes(Node node) {
  if (node->kind == ExprKind::Convert || node->kind == ExprKind::Length) return true;
  if (node->kind != ExprKind::Builtin) return false;
  const checked::Builtin builtin = node->as<checked::BuiltinExpr>().builtin;
  return builtin < checked::Builtin::FromBits;
}

bool is_outcome(const Type* type) {
  return type->is(TypeKind::Sum) && !type->sum->plain && type->sum->variants.size() == 2;
}

}  // namespace

void BodyChecker::require_not_only_computed(Node node, Position at) {
  if (only_computes(node)) refuse(Code::Discard, at, "This only computes a value, and nothing uses it: leave it out.");
}

const checked::Stmt* BodyChecker::expression_statement(const syntax::ExpressionStmt& statement) {
  const Position at = statement.position;
  const syntax::Expr& expression = *statement.value;
  const bool is_call = expression.kind == syntax::ExprKind::Call;
  if (!is_call && expression.kind != syntax::ExprKind::Try) {
    refuse(Code::Discard, at,
           expression.kind == syntax::ExprKind::Spawn ? "A task must be waited for: write let t = spawn f(args);."
                                                      : "Only a call, or try of one, stands alone as a statement.");
  }
  Node value = as_value(walk(expression, nullptr));
  require_not_only_computed(value, at);
  if (is_call && is_outcome(value->type)) {
    refuse(Code::Discard, at,
           "A " + std::string(value->type->name) +
               " tells success from failure: handle it with try or match, or write let _ = ...;.");
  }
  require_not_lost(value->type, at);
  auto& made = make<checked::ExpressionStmt>(StmtKind::Expression, at);
  made.value = value;
  return &made;
}

}  // namespace cairn
