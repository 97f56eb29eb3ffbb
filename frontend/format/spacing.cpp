#include "frontend/format/spacing.hpp"

#include <algorithm>

#include "frontend/source/token_scan.hpp"

namespace cairn::format {

namespace {

using syntax::TokenKind;

std::string_view trimmed_right(std::string_view text) {
  const std::size_t last = text.find_last_not_of(" \t\r\f\v");
  return last == std::string_view::npos ? std::string_view() : text.substr(0, last + 1);
}

std::uint32_t code_points(std::string_view text) {
  return static_cast<std::uint32_t>(
      std::ranges::count_if(text, [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; }));
}

bool opens(TokenKind kind) {
  return kind == TokenKind::LeftParen || kind == TokenKind::LeftBracket || kind == TokenKind::LeftBrace;
}
bool closes(TokenKind kind) {
  return kind == TokenKind::RightParen || kind == TokenKind::RightBracket || kind == TokenKind::RightBrace;
}
TokenKind opener_of(TokenKind closer) {
  if (closer == TokenKind::RightParen) return TokenKind::LeftParen;
  return closer == TokenKind::RightBracket ? TokenKind::LeftBracket : TokenKind::LeftBrace;
}

/// A value may end with this token, so an operator behind it is binary and a parenthesis a call's. `>` is judged apart.
bool ends_value(TokenKind kind) {
  switch (kind) {
    case TokenKind::Word:
    case TokenKind::SpliceWord:
    case TokenKind::Decimal:
    case TokenKind::Hexadecimal:
    case TokenKind::Float:
    case TokenKind::Character:
    case TokenKind::String:
    case TokenKind::True:
    case TokenKind::False:
    case TokenKind::Zeroed:
    case TokenKind::RightParen:
    case TokenKind::RightBracket:
      return true;
    default:
      return false;
  }
}

/// What a token turned out to be in its place.
enum class Role : std::uint8_t {
  Plain,
  Unary,         // - ! ~ before a value
  BorrowOpen,    // < of ro< and rw<
  BorrowClose,   // its >
  ClosureOpen,   // | before a closure's parameters
  ClosureClose,  // | behind them
};

class Spacer {
 public:
  explicit Spacer(std::vector<Piece>& pieces) : pieces_(pieces), roles_(pieces.size(), Role::Plain) {}

  void run() {
    match_brackets();
    for (std::uint32_t at = 0; at < pieces_.size(); ++at) {
      assign_role(at);
      pieces_[at].space_before = at > 0 && (needs_space(at) || would_join(at));
    }
  }

 private:
  [[nodiscard]] TokenKind kind(std::uint32_t at) const { return pieces_[at].kind; }

  void match_brackets() {
    std::vector<std::uint32_t> open;
    for (std::uint32_t at = 0; at < pieces_.size(); ++at) {
      pieces_[at].partner = at;
      if (kind(at) == TokenKind::Semicolon) {
        for (const std::uint32_t outer : open) pieces_[outer].has_semicolon = true;
      }
      if (opens(kind(at))) {
        open.push_back(at);
      } else if (closes(kind(at)) && !open.empty() && kind(open.back()) == opener_of(kind(at))) {
        pieces_[at].partner = open.back();
        pieces_[open.back()].partner = at;
        open.pop_back();
      }
    }
  }

  [[nodiscard]] bool value_ends_at(std::uint32_t at) const {
    return ends_value(kind(at)) || roles_[at] == Role::BorrowClose;
  }

  void assign_role(std::uint32_t at) {
    const bool behind_value = at > 0 && value_ends_at(at - 1);
    switch (kind(at)) {
      case TokenKind::Semicolon:
      case TokenKind::LeftBrace:
        borrows_.clear();  // a borrow's brackets and a closure's bars close within their statement
        bar_ = false;
        break;
      case TokenKind::Less:
        if (at > 0 && (kind(at - 1) == TokenKind::Ro || kind(at - 1) == TokenKind::Rw)) {
          roles_[at] = Role::BorrowOpen;
          borrows_.push_back(at);
        }
        break;
      case TokenKind::Greater:
        if (!borrows_.empty()) {
          roles_[at] = Role::BorrowClose;
          borrows_.pop_back();
        }
        break;
      case TokenKind::Or:
        if (bar_) {
          roles_[at] = Role::ClosureClose;
          bar_ = false;
        } else if (!behind_value && borrows_.empty() && !is_fold_operator(at)) {
          roles_[at] = Role::ClosureOpen;
          bar_ = true;
        }
        break;
      case TokenKind::Minus:
        if (!behind_value && !is_fold_operator(at)) roles_[at] = Role::Unary;
        break;
      case TokenKind::Not:
      case TokenKind::Tilde:
        roles_[at] = Role::Unary;
        break;
      default:
        break;
    }
    pieces_[at].binary = is_operator(kind(at)) && roles_[at] == Role::Plain && behind_value;
  }

