#include "frontend/diagnostics/call_text.hpp"

#include "frontend/source/token_scan.hpp"

namespace cairn {

std::string call_text(const SourceMap& sources, Position begin, std::string_view callee) {
  constexpr std::size_t kLongest = 60;
  const SourceFile* file = sources.file_at(begin);
  if (file == nullptr || callee.empty()) return {};
  std::string_view line = std::string_view(file->text).substr(begin.offset - file->begin);
  line = line.substr(0, line.find('\n'));
  std::size_t at = 0;
  int depth = 0;
  bool is_callee = false;  // the last name met at depth 0 is the callee's
  bool inside = false;     // its arguments have begun
  while (at < line.size() && at <= kLongest) {
    if (line[at] == ' ' || line[at] == '\t') {
      ++at;
      continue;
    }
    const std::size_t width = token_width(line.substr(at));
    if (width == 0) return {};
    const std::string_view token = line.substr(at, width);
    at += width;
    if (token == "(" || token == "[" || token == "{") {
      if (depth == 0 && token == "(" && is_callee) inside = true;
      ++depth;
    } else if (token == ")" || token == "]" || token == "}") {
      if (--depth < 0) return {};
      if (depth == 0 && inside && token == ")") return std::string(line.substr(0, at));
    } else if (depth == 0 && token != ".") {
      is_callee = token == callee;
    }
  }
  return {};
}

}  // namespace cairn
