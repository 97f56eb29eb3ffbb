// Decides whether a module may run. An accepted module cannot make an engine read or write outside what its types say:
// every index is in its table, every instruction decodes, every jump lands on an instruction, every operand has the
// type its operation wants, every access to memory lies on a value of that kind inside its object, and no pointer is
// read before it is written. Numbers may be anything: guards see to them at run time.
//
// What it does not decide: whether owners are released once, and whether a reference is still alive (the front end's
// business). Bundles from strangers therefore need more than this: run such programs from their text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "vm/bytecode/module.hpp"

namespace cairn::bytecode {

/// Why a module is refused.
struct Fault {
  std::uint32_t function = kNone;  // kNone: one of the module's tables
  std::uint32_t word = kNone;      // the instruction, in a function's code
  std::string message;
};

/// The first fault, or none.
[[nodiscard]] std::optional<Fault> verify(const Module& module);

/// "function fib, word 12: ...", for people.
[[nodiscard]] std::string describe(const Fault& fault, const Module& module);

}  // namespace cairn::bytecode
