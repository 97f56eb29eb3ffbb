// Expressions (syntax and values, section 1.3.5).
#include <array>

#include "frontend/syntax/operators.hpp"
#include "frontend/syntax/parser_internal.hpp"

namespace cairn::syntax {

namespace {

struct Operator {
  int level = 0;  // 0: no binary operator
  BinaryOp op{};
};

constexpr std::array<Operator, kTokenKinds> kOperators = [] {
  std::array<Operator, kTokenKinds> table{};
  for (const BinaryOperator& row : kBinaryOperators) table[static_cast<std::size_t>(row.token)] = {row.level, row.op};
  return table;
}();

Operator operator_of(TokenKind kind) { return kOperators[static_cast<std::size_t>(kind)]; }

/// Whether what stands in brackets can be a type argument: a natural, a name, a dotted or a bracketed name.
bool can_be_type_argument(const Expr& written) {
  const Expr* argument = &written;
  while (argument->kind == ExprKind::Member) argument = argument->as<MemberExpr>().base;
  switch (argument->kind) {
    case ExprKind::Integer:
      return argument == &written && !argument->as<IntegerExpr>().character;
    case ExprKind::Name:
      return true;
    case ExprKind::Bracket: {
      const auto& bracket = argument->as<BracketExpr>();
      if (!can_be_type_argument(*bracket.base)) return false;
      for (const Expr* inner : bracket.arguments) {
        if (!can_be_type_argument(*inner)) return false;
      }
      return true;
    }
    default:
      return false;
  }
}

}  // namespace

std::optional<BinaryOp> binary_operator(TokenKind kind) {
  const Operator found = operator_of(kind);
  return found.level == 0 ? std::nullopt : std::optional(found.op);
}

/// Operators that bind tighter than `above`, by precedence climbing: a chain of any length nests two deep.
Expr* Parser::binary(int above) {
  const Nested nested(expression_depth_);
  if (expression_depth_ > kMaxExpressionDepth) fail_depth("Expressions", kMaxExpressionDepth);
  Expr* left = prefix();
  for (Operator next = operator_of(kind()); next.level > above; next = operator_of(kind())) {
    if ((is(TokenKind::Less) || is(TokenKind::Greater)) && next_is(kind()) && at_[1].position == at_->end())
      fail_shift();
    const Position op_position = here();
    advance();
    auto* made = make<BinaryExpr>(ExprKind::Binary, left->position);
    made->op = next.op;
    made->op_position = op_position;
    made->left = left;
    made->right = binary(next.level);
    left = end(made, left->span.begin);
  }
  return left;
}

Expr* Parser::prefix_operand() {
  const Nested nested(expression_depth_);
  if (expression_depth_ > kMaxExpressionDepth) fail_depth("Expressions", kMaxExpressionDepth);
  return prefix();
}

Expr* Parser::prefix() {
  UnaryOp op{};
  switch (kind()) {
    case TokenKind::Minus:
      op = UnaryOp::Negate;
      break;
    case TokenKind::Not:
      op = UnaryOp::Not;
      break;
    case TokenKind::Tilde:
      op = UnaryOp::Complement;
      break;
    case TokenKind::Try: {
      auto* made = make<TryExpr>(ExprKind::Try, here());
      advance();
      made->operand = prefix_operand();
      return end(made);
    }
    case TokenKind::Spawn:
      return spawn();
    case TokenKind::Or:
    case TokenKind::OrOr:
      return closure();
    case TokenKind::Word:
      if (in_recipe_ && is_the_word(words_.fold)) return fold_expression();
      if (in_recipe_ && begins_each()) return each_expression();
      return postfix();
    default:
      return postfix();
  }
  auto* made = make<UnaryExpr>(ExprKind::Unary, here());
  advance();
  made->op = op;
  made->operand = prefix_operand();
  return end(made);
}

Expr* Parser::spawn() {
  auto* made = make<SpawnExpr>(ExprKind::Spawn, here());
  advance();
  if (accept(TokenKind::Parallel)) {
    made->binder = identifier("the region's index");
    expect(TokenKind::In, "before the region's extent");
    made->extent = expression();
    made->after = after_clause();
    made->body = block();
  } else {
    made->operand = prefix_operand();
    made->after = after_clause();
  }
  return end(made);
}

/// `after a, b`, where the word is one: unless `=`, `.`, `(` or `[` follows it.
List<const Identifier> Parser::after_clause() {
  if (!is_the_word(words_.after)) return {};
  switch (at_[1].kind()) {
    case TokenKind::Equal:
    case TokenKind::Dot:
    case TokenKind::LeftParen:
    case TokenKind::LeftBracket:
      return {};
    default:
      break;
  }
  advance();
  ListBuilder<Identifier> tickets(identifier_stack_);
  do {
    tickets.add(identifier("a ticket"));
  } while (accept(TokenKind::Comma));
  return tickets.finish(arena_);
}

Expr* Parser::closure() {
  auto* made = make<ClosureExpr>(ExprKind::Closure, here());
  if (!accept(TokenKind::OrOr)) {
    advance();
    made->parameters = parameters(TokenKind::Or);
  }
  if (accept(TokenKind::Arrow)) made->result = type();
  made->body = block("to open the closure's body");
  return end(made);
}

Expr* Parser::postfix() {
  Expr* base = primary();
  while (true) {
    switch (kind()) {
      case TokenKind::LeftParen:
        base = call(base);
        break;
      case TokenKind::LeftBracket:
        base = bracket(base);
        break;
      case TokenKind::Dot: {
        advance();
        auto* made = make<MemberExpr>(ExprKind::Member, base->position);
        made->base = base;
        made->member = identifier("a field, variant or method");
        base = end(made, base->span.begin);
        break;
      }
      default:
        return base;
    }
  }
}

/// Only a name, a dotted name or a method is called, each perhaps with type arguments (E-CALL at the callee).
void Parser::judge_callee(const Expr& callee) const {
  const Expr* named = &callee;
  if (callee.kind == ExprKind::Bracket) {
    const auto& bracket = callee.as<BracketExpr>();
    named = bracket.base;
    for (const Expr* argument : bracket.arguments) {
      // A recipe's arguments are judged when its statics are known.
      if (!in_recipe_ && !can_be_type_argument(*argument)) named = argument;
    }
  }
  if (named->kind == ExprKind::Name || named->kind == ExprKind::Member) return;
  refuse(Code::Call, callee.position,
         "Only a name, a dotted name, a method or a constructor is called, perhaps with type arguments. "
         "Bind what is called here to a name first.");
}

Expr* Parser::call(Expr* callee) {
  judge_callee(*callee);
  advance();
  auto* made = make<CallExpr>(ExprKind::Call, callee->position);
  made->callee = callee;
  made->arguments = expressions(TokenKind::RightParen);
  return end(made, callee->span.begin);
}

/// Behind the opening token; consumes the closing one.
List<const Expr* const> Parser::expressions(TokenKind close) {
  ListBuilder<const Expr*> list(expression_stack_);
  if (!is(close)) {
    do {
      list.add(expression());
    } while (accept(TokenKind::Comma));
  }
  expect(close, "to close the list");
  return list.finish(arena_);
}

Expr* Parser::bracket(Expr* base) {
  advance();
  const Expr* first = expression();
  if (accept(TokenKind::DotDot)) {
    auto* made = make<PartExpr>(ExprKind::Part, base->position);
    made->base = base;
    made->lo = first;
    made->hi = expression();
    expect(TokenKind::RightBracket, "to close the part");
    return end(made, base->span.begin);
  }
  auto* made = make<BracketExpr>(ExprKind::Bracket, base->position);
  made->base = base;
  ListBuilder<const Expr*> list(expression_stack_);
  list.add(first);
  while (accept(TokenKind::Comma)) list.add(expression());
  expect(TokenKind::RightBracket, "to close the index");
  made->arguments = list.finish(arena_);
  return end(made, base->span.begin);
}

Expr* Parser::primary() {
  switch (kind()) {
    case TokenKind::SpliceWord:
      if (!in_recipe_) fail_expression();
      [[fallthrough]];
    case TokenKind::Word: {
      auto* made = make<NameExpr>(ExprKind::Name, here());
      made->name = at_->name;
      advance();
      return end(made);
    }
    case TokenKind::Decimal:
    case TokenKind::Hexadecimal: {
      auto* made = make<IntegerExpr>(ExprKind::Integer, here());
      made->value = natural_of(*at_);
      advance();
      return end(made);
    }
    case TokenKind::Float: {
      auto* made = make<FloatExpr>(ExprKind::Float, here());
      made->digits = text_of(*at_);
      advance();
      return end(made);
    }
    case TokenKind::String: {
      auto* made = make<StringExpr>(ExprKind::String, here());
      made->bytes = string_bytes(*at_);
      advance();
      return end(made);
    }
    case TokenKind::Character:
      return character();
    case TokenKind::True:
    case TokenKind::False: {
      auto* made = make<BoolExpr>(ExprKind::Bool, here());
      made->value = is(TokenKind::True);
      advance();
      return end(made);
    }
    case TokenKind::LeftParen:
      return parenthesized();
    default:
      fail_expression();
  }
}

Expr* Parser::character() {
  judge(*at_);
  auto* made = make<IntegerExpr>(ExprKind::Integer, here());
  made->character = true;
  made->value.value = static_cast<unsigned char>(string_bytes(*at_).front());
  made->value.digits = text_of(*at_);
  made->value.position = here();
  advance();
  return end(made);
}

/// The expression inside, marked, which now spans its parentheses.
Expr* Parser::parenthesized() {
  const Position begin = here();
  advance();
  Expr* inside = expression();
  if (is(TokenKind::Comma)) {
    fail(Code::Parse, *at_,
         "Expected `)` and found `,`: there are no tuples. Declare a struct for values that belong together.");
  }
  expect(TokenKind::RightParen, "to close the parenthesis");
  inside->parenthesized = true;
  return end(inside, begin);
}

}  // namespace cairn::syntax
