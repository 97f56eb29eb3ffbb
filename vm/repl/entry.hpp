// What a person types, before any of it is checked: where an entry ends and what kind it is (tools, 14).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace cairn::repl {

enum class EntryKind : std::uint8_t { Declaration, Statement, Expression };

/// Lines that grow into an entry. A line is looked at once, however long the entry gets.
class EntryReader {
 public:
  void add(std::string_view line);
  /// Whether the lines so far are a whole entry: brackets balance, and it ends in `;` or `}` or is one expression.
  [[nodiscard]] bool is_complete() const;
  [[nodiscard]] bool is_empty() const { return is_empty_; }
  /// How many brackets are open.
  [[nodiscard]] int open_brackets() const { return depth_; }
  /// The entry, without the last newline; the reader is empty again.
  [[nodiscard]] std::string take();
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
  std::string first_word_;
  int depth_ = 0;
  bool closes_too_much_ = false;
  bool is_empty_ = true;
  char last_ = '\0';  // the last byte that is no space and in no comment
};

/// The line of a text that begins at a byte, which moves on to the next.
[[nodiscard]] std::string_view next_line(std::string_view text, std::size_t& at);
/// Whether a bracket closes one that no earlier one opened: such text would reach out of the function it is put in.
[[nodiscard]] bool closes_too_much(std::string_view text);
/// Of a complete entry.
[[nodiscard]] EntryKind kind_of(std::string_view text);
/// Whether no entry starts with this word: it goes on with the one before.
[[nodiscard]] bool continues_entry(std::string_view line);
/// The name a declaration declares; empty for import, impl, derive, plan.
[[nodiscard]] std::string declared_name(std::string_view text);
[[nodiscard]] bool is_import(std::string_view text);
[[nodiscard]] std::string_view trimmed(std::string_view text);

}  // namespace cairn::repl
