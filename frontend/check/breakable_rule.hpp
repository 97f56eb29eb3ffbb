// Tests show that a rule matters by breaking it: a build with CAIRN_BREAKABLE_RULES lets the environment variable
// CAIRN_BREAK_RULE name one rule that refuses nothing. In every other build a rule cannot be broken.
#pragma once

#include <cstdlib>
#include <string_view>

namespace cairn {

#ifdef CAIRN_BREAKABLE_RULES
inline bool is_broken(std::string_view rule) {
  const char* broken = std::getenv("CAIRN_BREAK_RULE");
  return broken != nullptr && rule == broken;
}
#else
constexpr bool is_broken(std::string_view) { return false; }
#endif

}  // namespace cairn
