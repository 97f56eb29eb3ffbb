#include "frontend/syntax/literals.hpp"

#include <algorithm>
#include <charconv>

#include "frontend/syntax/unicode.hpp"

namespace cairn::syntax {

namespace {

struct Escape {
  char letter;
  char byte;
};
constexpr Escape kEscapes[] = {{'n', '\n'}, {'t', '\t'},  {'r', '\r'}, {'0', '\0'},
                               {'"', '"'},  {'\\', '\\'}, {'\'', '\''}};

/// One escape at the start of `text`, which begins with `\`: appends its byte and returns how much of the text it took;
/// 0 when there is no such escape.
std::size_t resolve_escape(std::string_view text, std::string& bytes) {
  if (text.size() < 2) return 0;
  const auto* const known = std::ranges::find(kEscapes, text[1], &Escape::letter);
  if (known != std::end(kEscapes)) {
    bytes.push_back(known->byte);
    return 2;
  }
  unsigned value = 0;
  if (text[1] != 'x' || text.size() < 4) return 0;
  const auto [end, error] = std::from_chars(text.data() + 2, text.data() + 4, value, 16);
  if (error != std::errc{} || end != text.data() + 4) return 0;
  bytes.push_back(static_cast<char>(value));
  return 4;
}

std::string shown_escape(std::string_view text) {
  if (text.size() < 2) return "\\";
  if (text[1] == 'x') return std::string(text.substr(0, 4));
  return "\\" + std::string(text.substr(1, decode_utf8(text.substr(1)).length));
}

}  // namespace

std::expected<std::string_view, std::string> literal_bytes(std::string_view token, Arena& arena) {
  const std::string_view text = token.substr(1, token.size() - 2);
  const bool plain =
      std::ranges::none_of(text, [](char c) { return c == '\\' || static_cast<unsigned char>(c) >= 0x80U; });
  if (plain) return text;
  std::string bytes;
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view rest = text.substr(at);
    if (rest.front() == '\\') {
      const std::size_t taken = resolve_escape(rest, bytes);
      if (taken == 0) return std::unexpected(shown_escape(rest));
      at += taken;
    } else {
      const CodePoint point = decode_utf8(rest);
      bytes.push_back(point.valid && point.value <= 0xFFU ? static_cast<char>(point.value) : '?');
      at += point.length;
    }
  }
  return arena.copy(bytes);
}

NaturalValue natural_value(std::string_view digits) {
  const bool hexadecimal = digits.starts_with("0x");
  const std::string_view text = hexadecimal ? digits.substr(2) : digits;
  NaturalValue result;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), result.value, hexadecimal ? 16 : 10);
  result.fits = error == std::errc{};
  if (!result.fits) result.value = 0;
  return result;
}

}  // namespace cairn::syntax
