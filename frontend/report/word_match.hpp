// Words as a search compares them: lower case, cut at `_` and at capitals, without the common English endings.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cairn {

/// "RunLengths of_words" -> run, length, of, word.
[[nodiscard]] std::vector<std::string> stemmed_words(std::string_view text);

}  // namespace cairn
