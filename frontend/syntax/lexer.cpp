#include "frontend/syntax/lexer.hpp"

#include <array>
#include <cstdio>
#include <string>

#include "frontend/syntax/unicode.hpp"

namespace cairn::syntax {

namespace {

enum CharacterClass : std::uint8_t { kOther = 0, kLetter = 1, kDigit = 2, kHexDigit = 4, kSpace = 8, kDollar = 16 };

constexpr std::array<std::uint8_t, 256> kClasses = [] {
  std::array<std::uint8_t, 256> classes{};
  for (unsigned c = 'a'; c <= 'z'; ++c) classes[c] = kLetter;
  for (unsigned c = 'A'; c <= 'Z'; ++c) classes[c] = kLetter;
  for (unsigned c = '0'; c <= '9'; ++c) classes[c] = kDigit | kHexDigit;
  for (unsigned c = 'a'; c <= 'f'; ++c) classes[c] |= kHexDigit;
  for (unsigned c = 'A'; c <= 'F'; ++c) classes[c] |= kHexDigit;
  classes['_'] = kLetter;
  classes['$'] = kLetter | kDollar;
  for (const char c : {' ', '\t', '\r', '\n', '\f', '\v'}) classes[static_cast<unsigned char>(c)] = kSpace;
  return classes;
}();

bool has(char c, unsigned classes) { return (kClasses[static_cast<unsigned char>(c)] & classes) != 0; }

/// The punctuation a first character makes alone, and with a second one behind it.
struct Punctuation {
  TokenKind alone = TokenKind::End;
  struct Pair {
    char second = 0;
    TokenKind kind = TokenKind::End;
  };
  std::array<Pair, 2> pairs{};
};

constexpr std::array<Punctuation, 128> kPunctuation = [] {
  std::array<Punctuation, 128> table{};
  const auto add = [&table](TokenKind kind, std::string_view text) {
    Punctuation& row = table[static_cast<unsigned char>(text[0])];
    if (text.size() == 1) {
      row.alone = kind;
    } else if (row.pairs[0].second == 0) {
      row.pairs[0] = {text[1], kind};
    } else {
      row.pairs[1] = {text[1], kind};
    }
  };
#define PUNCTUATION(Enumerator, text) add(TokenKind::Enumerator, text);
#include "frontend/syntax/tokens.def"
  return table;
}();

class Lexer {
 public:
  Lexer(std::string_view text, Position base, NameTable& names, const Words& words, Comments comments,
        TokenStream& stream)
      : begin_(text.data()),
        end_(text.data() + text.size()),
        base_(base),
        names_(names),
        words_(words),
        keep_comments_(comments == Comments::Keep),
        tokens_(stream.tokens),
        comments_(stream.comments) {}

  void run() {
    const char* at = begin_;
    while (true) {
      while (has(*at, kSpace)) ++at;
      const char c = *at;
      if (has(c, kLetter)) {
        at = word(at);
      } else if (has(c, kDigit)) {
        at = number(at);
      } else if (c == '/' && at[1] == '/') {
        at = comment(at);
      } else if (c == '"' || c == '\'') {
        at = quoted(at);
      } else if (at == end_) {
        return;
      } else {
        at = punctuation(at);
      }
    }
  }

 private:
  [[nodiscard]] Position position(const char* at) const {
    return {base_.offset + static_cast<std::uint32_t>(at - begin_)};
  }

  const char* push(TokenKind kind, const char* from, const char* to, Name name = {}) {
    const auto length = static_cast<std::uint32_t>(to - from);
    tokens_.push_back({position(from), name, length << 8U | static_cast<std::uint32_t>(kind)});
    return to;
  }

  const char* word(const char* from) {
    const char* at = from;
    unsigned seen = 0;
    NameHash hash;
    for (unsigned classes = kClasses[static_cast<unsigned char>(*at)]; (classes & (kLetter | kDigit)) != 0; ++at) {
      seen |= classes;
      hash.add(*at);
      classes = kClasses[static_cast<unsigned char>(at[1])];
    }
    const Name name = names_.intern({from, at}, hash);
    return push((seen & kDollar) != 0 ? TokenKind::SpliceWord : words_.kind_of(name), from, at, name);
  }

