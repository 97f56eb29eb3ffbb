// What tests of bodies ask: the first refusal of a program, with its place.
#pragma once

#include <string>
#include <string_view>

#include "frontend/diagnostics/code.hpp"
#include "frontend/frontend.hpp"

namespace cairn::tests {

/// "ok", or the first refusal as "E-CODE line:column".
inline std::string verdict(std::string_view text) {
  Compilation compilation;
  compilation.sources.add("main.cairn", std::string(text));
  check_program(compilation, CheckOptions{});
  if (compilation.verdict.accepted()) return "ok";
  const Diagnostic& first = compilation.verdict.refusals.front();
  std::string said(cairn::text(first.code));
  if (first.position) {
    const Location at = compilation.sources.locate(first.position);
    said += " " + std::to_string(at.line) + ":" + std::to_string(at.column);
  }
  return said;
}

/// The verdict on a body of a function without parameters or result, whose first statement stands at 2:1, after the
/// declarations given (one line).
inline std::string body(std::string_view statements, std::string_view declarations = {}) {
  return verdict(std::string(declarations) + " fn body() {\n" + std::string(statements) + "\n}\n");
}

}  // namespace cairn::tests
