// `cairn fmt` (tools, section 3.5): lays out a file's tokens and comments and changes neither. It reads no tree, so a
// file that does not parse is formatted too. Formatting formatted text changes nothing.
//
// Layout is a function of the tokens, of which blocks stood on one line, of where comments stood and of blank lines;
// what is written keeps all four, which is why it settles at once.
#pragma once

#include <expected>
#include <string>
#include <string_view>

namespace cairn::syntax {

/// The text in the one layout. Unexpected: why the file was left alone, in one sentence: it does not lex, or what would
/// have been written does not hold the same tokens and comments.
[[nodiscard]] std::expected<std::string, std::string> format(std::string_view text);

}  // namespace cairn::syntax
