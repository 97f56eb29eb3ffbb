#include "frontend/syntax/formatter.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "frontend/syntax/format_tokens.hpp"
#include "frontend/syntax/unicode.hpp"

namespace cairn::syntax {

namespace {

constexpr std::uint32_t kColumns = 100;
constexpr std::uint32_t kStep = 2;
constexpr std::uint32_t kMaxBraces = 1000;  // deeper, and indentation outgrows the text
constexpr int kMaxBreaks = 100;             // how often what one break left too long is broken again

/// Tokens [begin, end) that stand on one line.
struct Range {
  std::size_t begin;
  std::size_t end;
};

/// Breaks a line that is too long (rule 7).
class LineBreaker {
 public:
  LineBreaker(const std::vector<FormatToken>& tokens, std::string& out) : tokens_(tokens), out_(out) {
    before_.reserve(tokens.size() + 1);
    before_.push_back(0);
    for (const FormatToken& token : tokens)
      before_.push_back(before_.back() + token.width + (token.space_before ? 1U : 0U));
  }

  /// Columns of a range on one line.
  [[nodiscard]] std::uint64_t width(Range range) const {
    if (range.begin >= range.end) return 0;
    return before_[range.end] - before_[range.begin] - (tokens_[range.begin].space_before ? 1U : 0U);
  }

  /// Writes the range at `indent` columns, on as many lines as it takes, each with its newline.
  void write(Range range, std::uint32_t indent, int breaks = 0) {
    if (range.begin >= range.end) return;
    const bool fits = indent + width(range) <= kColumns;
    if (fits || breaks >= kMaxBreaks) return line(range, indent);
    if (break_before_implements(range, indent, breaks) || break_before_operators(range, indent, breaks) ||
        break_inside_brackets(range, indent, breaks) || break_after_commas(range, indent, breaks)) {
      return;
    }
    line(range, indent);
  }

 private:
  void line(Range range, std::uint32_t indent) {
    out_.append(indent, ' ');
    for (std::size_t at = range.begin; at < range.end; ++at) {
      if (at != range.begin && tokens_[at].space_before) out_.push_back(' ');
      out_.append(tokens_[at].text);
    }
    out_.push_back('\n');
  }

  /// A brace group on the line is kept whole, whatever brackets stand in it: the last of its tokens, else the token
  /// itself.
  [[nodiscard]] std::size_t whole(std::size_t at, Range range) const {
    const std::uint32_t closing = tokens_[at].closing;
    return tokens_[at].kind == TokenKind::LeftBrace && closing < range.end ? closing : at;
  }

  /// Calls `visit(at)` for each token outside the range's brackets and braces.
  template <class Visit>
  void top_level(Range range, Visit visit) const {
    std::size_t depth = 0;
    for (std::size_t at = range.begin; at < range.end; ++at) {
      const TokenKind kind = tokens_[at].kind;
      if ((kind == TokenKind::RightParen || kind == TokenKind::RightBracket) && depth > 0) {
        --depth;
      } else if (depth == 0) {
        visit(at);
      }
      if (kind == TokenKind::LeftParen || kind == TokenKind::LeftBracket) ++depth;
      at = whole(at, range);
    }
  }

  bool break_before_implements(Range range, std::uint32_t indent, int breaks) {
    std::size_t found = range.end;
    top_level(range, [&](std::size_t at) {
      if (found == range.end && at > range.begin && tokens_[at].text == "implements") found = at;
    });
    if (found == range.end) return false;
    write({range.begin, found}, indent, breaks + 1);
    write({found, range.end}, indent + kStep, breaks + 1);
    return true;
  }

  bool break_before_operators(Range range, std::uint32_t indent, int breaks) {
    std::vector<std::size_t> starts;
    top_level(range, [&](std::size_t at) {
      if (at > range.begin && tokens_[at].binary) starts.push_back(at);
    });
    if (starts.empty()) return false;
    fill(range, starts, indent, indent + kStep, breaks);
    return true;
  }

  bool break_after_commas(Range range, std::uint32_t indent, int breaks) {
    std::vector<std::size_t> starts;
    top_level(range, [&](std::size_t at) {
      if (tokens_[at].kind == TokenKind::Comma && at + 1 < range.end) starts.push_back(at + 1);
    });
    if (starts.empty()) return false;
    fill(range, starts, indent, indent + kStep, breaks);
    return true;
  }

