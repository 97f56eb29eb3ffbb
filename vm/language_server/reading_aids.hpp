// What an editor shows beside the text of an accepted program: kinds of words, hints, lenses, symbols of the workspace.
#pragma once

#include <string>

#include "vm/language_server/meaning.hpp"

namespace cairn::lsp {

/// What the numbers of semantic tokens stand for.
[[nodiscard]] nlohmann::json semantic_token_legend();
/// Every word of a file by what it stands for: five numbers a word, as the protocol encodes them.
[[nodiscard]] nlohmann::json semantic_tokens(const Analysis& analysis, std::uint32_t file);
/// The types of bare `let`s and the effect rows of functions that state none, within bytes [begin, end) of a file.
[[nodiscard]] nlohmann::json inlay_hints(const Analysis& analysis, std::uint32_t file, std::size_t begin,
                                         std::size_t end);
/// "Run" above main, "Run test" above each test.
[[nodiscard]] nlohmann::json code_lenses(const Analysis& analysis, std::uint32_t file, const std::string& uri);
/// The declarations of the project whose names hold a text, letters of either case.
[[nodiscard]] nlohmann::json workspace_symbols(const Analysis& analysis, const std::string& query);

}  // namespace cairn::lsp
