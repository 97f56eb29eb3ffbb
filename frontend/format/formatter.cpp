#include "frontend/format/formatter.hpp"

#include <algorithm>

#include "frontend/format/line_breaks.hpp"
#include "frontend/format/spacing.hpp"

namespace cairn {

namespace format {
namespace {

using syntax::TokenKind;

constexpr std::size_t kStep = 2;

class Layout {
 public:
  explicit Layout(const Pieces& pieces) : pieces_(pieces.pieces), remarks_(pieces.remarks) {}

  std::string run() {
    sequence(0, static_cast<std::uint32_t>(pieces_.size()), 0);
    if (!text_.empty()) text_ += '\n';
    return std::move(text_);
  }

 private:
  [[nodiscard]] TokenKind kind(std::uint32_t at) const { return pieces_[at].kind; }

  // -------------------------------------------------------------------------------------------------------------
  // output

  void start_line(std::size_t indent) {
    if (!text_.empty()) text_ += '\n';
    text_.append(indent, ' ');
  }

  void write(const Line& line) {
    start_line(line.indent);
    bool first = true;
    for (const std::uint32_t token : line.tokens) {
      if (!first && pieces_[token].space_before) text_ += ' ';
      text_ += pieces_[token].text;
      last_line_ = pieces_[token].line;
      first = false;
    }
  }

  void flush(Line& line) {
    if (line.tokens.empty()) return;
    for (const Line& each : broken(pieces_, line)) write(each);
    line.tokens.clear();
  }

  /// The comments in front of token `next`. One that stands behind a token stays behind it; the others take a line
  /// each. Between statements a run of blank lines is kept as one.
  void comments_before(std::uint32_t next, std::size_t indent, bool between_statements) {
    for (; remark_ < remarks_.size() && remarks_[remark_].next_piece <= next; ++remark_) {
      const Remark& remark = remarks_[remark_];
      const bool trailing = remark.next_piece > 0 && pieces_[remark.next_piece - 1].line == remark.line;
      if (trailing) {
        text_ += ' ';
      } else {
        if (between_statements) keep_blank_line(remark.line);
        start_line(indent);
      }
      text_ += remark.text;
      last_line_ = remark.line;
      at_block_start_ = false;
    }
  }

  [[nodiscard]] bool has_comments_before(std::uint32_t next) const {
    return remark_ < remarks_.size() && remarks_[remark_].next_piece <= next;
  }

  void keep_blank_line(std::uint32_t next_line) {
    if (!at_block_start_ && next_line > last_line_ + 1) text_ += '\n';
    at_block_start_ = false;
  }

  // ---------------------------------------------------------------------------------------------------------
  // statements

  /// The statements [from, to) of a block or of the file, and the comments in front of token `to`.
  void sequence(std::uint32_t from, std::uint32_t to, std::size_t indent) {
    at_block_start_ = true;
    while (from < to) {
      comments_before(from, indent, true);
      keep_blank_line(pieces_[from].line);
      from = statement(from, to, indent);
    }
    comments_before(to, indent, true);
  }

  /// Writes one statement, the blocks it opens included, and gives the token behind it.
  std::uint32_t statement(std::uint32_t at, std::uint32_t to, std::size_t indent) {
    Line line{indent, {}};
    const std::uint32_t first = at;
    while (at < to) {
      if (at > first && has_comments_before(at)) {
        flush(line);
        comments_before(at, indent + kStep, false);
        line.indent = indent + kStep;
      }
      if (kind(at) != TokenKind::LeftBrace || pieces_[at].partner == at) {
        line.tokens.push_back(at++);
        if (kind(at - 1) == TokenKind::Semicolon) break;
        continue;
      }
      const std::uint32_t close = pieces_[at].partner;
      if (stays_inline(at, to, line)) {
        while (at <= close) line.tokens.push_back(at++);
      } else {
        line.tokens.push_back(at);
        flush(line);
        comment_behind_brace(at);
        sequence(at + 1, close, line.indent + kStep);
        at_block_start_ = false;
        line.tokens.push_back(close);
        at = close + 1;
      }
      if (at >= to || !continues_line(at, close)) break;
    }
    flush(line);
    return at;
  }

