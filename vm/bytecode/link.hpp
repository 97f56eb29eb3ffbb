// Two modules as one: what a session needs to keep function values and dispatch tables good from one entry to the next,
// for such values are indices.
#pragma once

#include <expected>
#include <string>

#include "vm/bytecode/module.hpp"

namespace cairn::bytecode {

/// Puts the tables of `more` behind those of `base`, whose indices stay what they are; everything `more` says by index
/// is said anew. Types, signatures and traits that are the same in both are one. The entry and the tests of `more` are
/// dropped. Gives the number its function 0 has now; an error when an index has outgrown its place in an instruction,
/// and `base` is then of no use.
[[nodiscard]] std::expected<std::uint32_t, std::string> append(Module& base, Module more);

}  // namespace cairn::bytecode
