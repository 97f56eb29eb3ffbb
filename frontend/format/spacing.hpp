// What the formatter knows of each token: its text, its line in the input, its partner bracket, and whether a space
// stands between it and the token before it (tools, 3.5, rule 6).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/syntax/lexer.hpp"

namespace cairn::format {

struct Piece {
  std::string_view text;
  syntax::TokenKind kind{};
  std::uint32_t line = 0;      // in the input, from 1
  std::uint32_t partner = 0;   // of a bracket: the index of the other one; else the token's own
  std::uint32_t width = 0;     // code points
  bool space_before = false;   // when it stands behind its predecessor on one line
  bool binary = false;         // an operator between two values
  bool has_semicolon = false;  // of `{`: a `;` stands somewhere in its group
};

struct Remark {
  std::string_view text;  // right-trimmed
  std::uint32_t line = 0;
  std::uint32_t next_piece = 0;  // index of the token behind it
};

struct Pieces {
  std::vector<Piece> pieces;
  std::vector<Remark> remarks;
};

/// `+ - * / % & | ^`, the comparisons, `&&` and `||`.
[[nodiscard]] bool is_operator(syntax::TokenKind kind);

/// Cuts the text. Throws Refusal when it does not lex.
[[nodiscard]] Pieces cut(const std::string& text, NameTable& names, const syntax::Words& words);

/// Fills `partner`, `space_before`, `binary` and `has_semicolon`. Brackets that do not match are their own partners.
void judge_spacing(std::vector<Piece>& pieces);

}  // namespace cairn::format
