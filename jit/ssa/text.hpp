// The text form of a function, for people and tests, and what holds of every function.
//
//   function INDEX entry WORD
//   frame N function INDEX parent N call WORD base SLOT           the inlined calls
//   bN @WORD [cold]:
//     vN = OP[.MODE][.RELATION].KIND[.from.KIND][xLANES] A B C [*SCALE] [#IMMEDIATE] [!TRAP] [@WORD[/FRAME]] [rSLOT=vN
//     ..]
//     ... -> bN bN [likely|unlikely]                              an end; `likely`: mostly to the first
//
// An operand that is left out before one that is there is `_`. A phi's list names its predecessors, bN=vN. What follows
// a semicolon is a remark.
#pragma once

#include <string>
#include <string_view>

#include "jit/ssa/ir.hpp"

namespace cairn::jit::ssa {

[[nodiscard]] std::string_view name_of(Opcode op);
[[nodiscard]] std::string write(const Function& function);
/// Takes what `write` gives. False with what is wrong in `error`.
[[nodiscard]] bool read(std::string_view text, Function& function, std::string& error);

/// What is wrong with the function, or nothing: an operand that does not dominate its use or is of another kind, edges
/// that disagree, a phi without a value for a predecessor.
[[nodiscard]] std::string verify(const Function& function);

}  // namespace cairn::jit::ssa
