// Judging a text in a test: the whole front end, from text to verdict.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "frontend/diagnostics/code.hpp"
#include "frontend/frontend.hpp"

namespace cairn::tests {

/// The packaged modules a test may import: the smallest that serve the rules tested.
inline const std::string* packaged(std::string_view module) {
  static const std::unordered_map<std::string_view, std::string> modules = {
      {"std.tiny",
       "module std.tiny;\n"
       "pub enum Option[T] { Some(T); None; }\n"
       "pub struct Cell[T:copy] { value:T; }\n"
       "pub type bytes = Cell[u8];\n"
       "struct Hidden { x:u64; }\n"
       "pub fn half(x:u64) -> u64 = x / 2;\n"
       "fn secret(x:u64) -> u64 = x;\n"},
      {"std.user", "module std.user;\nimport std.tiny (Option);\npub struct Holds { some:Option[u64]; }\n"},
  };
  const auto found = modules.find(module);
  return found == modules.end() ? nullptr : &found->second;
}

/// A judged program. It owns everything its verdict and trees point into.
inline std::unique_ptr<Compilation> judged(std::string_view text, CheckOptions options = {}) {
  auto compilation = std::make_unique<Compilation>();
  options.packaged = packaged;
  compilation->sources.add("main.cairn", std::string(text));
  check_program(*compilation, options);
  return compilation;
}

inline Verdict check(std::string_view text) { return judged(text)->verdict; }

/// "ok", or the code and line of every refusal: "E-TYPE@3 E-PARAM@4".
inline std::string outcome(std::string_view text, const CheckOptions& options = {}) {
  const auto compilation = judged(text, options);
  if (compilation->verdict.accepted()) return "ok";
  std::string all;
  for (const Diagnostic& each : compilation->verdict.refusals) {
    if (!all.empty()) all += ' ';
    all += cairn::text(each.code);
    if (each.position) all.append("@").append(std::to_string(compilation->sources.locate(each.position).line));
  }
  return all;
}

/// The message of the first refusal; empty when the program is accepted.
inline std::string message(std::string_view text) {
  const Verdict verdict = check(text);
  return verdict.accepted() ? std::string() : verdict.refusals.front().message;
}

}  // namespace cairn::tests
