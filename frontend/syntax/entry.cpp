#include "frontend/syntax/entry.hpp"

#include "frontend/syntax/lexer.hpp"
#include "frontend/syntax/parser.hpp"

namespace cairn::syntax {

namespace {

bool begins_declaration(const std::vector<Token>& tokens, const Words& words) {
  switch (tokens[0].kind()) {
    case TokenKind::Pub:
    case TokenKind::Module:
    case TokenKind::Import:
    case TokenKind::Const:
    case TokenKind::Struct:
    case TokenKind::Linear:
    case TokenKind::Enum:
    case TokenKind::Trait:
    case TokenKind::Impl:
    case TokenKind::Extern:
    case TokenKind::Fn:
    case TokenKind::Kernel:
    case TokenKind::Derive:
    case TokenKind::Family:
    case TokenKind::Type:
      return true;
    case TokenKind::Word: {
      const Name word = tokens[0].name;
      return is_word(tokens[1].kind()) &&
             (word == words.test || word == words.plan || word == words.recipe || word == words.layout);
    }
    default:
      return false;
  }
}

/// How many more brackets open than close; -1 when one closes that never opened, which no further line mends.
int open_brackets(const std::vector<Token>& tokens) {
  int open = 0;
  for (const Token& token : tokens) {
    switch (token.kind()) {
      case TokenKind::LeftBrace:
      case TokenKind::LeftParen:
      case TokenKind::LeftBracket:
        ++open;
        break;
      case TokenKind::RightBrace:
      case TokenKind::RightParen:
      case TokenKind::RightBracket:
        if (--open < 0) return -1;
        break;
      default:
        break;
    }
  }
  return open;
}

}  // namespace

EntryForm entry_form(std::string_view text) {
  SourceMap sources;
  NameTable names;
  const Words words(names);
  const std::uint32_t file = sources.add("entry", std::string(text));
  std::vector<Token> tokens;
  try {
    tokens = lex(sources, file, 1, names, words).tokens;
  } catch (const Refusal&) {
    return EntryForm::Statements;
  }
  if (tokens.size() == 1) return EntryForm::Empty;
  const int open = open_brackets(tokens);
  if (open != 0) return open > 0 ? EntryForm::Incomplete : EntryForm::Statements;
  const TokenKind last = tokens[tokens.size() - 2].kind();
  const bool ended = last == TokenKind::Semicolon || last == TokenKind::RightBrace;
  if (begins_declaration(tokens, words)) return ended ? EntryForm::Declarations : EntryForm::Incomplete;
  if (last == TokenKind::Semicolon) return EntryForm::Statements;
  try {
    Arena arena;
    static_cast<void>(parse_expression(sources, file, names, arena));
    return EntryForm::Expression;
  } catch (const Refusal&) {
    return ended ? EntryForm::Statements : EntryForm::Incomplete;
  }
}

}  // namespace cairn::syntax
