// A refusal: a code of the catalogue, a message, a position and details. There are no warnings. Checker rules build one
// with `refuse(Code::X, position, "message")` and add details; rendering (human, JSON) and the catalogue (cards,
// owners, fixes) live beside this file. Specification: tools, sections 4 and 5.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "frontend/diagnostics/code.hpp"
#include "frontend/source/source_map.hpp"

namespace cairn {

using DetailValue = std::variant<std::string, std::vector<std::string>, std::int64_t>;

/// A name as messages write it.
[[nodiscard]] inline std::string quoted(std::string_view text) { return '\'' + std::string(text) + '\''; }

struct Diagnostic {
  Code code{};
  std::string message;                                       // one or two sentences; the first says what is wrong
  Position position;                                         // none: nothing to point at
  std::string fix;                                           // the repair hint, sentence case; empty when none is known
  std::vector<std::pair<std::string, DetailValue>> details;  // in order, keys as in the JSON record
  std::string custom_code;  // a recipe's `require "E-MINE: ..."`; replaces the code's own name
  std::string file;         // for refusals without a position that still concern a file

  Diagnostic& detail(std::string key, DetailValue value) & {
    details.emplace_back(std::move(key), std::move(value));
    return *this;
  }
  Diagnostic&& detail(std::string key, DetailValue value) && {
    details.emplace_back(std::move(key), std::move(value));
    return std::move(*this);
  }
  Diagnostic&& suggest(std::string text) && {
    fix = std::move(text);
    return std::move(*this);
  }
};

/// What one judgement of a program gave: nothing, or the refusals in the order of the language (first one first).
struct Verdict {
  std::vector<Diagnostic> refusals;  // [0] is the first; the rest are further ones, in the order of tools, 4.4
  std::int64_t not_judged = 0;       // functions that got no verdict because of a refusal
  std::string stopped_by;            // the limit that ended the check after the first refusal, if any
  [[nodiscard]] bool accepted() const { return refusals.empty(); }
};

/// Thrown by a rule to end the body or declaration being judged; caught by the checker's own driver, never outside it.
struct Refusal {
  Diagnostic diagnostic;
};

[[noreturn]] inline void refuse(Diagnostic diagnostic) { throw Refusal{std::move(diagnostic)}; }
[[noreturn]] inline void refuse(Code code, Position position, std::string message) {
  throw Refusal{Diagnostic{code, std::move(message), position, {}, {}, {}, {}}};
}

}  // namespace cairn
