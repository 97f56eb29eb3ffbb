// The interpreter's definition of each operation as a function of its own, for machine code to call.
#pragma once

#include <span>

#include "jit/jit.hpp"

namespace cairn::interpreter {

/// By operation; null for jumps, calls and returns, which machine code does itself.
[[nodiscard]] std::span<const jit::Step> out_of_line_steps();

[[nodiscard]] const bytecode::Word* refuel_jump(const bytecode::Word* next, const bytecode::Word* pc,
                                                std::uint64_t* base, std::uint8_t* memory, void* thread);
[[nodiscard]] const bytecode::Word* refuel_call(const bytecode::Word* next, const bytecode::Word* pc,
                                                std::uint64_t* base, std::uint8_t* memory, void* thread);
/// The function that begins at `next` is called often: where better code goes on, or null.
[[nodiscard]] const bytecode::Word* hot_entry(const bytecode::Word* next, const bytecode::Word* pc, std::uint64_t* base,
                                              std::uint8_t* memory, void* thread);
/// A frame whose inner loop has ended stands at `next`: the point of better code to go on at, or null.
[[nodiscard]] const bytecode::Word* go_on(const bytecode::Word* next, const bytecode::Word* pc, std::uint64_t* base,
                                          std::uint8_t* memory, void* thread);

}  // namespace cairn::interpreter
