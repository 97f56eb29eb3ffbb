// Functions and what is made of function heads: traits, impls, externs (syntax and values, section 1.3.1).
#include <algorithm>

#include "frontend/syntax/parser_internal.hpp"

namespace cairn::syntax {

namespace {

bool is_symbol(std::string_view text) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto later = [&letter](char c) {
    return letter(c) || (c >= '0' && c <= '9') || c == '$' || c == '.' || c == '@';
  };
  return !text.empty() && letter(text.front()) && std::ranges::all_of(text, later);
}

}  // namespace

Signature Parser::signature() {
  Signature made;
  made.name = identifier("the function's name");
  made.generics = generics();
  expect(TokenKind::LeftParen, "before the parameters");
  made.parameters = parameters(TokenKind::RightParen);
  if (accept(TokenKind::Arrow)) made.result = type();
  made.ceiling = ceiling();
  return made;
}

List<const GenericParameter> Parser::generics() {
  if (!accept(TokenKind::LeftBracket)) return {};
  std::vector<GenericParameter> list;
  while (!is(TokenKind::RightBracket)) {
    GenericParameter parameter;
    parameter.name = identifier("a generic parameter's name");
    if (accept(TokenKind::Colon)) {
      if (accept(TokenKind::Nat)) {
        parameter.bound = BoundKind::Nat;
      } else if (accept(TokenKind::Type)) {
        parameter.bound = BoundKind::Type;
      } else {
        parameter.bound = BoundKind::Traits;
        std::vector<Path> traits;
        do {
          traits.push_back(path("nat, type, a trait or a class"));
        } while (accept(TokenKind::Plus));
        parameter.traits = arena_.copy(traits);
      }
    }
    list.push_back(parameter);
    if (!accept(TokenKind::Comma)) break;
    if (is(TokenKind::RightBracket)) fail_name("a generic parameter's name");
  }
  expect(TokenKind::RightBracket, "after the generic parameters");
  return arena_.copy(list);
}

/// Behind the opening token; consumes the closing one.
List<const Parameter> Parser::parameters(TokenKind close) {
  ListBuilder<Parameter> list(parameter_stack_);
  while (!is(close)) {
    Parameter parameter;
    parameter.name = identifier("a parameter's name");
    expect(TokenKind::Colon, "before the parameter's type");
    parameter.type = type();
    list.add(parameter);
    if (!accept(TokenKind::Comma)) break;
    if (is(close)) fail_name("a parameter's name");
  }
  expect(close, "after the parameters");
  return list.finish(arena_);
}

Ceiling Parser::ceiling() {
  Ceiling made;
  made.position = here();
  if (accept(TokenKind::Pure)) {
    made.present = true;
    made.pure_alone = true;
  } else if (accept(TokenKind::Effects)) {
    made.present = true;
    expect(TokenKind::LeftParen, "before the effects");
    made.labels = effect_labels();
  } else {
    made.position = {};
  }
  return made;
}

Implements Parser::implements() {
  Implements made;
  if (!is_the_word(words_.implements)) return made;
  made.present = true;
  made.position = here();
  advance();
  made.reference = path("the reference function");
  if (accept_word(words_.when)) made.when = expression();
  if (is_the_word(words_.tune) && at_[2].kind() == TokenKind::In) {
    advance();
    std::vector<TuneChoice> choices;
    do {
      TuneChoice choice;
      choice.name = identifier("a parameter to tune");
      expect(TokenKind::In, "before the values to choose from");
      expect(TokenKind::LeftBracket, "before the values to choose from");
      choice.values = naturals(TokenKind::RightBracket);
      choices.push_back(choice);
    } while (accept(TokenKind::Comma));
    made.tune = arena_.copy(choices);
  }
  if (is_the_word(words_.needs) && next_is(TokenKind::LeftParen)) {
    advance();
    advance();
    made.needs = effect_labels();
  }
  return made;
}

FunctionDecl* Parser::function_declaration(Position begin, bool may_implement) {
  auto* made = declare<FunctionDecl>(DeclKind::Function, begin);
  made->kernel = accept(TokenKind::Kernel);
  expect(TokenKind::Fn, "after kernel");
  made->signature = signature();
  made->name = made->signature.name;
  if (may_implement) made->implements = implements();
  made->body = function_body(*made);
  return end(made);
}

