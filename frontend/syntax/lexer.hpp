// The lexer (syntax and values, sections 1.1 and 1.2): the whole text becomes one flat list of tokens before anything
// is parsed. Nothing is lost: every byte is a token's, a comment's or white space. A refusal here is a character that
// starts no token, an unterminated literal, or too long a text; escapes, and `$` outside a recipe, are judged when the
// parser reaches the token.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "frontend/diagnostics/diagnostic.hpp"
#include "frontend/source/source_map.hpp"
#include "frontend/support/names.hpp"
#include "frontend/syntax/token.hpp"

namespace cairn::syntax {

inline constexpr std::uint32_t kSourceLimit = 16'000'000;  // bytes of all files together (1.1)

struct TokenStream {
  std::vector<Token> tokens;      // ends with one End token
  std::vector<Comment> comments;  // in text order; empty unless asked for
};

enum class Comments : std::uint8_t { Drop, Keep };

/// Cuts the files [first, first + count) of the map, in order. No token spans two files.
/// Throws Refusal: E-SOURCE-LIMIT, E-LEX.
[[nodiscard]] TokenStream lex(const SourceMap& sources, std::uint32_t first, std::uint32_t count, NameTable& names,
                              const Words& words, Comments comments = Comments::Drop);

/// Cuts one text whose first byte stands at `base`. The text must be followed by a NUL byte, as a std::string's is.
/// Throws Refusal: E-LEX.
void lex_text(std::string_view text, Position base, NameTable& names, const Words& words, Comments comments,
              TokenStream& stream);

}  // namespace cairn::syntax
