// The layout of source text (tools, 3.5). The formatter works on tokens and comments, not on the tree, and changes
// neither: it lexes its own output and compares. Formatting formatted text changes nothing.
//
// Three parts: `spacing` says which neighbours have a space between them, `line_breaks` how a line that is too long is
// broken, and this one cuts the tokens into statements and blocks.
#pragma once

#include <expected>
#include <string>
#include <string_view>

namespace cairn {

/// Lines are at most this many code points long where they can be broken.
inline constexpr std::size_t kFormatColumns = 100;

/// The text laid out, or why it was left alone: it does not lex, or its tokens would have changed.
[[nodiscard]] std::expected<std::string, std::string> format_source(const std::string& text);

}  // namespace cairn
