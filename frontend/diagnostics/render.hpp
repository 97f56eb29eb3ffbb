// How refusals are shown: for people (on stderr) and as one JSON record (on stdout). The layouts are fixed by the
// specification (tools, 4.1 and 4.2), so tools may match on them: `error[CODE]`, `unknown[CODE]` and `--> FILE:LINE`.
// Both forms say the same thing; neither depends on the terminal but for colour and line breaks.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "frontend/diagnostics/diagnostic.hpp"

namespace cairn {

/// At most this many refusals beyond the first are listed; the rest are counted.
inline constexpr std::size_t kMostFurtherRefusals = 20;

/// The code as it is printed: the catalogue's, or the one a recipe's `require` named.
[[nodiscard]] std::string_view code_text(const Diagnostic& diagnostic);

/// False when the diagnostic says nothing about the program (a manifest, an option, this machine): status `unknown`.
[[nodiscard]] bool is_rejection(const Diagnostic& diagnostic);

/// Every refusal of the verdict, an empty line between two, then the tally line when there is something to tally.
/// Ends with a newline. `coloured` adds terminal escapes and changes nothing else.
[[nodiscard]] std::string render_human(const Verdict& verdict, const SourceMap& sources, bool coloured);

/// The record of the first refusal, with the further ones inside it.
[[nodiscard]] nlohmann::ordered_json record_of(const Verdict& verdict, const SourceMap& sources);

/// A record as text: one compact line, or indented by two spaces. UTF-8, without a newline at the end.
[[nodiscard]] std::string text_of(const nlohmann::ordered_json& record, bool indented);

}  // namespace cairn
