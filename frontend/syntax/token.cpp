#include "frontend/syntax/token.hpp"

#include <array>
#include <cstddef>

namespace cairn::syntax {

namespace {

constexpr std::array<std::string_view, kTokenKinds> kTexts = {
    "", "", "", "", "", "", "", "",
#define PUNCTUATION(Enumerator, text) text,
#include "frontend/syntax/tokens.def"
#define RESERVED(Enumerator, text) text,
#include "frontend/syntax/tokens.def"
};

constexpr std::array<std::string_view, kTokenKinds> kNames = {
    "End", "Word", "SpliceWord", "Decimal", "Hexadecimal", "Float", "Character", "String",
#define PUNCTUATION(Enumerator, text) #Enumerator,
#include "frontend/syntax/tokens.def"
#define RESERVED(Enumerator, text) #Enumerator,
#include "frontend/syntax/tokens.def"
};

}  // namespace

std::string_view fixed_text(TokenKind kind) { return kTexts[static_cast<std::size_t>(kind)]; }
std::string_view kind_name(TokenKind kind) { return kNames[static_cast<std::size_t>(kind)]; }

Words::Words(NameTable& names) {
  for (auto kind = static_cast<std::size_t>(kFirstReserved); kind < kTokenKinds; ++kind) {
    const Name name = names.intern(kTexts[kind]);
    std::uint32_t at = slot_of(name);
    while (slots_[at].name) at = (at + 1) % kSlots;
    slots_[at] = {name, static_cast<TokenKind>(kind)};
  }
#define CONTEXTUAL(member, text) member = names.intern(text);
#include "frontend/syntax/tokens.def"
}

}  // namespace cairn::syntax
