#include "frontend/project/module_scan.hpp"

#include <cstddef>

#include "frontend/source/token_scan.hpp"

namespace cairn {

namespace {

bool is_word(std::string_view token) {
  const char c = token.front();
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

}  // namespace

ModuleScan scan_modules(std::string_view text) {
  ModuleScan scan;
  TokenScan tokens(text);
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
