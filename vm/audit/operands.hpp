// Generated operands of an audit (reference algorithms, 17.3), and arrays in folders (17.6).
#pragma once

#include <cstdint>
#include <expected>
#include <filesystem>
#include <map>
#include <string>

#include "runtime/reference/array.hpp"
#include "vm/audit/form.hpp"

namespace cairn::audit {

enum class Inputs : std::uint8_t { Uniform, Positive, Ones, Wide, Cancelling };
[[nodiscard]] std::optional<Inputs> inputs_named(std::string_view name);

/// One case: an array for every role that has one. A boolean mask is kept as `f32` zeros and ones here, and marked.
struct Case {
  std::map<std::string, reference::Array, std::less<>> arrays;
  bool boolean_mask = false;
};

/// The operands of one seed: those of `formats`, in the form's order; the old values of an `onto` are the array "old".
/// Outputs and masks are not among them.
[[nodiscard]] Case generated(const Problem& problem,
                             const std::map<std::string, reference::Format, std::less<>>& formats, Inputs inputs,
                             std::uint64_t seed);

struct Folder {
  Problem problem;
  Case arrays;
};
/// `audit.json` and the files it names.
[[nodiscard]] std::expected<Folder, std::string> read_folder(const std::filesystem::path& folder);
/// Nothing, or why it could not be written.
[[nodiscard]] std::optional<std::string> write_folder(const std::filesystem::path& folder, const Problem& problem,
                                                      const Case& arrays);

}  // namespace cairn::audit
