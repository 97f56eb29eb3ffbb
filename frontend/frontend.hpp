// The front end's one public header: text in, a checked program or a verdict out.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "frontend/check/program.hpp"
#include "frontend/check/types.hpp"
#include "frontend/diagnostics/diagnostic.hpp"
#include "frontend/source/source_map.hpp"
#include "frontend/support/arena.hpp"
#include "frontend/support/names.hpp"
#include "frontend/syntax/ast.hpp"

namespace cairn {

struct CheckOptions {
  bool want_main = false;     // run, build: judge the entry right after parsing
  bool generics = false;      // check --generics
  std::string device_target;  // judge target rules for it; empty: none given
  bool emulate = false;
  /// Finds a packaged module's text by name ("std.vec"); null when there is none.
  const std::string* (*packaged)(std::string_view module) = nullptr;
};

/// Everything about one program that later stages need. Owns all memory its trees point into.
struct Compilation {
  SourceMap sources;  // the caller adds the project's files, in order, before checking
  NameTable names;
  Arena arena;
  syntax::Program tree;  // after parsing, linking and expansion
  std::unique_ptr<TypeTable> types;
  checked::Program program;
  Verdict verdict;
  std::vector<std::pair<std::string, std::string>> generics;  // template -> "ok" or "E-CODE: message"
};

/// Parses, links, expands and checks the files of `compilation.sources`. All refusals are in `compilation.verdict`, in
/// the order of tools 4.3 and 4.4; `program` is complete only when the verdict accepts. Never throws.
void check_program(Compilation& compilation, const CheckOptions& options);

}  // namespace cairn
