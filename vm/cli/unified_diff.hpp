// The difference of two texts, line by line, in the unified format.
#pragma once

#include <string>
#include <string_view>

namespace cairn::cli {

/// `--- OLD`, `+++ NEW`, then hunks with three lines of context; empty when the texts are equal.
[[nodiscard]] std::string unified_diff(std::string_view old_text, std::string_view new_text, std::string_view old_name,
                                       std::string_view new_name);

}  // namespace cairn::cli
