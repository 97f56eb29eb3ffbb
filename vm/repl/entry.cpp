#include "vm/repl/entry.hpp"

#include <algorithm>
#include <array>

#include "frontend/support/ascii.hpp"

namespace cairn::repl {

namespace {

constexpr std::array<std::string_view, 16> kDeclarations = {"fn",     "pub",    "struct", "linear", "packed", "enum",
                                                            "const",  "trait",  "impl",   "import", "derive", "layout",
                                                            "extern", "recipe", "family", "type"};
constexpr std::array<std::string_view, 16> kStatements = {"let",   "for",    "while",    "return", "defer", "buffer",
                                                          "stack", "unsafe", "parallel", "reduce", "scan",  "compact",
                                                          "match", "if",     "plan",     "test"};

std::string_view first_word(std::string_view text) {
  text = trimmed(text);
  std::size_t end = 0;
  while (end < text.size() && is_word_byte(text[end])) ++end;
  return text.substr(0, end);
}

template <std::size_t N>
bool is_one_of(const std::array<std::string_view, N>& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

/// The text without comments, strings emptied: what brackets and endings are looked for in.
std::string bare(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '/' && at + 1 < text.size() && text[at + 1] == '/') {
      while (at < text.size() && text[at] != '\n') ++at;
      out += '\n';
      continue;
    }
    out += c;
    if (c != '"' && c != '\'') continue;
    for (++at; at < text.size() && text[at] != c && text[at] != '\n'; ++at) {
      if (text[at] == '\\') ++at;
    }
    out += c;
  }
  return out;
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0) text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) text.remove_suffix(1);
  return text;
}

void EntryReader::add(std::string_view line) {
  text_ += line;
  text_ += '\n';
  const std::string kept = bare(line);  // strings and comments end with their line
  for (const char c : kept) {
    if (c == '(' || c == '[' || c == '{') ++depth_;
    if (c == ')' || c == ']' || c == '}') --depth_;
    closes_too_much_ = closes_too_much_ || depth_ < 0;
  }
  const std::string_view whole = trimmed(kept);
  if (whole.empty()) return;
  if (is_empty_) first_word_ = first_word(whole);
  is_empty_ = false;
  last_ = whole.back();
}

bool EntryReader::is_complete() const {
  if (is_empty()) return false;
  if (closes_too_much_) return true;  // it never will balance
  if (depth_ > 0) return false;
  if (last_ == ';' || last_ == '}') return true;
  if (is_one_of(kDeclarations, first_word_) || is_one_of(kStatements, first_word_)) return false;
  return std::string_view("+-*/%&|^=<>!,.(").find(last_) == std::string_view::npos;
}

std::string EntryReader::take() {
  std::string text = std::move(text_);
  *this = EntryReader();
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

std::string_view next_line(std::string_view text, std::size_t& at) {
  const std::size_t end = std::min(text.find('\n', at), text.size());
  const std::string_view line = text.substr(at, end - at);
  at = end + 1;
  return line;
}

bool closes_too_much(std::string_view text) {
  int depth = 0;
  for (const char c : bare(text)) {
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (depth < 0) return true;
  }
  return false;
}

bool continues_entry(std::string_view line) { return first_word(line) == "else"; }

EntryKind kind_of(std::string_view text) {
  const std::string kept = bare(text);
  const std::string_view whole = trimmed(kept);
  const std::string_view word = first_word(whole);
  if (is_one_of(kDeclarations, word)) return EntryKind::Declaration;
  if (is_one_of(kStatements, word)) return EntryKind::Statement;
  return whole.back() == ';' || whole.front() == '{' ? EntryKind::Statement : EntryKind::Expression;
}

bool is_import(std::string_view text) { return first_word(text) == "import"; }

std::string declared_name(std::string_view text) {
  const std::string kept = bare(text);
  std::string_view rest = trimmed(kept);
  while (true) {
    const std::string_view word = first_word(rest);
    if (word.empty()) return {};
    rest = trimmed(rest.substr(static_cast<std::size_t>(word.data() - rest.data()) + word.size()));
    if (word == "pub" || word == "linear" || word == "packed" || word == "extern") {
      if (rest.starts_with('"')) rest = trimmed(rest.substr(rest.find('"', 1) + 1));
      continue;
    }
    const bool names = word == "fn" || word == "struct" || word == "enum" || word == "const" || word == "trait" ||
                       word == "layout" || word == "recipe" || word == "type";
    return names ? std::string(first_word(rest)) : std::string();
  }
}

}  // namespace cairn::repl
