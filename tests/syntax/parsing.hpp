// What the tests of the syntax share: texts in, short descriptions out.
#pragma once

#include <string>
#include <string_view>

#include "frontend/diagnostics/diagnostic.hpp"
#include "frontend/syntax/dump.hpp"
#include "frontend/syntax/parser.hpp"
#include "frontend/syntax/printer.hpp"

namespace cairn::syntax {

struct Parsed {
  SourceMap sources;
  NameTable names;
  Arena arena;
  Program program;
};

/// Throws the refusal.
inline void parse_into(Parsed& parsed, std::string_view text, const ParseOptions& options = {}) {
  const std::uint32_t file = parsed.sources.add("a.cairn", std::string(text));
  parsed.program = parse(parsed.sources, file, 1, parsed.names, parsed.arena, options);
}

inline std::string described(const SourceMap& sources, const Refusal& refusal) {
  const Location at = sources.locate(refusal.diagnostic.position);
  return std::string(cairn::text(refusal.diagnostic.code)) + " " + std::to_string(at.line) + ":" +
         std::to_string(at.column);
}

/// "ok", or the code and place of the refusal: "E-PARSE 1:5".
inline std::string verdict(std::string_view text, const ParseOptions& options = {}) {
  Parsed parsed;
  try {
    parse_into(parsed, text, options);
    return "ok";
  } catch (const Refusal& refusal) {
    return described(parsed.sources, refusal);
  }
}

inline std::string message(std::string_view text) {
  Parsed parsed;
  try {
    parse_into(parsed, text);
    return "ok";
  } catch (const Refusal& refusal) {
    return refusal.diagnostic.message;
  }
}

/// The verdict on statements in a function's body; they stand on lines 2 and following.
inline std::string in_body(std::string_view statements) {
  return verdict("fn f() {\n" + std::string(statements) + "\n}\n");
}

/// The tree of an expression, operator first, or the refusal.
inline std::string shape(std::string_view text) {
  Parsed parsed;
  const std::uint32_t file = parsed.sources.add("a.cairn", std::string(text));
  try {
    return dump_expression(parsed.names, *parse_expression(parsed.sources, file, parsed.names, parsed.arena));
  } catch (const Refusal& refusal) {
    return described(parsed.sources, refusal);
  }
}

/// The tree dump of a whole text.
inline std::string tree(std::string_view text) {
  Parsed parsed;
  parse_into(parsed, text);
  return dump_tree(parsed.sources, parsed.names, parsed.program);
}

/// Every declaration in canonical source, a blank line between them.
inline std::string printed(std::string_view text, const ParseOptions& options = {}) {
  Parsed parsed;
  parse_into(parsed, text, options);
  std::string out;
  for (const Decl* decl : parsed.program.declarations) out += print(*decl, parsed.names) + "\n";
  return out;
}

}  // namespace cairn::syntax