  /// The operator of `reduce +`, which stands between no two values.
  [[nodiscard]] bool is_fold_operator(std::uint32_t at) const { return at > 0 && kind(at - 1) == TokenKind::Reduce; }

  [[nodiscard]] bool needs_space(std::uint32_t at) const {
    const TokenKind last = kind(at - 1);
    const TokenKind next = kind(at);
    if (roles_[at - 1] == Role::Unary || roles_[at - 1] == Role::ClosureOpen || roles_[at - 1] == Role::BorrowOpen) {
      return false;
    }
    if (roles_[at] == Role::BorrowOpen || roles_[at] == Role::BorrowClose || roles_[at] == Role::ClosureClose) {
      return false;
    }
    switch (last) {
      case TokenKind::LeftParen:
      case TokenKind::LeftBracket:
      case TokenKind::Dot:
      case TokenKind::DotDot:
      case TokenKind::Colon:
      case TokenKind::At:
        return false;
      case TokenKind::LeftBrace:
        return next != TokenKind::RightBrace;
      default:
        break;
    }
    switch (next) {
      case TokenKind::Comma:
      case TokenKind::Semicolon:
      case TokenKind::RightParen:
      case TokenKind::RightBracket:
      case TokenKind::Dot:
      case TokenKind::DotDot:
      case TokenKind::Colon:
      case TokenKind::At:
        return false;
      case TokenKind::LeftBracket:
        return last == TokenKind::In;  // tune K in [2, 4]
      case TokenKind::LeftParen:
        return is_in_import(at) || !(value_ends_at(at - 1) || last == TokenKind::Fn || last == TokenKind::Effects);
      default:
        return true;
    }
  }

  /// Whether the two tokens without a space would be read as another token: `|` `|`, `!` `=`.
  [[nodiscard]] bool would_join(std::uint32_t at) const {
    const std::string_view last = pieces_[at - 1].text;
    return token_width(std::string(last) + std::string(pieces_[at].text)) != last.size();
  }

  /// The parenthesis of `import m (Name)`.
  [[nodiscard]] bool is_in_import(std::uint32_t at) const {
    for (std::uint32_t back = at; back-- > 0;) {
      if (kind(back) == TokenKind::Import) return true;
      if (kind(back) != TokenKind::Word && kind(back) != TokenKind::Dot && kind(back) != TokenKind::As) return false;
    }
    return false;
  }

  std::vector<Piece>& pieces_;
  std::vector<Role> roles_;
  std::vector<std::uint32_t> borrows_;  // open ro< and rw<
  bool bar_ = false;                    // inside a closure's parameters
};

}  // namespace

bool is_operator(TokenKind kind) {
  switch (kind) {
    case TokenKind::Plus:
    case TokenKind::Minus:
    case TokenKind::Star:
    case TokenKind::Slash:
    case TokenKind::Percent:
    case TokenKind::And:
    case TokenKind::Or:
    case TokenKind::Caret:
    case TokenKind::EqualEqual:
    case TokenKind::NotEqual:
    case TokenKind::Less:
    case TokenKind::LessEqual:
    case TokenKind::Greater:
    case TokenKind::GreaterEqual:
    case TokenKind::AndAnd:
    case TokenKind::OrOr:
      return true;
    default:
      return false;
  }
}

Pieces cut(const std::string& text, NameTable& names, const syntax::Words& words) {
  syntax::TokenStream stream;
  const Position base{1};
  syntax::lex_text(text, base, names, words, syntax::Comments::Keep, stream);
  Pieces result;
  result.pieces.reserve(stream.tokens.size());
  std::uint32_t line = 1;
  std::uint32_t counted = 0;  // bytes whose newlines are in `line`
  const auto line_at = [&](std::uint32_t byte) {
    for (; counted < byte; ++counted) line += text[counted] == '\n' ? 1U : 0U;
    return line;
  };
  auto comment = stream.comments.begin();
  const auto take_comments = [&](std::uint32_t next_token) {
    for (; comment != stream.comments.end() && comment->next_token <= next_token; ++comment) {
      const std::uint32_t byte = comment->position.offset - base.offset;
      const std::string_view whole = std::string_view(text).substr(byte, comment->length);
      result.remarks.push_back({trimmed_right(whole), line_at(byte), comment->next_token});
    }
  };
  for (std::uint32_t index = 0; index < stream.tokens.size(); ++index) {
    take_comments(index);
    const syntax::Token& token = stream.tokens[index];
    const std::uint32_t byte = token.position.offset - base.offset;
    Piece piece;
    piece.text = std::string_view(text).substr(byte, token.length());
    piece.kind = token.kind();
    piece.line = line_at(byte);
    piece.width = code_points(piece.text);
    result.pieces.push_back(piece);
  }
  take_comments(static_cast<std::uint32_t>(stream.tokens.size()));
  return result;
}

void judge_spacing(std::vector<Piece>& pieces) { Spacer(pieces).run(); }

}  // namespace cairn::format
