// Texts as an editor counts them: zero-based lines, columns in UTF-16 units; and the words of a text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "frontend/support/ascii.hpp"

namespace cairn::lsp {

/// A word (a name, keyword or number) of a text, outside strings and comments.
struct Word {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// Byte offset of an editor's position; past the end of a line it is the line's end.
[[nodiscard]] std::size_t offset_of(std::string_view text, const nlohmann::json& position);
[[nodiscard]] nlohmann::json position_of(std::string_view text, std::size_t offset);
[[nodiscard]] nlohmann::json range_of(std::string_view text, std::size_t begin, std::size_t end);

/// Where the token that begins at `begin` ends.
[[nodiscard]] std::size_t token_end(std::string_view text, std::size_t begin);
[[nodiscard]] std::vector<Word> words_of(std::string_view text);
/// The word that holds the offset, or ends there.
[[nodiscard]] std::optional<Word> word_at(std::string_view text, std::size_t offset);

/// The comment lines directly above a declaration that begins at `begin`, without their slashes.
[[nodiscard]] std::string comment_above(std::string_view text, std::size_t begin);

/// Null when the URI is no file's.
[[nodiscard]] std::optional<std::filesystem::path> path_of(std::string_view uri);
[[nodiscard]] std::string uri_of(const std::filesystem::path& path);

}  // namespace cairn::lsp
