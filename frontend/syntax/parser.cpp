#include "frontend/syntax/parser.hpp"

#include <utility>

#include "frontend/syntax/lexer.hpp"
#include "frontend/syntax/literals.hpp"
#include "frontend/syntax/parser_internal.hpp"

namespace cairn::syntax {

Parser::Parser(const SourceMap& sources, std::uint32_t first_file, NameTable& names, Arena& arena, const Words& words,
               const std::vector<Token>& tokens, bool packaged)
    : sources_(sources),
      names_(names),
      arena_(arena),
      words_(words),
      at_(tokens.data()),
      file_index_(first_file),
      file_(&sources.file(first_file)),
      packaged_option_(packaged),
      packaged_(packaged || file_->library) {}

Program Parser::program() {
  while (!is(TokenKind::End)) item();
  judge(*at_);
  return {arena_.copy(declarations_), nodes_};
}

const Expr* Parser::lone_expression() {
  const Expr* value = expression();
  if (!is(TokenKind::End)) fail_expected("nothing more");
  return value;
}

const Block* Parser::lone_statements() {
  const Position begin = here();
  ListBuilder<const Stmt*> statements(statement_stack_);
  while (!is(TokenKind::End)) statements.add(statement());
  auto* made = arena_.make<Block>();
  made->statements = statements.finish(arena_);
  made->span = {begin, here()};
  return made;
}

const TypeExpr* Parser::lone_type() {
  const TypeExpr* written = type();
  if (!is(TokenKind::End)) fail_expected("nothing more");
  return written;
}

// -------------------------------------------------------------------------------------------------- names and literals

/// Behind the opening token; consumes the closing one.
List<const Identifier> Parser::identifiers(TokenKind close, std::string_view what, bool may_trail) {
  ListBuilder<Identifier> list(identifier_stack_);
  while (!is(close)) {
    list.add(identifier(what));
    if (!accept(TokenKind::Comma)) break;
    if (is(close) && !may_trail) fail_name(what);
  }
  expect(close, "to close the list");
  return list.finish(arena_);
}

Path Parser::path(std::string_view what) {
  const Identifier first = identifier(what);
  if (!is(TokenKind::Dot)) {
    auto* one = arena_.make<Identifier>(first);
    return {{one, 1}};
  }
  ListBuilder<Identifier> segments(identifier_stack_);
  segments.add(first);
  while (accept(TokenKind::Dot)) segments.add(identifier(what));
  return {segments.finish(arena_)};
}

Natural Parser::natural_of(const Token& token) const {
  const std::string_view digits = text_of(token);
  const NaturalValue value = natural_value(digits);
  return {value.value, value.fits, digits, token.position};
}

Natural Parser::natural() {
  if (!is(TokenKind::Decimal)) fail_static();
  const Natural value = natural_of(*at_);
  advance();
  return value;
}

/// Behind the opening token; consumes the closing one.
List<const Natural> Parser::naturals(TokenKind close) {
  std::vector<Natural> list;
  while (!is(close)) {
    list.push_back(natural());
    if (!accept(TokenKind::Comma)) break;
    if (is(close)) fail_static();
  }
  expect(close, "to close the list");
  return arena_.copy(list);
}

std::string_view Parser::string_bytes(const Token& token) const {
  const auto bytes = literal_bytes(text_of(token), arena_);
  if (!bytes) [[unlikely]]
    judge(token);
  return *bytes;
}

/// Words and literals joined by `:`. A label written without space between its tokens is a view of the text.
EffectLabel Parser::effect_label() {
  const auto part = [this] {
    if (is(TokenKind::SpliceWord)) judge(*at_);
    if (is(TokenKind::End) || is_punctuation(kind())) fail_expected("an effect label, such as io or write:xs");
    return *at_++;
  };
  const Token first = part();
  Token last = first;
  bool contiguous = true;
  std::string joined;
  while (is(TokenKind::Colon)) {
    contiguous = contiguous && last.end() == here() && at_->end() == at_[1].position;
    if (joined.empty()) joined = text_of(first);
    advance();
    last = part();
    joined.append(":").append(text_of(last));
  }
  if (last.position == first.position) return {text_of(first), first.position};
  if (contiguous) return {sources_.text({first.position, last.end()}), first.position};
  return {arena_.copy(joined), first.position};
}

List<const EffectLabel> Parser::effect_labels(bool may_trail) {
  ListBuilder<EffectLabel> labels(label_stack_);
  while (!is(TokenKind::RightParen)) {
    labels.add(effect_label());
    if (!accept(TokenKind::Comma) || (may_trail && is(TokenKind::RightParen))) break;
    if (is(TokenKind::RightParen)) fail_expected("an effect label behind the comma");
  }
  expect(TokenKind::RightParen, "to close the effects");
  return labels.finish(arena_);
}

Placement Parser::placement() {
  const std::pair<Name, Placement> known[] = {{words_.host, Placement::Host},
                                              {words_.device, Placement::Device},
                                              {words_.pinned, Placement::Pinned},
                                              {words_.unified, Placement::Unified}};
  for (const auto& [word, value] : known) {
    if (accept_word(word)) return value;
  }
  fail(Code::Place, *at_,
       "The placements are @host, @device, @pinned and @unified; " + describe(*at_) + " is none of them.");
}

// -------------------------------------------------------------------------------------------------- the public
// functions

namespace {

std::vector<Token> tokens_of(const SourceMap& sources, std::uint32_t first, std::uint32_t count, NameTable& names,
                             const Words& words) {
  std::vector<Token> tokens = lex(sources, first, count, names, words).tokens;
  const Token end = tokens.back();
  tokens.insert(tokens.end(), kLookahead, end);
  return tokens;
}

}  // namespace

Program parse(const SourceMap& sources, std::uint32_t first, std::uint32_t count, NameTable& names, Arena& arena,
              const ParseOptions& options) {
  if (count == 0) return {};
  const Words words(names);
  const std::vector<Token> tokens = tokens_of(sources, first, count, names, words);
  return Parser(sources, first, names, arena, words, tokens, options.packaged).program();
}

const Expr* parse_expression(const SourceMap& sources, std::uint32_t file, NameTable& names, Arena& arena) {
  const Words words(names);
  const std::vector<Token> tokens = tokens_of(sources, file, 1, names, words);
  return Parser(sources, file, names, arena, words, tokens, false).lone_expression();
}

const Block* parse_statements(const SourceMap& sources, std::uint32_t file, NameTable& names, Arena& arena) {
  const Words words(names);
  const std::vector<Token> tokens = tokens_of(sources, file, 1, names, words);
  return Parser(sources, file, names, arena, words, tokens, false).lone_statements();
}

const TypeExpr* parse_type_text(const SourceMap& sources, std::uint32_t file, NameTable& names, Arena& arena) {
  const Words words(names);
  const std::vector<Token> tokens = tokens_of(sources, file, 1, names, words);
  return Parser(sources, file, names, arena, words, tokens, false).lone_type();
}

}  // namespace cairn::syntax
