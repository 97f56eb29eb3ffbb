// What the text of a literal token stands for (syntax and values, section 1.2, "Literals").
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

#include "frontend/support/arena.hpp"

namespace cairn::syntax {

/// The bytes between the quotes of a string or character token, escapes resolved. U+0080 to U+00FF is one byte, a code
/// point beyond it, or a byte of no well-formed sequence, `?`. A text that stands for itself is returned as it is; else
/// the bytes are put into the arena. Unexpected: the escape that does not exist, as a message names it.
[[nodiscard]] std::expected<std::string_view, std::string> literal_bytes(std::string_view token, Arena& arena);

struct NaturalValue {
  std::uint64_t value = 0;
  bool fits = true;  // in 64 bits
};

/// The value of decimal digits, or of hexadecimal ones behind `0x`.
[[nodiscard]] NaturalValue natural_value(std::string_view digits);

}  // namespace cairn::syntax
