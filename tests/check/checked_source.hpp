// A program given as text, checked: what tests of the checker ask it.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frontend/check/rows.hpp"
#include "frontend/frontend.hpp"
#include "stdlib/embedded.hpp"

namespace cairn {

inline const std::string* packaged_text(std::string_view module) {
  static std::vector<std::pair<std::string, std::unique_ptr<std::string>>> texts;
  for (const auto& [name, text] : texts) {
    if (name == module) return text.get();
  }
  for (const EmbeddedModule& each : embedded_modules()) {
    if (each.name != module) continue;
    texts.emplace_back(each.name, std::make_unique<std::string>(each.text));
    return texts.back().second.get();
  }
  return nullptr;
}

class CheckedSource {
 public:
  explicit CheckedSource(std::string text, CheckOptions options = {}) {
    options.packaged = packaged_text;
    compilation.sources.add("test.cairn", std::move(text));
    check_program(compilation, options);
  }

  /// "accepted", or the first refusal as "E-CODE line:column" ("E-CODE" alone without a position).
  [[nodiscard]] std::string verdict() const { return compilation.verdict.accepted() ? "accepted" : refusal(0); }
  [[nodiscard]] std::string refusal(std::size_t index) const {
    const Diagnostic& diagnostic = compilation.verdict.refusals[index];
    std::string out = diagnostic.custom_code.empty() ? std::string(text(diagnostic.code)) : diagnostic.custom_code;
    const Location at = compilation.sources.locate(diagnostic.position);
    if (diagnostic.position) out += " " + std::to_string(at.line) + ":" + std::to_string(at.column);
    return out;
  }
  [[nodiscard]] const Diagnostic& first() const { return compilation.verdict.refusals.front(); }

  /// The labels of a function's row, comma separated; "no such function" when there is none.
  [[nodiscard]] std::string row(std::string_view name) const {
    for (const auto& function : compilation.program.functions) {
      if (function->name != name || function->row == nullptr) continue;
      std::string out;
      for (const std::string& label : checked::texts(*function->row, *function, compilation.names)) {
        out += (out.empty() ? "" : ", ") + label;
      }
      return out;
    }
    return "no such function";
  }

  Compilation compilation;
};

}  // namespace cairn
