#include "frontend/syntax/unicode.hpp"

#include <array>
#include <cstdio>

namespace cairn::syntax {

CodePoint decode_utf8(std::string_view text) {
  const auto byte = [&text](std::size_t at) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(text[at]));
  };
  const std::uint32_t lead = byte(0);
  if (lead < 0x80U) return {lead, 1, true};
  const std::uint32_t length = lead >= 0xF0U ? 4 : lead >= 0xE0U ? 3 : 2;
  if (lead < 0xC2U || lead > 0xF4U || text.size() < length) return {lead, 1, false};
  std::uint32_t value = lead & (0x7FU >> length);
  for (std::uint32_t at = 1; at < length; ++at) {
    if ((byte(at) & 0xC0U) != 0x80U) return {lead, 1, false};
    value = value << 6U | (byte(at) & 0x3FU);
  }
  constexpr std::array<std::uint32_t, 5> kLeast = {0, 0, 0x80U, 0x800U, 0x10000U};
  if (value < kLeast[length] || value > 0x10FFFFU || (value >= 0xD800U && value <= 0xDFFFU)) return {lead, 1, false};
  return {value, length, true};
}

std::string describe_character(std::string_view text) {
  const CodePoint point = decode_utf8(text);
  std::array<char, 24> number{};
  if (!point.valid) {
    std::snprintf(number.data(), number.size(), "the byte 0x%02X", point.value);
    return std::string(number.data()) + ", which is not UTF-8,";
  }
  std::snprintf(number.data(), number.size(), "U+%04X", point.value);
  const bool shown = point.value > 0x20U && point.value != 0x7FU && (point.value < 0x80U || point.value > 0xA0U);
  if (!shown) return number.data();
  const std::string quoted = "`" + std::string(text.substr(0, point.length)) + "`";
  return point.value < 0x80U ? quoted : quoted + " (" + number.data() + ")";
}

std::size_t count_code_points(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < text.size(); at += decode_utf8(text.substr(at)).length) ++count;
  return count;
}

}  // namespace cairn::syntax
