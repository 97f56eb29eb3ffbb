// Two modules as one: what a session needs to keep function values and dispatch tables good from one entry to the next,
// for such values are indices.
#pragma once

#include <cstdint>

#include "vm/bytecode/module.hpp"

namespace cairn::bytecode {

/// Puts the tables of `more` behind those of `base`, whose indices stay what they are; everything `more` says by index
/// is said anew. Types, signatures and traits that are the same in both are one. The entry and the tests of `more` are
/// dropped. Gives the number its function 0 has now.
std::uint32_t append(Module& base, Module more);

}  // namespace cairn::bytecode
