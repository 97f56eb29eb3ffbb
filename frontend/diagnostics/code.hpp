// Every diagnostic code of the language, from the one table `codes.def`.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace cairn {

enum class Code : std::uint16_t {
#define CODE(Enumerator, text, card, owner, about) Enumerator,
#include "frontend/diagnostics/codes.def"
#undef CODE
};

struct CodeInfo {
  std::string_view text;   // "E-TYPE-MISMATCH"
  std::string_view card;   // "base"
  int owner;               // the chapter that owns the rule
  std::string_view about;  // one line
};

[[nodiscard]] const CodeInfo& info(Code code);
[[nodiscard]] std::optional<Code> code_of(std::string_view text);
[[nodiscard]] inline std::string_view text(Code code) { return info(code).text; }

}  // namespace cairn
