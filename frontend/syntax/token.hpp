// Tokens: what the text of a program is cut into before it is parsed. A token is 12 bytes and knows its place in the
// source map; its text is found there. Comments and white space are no tokens; comments are kept beside them when
// asked.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "frontend/source/source_map.hpp"
#include "frontend/support/names.hpp"

namespace cairn::syntax {

enum class TokenKind : std::uint8_t {
  End,         // one, after the last token
  Word,        // a name or a contextual word
  SpliceWord,  // a word that holds `$`: legal in a recipe only
  Decimal,
  Hexadecimal,
  Float,
  Character,  // quotes closed; escapes not judged yet
  String,     // the same
#define PUNCTUATION(Enumerator, text) Enumerator,
#include "frontend/syntax/tokens.def"
#define RESERVED(Enumerator, text) Enumerator,
#include "frontend/syntax/tokens.def"
};

inline constexpr TokenKind kFirstPunctuation = TokenKind::FatArrow;
inline constexpr TokenKind kFirstReserved = TokenKind::As;
inline constexpr std::uint32_t kTokenKinds = static_cast<std::uint32_t>(TokenKind::Zeroed) + 1;

[[nodiscard]] constexpr bool is_reserved(TokenKind kind) { return kind >= kFirstReserved; }
[[nodiscard]] constexpr bool is_punctuation(TokenKind kind) {
  return kind >= kFirstPunctuation && kind < kFirstReserved;
}
/// A token of the form of a word: reserved ones too.
[[nodiscard]] constexpr bool is_word(TokenKind kind) {
  return kind == TokenKind::Word || kind == TokenKind::SpliceWord || is_reserved(kind);
}

/// The text of a punctuation token or reserved word; empty for the others.
[[nodiscard]] std::string_view fixed_text(TokenKind kind);
/// "Word", "Decimal", ... as the token dump names it.
[[nodiscard]] std::string_view kind_name(TokenKind kind);

struct Token {
  Position position;
  Name name;  // of a word, reserved ones too
  std::uint32_t kind_and_length = 0;

  [[nodiscard]] TokenKind kind() const { return static_cast<TokenKind>(kind_and_length & 0xFFU); }
  [[nodiscard]] std::uint32_t length() const { return kind_and_length >> 8U; }  // bytes
  [[nodiscard]] Position end() const { return {position.offset + length()}; }
};

/// From `//` to the end of the line, without the newline.
struct Comment {
  Position position;
  std::uint32_t length = 0;      // bytes
  std::uint32_t next_token = 0;  // index of the token after it
};

/// The names of every fixed word of one table. Made once for a parse.
struct Words {
  explicit Words(NameTable& names);

#define CONTEXTUAL(member, text) Name member;
#include "frontend/syntax/tokens.def"

  /// The kind of a word that was interned as `name`: a reserved word's own kind, else Word.
  [[nodiscard]] TokenKind kind_of(Name name) const {
    std::uint32_t at = slot_of(name);
    while (slots_[at].name != name) {
      if (!slots_[at].name) return TokenKind::Word;
      at = (at + 1) % kSlots;
    }
    return slots_[at].kind;
  }

 private:
  struct Slot {
    Name name;
    TokenKind kind = TokenKind::Word;
  };
  static constexpr std::uint32_t kSlots = 256;  // several times the reserved words, so that a probe is mostly one step
  static std::uint32_t slot_of(Name name) { return (name.id * 0x9E3779B9U) >> 24U; }

  std::array<Slot, kSlots> slots_;
};

}  // namespace cairn::syntax
