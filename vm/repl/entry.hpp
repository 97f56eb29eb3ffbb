// What a person types, before any of it is checked: where an entry ends and what kind it is (tools, 14).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace cairn::repl {

enum class EntryKind : std::uint8_t { Declaration, Statement, Expression };

/// Whether the lines so far are a whole entry: brackets balance, and it ends in `;` or `}` or is one expression.
[[nodiscard]] bool is_complete(std::string_view text);
/// Whether a bracket closes one that no earlier one opened: such text would reach out of the function it is put in.
[[nodiscard]] bool closes_too_much(std::string_view text);
/// Of a complete entry.
[[nodiscard]] EntryKind kind_of(std::string_view text);
/// The name a declaration declares; empty for import, impl, derive, plan.
[[nodiscard]] std::string declared_name(std::string_view text);
[[nodiscard]] bool is_import(std::string_view text);
[[nodiscard]] std::string_view trimmed(std::string_view text);

}  // namespace cairn::repl
