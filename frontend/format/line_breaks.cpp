#include "frontend/format/line_breaks.hpp"

#include "frontend/format/formatter.hpp"

namespace cairn::format {

namespace {

using syntax::TokenKind;

class Breaker {
 public:
  explicit Breaker(const std::vector<Piece>& pieces) : pieces_(pieces) {}

  void place(Line line) {
    if (fits(line) || !(at_implements(line) || at_operators(line) || in_widest_group(line) || at_commas(line))) {
      result_.push_back(std::move(line));
    }
  }

  std::vector<Line> take() { return std::move(result_); }

 private:
  using Tokens = std::vector<std::uint32_t>;
  static constexpr std::size_t kStep = 2;

  [[nodiscard]] const Piece& piece(const Line& line, std::size_t at) const { return pieces_[line.tokens[at]]; }

  [[nodiscard]] bool fits(const Line& line) const {
    return line.indent + width_of(pieces_, line.tokens) <= kFormatColumns;
  }

  /// Where the bracket at `at` closes on the line; `at` when it does not.
  [[nodiscard]] std::size_t group_end(const Line& line, std::size_t at) const {
    const std::uint32_t partner = pieces_[line.tokens[at]].partner;
    const std::size_t end = at + (partner > line.tokens[at] ? partner - line.tokens[at] : 0);
    return end < line.tokens.size() && line.tokens[end] == partner ? end : at;
  }

  /// Calls `each` with every position of the line that is in no bracket group. An open group that does not close on the
  /// line hides what follows it.
  template <typename Function>
  void at_top_level(const Line& line, Function each) const {
    for (std::size_t at = 0; at < line.tokens.size(); ++at) {
      each(at);
      const TokenKind kind = piece(line, at).kind;
      const bool opens = kind == TokenKind::LeftParen || kind == TokenKind::LeftBracket || kind == TokenKind::LeftBrace;
      if (!opens) continue;
      const std::size_t end = group_end(line, at);
      if (end == at) return;
      at = end - 1;  // the closing bracket is at the top level again
    }
  }

  [[nodiscard]] static Line part(const Line& line, std::size_t from, std::size_t to, std::size_t indent) {
    return {indent, Tokens(line.tokens.begin() + static_cast<std::ptrdiff_t>(from),
                           line.tokens.begin() + static_cast<std::ptrdiff_t>(to))};
  }

  /// Puts as many parts on each line as fit; lines after the first are indented by `rest`.
  void fill(const Line& line, std::span<const std::size_t> cuts, std::size_t indent, std::size_t rest,
            std::vector<Line>& lines) const {
    std::size_t from = cuts.front();
    std::size_t current_indent = indent;
    for (std::size_t cut = 1; cut + 1 < cuts.size(); ++cut) {
      if (fits(part(line, from, cuts[cut + 1], current_indent))) continue;
      lines.push_back(part(line, from, cuts[cut], current_indent));
      from = cuts[cut];
      current_indent = rest;
    }
    lines.push_back(part(line, from, cuts.back(), current_indent));
  }

  bool at_implements(const Line& line) {
    const TokenKind first = piece(line, 0).kind;
    if (first != TokenKind::Fn && first != TokenKind::Pub) return false;
    std::size_t found = 0;
    at_top_level(line, [&](std::size_t at) {
      if (at > 0 && found == 0 && piece(line, at).text == "implements") found = at;
    });
    if (found == 0) return false;
    place(part(line, 0, found, line.indent));
    place(part(line, found, line.tokens.size(), line.indent + kStep));
    return true;
  }

  bool at_operators(const Line& line) {
    std::vector<std::size_t> cuts = {0};
    at_top_level(line, [&](std::size_t at) {
      if (at > 0 && piece(line, at).binary) cuts.push_back(at);
    });
    if (cuts.size() == 1) return false;
    cuts.push_back(line.tokens.size());
    place_filled(line, cuts);
    return true;
  }

  bool at_commas(const Line& line) {
    std::vector<std::size_t> cuts = {0};
    at_top_level(line, [&](std::size_t at) {
      if (at + 1 < line.tokens.size() && piece(line, at).kind == TokenKind::Comma) cuts.push_back(at + 1);
    });
    if (cuts.size() == 1) return false;
    cuts.push_back(line.tokens.size());
    place_filled(line, cuts);
    return true;
  }

  void place_filled(const Line& line, std::span<const std::size_t> cuts) {
    std::vector<Line> lines;
    fill(line, cuts, line.indent, line.indent + kStep, lines);
    for (Line& each : lines) {
      // What could not be filled further is broken inside; a single line that is the whole would come here again.
      if (fits(each) || !in_widest_group(each)) result_.push_back(std::move(each));
    }
  }

  /// The group's contents go on lines of their own, and its closing bracket back to the line's indent.
  bool in_widest_group(const Line& line) {
    std::size_t open = 0;
    std::size_t close = 0;
    std::size_t widest = 0;
    at_top_level(line, [&](std::size_t at) {
      const TokenKind kind = piece(line, at).kind;
      if (kind != TokenKind::LeftParen && kind != TokenKind::LeftBracket) return;
      const std::size_t end = group_end(line, at);
      if (end <= at + 1) return;  // it does not close here, or holds nothing
      const std::size_t width = width_of(pieces_, std::span(line.tokens).subspan(at, end - at + 1));
      if (width > widest) {
        widest = width;
        open = at;
        close = end;
      }
    });
    if (widest == 0) return false;
    const Line contents = part(line, open + 1, close, line.indent + kStep);
    std::vector<std::size_t> cuts = {0};
    at_top_level(contents, [&](std::size_t at) {
      if (at + 1 < contents.tokens.size() && piece(contents, at).kind == TokenKind::Comma) cuts.push_back(at + 1);
    });
    cuts.push_back(contents.tokens.size());
    std::vector<Line> lines;
    fill(contents, cuts, contents.indent, contents.indent, lines);
    place(part(line, 0, open + 1, line.indent));
    for (Line& each : lines) place(std::move(each));
    place(part(line, close, line.tokens.size(), line.indent));
    return true;
  }

  const std::vector<Piece>& pieces_;
  std::vector<Line> result_;
};

}  // namespace

std::size_t width_of(const std::vector<Piece>& pieces, std::span<const std::uint32_t> tokens) {
  std::size_t width = 0;
  bool first = true;
  for (const std::uint32_t token : tokens) {
    width += pieces[token].width + (!first && pieces[token].space_before ? 1 : 0);
    first = false;
  }
  return width;
}

std::vector<Line> broken(const std::vector<Piece>& pieces, Line line) {
  Breaker breaker(pieces);
  breaker.place(std::move(line));
  return breaker.take();
}

}  // namespace cairn::format
