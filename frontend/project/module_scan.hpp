// Which modules a source file opens, found before anything is parsed. Composition (abstractions, 13.3) must know whose
// module a declaration falls into, also in files that will be refused by the lexer or parser later.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cairn {

struct ModuleScan {
  bool declares_before_header = false;  // something stands before the first `module` header
  bool empty = true;                    // only comments and white space
  std::vector<std::string> modules;     // dotted names, in the order of their headers
};

/// Looks at tokens only: comments and literals never count.
[[nodiscard]] ModuleScan scan_modules(std::string_view text);

}  // namespace cairn
