// What of the language the model covers (tools, 9.2; numerics, 10), judged on the checked tree, where every construct
// still has its own name; and the shape of a signature, which two versions of a function must share.
#pragma once

#include <optional>
#include <string>

#include "frontend/frontend.hpp"

namespace cairn::verify {

/// Why a function, or something it calls, is outside the modelled fragment; nothing when it is inside.
[[nodiscard]] std::optional<std::string> outside_fragment(const checked::Function& function, const NameTable& names);

/// A type with everything its values depend on: names, fields, variants, extents by name.
[[nodiscard]] std::string described(const Type& type, const NameTable& names);

/// How two signatures differ: parameter types, the result, and the definitions of their types; with `names_count` the
/// parameters' names as well. Empty when they do not. Extents are compared by the parameter they name.
[[nodiscard]] std::string signature_difference(const checked::Function& left, const NameTable& left_names,
                                               const checked::Function& right, const NameTable& right_names,
                                               bool names_count);

/// `(km: u8, xs: rw<u32>[n]) -> u8`.
[[nodiscard]] std::string signature_text(const checked::Function& function, const NameTable& names);

}  // namespace cairn::verify