const Block* Parser::function_body(FunctionDecl& function) {
  if (!is(TokenKind::Equal)) return block("to open the body, or `=` before its one expression,");
  const TypeExpr* result = function.signature.result;
  const bool is_void = result != nullptr && result->kind == TypeKind::Named && !result->path.dotted() &&
                       result->path.last() == words_.void_ && result->arguments.empty();
  if (result == nullptr || is_void) {
    refuse(Code::ExpressionBody, function.position,
           "A body `= expression;` needs a written result type: fn " +
               std::string(names_.text(function.signature.name.name)) + "(...) -> T = ...;");
  }
  advance();
  function.expression_body = true;
  auto* made = make<ReturnStmt>(StmtKind::Return);
  made->from_expression_body = true;
  made->value = expression();
  made->position = made->value->position;
  end(made, made->value->span.begin);
  expect(TokenKind::Semicolon, "to end the function");
  auto* body = arena_.make<Block>();
  const Stmt* only = made;
  body->statements = arena_.copy(std::span<const Stmt* const>(&only, 1));
  body->span = made->span;
  return body;
}

const Decl* Parser::trait_declaration(Position begin) {
  auto* made = declare<TraitDecl>(DeclKind::Trait, begin);
  advance();
  made->name = identifier("the trait's name");
  const Position opened = here();
  expect(TokenKind::LeftBrace, "to open the trait's members (a trait has no generic parameters)");
  std::vector<Signature> members;
  while (!is(TokenKind::RightBrace)) {
    if (is(TokenKind::End)) fail_open_block(opened);
    expect(TokenKind::Fn, "before a member, or `}` after the last,");
    members.push_back(signature());
    expect(TokenKind::Semicolon, "after the member: a trait's members have no bodies");
  }
  advance();
  made->members = arena_.copy(members);
  return end(made);
}

/// `templated`: written in a module, where generics, implementations and duplicates are; else in a recipe.
const ImplDecl* Parser::impl_declaration(Position begin, bool templated) {
  auto* made = declare<ImplDecl>(DeclKind::Impl, begin);
  advance();
  if (templated) made->generics = generics();
  made->trait = path("a trait");
  expect(TokenKind::For, "before the type");
  made->type = type();
  const Position opened = here();
  expect(TokenKind::LeftBrace, "to open the members");
  std::vector<const FunctionDecl*> members;
  while (!is(TokenKind::RightBrace)) {
    if (is(TokenKind::End)) fail_open_block(opened);
    if (!is(TokenKind::Fn)) fail_expected("`fn` before a member, or `}` after the last,");
    FunctionDecl* member = function_declaration(here(), templated);
    member->impl_member = true;
    if (templated) enter_impl_member(*made, *member);
    members.push_back(member);
  }
  advance();
  made->members = arena_.copy(members);
  return end(made);
}

const Decl* Parser::extern_declaration(Position begin) {
  auto* made = declare<ExternDecl>(DeclKind::Extern, begin);
  advance();
  if (is(TokenKind::String)) {
    made->has_symbol = true;
    made->symbol_position = here();
    made->symbol = string_bytes(*at_);
    if (!is_symbol(made->symbol)) {
      refuse(Code::Extern, here(),
             "A link name is one C symbol: a letter or `_`, then letters, digits, `_`, `$`, `.` and `@`.");
    }
    advance();
  }
  expect(TokenKind::Fn, "after extern");
  Signature& head = made->signature;
  head.name = identifier("the function's name");
  made->name = head.name;
  head.generics = generics();
  if (!head.generics.empty() && !packaged_) {
    refuse(Code::Extern, begin, "A foreign function has no generic parameters; declare one for each type.");
  }
  expect(TokenKind::LeftParen, "before the parameters");
  head.parameters = parameters(TokenKind::RightParen);
  if (accept(TokenKind::Arrow)) head.result = type();
  if (is_the_word(words_.launch) && next_is(TokenKind::LeftParen)) launch_clause(*made);
  head.ceiling = ceiling();
  expect(TokenKind::Semicolon, "to end the declaration: a foreign function has no body");
  return end(made);
}

/// The number of threads may be any token here; what it must be is judged with the declaration (E-LAUNCH).
void Parser::launch_clause(ExternDecl& made) {
  made.has_launch = true;
  made.launch_position = here();
  advance();
  advance();
  if (is(TokenKind::End)) fail_expected("the number of threads");
  judge(*at_);
  made.launch_is_name = !is(TokenKind::Decimal) && !is(TokenKind::Hexadecimal);
  if (made.launch_is_name) {
    made.launch_name = {names_.intern(text_of(*at_)), here()};
  } else {
    made.launch_threads = natural_of(*at_);
  }
  advance();
  expect(TokenKind::Comma, "between the threads and the block");
  made.launch_block = natural();
  expect(TokenKind::RightParen, "to close the launch");
}

}  // namespace cairn::syntax
