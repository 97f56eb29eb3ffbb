// From text to the syntax tree of `ast.hpp` (syntax and values, sections 1.1 to 1.4).
//
// The files handed over are one text in order: all of it is cut into tokens before anything is parsed, a `module`
// header holds until the next one across files, and only one refusal is ever given (a thrown `Refusal`), the first in
// text order. Duplicate declarations and repeated tests are found here as well. The tree lives in the arena and views
// the source map's texts, which both outlive it. Nesting is bounded (E-DEPTH), so that no input can exhaust the stack,
// here or in a recursive walk of the tree. Only a chain of left operands (`a + b + c`, `a.b.c`) may be of any length.
#pragma once

#include <cstdint>

#include "frontend/diagnostics/diagnostic.hpp"
#include "frontend/source/source_map.hpp"
#include "frontend/support/arena.hpp"
#include "frontend/support/names.hpp"
#include "frontend/syntax/ast.hpp"

namespace cairn::syntax {

struct ParseOptions {
  bool packaged = false;  // `type` aliases may be declared; files marked `library` always may
};

/// Lexes and parses the files [first, first + count) as one text. A module header carries over to the next file of the
/// project itself; a file of a dependency or of the library starts in the root module.
/// Throws Refusal: E-SOURCE-LIMIT, E-LEX, any code found while parsing, E-DUPLICATE, E-TEST.
[[nodiscard]] Program parse(const SourceMap& sources, std::uint32_t first, std::uint32_t count, NameTable& names,
                            Arena& arena, const ParseOptions& options = {});

/// A file that holds one expression, the statements of a body without its braces, or one type, and nothing else.
[[nodiscard]] const Expr* parse_expression(const SourceMap& sources, std::uint32_t file, NameTable& names,
                                           Arena& arena);
[[nodiscard]] const Block* parse_statements(const SourceMap& sources, std::uint32_t file, NameTable& names,
                                            Arena& arena);
[[nodiscard]] const TypeExpr* parse_type_text(const SourceMap& sources, std::uint32_t file, NameTable& names,
                                              Arena& arena);

}  // namespace cairn::syntax
