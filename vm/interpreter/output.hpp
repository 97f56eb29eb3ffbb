// print and format (syntax and values, 1.12).
#pragma once

#include <cstdint>

#include "vm/interpreter/thread.hpp"

namespace cairn::interpreter {

/// Writes the arguments of the print at `pc` in one call of the sink when they have at most 4096 bytes.
void print(Thread& thread, const std::uint64_t* base, const bytecode::Word* pc);
/// Appends the arguments of the format at `pc` to its byte record; one allocation at most. False when that fails.
bool format(Thread& thread, const std::uint64_t* base, const bytecode::Word* pc);

}  // namespace cairn::interpreter
