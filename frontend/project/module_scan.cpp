#include "frontend/project/module_scan.hpp"

#include <cstddef>

#include "frontend/diagnostics/token_width.hpp"

namespace cairn {

namespace {

bool is_word(std::string_view token) {
  const char c = token.front();
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

class Tokens {
 public:
  explicit Tokens(std::string_view text) : rest_(text) {}

  /// The next token; empty at the end. A character that starts no token is a token of one byte.
  std::string_view next() {
    while (true) {
      const std::size_t start = rest_.find_first_not_of(" \t\r\n\f\v");
      if (start == std::string_view::npos) {
        rest_ = {};
        return rest_;
      }
      rest_.remove_prefix(start);
      if (!rest_.starts_with("//")) break;
      const std::size_t newline = rest_.find('\n');
      if (newline == std::string_view::npos) {
        rest_ = {};
        return rest_;
      }
      rest_.remove_prefix(newline);
    }
    const std::string_view line = rest_.substr(0, rest_.find('\n'));
    const std::size_t width = token_width(line);
    const std::string_view token = rest_.substr(0, width == 0 ? 1 : width);
    rest_.remove_prefix(token.size());
    return token;
  }

  [[nodiscard]] std::string_view peek() const { return Tokens(*this).next(); }

 private:
  std::string_view rest_;
};

}  // namespace

ModuleScan scan_modules(std::string_view text) {
  ModuleScan scan;
  Tokens tokens(text);
  int depth = 0;  // of open braces
  for (std::string_view token = tokens.next(); !token.empty(); token = tokens.next()) {
    scan.empty = false;
    if (token == "{") ++depth;
    if (token == "}") --depth;
    if (token == "pub" && depth == 0 && tokens.peek() == "module") continue;  // means nothing there
    if (token != "module" || depth > 0) {
      if (scan.modules.empty()) scan.declares_before_header = true;
      continue;
    }
    std::string name;
    for (token = tokens.next(); !token.empty() && (token == "." || is_word(token)); token = tokens.next())
      name += token;
    scan.modules.push_back(std::move(name));
    if (token.empty()) break;
  }
  return scan;
}

}  // namespace cairn
