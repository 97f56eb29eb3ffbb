// `cairn doc` (tools, 3.9): the declarations of modules as Markdown, each with its comment and, for functions, its row.
#pragma once

#include <string>
#include <vector>

#include "frontend/frontend.hpp"

namespace cairn {

struct DocOptions {
  std::vector<std::string> modules;  // only these, by full name ("" is the root); empty: the program's own
  bool library = false;              // the library's modules in place of the program's own
};

struct ModulePage {
  std::string module;  // "" is the root
  std::string markdown;
};

/// One page a module, in name order. The program is accepted.
[[nodiscard]] std::vector<ModulePage> doc_pages(const Compilation& compilation, const DocOptions& options);

}  // namespace cairn
