// NumPy's array files (NEP 1, versions 1.0 to 3.0) as the operands of an audit.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "runtime/reference/array.hpp"

namespace cairn::audit {

/// The elements' bits of a file: those of `format`, or one byte a truth where `boolean`, in C order, of exactly this
/// shape. `bf16` and the 8-bit floats, which NumPy itself has not, are bytes or words of their bits: `|V1`, `|u1`,
/// `<V2`, `<u2`. The error says what else the file holds.
[[nodiscard]] std::expected<std::string_view, std::string> npy_elements(std::string_view file, reference::Format format,
                                                                        bool boolean, const reference::Shape& shape);

}  // namespace cairn::audit
