// The interpreter's state and how a step reads and writes it. A step is the meaning of one operation: given the machine
// and the instruction's address it gives the address of the next instruction. Where a guard fails that is the address
// of a failure word, whose handler records the trap: no step tests for traps, and common steps call nothing.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "vm/bytecode/operation_table.hpp"
#include "vm/interpreter/thread.hpp"

namespace cairn::interpreter {

using bytecode::Op;
using bytecode::Place;
using bytecode::Word;

struct Machine {
  std::uint64_t* base = nullptr;   // slot 0 of the frame
  std::uint8_t* memory = nullptr;  // the frame's memory, and the end of what register frames may use
  Thread* thread = nullptr;
};

/// Operations past the table, in words of the interpreter's own.
enum class InternalOp : std::uint16_t {
  Exit = bytecode::kOperationCount,  // returns to the host
  Failure,                           // a failed guard of the instruction at Thread::failed; a: the TrapKind
  Prologue,                          // starts a function that has memory; n: the function
  Enter,                             // calls a function of an instance with tiers; n: the function
  Resume,                            // the op of a ResumePoint: goes on in machine code
  Count,
};

extern const Word kExit[1];
extern const std::array<Word, static_cast<std::size_t>(TrapKind::Interrupt) + 1> kFailures;

/// The instruction of bytecode a return link leads to.
inline const Word* return_address(std::uint64_t link) {
  const auto* back = reinterpret_cast<const Word*>(link);
  const bool is_point = (back[0] & 0xffff) == static_cast<Word>(InternalOp::Resume);
  return is_point ? reinterpret_cast<const ResumePoint*>(back)->pc : back;
}

/// The caller's frame, the innermost one when calls were inlined: their links are written, as nobody did.
inline std::uint64_t* caller_frame(const std::uint64_t* base) {
  auto* const caller = reinterpret_cast<std::uint64_t*>(base[-2]);
  const auto* back = reinterpret_cast<const Word*>(base[-1]);
  if ((back[0] & 0xffff) != static_cast<Word>(InternalOp::Resume)) return caller;
  const auto* point = reinterpret_cast<const ResumePoint*>(back);
  for (std::uint64_t k = 0; k < point->inlined_count; ++k) {
    const InlinedCall& inlined = point->inlined[k];
    std::uint64_t* const frame = caller + inlined.base;
    frame[-1] = reinterpret_cast<std::uint64_t>(inlined.back);
    frame[-2] = reinterpret_cast<std::uint64_t>(caller + inlined.caller_base);
    frame[-3] = base[-3];
  }
  return point->inlined_count == 0 ? caller : caller + point->inlined[0].base;
}

/// The instruction at `pc` traps.
[[gnu::always_inline]] inline const Word* fail(TrapKind kind, const Word* pc, const Machine& machine) {
  machine.thread->failed = pc;
  return kFailures.data() + static_cast<std::size_t>(kind);
}

using bytecode::OpName;

constexpr OpName name_of(Op op) {
  return bytecode::split_name(bytecode::table::kRows[static_cast<std::size_t>(op)].text);
}

template <class T>
struct TypeTag {
  using Type = T;
};

/// The C++ type of a type name.
template <Op op>
constexpr auto type_tag() {
  constexpr std::string_view type = name_of(op).type;
  if constexpr (type == "u8")
    return TypeTag<std::uint8_t>{};
  else if constexpr (type == "u16")
    return TypeTag<std::uint16_t>{};
  else if constexpr (type == "u32")
    return TypeTag<std::uint32_t>{};
  else if constexpr (type == "u64")
    return TypeTag<std::uint64_t>{};
  else if constexpr (type == "i8")
    return TypeTag<std::int8_t>{};
  else if constexpr (type == "i16")
    return TypeTag<std::int16_t>{};
  else if constexpr (type == "i32")
    return TypeTag<std::int32_t>{};
  else if constexpr (type == "i64")
    return TypeTag<std::int64_t>{};
  else if constexpr (type == "f32")
    return TypeTag<float>{};
  else if constexpr (type == "f64")
    return TypeTag<double>{};
  else if constexpr (type == "bool")
    return TypeTag<bool>{};
  else
    return TypeTag<void>{};
}
template <Op op>
using TypeOf = typename decltype(type_tag<op>())::Type;

template <Op op>
inline constexpr std::uint32_t kWords = bytecode::table::kRows[static_cast<std::size_t>(op)].words;

// ----------------------------------------------------------------------------------------------- slots

template <class T>
[[gnu::always_inline]] inline T read(const std::uint64_t* base, std::uint32_t slot) {
  if constexpr (std::is_same_v<T, float>) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(base[slot]));
  } else if constexpr (std::is_same_v<T, double>) {
    return std::bit_cast<double>(base[slot]);
  } else if constexpr (std::is_same_v<T, bool>) {
    return base[slot] != 0;
  } else {
    return static_cast<T>(base[slot]);
  }
}

template <class T>
[[gnu::always_inline]] inline void write(std::uint64_t* base, std::uint32_t slot, T value) {
  if constexpr (std::is_same_v<T, float>) {
    base[slot] = std::bit_cast<std::uint32_t>(value);
  } else if constexpr (std::is_same_v<T, double>) {
    base[slot] = std::bit_cast<std::uint64_t>(value);
  } else if constexpr (std::is_signed_v<T>) {
    base[slot] = static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
  } else {
    base[slot] = static_cast<std::uint64_t>(value);
  }
}

/// The last operand of a binary operation: register c, or the immediate.
template <Op op, class T>
[[gnu::always_inline]] inline T right(const Machine& m, const Word* pc) {
  if constexpr (name_of(op).immediate) {
    return static_cast<T>(pc[1]);
  } else {
    return read<T>(m.base, bytecode::c_of(pc[0]));
  }
}

template <class T>
[[gnu::always_inline]] inline T load(const std::uint8_t* at) {
  T value;
  std::memcpy(&value, at, sizeof(T));
  return value;
}
template <class T>
[[gnu::always_inline]] inline void store(std::uint8_t* at, T value) {
  std::memcpy(at, &value, sizeof(T));
}

}  // namespace cairn::interpreter
