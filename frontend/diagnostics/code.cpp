#include "frontend/diagnostics/code.hpp"

#include <algorithm>
#include <array>

namespace cairn {

namespace {

constexpr std::array kCodes = {
#define CODE(Enumerator, text, card, owner, about) CodeInfo{text, card, owner, about},
#include "frontend/diagnostics/codes.def"
#undef CODE
};

}  // namespace

const CodeInfo& info(Code code) { return kCodes[static_cast<std::size_t>(code)]; }

std::optional<Code> code_of(std::string_view text) {
  const auto* found = std::ranges::find(kCodes, text, &CodeInfo::text);
  if (found == kCodes.end()) return std::nullopt;
  return static_cast<Code>(found - kCodes.begin());
}

}  // namespace cairn
