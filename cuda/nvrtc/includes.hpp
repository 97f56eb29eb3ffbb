// What a source of CUDA C++ includes, read off its text. Conditions are not judged and macros not expanded: an
// `#include` that the compiler would skip counts, one whose name is a macro does not.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cairn::cuda {

struct Include {
  std::string name;
  bool quoted = false;  // "name", which is looked for beside the source first
};
[[nodiscard]] std::vector<Include> includes_of(std::string_view text);

/// The texts of all files that `text` includes from the folders, directly or through other files, each after its path.
/// A name that is in none of the folders is left out.
[[nodiscard]] std::string included_texts(std::string_view text, const std::vector<std::string>& folders);

}  // namespace cairn::cuda
