// The words of a trap: which values failed the guard of an instruction (tools, 6.3).
#pragma once

#include <string>

#include "vm/bytecode/module.hpp"

namespace cairn::interpreter {

/// The whole first line, from the operands as they stand in the frame: "trap: overflow: 250 + 10 does not fit u8", or
/// the assertion line. `detail` replaces what would be said of the operands when it is not empty.
[[nodiscard]] std::string trap_message(TrapKind kind, const bytecode::Module& module, const bytecode::Word* pc,
                                       const std::uint64_t* base, const bytecode::SourcePosition& position,
                                       const std::string& detail);

}  // namespace cairn::interpreter
