// The packaged modules as a front end asks for them.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "stdlib/embedded.hpp"

namespace cairn::tests {

/// The text of a packaged module; null when there is none.
inline const std::string* packaged(std::string_view module) {
  static const std::map<std::string_view, std::string> texts = [] {
    std::map<std::string_view, std::string> all;
    for (const EmbeddedModule& each : embedded_modules()) all.emplace(each.name, each.text);
    return all;
  }();
  const auto found = texts.find(module);
  return found == texts.end() ? nullptr : &found->second;
}

}  // namespace cairn::tests