  /// Pieces that begin at the range's begin and at `starts`, as many to a line as fit.
  void fill(Range range, const std::vector<std::size_t>& starts, std::uint32_t first_indent, std::uint32_t later_indent,
            int breaks) {
    std::size_t line_begin = range.begin;
    std::uint32_t indent = first_indent;
    for (std::size_t piece = 0; piece < starts.size(); ++piece) {
      const std::size_t piece_end = piece + 1 < starts.size() ? starts[piece + 1] : range.end;
      if (indent + width({line_begin, piece_end}) <= kColumns) continue;
      if (starts[piece] > line_begin) {
        write({line_begin, starts[piece]}, indent, breaks + 1);
        line_begin = starts[piece];
        indent = later_indent;
      }
    }
    write({line_begin, range.end}, indent, breaks + 1);
  }

  /// The widest group goes on its own lines, filled at its commas; its closing bracket stands at the range's indent.
  bool break_inside_brackets(Range range, std::uint32_t indent, int breaks) {
    Range widest{0, 0};
    std::vector<std::size_t> open;
    for (std::size_t at = range.begin; at < range.end; ++at) {
      const TokenKind kind = tokens_[at].kind;
      if (kind == TokenKind::LeftParen || kind == TokenKind::LeftBracket) {
        open.push_back(at);
      } else if ((kind == TokenKind::RightParen || kind == TokenKind::RightBracket) && !open.empty()) {
        const Range group{open.back(), at + 1};
        open.pop_back();
        const bool breakable = open.empty() && group.end - group.begin > 2;
        if (breakable && width(group) > width(widest)) widest = group;
      }
      at = whole(at, range);
    }
    if (widest.begin == widest.end) return false;
    write({range.begin, widest.begin + 1}, indent, breaks + 1);
    const Range inside{widest.begin + 1, widest.end - 1};
    std::vector<std::size_t> starts;
    top_level(inside, [&](std::size_t at) {
      if (tokens_[at].kind == TokenKind::Comma && at + 1 < inside.end) starts.push_back(at + 1);
    });
    fill(inside, starts, indent + kStep, indent + kStep, breaks);
    write({widest.end - 1, range.end}, indent, breaks + 1);
    return true;
  }

  const std::vector<FormatToken>& tokens_;
  std::string& out_;
  std::vector<std::uint64_t> before_;  // columns of all tokens before one, were they one line
};

/// Divides tokens and comments into lines (rules 1 to 5).
class Layout {
 public:
  explicit Layout(const FormatInput& input)
      : tokens_(input.tokens), comments_(input.comments), breaker_(input.tokens, out_) {}

  std::string run() {
    std::size_t at = 0;
    while (at < tokens_.size()) {
      own_comments(at);
      at = statement_line(at);
      trailing_comment(at);
    }
    own_comments(at);
    return std::move(out_);
  }

 private:
  [[nodiscard]] bool is(std::size_t at, TokenKind kind) const {
    return at < tokens_.size() && tokens_[at].kind == kind;
  }
  [[nodiscard]] std::uint32_t indent() const { return (depth_ + (continues_ ? 1U : 0U)) * kStep; }

  /// Tokens that stay on the line of the `}` before them.
  [[nodiscard]] bool follows_brace(std::size_t at) const {
    if (at >= tokens_.size()) return false;
    switch (tokens_[at].kind) {
      case TokenKind::Else:
      case TokenKind::RightParen:
      case TokenKind::RightBracket:
      case TokenKind::Comma:
      case TokenKind::Semicolon:
        return true;
      default:
        return tokens_[at].text == "then";
    }
  }

  /// A `{` whose group was written on one line.
  [[nodiscard]] bool on_one_line(std::size_t at) const {
    const std::uint32_t closing = tokens_[at].closing;
    return closing != kNoBrace && tokens_[closing].line == tokens_[at].line;
  }

  [[nodiscard]] bool comment_before(std::size_t at) const {
    return next_comment_ < comments_.size() && comments_[next_comment_].next_token == at;
  }

  /// Where the line that starts at `begin` ends when every group written on one line stays so, up to the first comment.
  /// `opens` is the first block that may be opened, and must be when `must_open`.
  struct Line {
    std::size_t end = 0;
    std::size_t opens = 0;  // 0: none
    bool must_open = false;
    bool complete = true;  // else a comment stands inside the statement
  };

  [[nodiscard]] Line line_from(std::size_t begin) const {
    Line line;
    const std::size_t comment = next_comment_ < comments_.size() ? comments_[next_comment_].next_token : tokens_.size();
    bool else_branch = false;
    for (std::size_t at = begin; at < tokens_.size();) {
      if (at == comment && at > begin) {
        line.end = at;
        line.complete = false;
        return line;
      }
      if (is(at, TokenKind::Else)) else_branch = true;
      std::size_t last = at;
      if (is(at, TokenKind::LeftBrace)) {
        if (!on_one_line(at)) {
          line.must_open = line.opens != 0 && else_branch;
          line.end = at + 1;
          return line;
        }
        if (line.opens == 0 && tokens_[at].has_semicolon) line.opens = at;
        last = tokens_[at].closing;
        else_branch = false;
      }
      at = last + 1;
      const bool ends = is(last, TokenKind::Semicolon) || (is(last, TokenKind::RightBrace) && !follows_brace(at)) ||
                        is(at, TokenKind::RightBrace);
      if (ends) {
        line.end = at;
        return line;
      }
      // Past the edge with a block that can open, what follows no longer matters.
      if (line.opens != 0 && indent() + breaker_.width({begin, at}) > kColumns) break;
      line.end = at;
    }
    line.must_open = line.opens != 0 && line.end < tokens_.size();
    return line;
  }

