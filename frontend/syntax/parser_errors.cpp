#include "frontend/syntax/literals.hpp"
#include "frontend/syntax/parser_internal.hpp"

namespace cairn::syntax {

namespace {

constexpr std::size_t kShownBytes = 40;  // of a token in a message

std::string quoted(std::string_view text) {
  if (text.size() <= kShownBytes) return "`" + std::string(text) + "`";
  std::size_t cut = kShownBytes;
  while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xC0U) == 0x80U) --cut;
  return "`" + std::string(text.substr(0, cut)) + "...`";
}

/// What CAIRN writes in place of something other languages have, by the token found and the one behind it.
std::string_view instead_of(TokenKind found, TokenKind behind) {
  switch (found) {
    case TokenKind::As:
      return " A conversion is a call: write u32(x), not x as u32.";
    case TokenKind::Colon:
      return behind == TokenKind::Colon ? " A qualified name is written with a dot: T.NAME, not T::NAME." : "";
    case TokenKind::Else:
      return " `else` follows the `}` of an `if`.";
    default:
      return "";
  }
}

}  // namespace

std::string_view Parser::text_of(const Token& token) const {
  const std::uint32_t at = token.position.offset - file_->begin;
  if (at < file_->text.size() && token.length() <= file_->text.size() - at) [[likely]] {
    return std::string_view(file_->text).substr(at, token.length());
  }
  return sources_.text({token.position, token.end()});
}

void Parser::judge(const Token& token) const {
  if (token.kind() == TokenKind::SpliceWord && !in_recipe_) {
    const auto dollar = static_cast<std::uint32_t>(text_of(token).find('$'));
    refuse(Code::Lex, {token.position.offset + dollar}, "`$` starts no token; it splices names inside a recipe only.");
  }
  if (token.kind() == TokenKind::String || token.kind() == TokenKind::Character) {
    const auto bytes = literal_bytes(text_of(token), arena_);
    if (!bytes) {
      refuse(Code::Lex, token.position,
             "There is no escape " + quoted(bytes.error()) + "; there are \\n \\t \\r \\0 \\\\ \\\" \\' and \\xNN.");
    }
    if (token.kind() == TokenKind::Character && bytes->size() != 1) {
      refuse(Code::Lex, token.position,
             "A character literal is exactly one byte and " + quoted(text_of(token)) + " is " +
                 std::to_string(bytes->size()) + "; a longer text is written between double quotes.");
    }
  }
}

std::string Parser::describe(const Token& token) const {
  const std::string text = quoted(text_of(token));
  switch (token.kind()) {
    case TokenKind::End:
      return "the end of the text";
    case TokenKind::Word:
    case TokenKind::SpliceWord:
      return "the name " + text;
    case TokenKind::Decimal:
    case TokenKind::Hexadecimal:
    case TokenKind::Float:
      return "the number " + text;
    case TokenKind::Character:
    case TokenKind::String:
      return "the literal " + text;
    default:
      return is_reserved(token.kind()) ? "the reserved word " + text : text;
  }
}

void Parser::fail(Code code, const Token& token, std::string message) const {
  judge(token);
  refuse(code, token.position, std::move(message));
}

void Parser::fail_expected(std::string_view what) const {
  judge(*at_);
  std::string message = "Expected " + std::string(what) + " and found " + describe(*at_) + ".";
  message += instead_of(kind(), is(TokenKind::End) ? TokenKind::End : at_[1].kind());
  refuse(Code::Parse, here(), std::move(message));
}

void Parser::fail_expected_token(TokenKind kind, std::string_view purpose) const {
  std::string what = "`" + std::string(fixed_text(kind)) + "` " + std::string(purpose);
  if (kind == TokenKind::LeftBrace && is(TokenKind::Equal)) what += " (an assignment is no condition; `==` compares)";
  fail_expected(what);
}

void Parser::fail_name(std::string_view what) const {
  const bool reserved = is_reserved(kind());
  fail(Code::Name, *at_,
       "Expected " + std::string(what) + " and found " + describe(*at_) +
           (reserved ? ", which can never be a name." : "."));
}

void Parser::fail_expression() const {
  if (is(TokenKind::If) || is(TokenKind::Match)) {
    fail(Code::Name, *at_,
         "`" + std::string(fixed_text(kind())) +
             "` is a statement and gives no value. Declare the value first, let mut x:T = ...; and assign it in each "
             "branch.");
  }
  fail(Code::Name, *at_, "Expected an expression and found " + describe(*at_) + ".");
}

void Parser::fail_static() const {
  fail(Code::Static, *at_,
       "Expected a nonnegative integer literal, in decimal digits, and found " + describe(*at_) + ".");
}

void Parser::fail_depth(std::string_view what, std::uint32_t limit) const {
  judge(*at_);
  refuse(Code::Depth, here(), std::string(what) + " nest at most " + std::to_string(limit) + " deep.");
}

void Parser::fail_open_block(Position opened) const {
  const Location open = sources_.locate(opened);
  refuse(Code::Parse, here(),
         "Expected `}` and found the end of the text: the block opened at line " + std::to_string(open.line) +
             ", column " + std::to_string(open.column) + " is never closed.");
}

void Parser::fail_shift() const {
  const std::string text(fixed_text(kind()));
  refuse(Code::Parse, here(),
         "`" + text + text + "` is no operator. " +
             (is(TokenKind::Less) ? "Shift left with shl_wrap(x, k)" : "Shift right with shr(x, k)") +
             "; the two shifts are shl_wrap and shr.");
}

}  // namespace cairn::syntax
