#include "frontend/source/token_scan.hpp"

#include <algorithm>
#include <array>

#include "frontend/support/ascii.hpp"

namespace cairn {

namespace {

bool is_hex_digit(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool is_name_byte(char c) { return is_letter(c) || c == '_' || c == '$'; }

template <typename Predicate>
std::size_t run_of(std::string_view text, std::size_t from, Predicate admits) {
  while (from < text.size() && admits(text[from])) ++from;
  return from;
}

std::size_t quoted_width(std::string_view text) {
  for (std::size_t at = 1; at < text.size(); ++at) {
    if (text[at] == '\\') {
      ++at;
    } else if (text[at] == text.front()) {
      return at + 1;
    }
  }
  return 0;
}

std::size_t exponent_end(std::string_view text, std::size_t from) {
  if (from >= text.size() || (text[from] != 'e' && text[from] != 'E')) return from;
  std::size_t digits = from + 1;
  if (digits < text.size() && (text[digits] == '+' || text[digits] == '-')) ++digits;
  const std::size_t end = run_of(text, digits, is_digit);
  return end == digits ? from : end;
}

std::size_t number_width(std::string_view text) {
  if (text.starts_with("0x")) {
    const std::size_t end = run_of(text, 2, is_hex_digit);
    if (end > 2) return end;
  }
  const std::size_t whole = run_of(text, 0, is_digit);
  if (whole + 1 < text.size() && text[whole] == '.' && is_digit(text[whole + 1])) {
    return exponent_end(text, run_of(text, whole + 1, is_digit));
  }
  return exponent_end(text, whole);
}

constexpr std::array<std::string_view, 18> kPairs = {"=>", "->", "..", "==", "!=", "<=", ">=", "&&", "||",
                                                     "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "//"};
constexpr std::string_view kSingles = "{}(),[];:.@+-*/%<>=!&^~|";

}  // namespace

std::size_t token_width(std::string_view rest) {
  if (rest.empty()) return 0;
  const char first = rest.front();
  if (is_name_byte(first)) return run_of(rest, 0, [](char c) { return is_name_byte(c) || is_digit(c); });
  if (is_digit(first)) return number_width(rest);
  if (first == '"' || first == '\'') return quoted_width(rest);
  if (std::ranges::any_of(kPairs, [&](std::string_view pair) { return rest.starts_with(pair); })) return 2;
  return kSingles.contains(first) ? 1 : 0;
}

std::string_view TokenScan::next() {
  while (true) {
    const std::size_t start = rest_.find_first_not_of(" \t\r\n\f\v");
    if (start == std::string_view::npos) break;
    rest_.remove_prefix(start);
    if (rest_.starts_with("//")) {
      const std::size_t newline = rest_.find('\n');
      if (newline == std::string_view::npos) break;
      rest_.remove_prefix(newline);
      continue;
    }
    const std::size_t width = token_width(rest_.substr(0, rest_.find('\n')));
    const std::string_view token = rest_.substr(0, width == 0 ? 1 : width);
    rest_.remove_prefix(token.size());
    return token;
  }
  rest_ = {};
  return rest_;
}

}  // namespace cairn
