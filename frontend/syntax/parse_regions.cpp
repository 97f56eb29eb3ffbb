// Contracted and cooperative statements and typed assembly (syntax and values, section 1.3.4).
#include <optional>

#include "frontend/syntax/parser_internal.hpp"

namespace cairn::syntax {

namespace {

std::optional<Reducer> reducer_of(const Token& token, const Words& words) {
  switch (token.kind()) {
    case TokenKind::Plus:
      return Reducer::Add;
    case TokenKind::Star:
      return Reducer::Multiply;
    case TokenKind::And:
      return Reducer::And;
    case TokenKind::Or:
      return Reducer::Or;
    case TokenKind::Caret:
      return Reducer::Xor;
    case TokenKind::Word:
      if (token.name == words.add_wrap) return Reducer::AddWrap;
      if (token.name == words.mul_wrap) return Reducer::MulWrap;
      if (token.name == words.min) return Reducer::Min;
      if (token.name == words.max) return Reducer::Max;
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

bool opens_indices(TokenKind kind) { return kind == TokenKind::For || kind == TokenKind::Parallel; }

}  // namespace

// ----------------------------------------------------------------------------------------- compact, reduce, scan

/// `scan` is the word before an operator and, behind the output's name, `for` or `parallel`.
bool Parser::begins_scan() const {
  if (!is_the_word(words_.scan) || !reducer_of(at_[1], words_)) return false;
  if (!is_word(at_[2].kind())) return false;
  if (opens_indices(at_[3].kind())) return true;
  return at_[2].name == words_.exclusive && is_word(at_[3].kind()) && opens_indices(at_[4].kind());
}

const Stmt* Parser::contracted(Position statement, bool binds) {
  if (is(TokenKind::Reduce)) return reduce_statement(statement, binds);
  if (!is(TokenKind::Compact)) return scan_statement();
  if (!binds) refuse(Code::CollectBinding, statement, "The count a compact gives is bound: let kept = compact ...;");
  return compact_statement();
}

const Stmt* Parser::compact_statement() {
  auto* made = make<CompactStmt>(StmtKind::Compact);
  advance();
  made->output = identifier("the output");
  expect(TokenKind::For, "before the index");
  made->binder = identifier("the index");
  expect(TokenKind::In, "before the extent");
  made->extent = expression();
  expect(TokenKind::Where, "before the condition");
  made->condition = expression();
  expect(TokenKind::Yield, "before what is kept");
  made->yield = expression();
  expect(TokenKind::Semicolon, "to end the statement");
  return end(made);
}

Reducer Parser::reducer() {
  const std::optional<Reducer> found = reducer_of(*at_, words_);
  if (!found) {
    fail(Code::ReduceOp, *at_,
         "A reduction is by + * & | ^ add_wrap mul_wrap min or max; " + describe(*at_) + " is none of them.");
  }
  advance();
  return *found;
}

const Stmt* Parser::reduce_statement(Position statement, bool binds) {
  auto* made = make<ReduceStmt>(StmtKind::Reduce);
  advance();
  made->reducer_position = here();
  made->reducer = reducer();
  made->warp = is_the_word(words_.warp) && next_is(TokenKind::Yield);
  made->has_target = !made->warp && is_identifier();
  if (made->warp) {
    advance();
  } else if (made->has_target) {
    made->target = identifier();
    if (kind() != TokenKind::LeftBracket) {
      fail_expected("`for` or `parallel` before an index, or `[` after the array that takes the total,");
    }
    advance();
    made->target_index = expression();
    expect(TokenKind::RightBracket, "after the element's index");
  }
  if (!made->warp && !opens_indices(kind())) fail_expected("`for` or `parallel` before the index");
  if (made->has_target == binds) {
    refuse(
        Code::CollectBinding, statement,
        binds ? "A reduction binds its total or writes it to an element, never both."
              : "A reduction's total is bound, let total = reduce ...; or written to an element, reduce + out[0] ...;");
  }
  if (!made->warp) {
    made->parallel = is(TokenKind::Parallel);
    advance();
    made->binder = identifier("the index");
    expect(TokenKind::In, "before the extent");
    made->extent = expression();
  }
  expect(TokenKind::Yield, "before what is joined");
  made->yield = expression();
  expect(TokenKind::Semicolon, "to end the statement");
  return end(made);
}

const Stmt* Parser::scan_statement() {
  auto* made = make<ScanStmt>(StmtKind::Scan);
  advance();
  made->reducer_position = here();
  made->reducer = reducer();
  if (is_the_word(words_.exclusive) && !opens_indices(at_[1].kind())) {
    made->exclusive = true;
    advance();
  }
  made->output = identifier("the output");
  if (!opens_indices(kind())) fail_expected("`for` or `parallel` before the index");
  made->parallel = is(TokenKind::Parallel);
  advance();
  made->binder = identifier("the index");
  expect(TokenKind::In, "before the extent");
  made->extent = expression();
  expect(TokenKind::Yield, "before what is joined");
  made->yield = expression();
  expect(TokenKind::Semicolon, "to end the statement");
  return end(made);
}

// ----------------------------------------------------------------------------------------- statements by their first
// words

StmtKind Parser::contextual_statement_kind() const {
  if (!is(TokenKind::Word)) return StmtKind::Expression;
  const Name word = at_->name;
  if (begins_each()) return StmtKind::Each;
  if (word == words_.require && in_recipe_) return StmtKind::Require;
  if (word == words_.barrier && next_is(TokenKind::Semicolon)) return StmtKind::Barrier;
  if (word == words_.scan) return begins_scan() ? StmtKind::Scan : StmtKind::Expression;
  if (!next_is_word()) return StmtKind::Expression;
  const TokenKind behind = at_[2].kind();
  if (word == words_.assembly) return StmtKind::Asm;
  if (word == words_.blocks && (behind == TokenKind::Comma || behind == TokenKind::In)) return StmtKind::Blocks;
  if (word == words_.shared && behind == TokenKind::Colon) return StmtKind::Shared;
  if (word == words_.pipeline && behind == TokenKind::Colon) return StmtKind::Pipeline;
  return StmtKind::Expression;
}

const Stmt* Parser::contextual_statement() {
  switch (contextual_statement_kind()) {
    case StmtKind::Barrier:
      return plain_statement(StmtKind::Barrier);
    case StmtKind::Each:
      return each_statement();
    case StmtKind::Require:
      return require_statement();
    case StmtKind::Scan:
      return scan_statement();
    case StmtKind::Asm:
      return asm_statement();
    case StmtKind::Blocks:
      return blocks_statement();
    case StmtKind::Shared:
      return shared_statement();
    case StmtKind::Pipeline:
      return pipeline_statement();
    default:
      return nullptr;
  }
}

// ----------------------------------------------------------------------------------------- cooperative regions

/// As many extents as names; what follows them must be `before`, or the counts differ.
List<const Expr* const> Parser::extents(std::size_t count, std::string_view before) {
  ListBuilder<const Expr*> list(expression_stack_);
  list.add(expression());
  while (list.size() < count) {
    if (!accept(TokenKind::Comma)) {
      fail_expected("an extent for each of the " + std::to_string(count) + " names, one comma more,");
    }
    list.add(expression());
  }
  if (is(TokenKind::Comma)) {
    fail_expected(std::string(before) + ", since there are as many extents as names (" + std::to_string(count) + "),");
  }
  return list.finish(arena_);
}

const Stmt* Parser::blocks_statement() {
  auto* made = make<BlocksStmt>(StmtKind::Blocks);
  const auto names = [this](std::string_view what) {
    ListBuilder<Identifier> list(identifier_stack_);
    do {
      list.add(identifier(what));
    } while (accept(TokenKind::Comma));
    return list.finish(arena_);
  };
  const auto threads = [this] {
    if (!accept_word(words_.threads)) fail_expected("`threads` before the names of the threads");
  };
  advance();
  made->block_names = names("a name for the block's number");
  expect(TokenKind::In, "before the grid's extents");
  made->block_extents = extents(made->block_names.size(), "`threads`");
  threads();
  made->thread_names = names("a name for the thread's number");
  expect(TokenKind::In, "before the block's extents");
  made->thread_extents = extents(made->thread_names.size(), "`{`");
  made->body = block("to open the region's body");
  if (is_the_word(words_.then) && at_[1].name == words_.threads) {
    made->then_position = at_->position;
    advance();
    threads();
    made->has_then = true;
    made->then_names = names("a name for the thread's number");
    expect(TokenKind::In, "before the block's extents");
    made->then_extents = extents(made->then_names.size(), "`{`");
    made->then_body = block("to open the finish");
  }
  return end(made);
}

const Stmt* Parser::shared_statement() {
  auto* made = make<SharedStmt>(StmtKind::Shared);
  advance();
  made->name = identifier("the array's name");
  expect(TokenKind::Colon, "before the element type");
  made->element = path("a scalar type");
  expect(TokenKind::LeftBracket, "before the length");
  made->extent = expression();
  expect(TokenKind::RightBracket, "after the length");
  if (accept(TokenKind::Equal)) {
    expect(TokenKind::Zeroed, "as the array's initial value");
    made->zeroed = true;
  }
  expect(TokenKind::Semicolon, "to end the statement");
  return end(made);
}

const Stmt* Parser::pipeline_statement() {
  auto* made = make<PipelineStmt>(StmtKind::Pipeline);
  advance();
  made->name = identifier("the pipeline's name");
  expect(TokenKind::Colon, "before the element type");
  made->element = path("a scalar type");
  expect(TokenKind::LeftBracket, "before the length of a stage");
  made->extent = expression();
  expect(TokenKind::RightBracket, "after the length of a stage");
  if (!accept_word(words_.depth)) fail_expected("`depth` before the number of stages");
  made->depth = expression();
  expect(TokenKind::Semicolon, "to end the statement");
  return end(made);
}

// ----------------------------------------------------------------------------------------- typed assembly

AsmOperand Parser::asm_operand() {
  AsmOperand operand;
  if (accept_word(words_.out)) {
    operand.output = true;
    operand.name = identifier("the output's name");
    expect(TokenKind::Colon, "before the output's type");
    operand.type = type();
    if (accept(TokenKind::Equal)) operand.value = expression();
  } else {
    operand.value = expression();
  }
  return operand;
}

const Stmt* Parser::asm_statement() {
  auto* made = make<AsmStmt>(StmtKind::Asm);
  advance();
  made->is_volatile = accept_word(words_.volatile_);
  made->target = identifier("the assembly's target");
  made->has_second = !is(TokenKind::String);
  if (made->has_second) {
    if (!is_identifier()) fail_expected("the assembly's text, a string,");
    made->second = identifier("the target's capability");
  }
  if (!is(TokenKind::String)) fail_expected("the assembly's text, a string,");
  made->text_position = here();
  made->text = string_bytes(*at_);
  advance();
  if (accept(TokenKind::LeftParen)) {
    std::vector<AsmOperand> operands;
    bool inputs = false;
    while (!is(TokenKind::RightParen)) {
      if (is_the_word(words_.out) && inputs) {
        fail(Code::AsmOperands, *at_, "Outputs stand before inputs: move this one to the front.");
      }
      operands.push_back(asm_operand());
      inputs = !operands.back().output;
      if (!accept(TokenKind::Comma)) break;
    }
    expect(TokenKind::RightParen, "to close the operands");
    made->operands = arena_.copy(operands);
  }
  if (accept_word(words_.clobbers)) {
    expect(TokenKind::LeftParen, "before the registers");
    made->clobbers = identifiers(TokenKind::RightParen, "a register");
  }
  if (accept(TokenKind::Effects)) {
    made->has_effects = true;
    expect(TokenKind::LeftParen, "before the effects");
    made->effects = effect_labels(true);
  }
  expect(TokenKind::Semicolon, "to end the statement");
  return end(made);
}

}  // namespace cairn::syntax
