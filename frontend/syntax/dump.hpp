// The text forms of `--dump=tokens,tree`, for people and for tests. A token is a line `LINE:COLUMN Kind text`. In a
// tree a declaration or statement is a line `LINE:COLUMN word ...` with its parts two spaces deeper; expressions stand
// on that line, operator first: `(+ a (* b c))`, `(call f x)`, `(index xs i)`, `(part xs 0 n)`, `(. r field)`.
#pragma once

#include <cstdint>
#include <string>

#include "frontend/source/source_map.hpp"
#include "frontend/support/names.hpp"
#include "frontend/syntax/ast.hpp"

namespace cairn::syntax {

/// Comments included. Throws Refusal when the text does not lex.
[[nodiscard]] std::string dump_tokens(const SourceMap& sources, std::uint32_t first, std::uint32_t count,
                                      NameTable& names);

[[nodiscard]] std::string dump_tree(const SourceMap& sources, const NameTable& names, const Program& program);
[[nodiscard]] std::string dump_expression(const NameTable& names, const Expr& expr);

}  // namespace cairn::syntax
