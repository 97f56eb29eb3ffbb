// How to mend a refusal, where that can be computed or always holds (tools, 4.5). A fix never repeats the message and
// never tells the author to widen a signature, a borrow mode, an effect ceiling or a tolerance.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/diagnostics/diagnostic.hpp"

namespace cairn {

/// Twice the matched characters over the sum of both lengths: 1 for equal texts, 0 when nothing matches. Matched are
/// the characters of the longest common block and, recursively, of what lies left and right of it (Ratcliff and
/// Obershelp, "Pattern Matching: The Gestalt Approach", 1988).
[[nodiscard]] double similarity(std::string_view left, std::string_view right);

/// The candidates most similar to a name nothing has, best first: at most two, each with a similarity of at least 0.6.
[[nodiscard]] std::vector<std::string_view> close_names(std::string_view wanted,
                                                        std::span<const std::string_view> candidates);

/// "Did you mean X?" or "Did you mean X or Y?"; empty when no candidate is close.
[[nodiscard]] std::string did_you_mean(std::string_view wanted, std::span<const std::string_view> candidates);

/// The fix to show: the one the rule gave, else the one its code always has, else none.
[[nodiscard]] std::string fix_of(const Diagnostic& diagnostic, const SourceMap& sources);

}  // namespace cairn
