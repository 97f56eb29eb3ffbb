// The reference interpreter.
#pragma once

#include "vm/interpreter/thread.hpp"

namespace cairn::interpreter {

/// Runs from `pc` in the frame at `base` until that frame returns to kExit or something traps (thread.trapped).
void run(Thread& thread, const bytecode::Word* pc, std::uint64_t* base, std::uint8_t* memory);

}  // namespace cairn::interpreter
