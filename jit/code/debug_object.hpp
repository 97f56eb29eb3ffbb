// An object file that tells a debugger of one piece of machine code: its symbol, and the source lines of its parts.
#pragma once

#include <vector>

#include "jit/code/registration.hpp"

namespace cairn::jit {

/// ELF for x86-64 with the code's symbol at the address where it lies, a DWARF 4 compilation unit and its line table
/// (DWARF Debugging Information Format, version 4, sections 3.1, 3.3, 6.2 and 7.5). It holds no code.
[[nodiscard]] std::vector<char> debug_object(const RegisteredCode& code);

}  // namespace cairn::jit
