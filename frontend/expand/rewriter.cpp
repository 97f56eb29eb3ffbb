#include "frontend/expand/rewriter.hpp"

namespace cairn {

using namespace syntax;

// --------------------------------------------------------------------------------------------------------- expressions

namespace {

/// What stands first in an expression that begins with another one; null otherwise.
const Expr* left_operand(const Expr& expression) {
  switch (expression.kind) {
    case ExprKind::Binary:
      return expression.as<BinaryExpr>().left;
    case ExprKind::Call:
      return expression.as<CallExpr>().callee;
    case ExprKind::Bracket:
      return expression.as<BracketExpr>().base;
    case ExprKind::Part:
      return expression.as<PartExpr>().base;
    case ExprKind::Member:
      return expression.as<MemberExpr>().base;
    default:
      return nullptr;
  }
}

}  // namespace

// Chains of left operands (`a + b + c`, `a.b.c`) may be of any length, so they are walked without recursion.
const Expr* TreeRewriter::expression(const Expr* original) {
  if (original == nullptr) return nullptr;
  std::vector<const Expr*> spine;
  const Expr* first = original;
  while (const Expr* left = left_operand(*first)) {
    spine.push_back(first);
    first = left;
  }
  visit(first->position);
  std::size_t consumed = 0;
  const Expr* copy = nullptr;
  if (first->kind == ExprKind::Name) {
    std::vector<const MemberExpr*> members;
    for (auto outer = spine.rbegin(); outer != spine.rend() && (*outer)->kind == ExprKind::Member; ++outer) {
      members.push_back(&(*outer)->as<MemberExpr>());
    }
    copy = name_expression(first->as<NameExpr>(), members, consumed);
  } else {
    copy = leaf(*first);
  }
  for (std::size_t k = spine.size() - consumed; k-- > 0;) {
    visit(spine[k]->position);
    copy = above(*spine[k], copy);
  }
  return copy;
}

const Expr* TreeRewriter::name_expression(const NameExpr& original, std::span<const MemberExpr* const> members,
                                          std::size_t& consumed) {
  (void)members;
  consumed = 0;
  return copy_of(original);
}

const Expr* TreeRewriter::fold_expression(const FoldExpr& original) { return copy_of(original); }
const Expr* TreeRewriter::each_expression(const EachExpr& original) { return copy_of(original); }

void TreeRewriter::argument(const Expr& original, std::vector<const Expr*>& out) {
  out.push_back(expression(&original));
}

const Expr* TreeRewriter::above(const Expr& original, const Expr* left) {
  switch (original.kind) {
    case ExprKind::Binary: {
      auto* copy = copy_of(original.as<BinaryExpr>());
      copy->left = left;
      copy->right = expression(copy->right);
      return combined(*copy);
    }
    case ExprKind::Call: {
      auto* copy = copy_of(original.as<CallExpr>());
      copy->callee = left;
      copy->arguments = expressions(copy->arguments);
      return copy;
    }
    case ExprKind::Bracket: {
      auto* copy = copy_of(original.as<BracketExpr>());
      copy->base = left;
      copy->arguments = expressions(copy->arguments);
      return copy;
    }
    case ExprKind::Part: {
      auto* copy = copy_of(original.as<PartExpr>());
      copy->base = left;
      copy->lo = expression(copy->lo);
      copy->hi = expression(copy->hi);
      return copy;
    }
    default: {
      auto* copy = copy_of(original.as<MemberExpr>());
      copy->base = left;
      copy->member = member(copy->member);
      return copy;
    }
  }
}

const Expr* TreeRewriter::leaf(const Expr& original) {
  switch (original.kind) {
    case ExprKind::Integer:
      return copy_of(original.as<IntegerExpr>());
    case ExprKind::Float:
      return copy_of(original.as<FloatExpr>());
    case ExprKind::String:
      return copy_of(original.as<StringExpr>());
    case ExprKind::Bool:
      return copy_of(original.as<BoolExpr>());
    case ExprKind::Fold:
      return fold_expression(original.as<FoldExpr>());
    case ExprKind::Each:
      return each_expression(original.as<EachExpr>());
    case ExprKind::Closure:
      return closure(original.as<ClosureExpr>());
    case ExprKind::Unary: {
      auto* copy = copy_of(original.as<UnaryExpr>());
      copy->operand = expression(copy->operand);
      return copy;
    }
    case ExprKind::Try: {
      auto* copy = copy_of(original.as<TryExpr>());
      copy->operand = expression(copy->operand);
      return copy;
    }
    case ExprKind::Spawn: {
      auto* copy = copy_of(original.as<SpawnExpr>());
      copy->operand = expression(copy->operand);
      copy->binder = name(copy->binder);
      copy->extent = expression(copy->extent);
      copy->body = block(copy->body);
      copy->after = names(copy->after);
      return copy;
    }
    default:
      return &original;  // the rest begin with another expression
  }
}

const Expr* TreeRewriter::closure(const ClosureExpr& original) {
  auto* copy = copy_of(original);
  copy->parameters = parameters(original.parameters);
  copy->result = type(original.result);
  copy->body = block(original.body);
  return copy;
}

List<const Expr* const> TreeRewriter::expressions(List<const Expr* const> originals) {
  std::vector<const Expr*> copies;
  copies.reserve(originals.size());
  for (const Expr* original : originals) argument(*original, copies);
  return arena_.copy(copies);
}

// --------------------------------------------------------------------------------------------------- names and types

List<const Identifier> TreeRewriter::names(List<const Identifier> originals) {
  std::vector<Identifier> copies;
  copies.reserve(originals.size());
  for (const Identifier& original : originals) copies.push_back(name(original));
  return arena_.copy(copies);
}

Path TreeRewriter::path(const Path& original) { return {names(original.segments)}; }

const TypeExpr* TreeRewriter::type(const TypeExpr* original) {
  if (original == nullptr) return nullptr;
  visit(original->position);
  return named_type(*original);
}

const TypeExpr* TreeRewriter::named_type(const TypeExpr& original) {
  auto* copy = copy_of(original);
  copy->inner = type(original.inner);
  if (original.extent_is_name) copy->extent_name = name(original.extent_name);
  std::vector<const TypeExpr*> arguments;
  for (const TypeExpr* argument : original.arguments) arguments.push_back(type(argument));
  copy->arguments = arena_.copy(arguments);
  if (!original.path.segments.empty()) copy->path = path(original.path);
  return copy;
}

List<const EffectLabel> TreeRewriter::labels(List<const EffectLabel> originals) {
  std::vector<EffectLabel> copies;
  for (const EffectLabel& original : originals) copies.push_back({label(original.text), original.position});
  return arena_.copy(copies);
}

List<const Parameter> TreeRewriter::parameters(List<const Parameter> originals) {
  std::vector<Parameter> copies;
  for (const Parameter& original : originals) copies.push_back({name(original.name), type(original.type)});
  return arena_.copy(copies);
}

List<const GenericParameter> TreeRewriter::generics(List<const GenericParameter> originals) {
  std::vector<GenericParameter> copies;
  for (const GenericParameter& original : originals) {
    std::vector<Path> traits;
    for (const Path& trait : original.traits) traits.push_back(path(trait));
    copies.push_back({name(original.name), original.bound, arena_.copy(traits)});
  }
  return arena_.copy(copies);
}

Signature TreeRewriter::signature(const Signature& original) {
  Signature copy = original;
  copy.name = name(original.name);
  copy.generics = generics(original.generics);
  copy.parameters = parameters(original.parameters);
  copy.result = type(original.result);
  copy.ceiling.labels = labels(original.ceiling.labels);
  return copy;
}

Implements TreeRewriter::implements(const Implements& original) {
  Implements copy = original;
  if (!original.present) return copy;
  copy.reference = path(original.reference);
  copy.when = expression(original.when);
  std::vector<TuneChoice> tune;
  for (const TuneChoice& choice : original.tune) tune.push_back({name(choice.name), choice.values});
  copy.tune = arena_.copy(tune);
  return copy;
}

const FunctionDecl* TreeRewriter::function(const FunctionDecl& original) {
  visit(original.position);
  auto* copy = copy_of(original);
  copy->signature = signature(original.signature);
  copy->name = copy->signature.name;
  copy->implements = implements(original.implements);
  copy->body = block(original.body);
  return copy;
}

// ---------------------------------------------------------------------------------------------------------- statements

const Block* TreeRewriter::block(const Block* original) {
  return original == nullptr ? nullptr : named_block(*original);
}

const Block* TreeRewriter::named_block(const Block& original) {
  auto* copy = copy_of(original);
  std::vector<const Stmt*> statements;
  statements.reserve(original.statements.size());
  for (const Stmt* each : original.statements) statement(*each, statements);
  copy->statements = arena_.copy(statements);
  return copy;
}

void TreeRewriter::statement(const Stmt& original, std::vector<const Stmt*>& out) { out.push_back(copied(original)); }

const Stmt* TreeRewriter::copied(const Stmt& original) {
  visit(original.position);
  switch (original.kind) {
    case StmtKind::Let: {
      auto* copy = copy_of(original.as<LetStmt>());
      copy->name = name(copy->name);
      copy->type = type(copy->type);
      copy->value = expression(copy->value);
      if (copy->contracted != nullptr) copy->contracted = copied(*copy->contracted);
      return copy;
    }
    case StmtKind::Unpack: {
      auto* copy = copy_of(original.as<UnpackStmt>());
      copy->record = path(copy->record);
      copy->names = names(copy->names);
      copy->value = expression(copy->value);
      return copy;
    }
    case StmtKind::Assign: {
      auto* copy = copy_of(original.as<AssignStmt>());
      copy->place = expression(copy->place);
      copy->value = expression(copy->value);
      return copy;
    }
    case StmtKind::Compound: {
      auto* copy = copy_of(original.as<CompoundStmt>());
      copy->place = expression(copy->place);
      copy->value = expression(copy->value);
      return copy;
    }
    case StmtKind::If: {
      auto* copy = copy_of(original.as<IfStmt>());
      copy->condition = expression(copy->condition);
      copy->then = block(copy->then);
      copy->otherwise = block(copy->otherwise);
      return copy;
    }
    case StmtKind::While: {
      auto* copy = copy_of(original.as<WhileStmt>());
      copy->condition = expression(copy->condition);
      copy->body = block(copy->body);
      return copy;
    }
    case StmtKind::ForRange: {
      auto* copy = copy_of(original.as<ForRangeStmt>());
      copy->binder = name(copy->binder);
      copy->lo = expression(copy->lo);
      copy->hi = expression(copy->hi);
      copy->body = block(copy->body);
      return copy;
    }
    case StmtKind::ForEach: {
      auto* copy = copy_of(original.as<ForEachStmt>());
      copy->index = name(copy->index);
      copy->binder = name(copy->binder);
      copy->subject = expression(copy->subject);
      copy->body = block(copy->body);
      return copy;
    }
    case StmtKind::Match: {
      auto* copy = copy_of(original.as<MatchStmt>());
      copy->subject = expression(copy->subject);
      std::vector<MatchArm> arms(copy->arms.begin(), copy->arms.end());
      for (MatchArm& arm : arms) {
        arm.variant = path(arm.variant);
        arm.binder = name(arm.binder);
        arm.body = block(arm.body);
      }
      copy->arms = arena_.copy(arms);
      return copy;
    }
    case StmtKind::Return: {
      auto* copy = copy_of(original.as<ReturnStmt>());
      copy->value = expression(copy->value);
      return copy;
    }
    case StmtKind::Break:
    case StmtKind::Continue:
    case StmtKind::Barrier:
      return copy_of(original);
    case StmtKind::Defer: {
      auto* copy = copy_of(original.as<DeferStmt>());
      copy->deferred = copied(*copy->deferred);
      return copy;
    }
    case StmtKind::Unsafe: {
      auto* copy = copy_of(original.as<UnsafeStmt>());
      copy->body = block(copy->body);
      return copy;
    }
    case StmtKind::Block: {
      auto* copy = copy_of(original.as<BlockStmt>());
      copy->body = block(copy->body);
      return copy;
    }
    case StmtKind::Storage: {
      auto* copy = copy_of(original.as<StorageStmt>());
      copy->name = name(copy->name);
      copy->element = type(copy->element);
      copy->capacity = expression(copy->capacity);
      return copy;
    }
    case StmtKind::Into: {
      auto* copy = copy_of(original.as<IntoStmt>());
      copy->spawn = expression(copy->spawn);
      copy->group = name(copy->group);
      return copy;
    }
    case StmtKind::Expression: {
      auto* copy = copy_of(original.as<ExpressionStmt>());
      copy->value = expression(copy->value);
      return copy;
    }
    case StmtKind::Parallel:
    case StmtKind::Compact:
    case StmtKind::Reduce:
    case StmtKind::Scan:
      return contracted(original);
    case StmtKind::Blocks:
    case StmtKind::Shared:
    case StmtKind::Pipeline:
      return cooperative(original);
    case StmtKind::Asm:
      return assembly(original.as<AsmStmt>());
    case StmtKind::Each:
      return copy_of(original.as<EachStmt>());
    case StmtKind::Require:
      return copy_of(original.as<RequireStmt>());
  }
  return &original;
}

const Stmt* TreeRewriter::contracted(const Stmt& original) {
  switch (original.kind) {
    case StmtKind::Parallel: {
      auto* copy = copy_of(original.as<ParallelStmt>());
      copy->binder = name(copy->binder);
      copy->extent = expression(copy->extent);
      copy->after = names(copy->after);
      copy->body = block(copy->body);
      return copy;
    }
    case StmtKind::Compact: {
      auto* copy = copy_of(original.as<CompactStmt>());
      copy->output = name(copy->output);
      copy->binder = name(copy->binder);
      copy->extent = expression(copy->extent);
      copy->condition = expression(copy->condition);
      copy->yield = expression(copy->yield);
      return copy;
    }
    case StmtKind::Reduce: {
      auto* copy = copy_of(original.as<ReduceStmt>());
      if (copy->has_target) copy->target = name(copy->target);
      copy->target_index = expression(copy->target_index);
      copy->binder = name(copy->binder);
      copy->extent = expression(copy->extent);
      copy->yield = expression(copy->yield);
      return copy;
    }
    default: {
      auto* copy = copy_of(original.as<ScanStmt>());
      copy->output = name(copy->output);
      copy->binder = name(copy->binder);
      copy->extent = expression(copy->extent);
      copy->yield = expression(copy->yield);
      return copy;
    }
  }
}

const Stmt* TreeRewriter::cooperative(const Stmt& original) {
  switch (original.kind) {
    case StmtKind::Blocks: {
      auto* copy = copy_of(original.as<BlocksStmt>());
      copy->block_names = names(copy->block_names);
      copy->block_extents = expressions(copy->block_extents);
      copy->thread_names = names(copy->thread_names);
      copy->thread_extents = expressions(copy->thread_extents);
      copy->body = block(copy->body);
      copy->then_names = names(copy->then_names);
      copy->then_extents = expressions(copy->then_extents);
      copy->then_body = block(copy->then_body);
      return copy;
    }
    case StmtKind::Shared: {
      auto* copy = copy_of(original.as<SharedStmt>());
      copy->name = name(copy->name);
      copy->element = path(copy->element);
      copy->extent = expression(copy->extent);
      return copy;
    }
    default: {
      auto* copy = copy_of(original.as<PipelineStmt>());
      copy->name = name(copy->name);
      copy->element = path(copy->element);
      copy->extent = expression(copy->extent);
      copy->depth = expression(copy->depth);
      return copy;
    }
  }
}

const Stmt* TreeRewriter::assembly(const AsmStmt& original) {
  auto* copy = copy_of(original);
  std::vector<AsmOperand> operands(original.operands.begin(), original.operands.end());
  for (AsmOperand& operand : operands) {
    operand.name = name(operand.name);
    operand.type = type(operand.type);
    operand.value = expression(operand.value);
  }
  copy->operands = arena_.copy(operands);
  copy->effects = labels(original.effects);
  return copy;
}

}  // namespace cairn
