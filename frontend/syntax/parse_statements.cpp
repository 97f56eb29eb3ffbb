// Statements and blocks (syntax and values, section 1.3.3).
#include "frontend/syntax/parser_internal.hpp"

namespace cairn::syntax {

namespace {

BinaryOp compound_operator(TokenKind kind) {
  switch (kind) {
    case TokenKind::PlusEqual:
      return BinaryOp::Add;
    case TokenKind::MinusEqual:
      return BinaryOp::Subtract;
    case TokenKind::StarEqual:
      return BinaryOp::Multiply;
    case TokenKind::SlashEqual:
      return BinaryOp::Divide;
    case TokenKind::PercentEqual:
      return BinaryOp::Remainder;
    case TokenKind::AndEqual:
      return BinaryOp::And;
    case TokenKind::OrEqual:
      return BinaryOp::Or;
    default:
      return BinaryOp::Xor;
  }
}

/// Words that begin a statement no arm without braces may be.
bool begins_larger_statement(TokenKind kind) {
  switch (kind) {
    case TokenKind::Let:
    case TokenKind::Reg:
    case TokenKind::If:
    case TokenKind::While:
    case TokenKind::For:
    case TokenKind::Match:
    case TokenKind::Defer:
    case TokenKind::Unsafe:
    case TokenKind::Buffer:
    case TokenKind::Stack:
    case TokenKind::Parallel:
    case TokenKind::Compact:
    case TokenKind::Reduce:
      return true;
    default:
      return false;
  }
}

}  // namespace

const Block* Parser::block(std::string_view purpose) {
  const Nested nested(block_depth_);
  if (block_depth_ > kMaxBlockDepth) fail_depth("Blocks", kMaxBlockDepth);
  const Position begin = here();
  expect(TokenKind::LeftBrace, purpose);
  ListBuilder<const Stmt*> statements(statement_stack_);
  while (!is(TokenKind::RightBrace)) {
    if (is(TokenKind::End)) fail_open_block(begin);
    statements.add(statement());
  }
  advance();
  auto* made = arena_.make<Block>();
  made->statements = statements.finish(arena_);
  made->span = {begin, previous_end()};
  return made;
}

const Stmt* Parser::statement() {
  switch (kind()) {
    case TokenKind::Let:
    case TokenKind::Reg:
      return let_statement();
    case TokenKind::If:
      return if_statement();
    case TokenKind::While:
      return while_statement();
    case TokenKind::For:
      return for_statement();
    case TokenKind::Match:
      return match_statement();
    case TokenKind::Return:
      return return_statement();
    case TokenKind::Break:
      return plain_statement(StmtKind::Break);
    case TokenKind::Continue:
      return plain_statement(StmtKind::Continue);
    case TokenKind::Defer:
      return defer_statement();
    case TokenKind::Unsafe: {
      auto* made = make<UnsafeStmt>(StmtKind::Unsafe);
      advance();
      made->body = block();
      return end(made);
    }
    case TokenKind::LeftBrace: {
      auto* made = make<BlockStmt>(StmtKind::Block);
      made->body = block();
      return end(made);
    }
    case TokenKind::Buffer:
    case TokenKind::Stack:
      return storage_statement();
    case TokenKind::Parallel:
      return parallel_statement();
    case TokenKind::Compact:
    case TokenKind::Reduce:
      return contracted(here(), false);
    case TokenKind::Word:
      if (const Stmt* made = contextual_statement()) return made;
      return expression_statement(true);
    default:
      return expression_statement(true);
  }
}

/// `let [mut]` and `reg`: binds a name, or takes a record apart when `(` or `.` follows the name.
const Stmt* Parser::let_statement() {
  const Position begin = here();
  bool is_mutable = is(TokenKind::Reg);
  advance();
  if (!is_mutable) is_mutable = accept(TokenKind::Mut);
  if (is_identifier() && (next_is(TokenKind::LeftParen) || next_is(TokenKind::Dot))) {
    return unpack_statement(begin, is_mutable);
  }
  auto* made = make_node<LetStmt>(StmtKind::Let, begin);
  made->is_mutable = is_mutable;
  made->name = identifier("a name to bind");
  if (accept(TokenKind::Colon)) made->type = type();
  expect(TokenKind::Equal, "before the value");
  if (is(TokenKind::Compact) || is(TokenKind::Reduce) || begins_scan()) {
    if (is_mutable) {
      refuse(Code::CollectBinding, begin, "What a compact, reduce or scan gives is bound by an immutable let.");
    }
    made->contracted = contracted(begin, true);
  } else {
    made->value = expression();
    expect(TokenKind::Semicolon, "to end the statement");
  }
  return end(made);
}

const Stmt* Parser::unpack_statement(Position begin, bool is_mutable) {
  auto* made = make_node<UnpackStmt>(StmtKind::Unpack, begin);
  made->is_mutable = is_mutable;
  made->record = path("a record's name");
  expect(TokenKind::LeftParen, "before the names of the record's fields");
  made->names = identifiers(TokenKind::RightParen, "a name for a field");
  expect(TokenKind::Equal, "before the value");
  made->value = expression();
  expect(TokenKind::Semicolon, "to end the statement");
  return end(made);
}

/// A chain of `else if` is read in a loop: each link is the only statement of the block before it.
const Stmt* Parser::if_statement() {
  const std::uint32_t depth_before = else_depth_;
  std::vector<std::pair<IfStmt*, Block*>> links;
  while (true) {
    auto* made = make<IfStmt>(StmtKind::If);
    Block* holder = nullptr;
    if (!links.empty()) {
      holder = arena_.make<Block>();
      const Stmt* only = made;
      holder->statements = arena_.copy(std::span<const Stmt* const>(&only, 1));
      links.back().first->otherwise = holder;
    }
    links.emplace_back(made, holder);
    advance();
    made->condition = expression();
    made->then = block("to open the branch");
    if (!accept(TokenKind::Else)) break;
    if (!is(TokenKind::If)) {
      made->otherwise = block("or `if` after `else`");
      break;
    }
    if (++else_depth_ > kMaxElseDepth) fail_depth("`else if` branches", kMaxElseDepth);
  }
  for (const auto& [statement, holder] : links) {
    end(statement);
    if (holder != nullptr) holder->span = statement->span;
  }
  else_depth_ = depth_before;
  return links.front().first;
}

const Stmt* Parser::while_statement() {
  auto* made = make<WhileStmt>(StmtKind::While);
  advance();
  made->condition = expression();
  made->body = block("to open the loop's body");
  return end(made);
}

const Stmt* Parser::for_statement() {
  const Position begin = here();
  advance();
  const Identifier first = identifier("a loop's name");
  bool has_index = false;
  Identifier second;
  if (accept(TokenKind::Comma)) {
    has_index = true;
    second = identifier("the element's name");
  }
  expect(TokenKind::In, "before what is walked");
  const Expr* subject = expression();
  if (!has_index && accept(TokenKind::DotDot)) {
    auto* made = make_node<ForRangeStmt>(StmtKind::ForRange, begin);
    made->binder = first;
    made->lo = subject;
    made->hi = expression();
    made->body = block("to open the loop's body");
    return end(made);
  }
  auto* made = make_node<ForEachStmt>(StmtKind::ForEach, begin);
  made->has_index = has_index;
  if (has_index) made->index = first;
  made->binder = has_index ? second : first;
  made->subject = subject;
  made->body = block("to open the loop's body");
  return end(made);
}

/// In a recipe a static each; elsewhere the old spelling of `for i in 0..n`.
const Stmt* Parser::each_statement() {
  if (in_recipe_) {
    auto* made = make<EachStmt>(StmtKind::Each);
    made->head = each_head();
    made->body = block("to open what is repeated");
    return end(made);
  }
  auto* made = make<ForRangeStmt>(StmtKind::ForRange);
  advance();
  made->binder = identifier("a loop's name");
  expect(TokenKind::In, "before the count");
  made->hi = expression();
  made->body = block("to open the loop's body");
  return end(made);
}

const Stmt* Parser::match_statement() {
  auto* made = make<MatchStmt>(StmtKind::Match);
  advance();
  made->subject = expression();
  const Position opened = here();
  expect(TokenKind::LeftBrace, "to open the arms");
  ListBuilder<MatchArm> arms(arm_stack_);
  while (!is(TokenKind::RightBrace)) {
    if (is(TokenKind::End)) fail_open_block(opened);
    arms.add(match_arm());
  }
  advance();
  made->arms = arms.finish(arena_);
  return end(made);
}

MatchArm Parser::match_arm() {
  MatchArm arm;
  arm.position = here();
  arm.variant = path("a variant");
  if (accept(TokenKind::LeftParen)) {
    arm.has_binder = true;
    arm.binder = identifier("a name for the payload");
    expect(TokenKind::RightParen, "after the payload's name");
  }
  expect(TokenKind::FatArrow, "before what the arm does");
  if (is(TokenKind::LeftBrace)) {
    arm.body = block();
    return arm;
  }
  if (begins_larger_statement(kind()) || contextual_statement_kind() != StmtKind::Expression) {
    fail(Code::Parse, *at_,
         "An arm without braces is a return, break, continue, an assignment or an expression; put " + describe(*at_) +
             " between braces.");
  }
  const Stmt* only = is(TokenKind::Return)     ? return_statement()
                     : is(TokenKind::Break)    ? plain_statement(StmtKind::Break)
                     : is(TokenKind::Continue) ? plain_statement(StmtKind::Continue)
                                               : expression_statement(false);
  auto* body = arena_.make<Block>();
  body->statements = arena_.copy(std::span<const Stmt* const>(&only, 1));
  body->span = only->span;
  arm.body = body;
  return arm;
}

const Stmt* Parser::return_statement() {
  auto* made = make<ReturnStmt>(StmtKind::Return);
  advance();
  if (!is(TokenKind::Semicolon)) made->value = expression();
  expect(TokenKind::Semicolon, "to end the return");
  return end(made);
}

const Stmt* Parser::plain_statement(StmtKind kind) {
  auto* made = make<Stmt>(kind);
  const std::string_view purpose = kind == StmtKind::Barrier ? "after barrier" : "after break and continue";
  advance();
  expect(TokenKind::Semicolon, purpose);
  return end(made);
}

const Stmt* Parser::defer_statement() {
  const Nested nested(block_depth_);  // `defer defer ...` nests without braces
  if (block_depth_ > kMaxBlockDepth) fail_depth("Statements", kMaxBlockDepth);
  auto* made = make<DeferStmt>(StmtKind::Defer);
  advance();
  made->deferred = statement();
  return end(made);
}

const Stmt* Parser::storage_statement() {
  auto* made = make<StorageStmt>(StmtKind::Storage);
  made->stack = is(TokenKind::Stack);
  advance();
  made->name = identifier("a name for the storage");
  expect(TokenKind::Colon, "before the element type");
  made->element = element_type();
  expect(TokenKind::LeftBracket, "before the capacity");
  made->capacity = expression();
  expect(TokenKind::RightBracket, "after the capacity");
  if (accept(TokenKind::At)) {
    made->has_placement = true;
    made->placement = placement();
  }
  expect(TokenKind::Equal, "before zeroed");
  expect(TokenKind::Zeroed, "as the storage's initial value");
  expect(TokenKind::Semicolon, "to end the statement");
  return end(made);
}

const Stmt* Parser::parallel_statement() {
  auto* made = make<ParallelStmt>(StmtKind::Parallel);
  advance();
  made->binder = identifier("the region's index");
  expect(TokenKind::In, "before the region's extent");
  made->extent = expression();
  made->after = after_clause();
  made->body = block("to open the region's body");
  return end(made);
}

/// An expression, an assignment, or a spawn into a group.
const Stmt* Parser::expression_statement(bool may_queue) {
  const Position begin = here();
  const Expr* value = expression();
  if (is(TokenKind::Equal)) {
    auto* made = make_node<AssignStmt>(StmtKind::Assign, begin);
    advance();
    made->place = value;
    made->value = expression();
    expect(TokenKind::Semicolon, "to end the assignment");
    return end(made);
  }
  if (kind() >= TokenKind::PlusEqual && kind() <= TokenKind::CaretEqual) {
    auto* made = make_node<CompoundStmt>(StmtKind::Compound, begin);
    made->op = compound_operator(kind());
    advance();
    made->place = value;
    made->value = expression();
    expect(TokenKind::Semicolon, "to end the assignment");
    return end(made);
  }
  if (may_queue && value->kind == ExprKind::Spawn && is_the_word(words_.into) && next_is_word()) {
    auto* made = make_node<IntoStmt>(StmtKind::Into, begin);
    advance();
    made->spawn = value;
    made->group = identifier("a group");
    expect(TokenKind::Semicolon, "to end the statement");
    return end(made);
  }
  auto* made = make_node<ExpressionStmt>(StmtKind::Expression, begin);
  made->value = value;
  expect(TokenKind::Semicolon, "to end the statement");
  return end(made);
}

}  // namespace cairn::syntax