  /// A comment right behind an opening brace stays on the brace's line.
  void comment_behind_brace(std::uint32_t brace) {
    if (!has_comments_before(brace + 1) || remarks_[remark_].line != pieces_[brace].line) return;
    text_ += ' ';
    text_ += remarks_[remark_].text;
    last_line_ = remarks_[remark_++].line;
  }

  /// Whether the token behind a closing brace stays on the brace's line.
  [[nodiscard]] bool continues_line(std::uint32_t at, std::uint32_t close) const {
    switch (kind(at)) {
      case TokenKind::Else:
      case TokenKind::RightParen:
      case TokenKind::RightBracket:
      case TokenKind::Comma:
      case TokenKind::Semicolon:
        return true;
      default:
        if (pieces_[at].text == "then") return true;
        // Behind a splice list an expression may go on.
        return is_splice_list(pieces_[close].partner) && (is_operator(kind(at)) || kind(at) == TokenKind::DotDot);
    }
  }

  /// A brace group on one line that holds no statement: the list of a recipe's `each`.
  [[nodiscard]] bool is_splice_list(std::uint32_t open) const {
    return pieces_[open].partner > open + 1 && !pieces_[open].has_semicolon && is_one_line(open);
  }

  [[nodiscard]] bool is_one_line(std::uint32_t open) const {
    return pieces_[open].line == pieces_[pieces_[open].partner].line;
  }

  /// A block that was written on one line stays there when it, its else branches and what closes it fit: what stands
  /// behind it up to the end of the statement or the next block that is no branch of it.
  [[nodiscard]] bool stays_inline(std::uint32_t open, std::uint32_t to, const Line& line) const {
    if (!is_one_line(open)) return false;
    if (!pieces_[open].has_semicolon) return true;
    Line whole = line;
    std::uint32_t at = open;
    while (true) {
      const std::uint32_t close = pieces_[at].partner;
      for (; at <= close; ++at) whole.tokens.push_back(at);
      if (at >= to || !continues_line(at, close)) break;
      const bool is_branch = kind(at) == TokenKind::Else || pieces_[at].text == "then";
      while (at < to && kind(at) != TokenKind::Semicolon && kind(at) != TokenKind::LeftBrace)
        whole.tokens.push_back(at++);
      if (at < to && kind(at) == TokenKind::LeftBrace && is_branch) {
        if (!is_one_line(at)) return false;
        continue;
      }
      if (at < to) whole.tokens.push_back(at);
      break;
    }
    return whole.indent + width_of(pieces_, whole.tokens) <= kFormatColumns;
  }

  const std::vector<Piece>& pieces_;
  const std::vector<Remark>& remarks_;
  std::string text_;
  std::size_t remark_ = 0;       // the next comment to write
  std::uint32_t last_line_ = 0;  // of the input: where what was last written stood
  bool at_block_start_ = true;
};

bool same_texts(const Pieces& left, const Pieces& right) {
  return std::ranges::equal(left.pieces, right.pieces, {}, &Piece::text, &Piece::text) &&
         std::ranges::equal(left.remarks, right.remarks, {}, &Remark::text, &Remark::text);
}

}  // namespace
}  // namespace format

std::expected<std::string, std::string> format_source(const std::string& text) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (text.starts_with(byte_order_mark)) return format_source(text.substr(byte_order_mark.size()));
  NameTable names;
  const syntax::Words words(names);
  try {
    format::Pieces pieces = format::cut(text, names, words);
    format::judge_spacing(pieces.pieces);
    std::string result = format::Layout(pieces).run();
    if (!format::same_texts(pieces, format::cut(result, names, words))) {
      return std::unexpected("its tokens or comments would have changed");
    }
    return result;
  } catch (const Refusal& refusal) {
    return std::unexpected("it does not lex: " + refusal.diagnostic.message);
  }
}

}  // namespace cairn
