#include "vm/language_server/document.hpp"

#include <algorithm>

namespace cairn::lsp {

namespace {

/// Bytes of the UTF-8 sequence that begins with `lead`.
std::size_t sequence_length(char lead) {
  const auto byte = static_cast<unsigned char>(lead);
  if (byte < 0x80) return 1;
  if (byte >= 0xF0) return 4;
  return byte >= 0xE0 ? 3 : 2;
}

/// The end of a string, character or comment that begins at `at`; `at` when none does.
std::size_t skipped(std::string_view text, std::size_t at) {
  const char c = text[at];
  if (c == '/' && at + 1 < text.size() && text[at + 1] == '/') return std::min(text.find('\n', at), text.size());
  if (c != '"' && c != '\'') return at;
  for (std::size_t end = at + 1; end < text.size() && text[end] != '\n'; ++end) {
    if (text[end] == '\\') {
      ++end;
    } else if (text[end] == c) {
      return end + 1;
    }
  }
  return at + 1;
}

int digit_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

}  // namespace

std::size_t offset_of(std::string_view text, const nlohmann::json& position) {
  const auto line = position.value("line", std::size_t{0});
  auto units = position.value("character", std::size_t{0});
  std::size_t at = 0;
  for (std::size_t k = 0; k < line; ++k) {
    const std::size_t end = text.find('\n', at);
    if (end == std::string_view::npos) return text.size();
    at = end + 1;
  }
  while (units > 0 && at < text.size() && text[at] != '\n') {
    const std::size_t bytes = sequence_length(text[at]);
    const std::size_t wide = bytes == 4 ? 2 : 1;
    at = std::min(at + bytes, text.size());
    units -= std::min(units, wide);
  }
  return at;
}

nlohmann::json position_of(std::string_view text, std::size_t offset) {
  offset = std::min(offset, text.size());
  const std::string_view before = text.substr(0, offset);
  const auto line = std::ranges::count(before, '\n');
  const std::size_t newline = before.rfind('\n');
  std::size_t units = 0;
  for (std::size_t at = newline == std::string_view::npos ? 0 : newline + 1; at < offset;) {
    const std::size_t bytes = sequence_length(text[at]);
    units += bytes == 4 ? 2 : 1;
    at += bytes;
  }
  return {{"line", line}, {"character", units}};
}

nlohmann::json range_of(std::string_view text, std::size_t begin, std::size_t end) {
  return {{"start", position_of(text, begin)}, {"end", position_of(text, end)}};
}

std::size_t token_end(std::string_view text, std::size_t begin) {
  if (begin >= text.size()) return text.size();
  if (const std::size_t past = skipped(text, begin); past != begin) return past;
  std::size_t end = begin;
  while (end < text.size() && is_word_byte(text[end])) ++end;
  if (end != begin) return end;
  static constexpr std::string_view kPairs[] = {"->", "=>", "==", "!=", "<=", ">=", "&&", "||", "..", "+=", "-=", "*="};
  for (const std::string_view pair : kPairs) {
    if (text.substr(begin).starts_with(pair)) return begin + 2;
  }
  return std::min(begin + sequence_length(text[begin]), text.size());
}

std::vector<Word> words_of(std::string_view text) {
  std::vector<Word> words;
  for (std::size_t at = 0; at < text.size();) {
    if (const std::size_t past = skipped(text, at); past != at) {
      at = past;
    } else if (is_word_byte(text[at])) {
      const std::size_t end = token_end(text, at);
      words.push_back({at, end});
      at = end;
    } else {
      ++at;
    }
  }
  return words;
}

std::optional<Word> word_at(std::string_view text, std::size_t offset) {
  for (const Word& word : words_of(text)) {
    if (word.begin <= offset && offset <= word.end) return word;
    if (word.begin > offset) break;
  }
  return std::nullopt;
}

std::string comment_above(std::string_view text, std::size_t begin) {
  std::vector<std::string_view> lines;
  std::size_t line_begin = begin == 0 ? std::string_view::npos : text.rfind('\n', begin - 1);
  line_begin = line_begin == std::string_view::npos ? 0 : line_begin + 1;
  while (line_begin > 0) {
    const std::size_t end = line_begin - 1;
    std::size_t start = end == 0 ? std::string_view::npos : text.rfind('\n', end - 1);
    start = start == std::string_view::npos ? 0 : start + 1;
    std::string_view line = text.substr(start, end - start);
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (!line.starts_with("//")) break;
    line.remove_prefix(std::min(line.find_first_not_of('/'), line.size()));
    if (line.starts_with(' ')) line.remove_prefix(1);
    lines.push_back(line);
    line_begin = start;
  }
  std::string comment;
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) comment += std::string(*line) + "\n";
  return comment;
}

std::optional<std::filesystem::path> path_of(std::string_view uri) {
  constexpr std::string_view kScheme = "file://";
  if (!uri.starts_with(kScheme)) return std::nullopt;
  uri.remove_prefix(kScheme.size());
  const std::size_t slash = uri.find('/');  // a host may stand before the path
  if (slash == std::string_view::npos) return std::nullopt;
  std::string path;
  for (std::size_t at = slash; at < uri.size(); ++at) {
    if (uri[at] == '%' && at + 2 < uri.size() && digit_value(uri[at + 1]) >= 0 && digit_value(uri[at + 2]) >= 0) {
      path += static_cast<char>(digit_value(uri[at + 1]) * 16 + digit_value(uri[at + 2]));
      at += 2;
    } else {
      path += uri[at];
    }
  }
  return path;
}

std::string uri_of(const std::filesystem::path& path) {
  static constexpr char kDigits[] = "0123456789ABCDEF";
  std::string uri = "file://";
  for (const char c : path.generic_string()) {
    if (is_word_byte(c) || std::string_view("/-.~").find(c) != std::string_view::npos) {
      uri += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      uri += {'%', kDigits[byte >> 4U], kDigits[byte & 15U]};
    }
  }
  return uri;
}

}  // namespace cairn::lsp
