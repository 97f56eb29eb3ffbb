// `cairn find` (tools, 3.12): declarations by words, by the types a call takes and returns, and by effects.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "frontend/frontend.hpp"

namespace cairn {

struct FindQuery {
  std::vector<std::string> words;
  std::vector<std::string> takes;      // types of the values a call would be given, in any order
  std::optional<std::string> returns;  // the type it would give
  std::optional<std::string> effects;  // a ceiling: "pure", "effects(io, ffi:write)" or bare labels
  std::size_t limit = 20;
};

struct FindHit {
  std::string name;       // full
  std::string kind;       // "fn", "struct", ...
  std::string signature;  // as written, without a body
  std::string comment;    // its first sentence
  std::string effects;    // of a concrete function: "a, b" or "none"; else empty
  std::string place;      // "FILE:LINE"
};

struct FindResult {
  std::vector<FindHit> hits;  // best first, at most the limit
  std::size_t omitted = 0;
};

/// Searches the declarations of an accepted program and of the library modules linked with it. Throws a Refusal
/// (E-PARSE) for a malformed type.
[[nodiscard]] FindResult find_declarations(Compilation& compilation, const FindQuery& query);

}  // namespace cairn
