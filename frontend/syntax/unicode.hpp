// The little the front end needs of UTF-8: decoding one code point, and naming a character in a message.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace cairn::syntax {

struct CodePoint {
  std::uint32_t value = 0;
  std::uint32_t length = 1;  // bytes it takes
  bool valid = true;         // else one byte that begins no well-formed sequence
};

/// Decodes the code point a text that is not empty starts with.
[[nodiscard]] CodePoint decode_utf8(std::string_view text);

/// How a message names the character a text starts with: the character itself when it can be shown, and its number.
[[nodiscard]] std::string describe_character(std::string_view text);

/// How many code points a text holds; a byte of no well-formed sequence counts as one.
[[nodiscard]] std::size_t count_code_points(std::string_view text);

}  // namespace cairn::syntax
