// Recipes (syntax and values, section 1.3.6).

#include "frontend/syntax/parser_internal.hpp"

namespace cairn::syntax {

const Decl* Parser::recipe_declaration(Position begin) {
  auto* made = declare<RecipeDecl>(DeclKind::Recipe, begin);
  advance();
  made->name = identifier("the recipe's name");
  in_recipe_ = true;
  if (accept(TokenKind::LeftBracket)) {
    std::vector<RecipeParameter> parameters;
    do {
      RecipeParameter parameter;
      parameter.name = identifier("a recipe parameter's name");
      const bool typed = accept(TokenKind::Colon) && (is(TokenKind::Nat) || is(TokenKind::Fn));
      if (!typed) {
        judge(*at_);
        refuse(Code::Recipe, begin,
               "A recipe's bracket parameter is a natural or a function: write " +
                   std::string(names_.text(parameter.name.name)) + ":nat or " +
                   std::string(names_.text(parameter.name.name)) + ":fn.");
      }
      parameter.is_function = is(TokenKind::Fn);
      advance();
      parameters.push_back(parameter);
    } while (accept(TokenKind::Comma));
    expect(TokenKind::RightBracket, "after the recipe's parameters");
    made->parameters = arena_.copy(parameters);
  }
  if (accept(TokenKind::For)) {
    made->has_target = true;
    made->target = identifier("a name for the type the recipe is applied to");
  }
  made->wheres = static_bindings();
  made->items = recipe_items();
  in_recipe_ = false;
  // `$` in the token behind the recipe is refused when the next item is read.
  return end(made);
}

/// { ("where" | ",") name = expr }, a comma only after a first where.
List<const StaticBinding> Parser::static_bindings() {
  std::vector<StaticBinding> list;
  while (is(TokenKind::Where) || (is(TokenKind::Comma) && !list.empty())) {
    advance();
    StaticBinding binding;
    binding.name = identifier("a name for a static value");
    expect(TokenKind::Equal, "before the static value");
    binding.value = expression();
    list.push_back(binding);
  }
  return arena_.copy(list);
}

/// From `each` through the wheres, before the brace.
EachHead Parser::each_head() {
  EachHead head;
  advance();
  head.binder = identifier("a name for the static value");
  expect(TokenKind::In, "before what is iterated");
  head.lo = expression();
  if (accept(TokenKind::DotDot)) head.hi = expression();
  head.wheres = static_bindings();
  return head;
}

EachExpr* Parser::each_expression() {
  const Nested nested(expression_depth_);
  if (expression_depth_ > kMaxExpressionDepth) fail_depth("Expressions", kMaxExpressionDepth);
  auto* made = make<EachExpr>(ExprKind::Each, here());
  made->head = each_head();
  expect(TokenKind::LeftBrace, "to open what is repeated");
  made->values = expressions(TokenKind::RightBrace);
  return end(made);
}

Expr* Parser::fold_expression() {
  auto* made = make<FoldExpr>(ExprKind::Fold, here());
  advance();
  if (const std::optional<BinaryOp> op = binary_operator(kind())) {
    made->is_operator = true;
    made->op = *op;
    advance();
  } else {
    if (!is_identifier() || begins_each()) fail_expected("an operator or a function after fold");
    made->function = path();
  }
  if (!begins_each()) fail_expected("`each` after what fold joins with");
  made->each = each_expression();
  return end(made);
}

const RequireStmt* Parser::require_statement() {
  auto* made = make<RequireStmt>(StmtKind::Require);
  advance();
  made->condition = expression();
  expect(TokenKind::Comma, "between the condition and its message");
  if (!is(TokenKind::String)) fail_expected("a string, what is said when the condition does not hold,");
  made->message = string_bytes(*at_);
  advance();
  expect(TokenKind::Semicolon, "to end the require");
  return end(made);
}

List<const RecipeItem> Parser::recipe_items() {
  const Nested nested(block_depth_);
  if (block_depth_ > kMaxBlockDepth) fail_depth("Blocks", kMaxBlockDepth);
  const Position opened = here();
  expect(TokenKind::LeftBrace, "to open the recipe's items");
  std::vector<RecipeItem> items;
  while (!is(TokenKind::RightBrace)) {
    if (is(TokenKind::End)) fail_open_block(opened);
    items.push_back(recipe_item());
  }
  advance();
  return arena_.copy(items);
}

RecipeItem Parser::recipe_item() {
  RecipeItem item;
  item.position = here();
  item.is_public = accept(TokenKind::Pub);
  if (begins_each()) {
    item.kind = RecipeItemKind::Each;
    item.each = each_head();
    item.items = recipe_items();
    return item;
  }
  switch (kind()) {
    case TokenKind::Struct:
      item.kind = RecipeItemKind::Record;
      advance();
      item.record = identifier("the record's name");
      item.fields = recipe_shape();
      return item;
    case TokenKind::Impl:
      item.kind = RecipeItemKind::Impl;
      item.impl = impl_declaration(item.position, false);
      return item;
    case TokenKind::Fn:
    case TokenKind::Kernel:
      item.kind = RecipeItemKind::Function;
      item.function = function_declaration(item.position, false);
      return item;
    default:
      if (!is_the_word(words_.require)) {
        fail_expected("an item of a recipe (each, require, struct, impl, fn, kernel fn) or `}` after the last");
      }
      item.kind = RecipeItemKind::Require;
      item.require = require_statement();
      return item;
  }
}

List<const RecipeField> Parser::recipe_shape() {
  const Nested nested(block_depth_);
  if (block_depth_ > kMaxBlockDepth) fail_depth("Blocks", kMaxBlockDepth);
  const Position opened = here();
  expect(TokenKind::LeftBrace, "to open the record's fields");
  std::vector<RecipeField> fields;
  while (!is(TokenKind::RightBrace)) {
    if (is(TokenKind::End)) fail_open_block(opened);
    RecipeField made;
    made.is_each = begins_each();
    if (made.is_each) {
      made.each = each_head();
      made.fields = recipe_shape();
    } else {
      made.field = field();
    }
    fields.push_back(made);
  }
  advance();
  return arena_.copy(fields);
}

}  // namespace cairn::syntax