  const char* number(const char* from) {
    const char* at = from + 1;
    if (*from == '0' && *at == 'x' && has(at[1], kHexDigit)) {
      for (++at; has(*at, kHexDigit);) ++at;
      return push(TokenKind::Hexadecimal, from, at);
    }
    while (has(*at, kDigit)) ++at;
    TokenKind kind = TokenKind::Decimal;
    if (*at == '.' && has(at[1], kDigit)) {
      for (++at; has(*at, kDigit);) ++at;
      kind = TokenKind::Float;
    }
    if (*at == 'e' || *at == 'E') {
      const char* exponent = at + 1;
      if (*exponent == '+' || *exponent == '-') ++exponent;
      if (has(*exponent, kDigit)) {
        while (has(*exponent, kDigit)) ++exponent;
        at = exponent;
        kind = TokenKind::Float;
      }
    }
    return push(kind, from, at);
  }

  const char* comment(const char* from) {
    const char* at = from;
    while (*at != '\n' && at != end_) ++at;
    if (keep_comments_) {
      comments_.push_back(
          {position(from), static_cast<std::uint32_t>(at - from), static_cast<std::uint32_t>(tokens_.size())});
    }
    return at;
  }

  const char* quoted(const char* from) {
    const char quote = *from;
    const char* at = from + 1;
    for (; *at != quote; ++at) {
      if (*at == '\\') ++at;
      if (*at == '\n' || (*at == '\0' && at >= end_)) {
        refuse(Code::Lex, position(from),
               quote == '"' ? "This string is not closed before its line ends."
                            : "This character literal is not closed before its line ends.");
      }
    }
    if (quote == '\'' && at == from + 1) {
      refuse(Code::Lex, position(from),
             "'' holds no character; a character literal is one byte, such as 'c' or '\\n'.");
    }
    return push(quote == '"' ? TokenKind::String : TokenKind::Character, from, at + 1);
  }

  const char* punctuation(const char* from) {
    const auto c = static_cast<unsigned char>(*from);
    if (c < kPunctuation.size()) {
      const Punctuation& row = kPunctuation[c];
      for (const auto& pair : row.pairs) {
        if (pair.second != 0 && pair.second == from[1]) return push(pair.kind, from, from + 2);
      }
      if (row.alone != TokenKind::End) return push(row.alone, from, from + 1);
    }
    std::string what = describe_character({from, end_});
    if (what.starts_with("the ")) what[0] = 'T';
    refuse(Code::Lex, position(from), what + " starts no token.");
  }

  const char* begin_;
  const char* end_;
  Position base_;
  NameTable& names_;
  const Words& words_;
  bool keep_comments_;
  std::vector<Token>& tokens_;
  std::vector<Comment>& comments_;
};

}  // namespace

void lex_text(std::string_view text, Position base, NameTable& names, const Words& words, Comments comments,
              TokenStream& stream) {
  Lexer(text, base, names, words, comments, stream).run();
}

TokenStream lex(const SourceMap& sources, std::uint32_t first, std::uint32_t count, NameTable& names,
                const Words& words, Comments comments) {
  std::size_t bytes = 0;
  for (std::uint32_t index = first; index < first + count; ++index) bytes += sources.file(index).text.size();
  if (bytes > kSourceLimit) {
    refuse(Code::SourceLimit, {},
           "The program's text is " + std::to_string(bytes) + " bytes; all files together may hold " +
               std::to_string(kSourceLimit) + ".");
  }
  TokenStream stream;
  // Most programs have a token every three to six bytes. What is reserved and never written costs no memory.
  stream.tokens.reserve(bytes / 2 + 16);
  Position end{1};
  for (std::uint32_t index = first; index < first + count; ++index) {
    const SourceFile& file = sources.file(index);
    lex_text(file.text, {file.begin}, names, words, comments, stream);
    end = {file.begin + static_cast<std::uint32_t>(file.text.size())};
  }
  stream.tokens.push_back({end, {}, static_cast<std::uint32_t>(TokenKind::End)});
  return stream;
}

}  // namespace cairn::syntax
