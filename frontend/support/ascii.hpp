// Kinds of bytes in texts, whatever the locale.
#pragma once

namespace cairn {

[[nodiscard]] constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
[[nodiscard]] constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
/// What a name, keyword or number is made of.
[[nodiscard]] constexpr bool is_word_byte(char c) { return is_letter(c) || is_digit(c) || c == '_'; }

}  // namespace cairn
