// What a call needs of a function, and what a frame's link says: shared by every engine, so that frames of one are
// frames of another.
#pragma once

#include <cstdint>

#include "vm/bytecode/module.hpp"

namespace cairn {

/// Bytes of a frame's memory that hold owners or pointers and are zeroed where a call starts.
struct ZeroRange {
  std::uint32_t offset = 0;
  std::uint32_t bytes = 0;
};

/// What a call needs of a function, in one cache line.
struct alignas(64) CodeEntry {
  const bytecode::Word* code = nullptr;  // where a call goes: the first instruction, a prologue, or what picks a tier
  std::uint32_t frame_bytes = 0;         // 8 * slots
  std::uint32_t memory_bytes = 0;        // a multiple of memory_align
  std::uint32_t memory_align = 16;
  std::uint32_t zero_count = 0;
  const ZeroRange* zeros = nullptr;
  std::uint32_t parameter_slots = 0;  // without the environment
  std::uint32_t signature = 0;
  const bytecode::Function* function = nullptr;
  const bytecode::Word* body = nullptr;  // the first instruction
};
static_assert(sizeof(CodeEntry) == 64);

/// A call whose callee's code is part of its caller's: what its frame's link would be.
struct InlinedCall {
  const bytecode::Word* back = nullptr;  // the instruction after the call
  std::uint32_t base = 0;                // the inlined frame's slot 0, in slots of the outermost frame
  std::uint32_t caller_base = 0;         // its caller's
};

/// A place in machine code at which a frame can be taken up. A frame's return link points at a bytecode instruction or,
/// where its caller runs as machine code, at one of these: `op` tells them apart, as it stands where an instruction has
/// its operation. The frame is the outermost one of those that share the code.
struct ResumePoint {
  bytecode::Word op = 0;                 // an operation past the table
  const void* address = nullptr;         // the machine code
  const bytecode::Word* pc = nullptr;    // the bytecode that stands there, in the innermost inlined function
  const void* fast = nullptr;            // the machine code for a callee that gives its results in registers
  const InlinedCall* inlined = nullptr;  // from the innermost out
  std::uint64_t inlined_count = 0;
};
static_assert(sizeof(ResumePoint) == 48);

}  // namespace cairn
