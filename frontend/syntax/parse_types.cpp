// Types (syntax and values, section 1.3.2).
#include "frontend/syntax/parser_internal.hpp"

namespace cairn::syntax {

const TypeExpr* Parser::type() {
  const Nested nested(type_depth_);
  if (type_depth_ > kMaxTypeDepth) fail_depth("Types", kMaxTypeDepth);
  switch (kind()) {
    case TokenKind::Ro:
    case TokenKind::Rw:
      return borrow_type();
    case TokenKind::Fn:
      return function_type();
    case TokenKind::Dyn: {
      auto* made = make_node<TypeExpr>(TypeKind::Dyn, here());
      advance();
      made->path = path("a trait's name");
      return end(made);
    }
    default:
      return path_type();
  }
}

const TypeExpr* Parser::borrow_type() {
  auto* made = make_node<TypeExpr>(TypeKind::Borrow, here());
  made->mode = is(TokenKind::Ro) ? BorrowMode::Ro : BorrowMode::Rw;
  advance();
  expect(TokenKind::Less, "to open what is borrowed");
  made->inner = type();
  expect(TokenKind::Greater, "to close what is borrowed");
  if (accept(TokenKind::LeftBracket)) {
    made->has_extent = true;
    if (is(TokenKind::Decimal)) {
      made->natural = natural();
    } else {
      made->extent_is_name = true;
      made->extent_name = identifier("an extent, a decimal number or a name,");
    }
    expect(TokenKind::RightBracket, "to close the extent");
    if (accept(TokenKind::At)) {
      made->has_placement = true;
      made->placement = placement();
    }
  }
  return end(made);
}

const TypeExpr* Parser::function_type() {
  auto* made = make_node<TypeExpr>(TypeKind::Function, here());
  advance();
  expect(TokenKind::LeftParen, "to open the parameter types");
  ListBuilder<const TypeExpr*> types(type_stack_);
  while (!is(TokenKind::RightParen)) {
    types.add(type());
    if (!accept(TokenKind::Comma)) break;
    if (is(TokenKind::RightParen)) fail_name("a type");
  }
  expect(TokenKind::RightParen, "to close the parameter types");
  made->arguments = types.finish(arena_);
  if (accept(TokenKind::Arrow)) made->inner = type();
  return end(made);
}

const TypeExpr* Parser::path_type() {
  auto* made = make_node<TypeExpr>(TypeKind::Named, here());
  made->path = path("a type");
  if (accept(TokenKind::LeftBracket)) {
    ListBuilder<const TypeExpr*> types(type_stack_);
    while (!is(TokenKind::RightBracket)) {
      types.add(type_argument());
      if (!accept(TokenKind::Comma)) break;
      if (is(TokenKind::RightBracket)) fail_name("a type or a decimal number");
    }
    expect(TokenKind::RightBracket, "to close the type's arguments");
    made->arguments = types.finish(arena_);
  }
  return end(made);
}

const TypeExpr* Parser::type_argument() {
  if (!is(TokenKind::Decimal)) return type();
  auto* made = make_node<TypeExpr>(TypeKind::Natural, here());
  made->natural = natural();
  return end(made);
}

/// The element of `buffer x:T[n]`, whose last bracket is the capacity: a whole type when another `[` follows it, else
/// the path before the first bracket.
const TypeExpr* Parser::element_type() {
  const Token* const start = at_;
  const std::uint32_t nodes = nodes_;
  bool bracket_follows_path = false;
  if (is_identifier()) {
    const Token* behind = at_ + 1;
    while (behind->kind() == TokenKind::Dot && is_word(behind[1].kind())) behind += 2;
    bracket_follows_path = behind->kind() == TokenKind::LeftBracket;
    // The usual `u8[n]` has one bracket group: find out without reading it as a type, which may fail.
    std::uint32_t open = 0;
    for (; bracket_follows_path && behind->kind() != TokenKind::End; ++behind) {
      if (behind->kind() == TokenKind::LeftBracket) ++open;
      if (behind->kind() == TokenKind::RightBracket && --open == 0) break;
      if (behind->kind() == TokenKind::Semicolon) break;
    }
    if (behind->kind() == TokenKind::RightBracket && behind[1].kind() != TokenKind::LeftBracket) {
      auto* made = make_node<TypeExpr>(TypeKind::Named, here());
      made->path = path("a type");
      return end(made);
    }
  }
  try {
    const TypeExpr* whole = type();
    if (is(TokenKind::LeftBracket)) return whole;
  } catch (const Refusal&) {
    // Not a type: what stands in the bracket is the capacity.
  }
  at_ = start;
  nodes_ = nodes;
  auto* made = make_node<TypeExpr>(TypeKind::Named, here());
  made->path = path("a type");
  return end(made);
}

}  // namespace cairn::syntax