  /// Writes the line that starts at a token and returns where the next one starts.
  std::size_t statement_line(std::size_t begin) {
    if (is(begin, TokenKind::RightBrace) && depth_ > 0) --depth_;
    if (!continues_) blank_line(tokens_[begin].line, is(begin, TokenKind::RightBrace));
    Line line = line_from(begin);
    const bool too_long = indent() + breaker_.width({begin, line.end}) > kColumns;
    if (line.opens != 0 && (line.must_open || too_long)) {
      line.end = line.opens + 1;
      line.complete = true;
    }
    breaker_.write({begin, line.end}, indent());
    const FormatToken& last = tokens_[line.end - 1];
    after_opening_ = last.kind == TokenKind::LeftBrace;
    if (after_opening_) ++depth_;
    continues_ = !line.complete && !after_opening_;
    last_line_ = last.line;
    return line.end;
  }

  // -------------------------------------------------------------------------------------------------- comments and
  // blanks

  void own_comments(std::size_t at) {
    while (comment_before(at)) {
      const FormatComment& comment = comments_[next_comment_++];
      if (!continues_) blank_line(comment.line, false);
      out_.append(indent(), ' ').append(comment.text).push_back('\n');
      after_opening_ = false;
      last_line_ = comment.line;
    }
  }

  /// Behind the token written last, on its line.
  void trailing_comment(std::size_t at) {
    if (!comment_before(at) || !comments_[next_comment_].trailing) return;
    out_.pop_back();
    out_.append(" ").append(comments_[next_comment_++].text).push_back('\n');
  }

  void blank_line(std::uint32_t line, bool closing) {
    if (!out_.empty() && line > last_line_ + 1 && !after_opening_ && !closing) out_.push_back('\n');
  }

  const std::vector<FormatToken>& tokens_;
  const std::vector<FormatComment>& comments_;
  std::string out_;
  LineBreaker breaker_;
  std::size_t next_comment_ = 0;
  std::uint32_t depth_ = 0;
  bool continues_ = false;       // a comment broke the statement
  bool after_opening_ = false;   // the last line written ends with `{`
  std::uint32_t last_line_ = 0;  // of the token or comment written last, in the source
};

struct Cut {
  NameTable names;
  Words words{names};
  TokenStream stream;
};

std::string place_in(std::string_view text, Position position) {
  const std::string_view before = text.substr(0, position.offset - 1);
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t newline = before.rfind('\n');
  const std::string_view start = before.substr(newline == std::string_view::npos ? 0 : newline + 1);
  return "line " + std::to_string(line) + ", column " + std::to_string(count_code_points(start) + 1);
}

/// The tokens and comments of a text, each on its own: what formatting must not change.
bool same_content(const FormatInput& one, const FormatInput& other) {
  return std::ranges::equal(one.tokens, other.tokens, {}, &FormatToken::text, &FormatToken::text) &&
         std::ranges::equal(one.comments, other.comments, [](const FormatComment& a, const FormatComment& b) {
           return a.text == b.text && a.next_token == b.next_token;
         });
}

}  // namespace

std::expected<std::string, std::string> format(std::string_view given) {
  if (given.size() > kSourceLimit) return std::unexpected("The file is longer than a program's text may be.");
  if (given.starts_with("\xEF\xBB\xBF")) given.remove_prefix(3);
  const std::string text(given);
  Cut before;
  try {
    lex_text(text, {1}, before.names, before.words, Comments::Keep, before.stream);
  } catch (const Refusal& refusal) {
    return std::unexpected("It does not lex at " + place_in(text, refusal.diagnostic.position) + ": " +
                           refusal.diagnostic.message);
  }
  const FormatInput input = format_input(text, before.stream, before.words);
  if (input.deepest > kMaxBraces) return std::unexpected("Its braces nest too deep to be laid out.");
  std::string out = Layout(input).run();
  Cut after;
  try {
    lex_text(out, {1}, after.names, after.words, Comments::Keep, after.stream);
    if (same_content(input, format_input(out, after.stream, after.words))) return out;
  } catch (const Refusal&) {
    // Falls through: the layout changed what is there.
  }
  return std::unexpected("Its layout would not have kept every token and comment.");
}

}  // namespace cairn::syntax
