// Reading files of a project: whole, bounded, without following links.
#pragma once

#include <expected>
#include <filesystem>
#include <string>
#include <string_view>

#include "frontend/diagnostics/diagnostic.hpp"

namespace cairn {

/// The bytes of a regular file of at most `limit` bytes; else the system's reason, or that it is too large.
[[nodiscard]] std::expected<std::string, std::string> read_file(const std::filesystem::path& path, std::size_t limit);

/// Why `path`, relative to `root`, is no file (or folder) of the project: missing, of another kind, or behind a
/// symbolic link. Empty when it is one.
[[nodiscard]] std::string not_inside(const std::filesystem::path& root, std::string_view path, bool folder);

[[nodiscard]] bool is_utf8(std::string_view text);

}  // namespace cairn
