// Values as the session shows them (tools, 14): numbers, Name(field, ..), Type.Variant(payload), [a, b, ..].
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "frontend/check/types.hpp"
#include "frontend/support/names.hpp"
#include "vm/bytecode/module.hpp"

namespace cairn::repl {

/// The value at `bytes`, whose checked type is `type` and whose entry in the module's type table is `index`.
[[nodiscard]] std::string value_text(const Type& type, const bytecode::Module& module, std::uint32_t index,
                                     const std::uint8_t* bytes, const NameTable& names);
[[nodiscard]] std::string bytes_text(std::string_view bytes);
/// At most sixteen elements, then how many there are.
[[nodiscard]] std::string elements_text(const Type& element, const bytecode::Module& module, std::uint32_t index,
                                        const std::uint8_t* bytes, std::uint64_t count, const NameTable& names);

}  // namespace cairn::repl
