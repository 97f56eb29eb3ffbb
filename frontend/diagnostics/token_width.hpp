// How wide the token at a place is, so that the carets of a refusal underline all of it.
#pragma once

#include <cstddef>
#include <string_view>

namespace cairn {

/// Bytes of the token that starts at the beginning of `rest` (the rest of its line), by the token table of the language
/// (syntax, 1.2). 0 when no token starts there. Inside recipes `$` counts as a letter, so it does here.
[[nodiscard]] std::size_t token_width(std::string_view rest);

}  // namespace cairn
