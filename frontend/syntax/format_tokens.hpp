// What the formatter knows of a token before any line is laid out: its width, whether a space stands before it when it
// follows its neighbour on one line, and which brace closes it. All of it follows from the tokens alone (tools, 3.5,
// rule 6).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "frontend/syntax/lexer.hpp"

namespace cairn::syntax {

inline constexpr std::uint32_t kNoBrace = 0xFFFFFFFFU;

struct FormatToken {
  TokenKind kind{};
  std::string_view text;
  std::uint32_t line = 0;            // in the source, from 0
  std::uint32_t width = 0;           // columns
  std::uint32_t closing = kNoBrace;  // of a `{`: the index of its `}`
  bool space_before = false;
  bool binary = false;         // an operator between two values
  bool has_semicolon = false;  // of a `{`: one stands before its `}`
};

struct FormatComment {
  std::string_view text;  // right-trimmed
  std::uint32_t line = 0;
  std::uint32_t next_token = 0;
  bool trailing = false;  // a token stands before it on its line
};

struct FormatInput {
  std::vector<FormatToken> tokens;  // without End
  std::uint32_t deepest = 0;        // how deep its braces nest
  std::vector<FormatComment> comments;
};

/// `text` is what the stream was cut from, its first byte at position 1.
[[nodiscard]] FormatInput format_input(std::string_view text, const TokenStream& stream, const Words& words);

}  // namespace cairn::syntax
