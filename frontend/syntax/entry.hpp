// What one entry typed at a prompt is, before it is judged (tools, section 14): whether more lines belong to it, and
// which of the parser's functions reads it.
#pragma once

#include <cstdint>
#include <string_view>

namespace cairn::syntax {

enum class EntryForm : std::uint8_t {
  Empty,       // white space and comments alone
  Incomplete,  // a bracket is open, or it ends neither in `;` nor in `}` and is no expression: more lines belong to it
  Declarations,  // begins with a word that only declarations begin with: `parse`
  Expression,    // one expression and nothing more: `parse_expression`
  Statements,    // anything else, mistakes included: `parse_statements` gives its refusal
};

[[nodiscard]] EntryForm entry_form(std::string_view text);

}  // namespace cairn::syntax
