// Edits that mend a refusal: offered only when the project, edited so, is refused for it no more.
#pragma once

#include <filesystem>

#include "vm/language_server/analysis.hpp"

namespace cairn::lsp {

/// The code actions for a document's refusals that begin within bytes [begin, end) of its current text: `let mut` for
/// E-IMMUTABLE, an import for E-CALLEE, E-TYPE and E-UNBOUND, the missing arms for E-MATCH-COVERAGE. None widens a
/// signature, a borrow mode or a ceiling.
[[nodiscard]] nlohmann::json code_actions(const std::filesystem::path& path, const Buffers& buffers, std::size_t begin,
                                          std::size_t end);

}  // namespace cairn::lsp
