#include "frontend/syntax/format_tokens.hpp"

#include <algorithm>

#include "frontend/syntax/operators.hpp"
#include "frontend/syntax/unicode.hpp"

namespace cairn::syntax {

namespace {

/// Brackets, angles and bars that are open, to tell a closing `>` or `|` from an operator.
enum class Open : std::uint8_t { Round, Square, Angle, Bar };

bool is_binary_operator(TokenKind kind) {
  return std::ranges::find(kBinaryOperators, kind, &BinaryOperator::token) != kBinaryOperators.end();
}

bool never_follows_space(TokenKind kind) {
  switch (kind) {
    case TokenKind::Comma:
    case TokenKind::Semicolon:
    case TokenKind::RightParen:
    case TokenKind::RightBracket:
    case TokenKind::Dot:
    case TokenKind::DotDot:
    case TokenKind::Colon:
    case TokenKind::At:
      return true;
    default:
      return false;
  }
}

bool takes_no_space_after(TokenKind kind) {
  switch (kind) {
    case TokenKind::LeftParen:
    case TokenKind::LeftBracket:
    case TokenKind::Dot:
    case TokenKind::DotDot:
    case TokenKind::Colon:
    case TokenKind::At:
      return true;
    default:
      return false;
  }
}

/// Whether two tokens written together would be cut otherwise.
bool would_merge(std::string_view left, std::string_view right) {
  constexpr std::string_view kSecond = ">.=&|/0123456789";
  if (!kSecond.contains(right.front())) return false;
  const char pair[] = {left.back(), right.front()};
  const std::string_view text(pair, 2);
  if (text == "//") return true;
  for (auto kind = static_cast<std::size_t>(kFirstPunctuation); kind < static_cast<std::size_t>(kFirstReserved);
       ++kind) {
    if (fixed_text(static_cast<TokenKind>(kind)) == text) return true;
  }
  // `1 . 5` is three tokens and `1.5` is one.
  return left == "." && right.front() >= '0' && right.front() <= '9';
}

class Spacing {
 public:
  Spacing(std::vector<FormatToken>& tokens, const std::vector<Token>& source, const Words& words)
      : tokens_(tokens), source_(source), words_(words) {}

  void run() {
    for (std::size_t at = 0; at < tokens_.size(); ++at) step(at);
  }

 private:
  struct Before {  // of the token before
    TokenKind kind = TokenKind::End;
    bool value = false;  // ends a value
    bool unary = false;
    bool opener = false;  // an opening angle or bar
  };

  void step(std::size_t at) {
    FormatToken& token = tokens_[at];
    const TokenKind kind = token.kind;
    Before now{kind, false, false, false};
    bool closes = false;  // an angle or a bar
    switch (kind) {
      case TokenKind::Semicolon:
      case TokenKind::LeftBrace:
      case TokenKind::RightBrace:
        open_.clear();
        in_import_ = false;
        break;
      case TokenKind::LeftParen:
        open_.push_back(Open::Round);
        break;
      case TokenKind::LeftBracket:
        open_.push_back(Open::Square);
        break;
      case TokenKind::RightParen:
      case TokenKind::RightBracket:
        if (!open_.empty()) open_.pop_back();
        now.value = true;
        break;
      case TokenKind::Less:
        now.opener = before_.kind == TokenKind::Ro || before_.kind == TokenKind::Rw;
        if (now.opener) open_.push_back(Open::Angle);
        break;
      case TokenKind::Greater:
        closes = !open_.empty() && open_.back() == Open::Angle;
        if (closes) open_.pop_back();
        now.value = closes;
        break;
      case TokenKind::Or:
        closes = !open_.empty() && open_.back() == Open::Bar;
        if (closes) open_.pop_back();
        now.opener = !closes && !before_.value && before_.kind != TokenKind::Reduce;
        if (now.opener) open_.push_back(Open::Bar);
        break;
      case TokenKind::Minus:
        now.unary = !before_.value;
        break;
      case TokenKind::Not:
      case TokenKind::Tilde:
        now.unary = true;
        break;
      case TokenKind::Import:
        in_import_ = true;
        break;
      default:
        now.value = ends_value(at);
        break;
    }
    token.binary = is_binary_operator(kind) && !now.opener && !closes && before_.value;
    token.space_before = at > 0 && (space(at, now, closes) || would_merge(tokens_[at - 1].text, token.text));
    before_ = now;
  }

