// How a foreign function's symbol says that it is assembly: everything the assembler needs, as text, so that a bundle
// holds it too.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "jit/jit.hpp"

namespace cairn {

struct AssemblySymbol {
  std::vector<jit::AsmRegister> operands;
  std::vector<std::string_view> clobbers;
  std::string_view text;
};

/// "asm x86_64", a line of operand registers (`i8` an integer of 8 bytes, `f4` an f32), a line of clobbers, the
/// template.
[[nodiscard]] std::string encode(const AssemblySymbol& symbol);
/// The symbol as assembly, its texts parts of `symbol`; nothing for any other symbol, or a damaged one.
[[nodiscard]] std::optional<AssemblySymbol> decode_assembly(std::string_view symbol);

}  // namespace cairn
