// The conventions all machine code of a module keeps.
//
// Between instructions of bytecode the state is that of the interpreter: frame slots hold every value, and three
// machine registers say where they are. Calls and returns are jumps: the return link is in the frame, nothing is on the
// machine's stack, so that code may stop or be left anywhere. The machine's stack pointer is aligned for calls of C++.
#pragma once

#include <asmjit/x86.h>

#include "jit/jit.hpp"

namespace cairn::jit {

namespace x86 = asmjit::x86;

inline const x86::Gp kBase = x86::rbx;    // slot 0 of the frame
inline const x86::Gp kMemory = x86::rbp;  // the frame's memory, and the end of what register frames may use
inline const x86::Gp kThread = x86::r12;
inline const x86::Gp kTable = x86::r13;  // a CodeTable

/// What machine code reaches through kTable. `steps` by operation follow it, then by function `targets`, those of calls
/// with arguments in registers, and how often baseline code may still be entered before it is hot.
struct CodeTable {
  const void* leave = nullptr;    // to the interpreter, which goes on at rax
  const void* fail = nullptr;     // a guard failed: rdx the function's first word, eax the instruction's, ecx the kind
  const void* unbound = nullptr;  // calls function eax, which has no machine code
  Refuel refuel_jump = nullptr;
  Refuel refuel_call = nullptr;
  Refuel go_on = nullptr;
  Refuel hot_entry = nullptr;
  const std::uint32_t* const* members = nullptr;  // by dispatch table: its functions
  const CodeEntry* functions = nullptr;
  std::uint64_t function_count = 0;
};
inline constexpr std::int32_t kStepsAt = sizeof(CodeTable);
inline constexpr std::int32_t kTargetsAt = kStepsAt + 8 * static_cast<std::int32_t>(bytecode::kOperationCount);

#define CAIRN_TABLE_ENTRY(member)                    \
  ::cairn::jit::x86::qword_ptr(::cairn::jit::kTable, \
                               static_cast<std::int32_t>(offsetof(::cairn::jit::CodeTable, member)))

}  // namespace cairn::jit
