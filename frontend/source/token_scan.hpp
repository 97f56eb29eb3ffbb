// A tolerant walk over the tokens of a text (syntax, 1.2), for what is said about a program before or besides parsing
// it: whose module a file opens, which rule cards it needs, how wide the token is that a refusal points at. It never
// refuses: a character that starts no token counts as a token of one byte. The lexer of the language is another part.
#pragma once

#include <cstddef>
#include <string_view>

namespace cairn {

/// Bytes of the token that starts at the beginning of `rest` (the rest of its line). 0 when no token starts there.
/// Inside recipes `$` counts as a letter, so it does here.
[[nodiscard]] std::size_t token_width(std::string_view rest);

/// The tokens of a text in order; comments and white space are passed over.
class TokenScan {
 public:
  explicit TokenScan(std::string_view text) : rest_(text) {}

  /// The next token; empty at the end.
  std::string_view next();
  /// The token next() would give.
  [[nodiscard]] std::string_view peek() const { return TokenScan(*this).next(); }

 private:
  std::string_view rest_;
};

}  // namespace cairn