  /// A name that is no keyword, or a literal. `when` and `depth` behind a value are keywords.
  [[nodiscard]] bool ends_value(std::size_t at) const {
    switch (tokens_[at].kind) {
      case TokenKind::Word:
        return !before_.value || (source_[at].name != words_.when && source_[at].name != words_.depth);
      case TokenKind::SpliceWord:
      case TokenKind::Decimal:
      case TokenKind::Hexadecimal:
      case TokenKind::Float:
      case TokenKind::Character:
      case TokenKind::String:
      case TokenKind::True:
      case TokenKind::False:
      case TokenKind::Zeroed:
        return true;
      default:
        return false;
    }
  }

  [[nodiscard]] bool space(std::size_t at, const Before& now, bool closes) const {
    const TokenKind kind = tokens_[at].kind;
    if (never_follows_space(kind) || closes || takes_no_space_after(before_.kind) || before_.opener || before_.unary) {
      return false;
    }
    switch (kind) {
      case TokenKind::LeftBracket:
        return before_.kind == TokenKind::In;
      case TokenKind::Less:
        return !now.opener;
      case TokenKind::LeftParen:
        return in_import_ || (!before_.value && before_.kind != TokenKind::Fn && before_.kind != TokenKind::Effects);
      case TokenKind::RightBrace:
        return before_.kind != TokenKind::LeftBrace;
      default:
        return true;
    }
  }

  std::vector<FormatToken>& tokens_;
  const std::vector<Token>& source_;
  const Words& words_;
  std::vector<Open> open_;
  Before before_;
  bool in_import_ = false;
};

std::uint32_t match_braces(std::vector<FormatToken>& tokens) {
  std::size_t deepest = 0;
  std::vector<std::uint32_t> open;
  std::vector<std::uint32_t> semicolons(1, 0);  // how many stand before a token
  for (std::uint32_t at = 0; at < tokens.size(); ++at) {
    semicolons.push_back(semicolons.back() + (tokens[at].kind == TokenKind::Semicolon ? 1U : 0U));
    if (tokens[at].kind == TokenKind::LeftBrace) open.push_back(at);
    deepest = std::max(deepest, open.size());
    if (tokens[at].kind == TokenKind::RightBrace && !open.empty()) {
      tokens[open.back()].closing = at;
      tokens[open.back()].has_semicolon = semicolons[at] != semicolons[open.back()];
      open.pop_back();
    }
  }
  return static_cast<std::uint32_t>(deepest);
}

std::string_view right_trimmed(std::string_view text) {
  const std::size_t last = text.find_last_not_of(" \t\r\f\v");
  return text.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

}  // namespace

FormatInput format_input(std::string_view text, const TokenStream& stream, const Words& words) {
  FormatInput input;
  std::uint32_t line = 0;
  std::size_t counted = 0;
  const auto line_at = [&](Position position) {
    const std::size_t offset = position.offset - 1;
    line += static_cast<std::uint32_t>(std::count(text.begin() + static_cast<std::ptrdiff_t>(counted),
                                                  text.begin() + static_cast<std::ptrdiff_t>(offset), '\n'));
    counted = offset;
    return line;
  };
  auto comment = stream.comments.begin();
  const auto take_comments = [&](std::size_t next) {
    for (; comment != stream.comments.end() && comment->next_token == next; ++comment) {
      FormatComment& made = input.comments.emplace_back();
      made.text = right_trimmed(text.substr(comment->position.offset - 1, comment->length));
      made.line = line_at(comment->position);
      made.next_token = comment->next_token;
      made.trailing = !input.tokens.empty() && input.tokens.back().line == made.line;
    }
  };
  for (std::size_t at = 0; at < stream.tokens.size(); ++at) {
    take_comments(at);
    const Token& token = stream.tokens[at];
    FormatToken& made = input.tokens.emplace_back();
    made.kind = token.kind();
    made.text = text.substr(token.position.offset - 1, token.length());
    made.line = line_at(token.position);
    made.width = static_cast<std::uint32_t>(count_code_points(made.text));
  }
  take_comments(stream.tokens.size());
  Spacing(input.tokens, stream.tokens, words).run();
  input.deepest = match_braces(input.tokens);
  return input;
}

}  // namespace cairn::syntax
